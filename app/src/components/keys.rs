//! The keys as a person sees them: badges on buttons, the bar along the lower edge of a desk, the help sheet, the table. All are
//! drawn from the table of the reader, [`Frame::keys`].

use leptos::prelude::*;

use crate::{
    keys::{Action, KEYS, Keys, When, chord::label},
    shell::Frame,
};

/// The key of a button, on it. The button says by `data-action` what it does and by `aria-keyshortcuts` the same for a screen
/// reader.
pub fn badge(keys: &Keys, action: Action) -> Option<AnyView> {
    let chord = keys.of(action);
    (!chord.is_empty()).then(|| view! { <kbd aria-hidden="true">{label(chord)}</kbd> }.into_any())
}

/// The lower edge of a desk: the keys in reach, what came in meanwhile, and the message. It hands the island the lines that the server
/// could not say itself in time.
pub fn foot(frame: &Frame, message: AnyView) -> AnyView {
    let text = frame.text();
    let action = Action::ShowNew;
    view! {
        <div class="foot">
            {key_bar(frame)} <div id="arrived" role="status"></div> {message}
        </div>
        <template id="arrivals">
            <button type="button" class="button" data-action=action.word() aria-keyshortcuts=frame.keys.aria(action)>
                // The island writes the figure.
                <span data-count="0">{(text.keys.arrived)(0)}</span>
                {badge(&frame.keys, action)}
            </button>
        </template>
        <template id="offline">
            <div class="notice" data-tone="bad">
                <p>{text.flash.offline}</p>
            </div>
        </template>
        <template id="over">
            <div class="notice" data-tone="bad">
                <div>
                    <p>{text.keys.over}</p>
                </div>
                <a href="/login" target="_blank">
                    {text.keys.over_link}
                </a>
            </div>
        </template>
    }
    .into_any()
}

fn key_bar(frame: &Frame) -> AnyView {
    let text = frame.text();
    let key = |action: Action| {
        let chord = frame.keys.of(action);
        (!chord.is_empty()).then(|| view! { <kbd>{label(chord)}</kbd> " " })
    };
    let entry = |action: Action| {
        let key = key(action)?;
        Some(view! { <span>{key} {(text.keys.action)(action)}</span> })
    };
    // With scripts off both lead to the page of the keys.
    let link = |action: Action| {
        view! {
            <a href="/help" data-action=action.word() aria-keyshortcuts=frame.keys.aria(action)>
                {key(action)}
                {(text.keys.action)(action)}
            </a>
        }
    };
    view! {
        <footer class="keys" aria-label=text.review.keys_bar>
            {[Action::Next, Action::Previous, Action::Approve, Action::Edit, Action::Reject, Action::Undo].map(entry).into_iter().collect_view()}
            {link(Action::Palette)} {link(Action::Help)}
        </footer>
    }
    .into_any()
}

/// The help sheet that the island opens in place; with scripts off the link leads to the page of the same table.
pub fn key_help(frame: &Frame) -> AnyView {
    let text = frame.text();
    view! {
        <dialog id="help" aria-labelledby="help-title">
            <form method="dialog">
                <h2 id="help-title" tabindex="-1">
                    {text.help.title}
                </h2>
                {key_table(frame)}
                <p>
                    <a href="/account/keys">{text.keys.change}</a>
                </p>
                <button class="button">{text.shell.close}</button>
            </form>
        </dialog>
    }
    .into_any()
}

/// The table of keys.
pub fn key_table(frame: &Frame) -> AnyView {
    let text = frame.text();
    let row = |key: AnyView, does: &'static str| {
        view! {
            <tr>
                <th scope="row">{key}</th>
                <td>{does}</td>
            </tr>
        }
    };
    let badge = |action: Action| view! { <kbd>{label(frame.keys.of(action))}</kbd> };
    let rows = KEYS
        .iter()
        .filter(|entry| !frame.keys.of(entry.action).is_empty())
        .map(|entry| {
            let first =
                (entry.when == When::Rejecting).then(|| view! { {badge(Action::Reject)} " " });
            let key = view! {
                {first}
                {badge(entry.action)}
            };
            row(key.into_any(), (text.keys.action)(entry.action))
        })
        .collect_view();
    let leave = row(view! { <kbd>"Esc"</kbd> }.into_any(), text.help.leave);
    let off = (!frame.keys.is_on()).then(|| view! { <p>{text.keys.on_how}</p> });
    view! {
        {off}
        <table class="keytable">
            <caption>{text.help.caption}</caption>
            <thead>
                <tr>
                    <th scope="col">{text.help.key}</th>
                    <th scope="col">{text.help.does}</th>
                </tr>
            </thead>
            <tbody>{rows} {leave}</tbody>
        </table>
        <p class="quiet">{text.help.off}</p>
    }
    .into_any()
}
