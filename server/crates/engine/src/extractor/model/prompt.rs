//! What a model is asked. Turns and memories go as one JSON object with short ids: text that is flattened into `user: …` lines can
//! forge a turn, text inside a JSON string cannot.

use askama::Template;
use chrono_tz::Tz;
use domain::{
    Timestamp,
    conversation::Role,
    draft::Draft,
    gate::MetadataFault,
    id::MemoryId,
    kind::{EvidenceRule, Kind},
    profile::{CONSOLIDATE, ProfileSchema, TTL_DAYS},
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::super::{Window, WindowTurn};

/// The version of the prompt: raised with every change of the templates or of what goes into them (C8). What an agent adds to it stands
/// behind it in `version`.
pub const PROMPT_VERSION: &str = "2";

/// Turns that stand before the ones to be read, so that "yes, that one" can be understood.
const OVERLAP: usize = 4;

/// A prompt, as it is before [`super::call`] masks it.
pub(super) struct Asked {
    pub(super) system: String,
    /// An object; it goes as text.
    pub(super) window: Value,
}

#[derive(Template)]
#[template(path = "extract/system.txt", escape = "none")]
struct System<'a> {
    kinds: &'a [Kind],
    schemas: &'a [Profile<'a>],
    /// Whether a summary is wanted.
    summary: bool,
    only_summary: bool,
    guidance: Option<&'a str>,
    most: u32,
    nothing: &'static str,
}

/// A profile schema as a model is shown it.
struct Profile<'a> {
    id: &'a str,
    fields: Vec<FieldShown<'a>>,
    definitions: Option<String>,
}

struct FieldShown<'a> {
    name: &'a str,
    schema: String,
    description: Option<&'a str>,
    several: bool,
}

impl<'a> Profile<'a> {
    fn of(schema: &'a ProfileSchema) -> Self {
        let definitions = ["$defs", "definitions"]
            .iter()
            .find_map(|key| schema.schema.get(*key));
        Self {
            id: &schema.id,
            definitions: definitions.map(ToString::to_string),
            fields: schema
                .fields()
                .map(|field| FieldShown {
                    name: field.name,
                    schema: bare(field.schema),
                    description: field.description(),
                    several: field.joins(),
                })
                .collect(),
        }
    }
}

/// The schema of a field without what is told in words, or is no business of the extractor.
fn bare(schema: &Value) -> String {
    match schema {
        Value::Object(members) => {
            let mut members: Map<String, Value> = members.clone();
            for told in [
                "description",
                "title",
                "default",
                "examples",
                CONSOLIDATE,
                TTL_DAYS,
            ] {
                members.remove(told);
            }
            Value::Object(members).to_string()
        }
        other => other.to_string(),
    }
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

#[derive(Template)]
#[template(path = "extract/metadata.txt", escape = "none")]
struct Metadata<'a> {
    misfits: &'a [Misfit<'a>],
}

/// A draft whose metadata does not fit its kind.
pub(super) struct Misfit<'a> {
    /// Its place in the answer that is sent back, from 1.
    pub(super) number: usize,
    pub(super) kind: &'a str,
    pub(super) schema: &'a Value,
    pub(super) faults: Vec<MetadataFault>,
}

/// Whether a turn is to be read: it is new, it says something, and it is none of the operator's instructions.
pub(super) fn to_be_read(turn: &WindowTurn) -> bool {
    !turn.reference && shown(turn)
}

/// Whether a model is shown a turn at all.
pub(super) fn shown(turn: &WindowTurn) -> bool {
    turn.role != Role::System && !turn.text.trim().is_empty()
}

/// A version of a prompt with eight hexadecimal digits that change with what an agent adds to it: its guidance, and what it says of the
/// kinds (C8).
pub(super) fn version<'a>(
    prompt: &str,
    guidance: Option<&str>,
    kinds: impl IntoIterator<Item = &'a Kind>,
) -> String {
    let kinds: Vec<Value> = kinds
        .into_iter()
        .map(|kind| {
            let rule = kind.evidence.as_str();
            json!([
                kind.name,
                kind.label,
                kind.description,
                rule,
                kind.guideline
            ])
        })
        .collect();
    let hash = Sha256::digest(json!([guidance, kinds]).to_string());
    format!("{prompt}+{}", domain::audit::hex(&hash[..4]))
}

/// The version of what is asked over a window.
pub(super) fn version_over(window: &Window) -> String {
    let kinds = window.kinds.iter().filter(|kind| proposed(kind));
    version(PROMPT_VERSION, window.settings.guidance.as_deref(), kinds)
}

/// What a model is told before the messages of a window; with `only_summary` that nothing else is wanted of it.
pub(super) fn system(window: &Window, only_summary: bool) -> String {
    let kinds: Vec<Kind> = window
        .kinds
        .iter()
        .filter(|kind| proposed(kind))
        .cloned()
        .collect();
    let schemas: Vec<Profile<'_>> = window.schemas.iter().map(Profile::of).collect();
    let summary = window.wants_summary();
    let system = System {
        kinds: &kinds,
        schemas: &schemas,
        summary,
        only_summary,
        guidance: window.settings.guidance.as_deref(),
        most: window.settings.max_candidates.max(1),
        nothing: match (schemas.is_empty(), summary) {
            (true, false) => r#"{"candidates": []}"#,
            (false, false) => r#"{"candidates": [], "fields": []}"#,
            (true, true) => r#"{"candidates": [], "summary": null}"#,
            (false, true) => r#"{"candidates": [], "fields": [], "summary": null}"#,
        },
    };
    system
        .render()
        .expect("the template has no part that can fail")
}

/// The prompt over these turns of the window; up to four before them come along for reference. Without a turn to be read all of them
/// do, and only the summary is asked for.
pub(super) fn ask(window: &Window, turns: &[usize]) -> Asked {
    let first = turns.first().copied().unwrap_or(window.turns.len());
    let reach = if turns.is_empty() { first } else { OVERLAP };
    let mut before: Vec<usize> = (0..first)
        .rev()
        .filter(|&at| shown(&window.turns[at]))
        .take(reach)
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
    let mut object = json!({
        "time_zone": window.time_zone,
        "now": local(window.now, zone),
        "memories": memories,
        "messages": before.iter().chain(turns).map(|&at| message(at)).collect::<Vec<_>>(),
    });
    if !window.schemas.is_empty() {
        let mut profile = json!({});
        for (schema, field, value) in &window.profile {
            profile[schema][field] = value.clone();
        }
        object["profile"] = profile;
    }
    if window.wants_summary() {
        object["summary_so_far"] = json!(window.summary_so_far);
    }
    Asked {
        system: system(window, turns.is_empty()),
        window: object,
    }
}

/// What is said after an answer that could not be read.
pub(super) fn repair() -> String {
    Repair
        .render()
        .expect("the template has no part that can fail")
}

/// Drafts whose metadata does not fit, as the answer that they were, and what is said to it.
pub(super) fn misfits(drafts: &[&Draft], misfits: &[Misfit<'_>]) -> (String, String) {
    let items: Vec<Value> = drafts
        .iter()
        .map(|draft| {
            let evidence: Vec<&str> = draft.evidence.iter().map(|quote| quote.text.as_str()).collect();
            json!({
                "kind": draft.kind, "name": draft.name, "content": draft.content, "metadata": draft.metadata,
                "confidence": draft.confidence.value(), "importance": draft.importance.value(), "evidence": evidence,
            })
        })
        .collect();
    let said = Metadata { misfits }
        .render()
        .expect("the template has no part that can fail");
    (json!({ "candidates": items }).to_string(), said)
}

/// Kinds that come of one window. Summaries and patterns have jobs of their own, and a field belongs to its schema.
pub(super) fn proposed(kind: &Kind) -> bool {
    kind.enabled
        && !matches!(
            kind.name.as_str(),
            "profile_field" | "session_summary" | "pattern"
        )
}

pub(super) fn local(at: Timestamp, zone: Option<Tz>) -> String {
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

pub(super) fn number(id: &str, letter: char) -> Option<usize> {
    id.strip_prefix(letter)
        .or_else(|| id.strip_prefix(letter.to_ascii_uppercase()))
        .unwrap_or(id)
        .parse()
        .ok()
}
