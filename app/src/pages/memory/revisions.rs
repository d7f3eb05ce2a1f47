//! The revisions of a memory, newest first, each with what made it (D7).

use domain::{Timestamp, diff::Part, id::CandidateId, memory::RevisionAction};
use leptos::prelude::*;

use super::Memory;
use crate::{
    components::{
        bar::select,
        content::{lang, revealed},
        diff::diff,
        time::{date_time, when},
    },
    shell::Frame,
};

/// A revision.
#[derive(Debug, Clone)]
pub struct Revision {
    /// Its number.
    pub number: i64,
    /// What made it.
    pub action: RevisionAction,
    /// The statement it had.
    pub content: String,
    /// Against the revision before, or the one that is compared with; empty for the first.
    pub diff: Vec<Part>,
    /// The candidate it came from.
    pub candidate: Option<CandidateId>,
    /// What was proposed, where the approver changed it (F3): proposal to approved text.
    pub edited: Vec<Part>,
    /// Who made it.
    pub by: Option<String>,
    /// The note.
    pub note: Option<String>,
    /// The words that support it.
    pub quotes: Vec<String>,
    /// The extractor's one sentence on why (D7).
    pub explanation: Option<String>,
    /// What was said this time, of a profile field (D7).
    pub extracted: Option<String>,
    /// What extracted it, with the versions of prompt and schema (C8).
    pub made_by: Option<String>,
    /// When this revision stops being served.
    pub expires_at: Option<Timestamp>,
    /// When.
    pub at: Timestamp,
}

pub(super) fn compare(frame: &Frame, memory: &Memory) -> Option<AnyView> {
    let text = frame.text();
    let options = std::iter::once((String::new(), "–".to_owned()))
        .chain(
            memory
                .revisions
                .iter()
                .map(|one| (one.number.to_string(), (text.memories.revision)(one.number))),
        )
        .collect();
    let base = memory.base.map(|base| base.to_string()).unwrap_or_default();
    (memory.revisions.len() > 2).then(|| {
        view! {
            <form class="bar" method="get" action=format!("/memories/{}", memory.id)>
                {select("base", text.memories.compare_with, &base, options)}
                <button class="button">{text.memories.compare}</button>
            </form>
        }
        .into_any()
    })
}

pub(super) fn revisions(frame: &Frame, memory: &Memory) -> AnyView {
    let rows = memory
        .revisions
        .iter()
        .map(|one| revision(frame, memory, one))
        .collect_view();
    view! { <ol class="revisions">{rows}</ol> }.into_any()
}

fn revision(frame: &Frame, memory: &Memory, one: &Revision) -> AnyView {
    let text = frame.text();
    let label = (text.memories.revision)(one.number);
    let before = memory.base.unwrap_or(one.number - 1);
    let body = if one.diff.is_empty() {
        view! { <p lang=lang(&memory.language)>{revealed(text, &one.content)}</p> }.into_any()
    } else if one
        .diff
        .iter()
        .all(|part| part.change == domain::diff::Change::Same)
    {
        view! { <p class="quiet">{text.memories.unchanged}</p> }.into_any()
    } else {
        let before = (text.memories.revision)(before);
        diff(text, &before, &label, &one.diff, &memory.language)
    };
    let edited = (!one.edited.is_empty()).then(|| {
        diff(
            text,
            text.memories.proposed_as,
            text.candidate.decided_as,
            &one.edited,
            &memory.language,
        )
    });
    let by = one.by.as_ref().map(|by| (text.users.by)(by));
    let note = one
        .note
        .clone()
        .map(|note| view! { <p class="said">{note}</p> });
    let explanation = one
        .explanation
        .clone()
        .map(|line| view! { <p class="explanation">{line}</p> });
    let extracted = one.extracted.clone().map(|said| {
        view! {
            <p>
                <span class="quiet">{text.memories.extracted}</span>
                " "
                {said}
            </p>
        }
    });
    let expires = one
        .expires_at
        .map(|at| (text.memories.revision_expires)(&date_time(text, frame.zone, at)));
    let marks = [one.made_by.clone(), expires];
    let marks: Vec<String> = marks.into_iter().flatten().collect();
    let marks = (!marks.is_empty()).then(|| view! { <p class="quiet">{marks.join(" · ")}</p> });
    let quotes = one
        .quotes
        .iter()
        .map(|quote| {
            view! {
                <blockquote lang=lang(domain::text::language(quote))>{revealed(text, quote)}</blockquote>
            }
        })
        .collect_view();
    let candidate = one.candidate.as_ref().map(|candidate| {
        view! {
            <a href=format!("/candidates/{candidate}")>{text.memories.candidate}</a>
            " "
            <a href=format!("/candidates/{candidate}/sheet")>{text.sheet.link}</a>
        }
    });
    let restorable =
        memory.may_decide && one.number < memory.revision && one.action != RevisionAction::Retire;
    let restore = restorable.then(|| {
        view! {
            <form method="post" action=format!("/memories/{}/restore", memory.id)>
                <input type="hidden" name="revision" value=memory.revision />
                <input type="hidden" name="number" value=one.number />
                <button class="button">
                    {(text.memories.restore_this)(&one.number.to_string())}
                </button>
            </form>
        }
    });
    view! {
        <li>
            <p class="head">
                <strong>{label.clone()}</strong>
                " "
                <span>{(text.words.revision)(one.action)}</span>
                " "
                <span class="quiet">{when(frame, one.at)} " " {by}</span>
                " "
                {candidate}
            </p>
            {body}
            {edited}
            {extracted}
            {explanation}
            {note}
            {quotes}
            {marks}
            {restore}
        </li>
    }
    .into_any()
}
