//! Merging a statement into a memory that is stored: what is nearest to it in text is offered, and a search reaches all the others.

use leptos::prelude::*;

use super::{Candidate, decide::hidden};
use crate::{
    components::{
        form::{Control, Field, field},
        keys::badge,
    },
    keys::{Action as Key, Keys},
    text::Text,
};

/// The search over all memories of the user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergeSearch {
    /// The path of this page.
    pub path: String,
    /// What else stands in its address, by name.
    pub keeps: Vec<(String, String)>,
    /// The words that are looked for; empty: what is nearest in text is offered.
    pub words: String,
}

/// Into a memory that is stored, instead of beside it.
pub(super) fn merge(
    text: &'static Text,
    keys: &Keys,
    candidate: &Candidate,
    action: String,
) -> Option<AnyView> {
    let search = candidate.merge_search.as_ref();
    if candidate.merge_into.is_empty() && search.is_none() {
        return None;
    }
    let looks = search.is_some_and(|search| !search.words.is_empty());
    let open = looks || candidate.typed.values.contains_key("merge_into");
    Some(
        view! {
            <details class="merge" name="verdict" open=open>
                <summary class="button" data-action=Key::Merge.word() aria-keyshortcuts=keys.aria(Key::Merge)>
                    {text.candidate.merge}
                    {badge(keys, Key::Merge)}
                </summary>
                {search.map(|search| search_form(text, search))}
                {choice(text, keys, candidate, action)}
            </details>
        }
        .into_any(),
    )
}

fn choice(text: &'static Text, keys: &Keys, candidate: &Candidate, action: String) -> AnyView {
    if candidate.merge_into.is_empty() {
        return view! { <p class="quiet">{text.memories.not_found}</p> }.into_any();
    }
    let options = candidate
        .merge_into
        .iter()
        .map(|(memory, revision, words)| (format!("{memory}:{revision}"), words.clone()))
        .collect();
    let into = field(
        text,
        &format!("merge-{}", candidate.id),
        &candidate.typed,
        Field {
            name: "merge_into",
            label: text.candidate.merge_choose,
            hint: Some(text.candidate.merge_how),
            value: "",
            control: Control::Choice(options),
        },
    );
    view! {
        <form method="post" action=action class="grid">
            {hidden(candidate, &candidate.next)}
            {into}
            <div class="buttons">
                <button class="button primary" aria-keyshortcuts=keys.aria(Key::Save)>
                    {text.candidate.merge_button}
                </button>
            </div>
        </form>
    }
    .into_any()
}

/// Leads back to this candidate, with what was found.
fn search_form(text: &'static Text, search: &MergeSearch) -> AnyView {
    let keeps = search
        .keeps
        .iter()
        .map(
            |(name, value)| view! { <input type="hidden" name=name.clone() value=value.clone() /> },
        )
        .collect_view();
    view! {
        <form class="bar" method="get" action=search.path.clone() role="search" aria-label=text.candidate.merge_search>
            {keeps}
            <label class="wide">
                <span>{text.candidate.merge_search}</span>
                <input type="search" name="merge" value=search.words.clone() autocomplete="off" />
            </label>
            <button class="button">{text.review.apply}</button>
        </form>
    }
    .into_any()
}
