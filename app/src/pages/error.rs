//! What a person sees when a page cannot be shown: what happened, what to do, and who can help.

use domain::permission::RoleName;
use leptos::prelude::*;

use crate::shell::{Frame, still};

/// Why a page cannot be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub status: u16,
    /// The number under which it was logged; may be empty.
    pub request: String,
    /// The roles that would do, where it needs one that the reader lacks.
    pub roles: Vec<RoleName>,
    /// The people who can give it to them.
    pub ask: Vec<String>,
}

/// The page of a failure.
pub fn error(frame: &Frame, failure: &Failure) -> AnyView {
    let text = frame.text();
    let words = &text.failures;
    let status = failure.status;
    let roles = failure
        .roles
        .iter()
        .map(|&role| (text.people.role_name)(role));
    let roles: Vec<&str> = roles.collect();
    let needs = (!roles.is_empty()).then(|| {
        let roles = roles.join(" · ");
        view! { <p>{(words.needs)(&roles)}</p> }
    });
    let ask = (!failure.ask.is_empty()).then(|| {
        let people = failure.ask.join(" · ");
        view! { <p>{(words.ask)(&people)}</p> }
    });
    let request = (!failure.request.is_empty()).then(|| {
        view! {
            <p class="quiet">
                {text.error.request}
                " "
                <code>{failure.request.clone()}</code>
            </p>
        }
    });
    let content = view! {
        <p class="lead">{(text.error.detail)(status)}</p>
        {needs}
        {ask}
        <p>{(words.what_to_do)(status)}</p>
        {request}
        <p>
            <a class="button" href="/">
                {text.error.home}
            </a>
        </p>
    }
    .into_any();
    still(frame, (text.error.title)(status), None, content)
}
