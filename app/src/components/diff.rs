//! Two versions of a text, one above the other, with what left and what came.

use domain::diff::{Change, Part};
use leptos::prelude::*;

use super::content::{lang, revealed};
use crate::text::Text;

fn side(text: &'static Text, parts: &[Part], shown: Change) -> AnyView {
    parts
        .iter()
        .filter(|part| part.change == Change::Same || part.change == shown)
        .map(|part| {
            let words = revealed(text, &part.text);
            match part.change {
                Change::Same => words,
                Change::Removed => view! { <del>{words}</del> }.into_any(),
                Change::Added => view! { <ins>{words}</ins> }.into_any(),
            }
        })
        .collect_view()
        .into_any()
}

/// The diff as a description list: the label and text of the version before, then of the one after.
pub fn diff(
    text: &'static Text,
    before: &str,
    after: &str,
    parts: &[Part],
    language: &str,
) -> AnyView {
    view! {
        <dl class="diff">
            <div>
                <dt>{before.to_owned()}</dt>
                <dd lang=lang(language)>{side(text, parts, Change::Removed)}</dd>
            </div>
            <div>
                <dt>{after.to_owned()}</dt>
                <dd lang=lang(language)>{side(text, parts, Change::Added)}</dd>
            </div>
        </dl>
    }
    .into_any()
}
