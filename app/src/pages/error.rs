//! What a person sees when a page cannot be shown.

use leptos::prelude::*;

use crate::shell::{Frame, page};

/// The page of a status, with the number under which it was logged.
pub fn error(frame: &Frame, status: u16, request: &str) -> AnyView {
    let text = frame.text();
    let request = (!request.is_empty()).then(|| {
        view! {
            <p class="quiet">
                {text.error.request}
                " "
                <code>{request.to_owned()}</code>
            </p>
        }
    });
    let content = view! {
        <p class="lead">{(text.error.detail)(status)}</p>
        {request}
        <p>
            <a class="button" href="/">
                {text.error.home}
            </a>
        </p>
    }
    .into_any();
    page(frame, (text.error.title)(status), None, content)
}
