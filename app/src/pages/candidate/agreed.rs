//! The first of two people who agreed, with what they would change (G9).

use domain::{Timestamp, diff::Part};
use leptos::prelude::*;

use super::{Candidate, Standing};
use crate::{
    components::{diff::diff, time::ago},
    shell::Frame,
};

/// An agreement that waits for a second person, or one that went before a decision.
#[derive(Debug, Clone)]
pub struct Agreed {
    /// Who.
    pub by: String,
    /// Whether it is the reader.
    pub own: bool,
    /// When; `None` of what is decided.
    pub at: Option<Timestamp>,
    /// Proposal to what they would make of it.
    pub diff: Vec<Part>,
    /// What else they would change: label and value.
    pub changes: Vec<(String, String)>,
    /// Whether a memory that is stored would take it in.
    pub merges: bool,
    /// Their note.
    pub note: Option<String>,
}

pub(super) fn agreed(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    let agreed = candidate.agreed.as_ref()?;
    let text = frame.text();
    let words = &text.four_eyes;
    let Some(at) = agreed
        .at
        .filter(|_| candidate.standing == Standing::Waiting)
    else {
        let line = (words.before)(&agreed.by);
        return Some(view! { <p class="quiet">{line}</p> }.into_any());
    };
    let line = (words.agreed)(&agreed.by, &ago(text, frame.now, at));
    let how = if agreed.own { words.own } else { words.same };
    let rows = agreed
        .changes
        .iter()
        .map(|(label, value)| {
            view! {
                <div>
                    <dt>{label.clone()}</dt>
                    <dd>{value.clone()}</dd>
                </div>
            }
        })
        .collect_view();
    let rows = (!agreed.changes.is_empty()).then(|| view! { <dl class="facts">{rows}</dl> });
    let merges = agreed.merges.then(|| view! { <p>{words.merges}</p> });
    let note = agreed
        .note
        .clone()
        .map(|note| view! { <p class="said">{note}</p> });
    let change = (!agreed.diff.is_empty()).then(|| {
        diff(
            text,
            text.candidate.proposed,
            words.changes,
            &agreed.diff,
            &candidate.language,
        )
    });
    let withdraw = agreed.own.then(|| {
        view! {
            <form method="post" action=format!("/candidates/{}/reopen", candidate.id)>
                <input type="hidden" name="version" value=candidate.version />
                <input type="hidden" name="next" value=candidate.here.clone() />
                <input type="hidden" name="here" value=candidate.here.clone() />
                <button class="button">{words.withdraw}</button>
            </form>
        }
    });
    Some(
        view! {
            <div class="callout" data-tone="accent">
                <p>
                    <strong>{line}</strong>
                    " "
                    {how}
                </p>
                {merges}
                {rows}
                {note}
                {withdraw}
            </div>
            {change}
        }
        .into_any(),
    )
}
