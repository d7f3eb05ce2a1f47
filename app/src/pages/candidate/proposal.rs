//! What stands around a proposal: why Keepsake makes it, what has moved since, what it would retire, what the kind is for.

use domain::candidate::Reason;
use leptos::prelude::*;

use super::{Candidate, Standing};
use crate::{
    components::{
        content::{lang, revealed},
        diff::{ValueDiff, diff, statement, values},
        keys::badge,
        metadata::PREFIX,
        time::when,
    },
    keys::Action,
    shell::Frame,
    text::Text,
};

/// What became of the memory a candidate is about since the candidate was proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The revision it was proposed against.
    pub revision: i64,
    /// From what that said to what the memory says now.
    pub diff: Vec<domain::diff::Part>,
    /// The same of the values beside the statement.
    pub values: Vec<ValueDiff>,
    /// From what that said to what is proposed.
    pub proposed: Vec<domain::diff::Part>,
    /// The same of the values that approving would have changed then.
    pub proposed_values: Vec<ValueDiff>,
    /// Whether the memory is no longer served.
    pub retired: bool,
}

/// Why Keepsake proposes it without anybody having said so.
pub(super) fn cause(text: &'static Text, candidate: &Candidate) -> Option<AnyView> {
    let why = (text.words.cause)(candidate.cause?);
    Some(
        view! {
            <div class="callout" data-tone="plain" id="cause">
                <p>
                    <strong>{text.candidate.cause}</strong>
                    " "
                    {why}
                </p>
            </div>
        }
        .into_any(),
    )
}

/// What was stored then beside what is stored now: the decision is on the present one (F2).
pub(super) fn moved(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    let text = frame.text();
    let moved = candidate.moved.as_ref()?;
    if candidate.standing != Standing::Waiting {
        return None;
    }
    let words = &text.candidate;
    let present = candidate.target.as_ref().map(|(_, revision)| *revision);
    let line = if moved.retired {
        words.target_retired
    } else {
        words.moved_how
    };
    let before = (words.stored_then)(moved.revision);
    let now = (words.stored_now)(present.unwrap_or_default());
    let both = statement(text, &before, &now, &moved.diff, &candidate.language);
    let others = values(text, &before, &now, &moved.values, &candidate.language);
    Some(
        view! {
            <div class="callout" data-tone="warn" id="moved">
                <p>
                    <strong>{words.moved}</strong>
                    " "
                    {line}
                </p>
            </div>
            {both}
            {others}
            {then(frame, candidate, moved)}
        }
        .into_any(),
    )
}

/// The proposal against what was stored when it was made, to be unfolded; the diff that stands open is against the present.
fn then(frame: &Frame, candidate: &Candidate, moved: &Moved) -> Option<AnyView> {
    let text = frame.text();
    let action = Action::DiffBase;
    let words = &text.candidate;
    let before = (words.stored_then)(moved.revision);
    let (after, approved) = (words.proposed, words.once_approved);
    let language = &candidate.language;
    (!moved.proposed.is_empty()).then(|| {
        view! {
            <details id="then">
                <summary class="button" data-action=action.word() aria-keyshortcuts=frame.keys.aria(action)>
                    {text.keys.diff_then}
                    {badge(&frame.keys, action)}
                </summary>
                {statement(text, &before, after, &moved.proposed, language)}
                {values(text, &before, approved, &moved.proposed_values, language)}
            </details>
        }
        .into_any()
    })
}

/// The memories that a merge retires in favour of the one that stays.
pub(super) fn absorbed(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    let text = frame.text();
    let rows = candidate
        .absorbed
        .iter()
        .map(|(beside, _, revision)| {
            view! {
                <li>
                    <a href=beside.href.clone() lang=lang(&beside.language)>
                        {revealed(text, &beside.content)}
                    </a>
                    " "
                    <span class="quiet">{(text.memories.revision)(*revision)} " · " {when(frame, beside.at)}</span>
                </li>
            }
        })
        .collect_view();
    (!candidate.absorbed.is_empty()).then(|| {
        view! {
            <div class="beside" id="absorbed">
                <h3>{text.candidate.absorbed}</h3>
                <ul>{rows}</ul>
            </div>
        }
        .into_any()
    })
}

/// What somebody typed for a candidate that was decided before it was sent: the words are not lost.
pub(super) fn kept(text: &'static Text, candidate: &Candidate) -> Option<AnyView> {
    let typed = &candidate.typed.values;
    if candidate.standing == Standing::Waiting || typed.values().all(String::is_empty) {
        return None;
    }
    let label = |name: &str| match name {
        "content" => text.words.content.to_owned(),
        "kind" => text.words.kind_label.to_owned(),
        "name" => text.words.name.to_owned(),
        "importance" => text.words.importance.to_owned(),
        "metadata" => text.words.metadata.to_owned(),
        "note" => text.candidate.reject_note.to_owned(),
        "reason" => text.candidate.reject_why.to_owned(),
        "to" => text.desk.hand_over_to.to_owned(),
        "merge_into" => text.candidate.merge_choose.to_owned(),
        field => field.trim_start_matches(PREFIX).to_owned(),
    };
    let said = |name: &str, value: &str| match value.parse::<Reason>() {
        Ok(reason) if name == "reason" => (text.words.reason)(reason).to_owned(),
        _ => value.to_owned(),
    };
    let rows = typed
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| {
            view! {
                <div>
                    <dt>{label(name)}</dt>
                    <dd class="said">{said(name, value)}</dd>
                </div>
            }
        })
        .collect_view();
    let against = (!candidate.typed_against.is_empty()).then(|| {
        diff(
            text,
            text.desk.stands,
            text.desk.you_typed,
            &candidate.typed_against,
            &candidate.language,
        )
    });
    Some(
        view! {
            <div class="callout" data-tone="warn" id="kept">
                <p>
                    <strong>{text.candidate.typed_kept}</strong>
                    " "
                    {text.candidate.typed_kept_how}
                </p>
                <dl class="facts">{rows}</dl>
            </div>
            {against}
        }
        .into_any(),
    )
}

/// What belongs in the kind and what does not.
pub(super) fn guideline(text: &'static Text, candidate: &Candidate) -> Option<AnyView> {
    let line = candidate.guideline.clone()?;
    let language = lang(domain::text::language(&line));
    Some(
        view! {
            <div class="beside" id="guideline">
                <h3>{text.candidate.guideline}</h3>
                <p class="said" lang=language>
                    {line}
                </p>
            </div>
        }
        .into_any(),
    )
}
