//! The message about what was done last. Its place is on every page, so that a reader that watches it hears each change.

use leptos::prelude::*;

use crate::{
    keys::{Action, key_of},
    shell::{Frame, Notice, Tone},
    text::Text,
};

/// How long the island shows an undo; afterwards it is in the history.
pub const UNDO_SECONDS: u64 = 30;

/// The place of the message, empty where there is none.
pub fn notice(frame: &Frame) -> AnyView {
    let shown = frame.notice.clone();
    let failed = shown
        .as_ref()
        .and_then(|notice| notice.failed.as_ref())
        .map(ToString::to_string);
    let text = frame.text();
    view! {
        <div id="flash" role="status" data-failed=failed>
            {shown.map(|notice| message(text, notice))}
        </div>
    }
    .into_any()
}

fn message(text: &'static Text, notice: Notice) -> AnyView {
    let tone = match notice.tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
    };
    let more = notice
        .more
        .into_iter()
        .map(|line| view! { <p>{line}</p> })
        .collect_view();
    let link = notice
        .link
        .map(|(href, label)| view! { <a href=href>{label}</a> });
    let undo = notice.undo.map(|undo| {
        let key = key_of(Action::Undo);
        view! {
            <form method="post" action=format!("/candidates/{}/reopen", undo.candidate)>
                <input type="hidden" name="version" value=undo.version />
                <input type="hidden" name="next" value=undo.next />
                <button class="button" data-key=key aria-keyshortcuts=key>
                    {text.flash.undo}
                    <kbd aria-hidden="true">{key}</kbd>
                </button>
                <span class="countdown" data-seconds=UNDO_SECONDS.to_string() aria-hidden="true">
                    {(text.flash.seconds)(UNDO_SECONDS)}
                </span>
            </form>
        }
    });
    view! {
        <div class="notice" data-tone=tone>
            <div>
                <p>{notice.line}</p>
                {more}
            </div>
            {link}
            {undo}
        </div>
    }
    .into_any()
}
