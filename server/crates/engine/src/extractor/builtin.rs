//! The built-in extractor: `domain::builtin` over each user turn. No key, no network.

use chrono_tz::Tz;
use domain::{
    Timestamp,
    answer::{FieldDraft, Summary},
    builtin::{self, SummaryTurn},
    candidate::Action,
    conversation::Role,
    draft::{Draft, Quote, Score},
};

use super::{Extracted, Provenance, Window, WindowTurn};

/// What it is.
pub fn provenance() -> Provenance {
    Provenance {
        name: "builtin".to_owned(),
        version: builtin::VERSION.to_owned(),
        model: None,
        prompt_version: None,
        schema_version: None,
    }
}

/// Reads the user turns of a window that were not read before.
pub fn extract(window: &Window) -> Extracted {
    let zone: Option<Tz> = window
        .time_zone
        .as_deref()
        .and_then(|zone| zone.parse().ok());
    let kinds: Vec<&str> = window
        .kinds
        .iter()
        .filter(|kind| kind.enabled)
        .map(|kind| kind.name.as_str())
        .collect();
    let unread: Vec<(usize, &WindowTurn)> = window
        .turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| turn.role == Role::User && !turn.reference)
        .collect();
    let drafts: Vec<Draft> = unread
        .iter()
        .flat_map(|(position, turn)| drafts(*position, turn, &kinds, zone))
        .collect();
    Extracted {
        fields: unread
            .iter()
            .flat_map(|(position, turn)| fields(*position, turn, window))
            .collect(),
        summary: window
            .wants_summary()
            .then(|| summary(window, &drafts))
            .flatten(),
        drafts,
        ..Extracted::nothing(provenance())
    }
}

fn drafts(position: usize, turn: &WindowTurn, kinds: &[&str], zone: Option<Tz>) -> Vec<Draft> {
    builtin::extract(&turn.text, kinds, day(turn.at, zone))
        .into_iter()
        .map(|found| Draft {
            action: Action::Create,
            targets: Vec::new(),
            kind: found.kind.to_owned(),
            name: found.name,
            content: found.content,
            metadata: found.metadata,
            confidence: Score::new(found.confidence),
            importance: Score::new(found.importance),
            evidence: vec![Quote {
                text: found.quote,
                turn: Some(position),
                start: Some(found.start),
            }],
            explanation: None,
            tags: Vec::new(),
            third_party: found.third_party,
        })
        .collect()
}

fn fields(position: usize, turn: &WindowTurn, window: &Window) -> Vec<FieldDraft> {
    window
        .schemas
        .iter()
        .flat_map(|schema| {
            builtin::fields(&turn.text, schema)
                .into_iter()
                .map(|found| FieldDraft {
                    schema: schema.id.clone(),
                    field: found.field,
                    value: found.value,
                    confidence: Score::new(found.confidence),
                    importance: Score::new(found.importance),
                    evidence: vec![Quote {
                        text: found.quote,
                        turn: Some(position),
                        start: Some(found.start),
                    }],
                    explanation: Some(found.explanation),
                })
        })
        .collect()
}

/// What the conversation was about up to here: the sentences picked before stand beside the new ones.
fn summary(window: &Window, drafts: &[Draft]) -> Option<Summary> {
    let before = window
        .summary_so_far
        .as_deref()
        .map(builtin::picked_before)
        .unwrap_or_default();
    // A session of one message is that message: what it states is a candidate already, and a lone question is nothing to keep.
    let said = window.turns.iter().filter(|turn| turn.role == Role::User);
    if before.len() + said.count() < 2 {
        return None;
    }
    let spoken = |role, text| SummaryTurn { role, text };
    // Sentences that are proposed as memories need no second reading: where there is nothing else, a summary would only repeat them.
    let others: Vec<String> = window
        .turns
        .iter()
        .enumerate()
        .map(|(position, turn)| without(&turn.text, position, drafts))
        .collect();
    let rest = window.turns.iter().zip(&others);
    let rest: Vec<SummaryTurn<'_>> = rest.map(|(turn, text)| spoken(turn.role, text)).collect();
    if before.is_empty() && builtin::summary(&rest).is_none() {
        return None;
    }
    let turns: Vec<SummaryTurn<'_>> = before
        .into_iter()
        .map(|text| spoken(Role::User, text))
        .chain(
            window
                .turns
                .iter()
                .map(|turn| spoken(turn.role, &turn.text)),
        )
        .collect();
    let found = builtin::summary(&turns)?;
    Some(Summary {
        content: found.content,
        importance: Score::new(found.importance),
    })
}

/// A turn without the words on which drafts rest.
fn without(text: &str, position: usize, drafts: &[Draft]) -> String {
    let quotes: Vec<_> = drafts
        .iter()
        .flat_map(|draft| &draft.evidence)
        .filter(|quote| quote.turn == Some(position))
        .filter_map(|quote| {
            let start = quote.start?;
            Some(start..start + quote.text.chars().count())
        })
        .collect();
    let taken = |at: usize| quotes.iter().any(|quote| quote.contains(&at));
    text.chars()
        .enumerate()
        .map(|(at, letter)| if taken(at) { ' ' } else { letter })
        .collect()
}

/// The day on which something was said, where it was said (G12).
fn day(at: Timestamp, zone: Option<Tz>) -> chrono::NaiveDate {
    match zone {
        Some(zone) => at.with_timezone(&zone).date_naive(),
        None => at.date_naive(),
    }
}
