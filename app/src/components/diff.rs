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

/// A value beside a text, and what it changes to.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueDiff {
    /// What it is called.
    pub name: String,
    /// From the one version to the other; a side that has none of it is empty.
    pub parts: Vec<Part>,
}

/// The diff of two statements, or that they are one; nothing where nothing is compared.
pub fn statement(
    text: &'static Text,
    before: &str,
    after: &str,
    parts: &[Part],
    language: &str,
) -> Option<AnyView> {
    if parts.is_empty() {
        return None;
    }
    Some(if parts.iter().all(|part| part.change == Change::Same) {
        view! { <p class="quiet">{text.candidate.same_words}</p> }.into_any()
    } else {
        diff(text, before, after, parts, language)
    })
}

/// The values beside two statements that are not the same, each on one line.
pub fn values(
    text: &'static Text,
    before: &str,
    after: &str,
    values: &[ValueDiff],
    language: &str,
) -> Option<AnyView> {
    let shown = |parts: &[Part], change: Change| {
        let has = |part: &Part| part.change == Change::Same || part.change == change;
        match parts.iter().any(has) {
            true => side(text, parts, change),
            false => view! { <span class="quiet">"–"</span> }.into_any(),
        }
    };
    let rows = values
        .iter()
        .map(|value| {
            view! {
                <div>
                    <dt>{value.name.clone()}</dt>
                    <dd lang=lang(language)>
                        {shown(&value.parts, Change::Removed)} " → " {shown(&value.parts, Change::Added)}
                    </dd>
                </div>
            }
        })
        .collect_view();
    (!values.is_empty()).then(|| {
        view! {
            <div class="beside">
                <p class="quiet">{(text.candidate.other_values)(before, after)}</p>
                <dl class="diff">{rows}</dl>
            </div>
        }
        .into_any()
    })
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
