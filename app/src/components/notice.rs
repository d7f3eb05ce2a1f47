//! The message about what was done last. Its place is on every page, so that a reader that watches it hears each change.

use leptos::prelude::*;

use super::keys::badge;
use crate::{
    keys::Action,
    shell::{Frame, Notice, Tone},
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
    view! {
        <div id="flash" role="status" data-failed=failed>
            {shown.map(|notice| message(frame, notice))}
        </div>
    }
    .into_any()
}

fn message(frame: &Frame, notice: Notice) -> AnyView {
    let text = frame.text();
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
        let action = Action::Undo;
        view! {
            <form method="post" action=undo.action>
                {undo.version.map(|version| view! { <input type="hidden" name="version" value=version /> })}
                <input type="hidden" name="next" value=undo.next />
                <button class="button" data-action=action.word() aria-keyshortcuts=frame.keys.aria(action)>
                    {text.flash.undo}
                    {badge(&frame.keys, action)}
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
