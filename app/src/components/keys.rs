//! The keys as a person sees them: the bar along the lower edge of a desk, the help sheet, the table. All are drawn from [`KEYS`].

use leptos::prelude::*;

use crate::{
    keys::{Action as Key, KEYS, When, key_of},
    text::Text,
};

/// The lower edge of a desk: the keys in reach, and the message. The island shows the template where the server cannot say
/// anything itself.
pub fn foot(text: &'static Text, message: AnyView) -> AnyView {
    view! {
        <div class="foot">{key_bar(text)} {message}</div>
        <template id="offline">
            <div class="notice" data-tone="bad">
                <p>{text.flash.offline}</p>
            </div>
        </template>
    }
    .into_any()
}

fn key_bar(text: &'static Text) -> AnyView {
    let key = |action: Key| view! { <kbd>{key_of(action)}</kbd> };
    let entry = |action: Key| {
        view! { <span>{key(action)} " " {(text.help.action)(action)}</span> }.into_any()
    };
    let help = key_of(Key::Help);
    view! {
        <footer class="keys" aria-label=text.review.keys_bar>
            {[Key::Next, Key::Previous, Key::Approve, Key::Edit, Key::Reject, Key::Undo].map(entry).into_iter().collect_view()}
            <a href="/help" data-key=help aria-keyshortcuts=help>
                {key(Key::Help)}
                " "
                {(text.help.action)(Key::Help)}
            </a>
        </footer>
    }
    .into_any()
}

/// The help sheet that the island opens in place; with scripts off the link leads to the page of the same table.
pub fn key_help(text: &'static Text) -> AnyView {
    view! {
        <dialog id="help" aria-labelledby="help-title">
            <form method="dialog">
                <h2 id="help-title">{text.help.title}</h2>
                {key_table(text)}
                <button class="button">{text.shell.close}</button>
            </form>
        </dialog>
    }
    .into_any()
}

/// The table of keys, drawn from [`KEYS`].
pub fn key_table(text: &'static Text) -> AnyView {
    let row = |key: AnyView, does: &'static str| {
        view! {
            <tr>
                <th scope="row">{key}</th>
                <td>{does}</td>
            </tr>
        }
        .into_any()
    };
    let rows: Vec<AnyView> = KEYS
        .iter()
        .map(|entry| {
            let badge = view! { <kbd>{entry.key}</kbd> };
            let badge = match entry.when {
                When::Always => badge.into_any(),
                When::Rejecting => {
                    view! { <kbd>{key_of(Key::Reject)}</kbd> " " {badge} }.into_any()
                }
            };
            row(badge, (text.help.action)(entry.action))
        })
        .collect();
    let save = row(
        view! { <kbd>"Ctrl"</kbd> " " <kbd>"Enter"</kbd> }.into_any(),
        text.help.save,
    );
    let leave = row(view! { <kbd>"Esc"</kbd> }.into_any(), text.help.leave);
    view! {
        <table class="keytable">
            <caption>{text.help.caption}</caption>
            <thead>
                <tr>
                    <th scope="col">{text.help.key}</th>
                    <th scope="col">{text.help.does}</th>
                </tr>
            </thead>
            <tbody>{rows} {save} {leave}</tbody>
        </table>
        <p class="quiet">{text.help.off}</p>
    }
    .into_any()
}
