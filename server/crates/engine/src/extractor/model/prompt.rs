//! What a model is asked. Turns and memories go as one JSON object with short ids: text that is flattened into `user: …` lines can
//! forge a turn, text inside a JSON string cannot.

use askama::Template;
use chrono_tz::Tz;
use domain::{
    Timestamp,
    conversation::Role,
    id::MemoryId,
    kind::{EvidenceRule, Kind},
};
use serde_json::{Value, json};

use super::super::{Window, WindowTurn};

/// The version of the prompt: raised with every change of the templates or of what goes into them (C8).
pub const PROMPT_VERSION: &str = "1";

/// Turns that stand before the ones to be read, so that "yes, that one" can be understood.
const OVERLAP: usize = 4;

/// A prompt.
pub(super) struct Asked {
    pub(super) system: String,
    pub(super) window: String,
}

#[derive(Template)]
#[template(path = "extract/system.txt", escape = "none")]
struct System<'a> {
    kinds: &'a [Kind],
    most: u32,
}

impl System<'_> {
    fn evidence(&self, kind: &&Kind) -> &'static str {
        match kind.evidence {
            EvidenceRule::UserQuote => "words of the user.",
            EvidenceRule::Agreement => {
                "the user's own decision, or the user's agreement and the proposal it answers, both quoted."
            }
            EvidenceRule::AnyTurn => "words of any turn.",
            EvidenceRule::Conversation => "the conversation as a whole.",
            EvidenceRule::Conversations => "words of several conversations.",
        }
    }
}

#[derive(Template)]
#[template(path = "extract/repair.txt", escape = "none")]
struct Repair;

/// Whether a turn is to be read: it is new, it says something, and it is none of the operator's instructions.
pub(super) fn to_be_read(turn: &WindowTurn) -> bool {
    !turn.reference && shown(turn)
}

fn shown(turn: &WindowTurn) -> bool {
    turn.role != Role::System && !turn.text.trim().is_empty()
}

/// The prompt over these turns of the window; up to four before them come along for reference.
pub(super) fn ask(window: &Window, turns: &[usize]) -> Asked {
    let kinds: Vec<Kind> = window
        .kinds
        .iter()
        .filter(|kind| proposed(kind))
        .cloned()
        .collect();
    let system = System {
        kinds: &kinds,
        most: window.settings.max_candidates.max(1),
    };
    let first = turns.first().copied().unwrap_or(0);
    let mut before: Vec<usize> = (0..first)
        .rev()
        .filter(|&at| shown(&window.turns[at]))
        .take(OVERLAP)
        .collect();
    before.reverse();
    let zone: Option<Tz> = window
        .time_zone
        .as_deref()
        .and_then(|zone| zone.parse().ok());
    let message = |at: usize| {
        let turn = &window.turns[at];
        let mut message = json!({"id": format!("m{}", at + 1), "role": turn.role, "at": local(turn.at, zone), "text": turn.text});
        if !turns.contains(&at) {
            message["reference"] = Value::Bool(true);
        }
        message
    };
    let memories: Vec<Value> = window
        .nearest
        .iter()
        .enumerate()
        .map(|(at, near)| json!({"id": format!("k{}", at + 1), "kind": near.kind, "name": near.name, "content": near.content}))
        .collect();
    let object = json!({
        "time_zone": window.time_zone,
        "now": local(window.now, zone),
        "memories": memories,
        "messages": before.iter().chain(turns).map(|&at| message(at)).collect::<Vec<_>>(),
    });
    Asked {
        system: system
            .render()
            .expect("the template has no part that can fail"),
        window: object.to_string(),
    }
}

/// What is said after an answer that could not be read.
pub(super) fn repair() -> String {
    Repair
        .render()
        .expect("the template has no part that can fail")
}

/// Kinds that come of one window. Summaries and patterns have jobs of their own, and a field belongs to its schema.
pub(super) fn proposed(kind: &Kind) -> bool {
    kind.enabled
        && !matches!(
            kind.name.as_str(),
            "profile_field" | "session_summary" | "pattern"
        )
}

fn local(at: Timestamp, zone: Option<Tz>) -> String {
    match zone {
        Some(zone) => at
            .with_timezone(&zone)
            .to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
        None => at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    }
}

/// The memory behind a short id.
pub(super) fn memory(window: &Window, id: &str) -> Option<MemoryId> {
    let id = id.trim();
    let by_number = || window.nearest.get(number(id, 'k')?.checked_sub(1)?);
    let near = by_number().or_else(|| window.nearest.iter().find(|near| near.id.as_str() == id))?;
    Some(near.id.clone())
}

/// The turn behind a short id.
pub(super) fn turn(window: &Window, id: &str) -> Option<usize> {
    let at = number(id.trim(), 'm')?.checked_sub(1)?;
    (at < window.turns.len()).then_some(at)
}

fn number(id: &str, letter: char) -> Option<usize> {
    id.strip_prefix(letter)
        .or_else(|| id.strip_prefix(letter.to_ascii_uppercase()))
        .unwrap_or(id)
        .parse()
        .ok()
}
