//! `/help`: the keys, for who has scripts off or wants to read them in peace.

use leptos::prelude::*;

use crate::{
    components::keys::key_table,
    shell::{Frame, page},
};

/// The page.
pub fn help(frame: &Frame) -> AnyView {
    let text = frame.text();
    let content = view! {
        <p class="lead">{text.help.lead}</p>
        {key_table(frame)}
        <p>
            <a href="/account/keys">{text.keys.change}</a>
        </p>
    }
    .into_any();
    page(frame, text.help.title, None, content)
}
