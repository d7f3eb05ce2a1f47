//! What stands where nothing is: what would be there, and how to get it.

use leptos::prelude::*;

use super::content::with_code;

/// An empty place: a heading, what to do, and optionally a link that does it.
pub fn empty(heading: &str, how: &str, link: Option<(String, String)>) -> AnyView {
    let link = link.map(|(href, label)| {
        view! {
            <a class="button" href=href>
                {label}
            </a>
        }
    });
    view! {
        <div class="empty">
            <h2 tabindex="-1">{heading.to_owned()}</h2>
            <p>{with_code(how)}</p>
            {link}
        </div>
    }
    .into_any()
}
