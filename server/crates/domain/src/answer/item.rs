//! Turns the items of an answer into drafts, field values and a summary.

use serde_json::{Map, Value};

use super::{FieldDraft, Summary};
use crate::{
    candidate::Action,
    draft::{Draft, Quote, Score},
    id::MemoryId,
};

const MIDDLE: Score = Score::Given(0.5);

/// How the short ids of a prompt are turned back.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) target: &'a dyn Fn(&str) -> Option<MemoryId>,
    pub(super) turn: &'a dyn Fn(&str) -> Option<usize>,
}

/// An item that is no object becomes an empty draft, which the gate drops and counts.
pub(super) fn draft(item: &Value, names: Names<'_>) -> Draft {
    let targets: Vec<MemoryId> = ["target", "targets"]
        .iter()
        .filter_map(|key| item.get(key))
        .flat_map(words)
        .filter_map(|word| (names.target)(&word))
        .fold(Vec::new(), |mut known, id| {
            if !known.contains(&id) {
                known.push(id);
            }
            known
        });
    let asked = text(item, "action")
        .and_then(|word| word.to_lowercase().parse().ok())
        .unwrap_or(Action::Create);
    // A made-up target touches its own item only. A retirement without a target stays one: as a create it would store what
    // was to go.
    let action = match (asked, targets.len()) {
        (Action::Update | Action::Merge, 0) => Action::Create,
        (Action::Merge, 1) => Action::Update,
        (action, _) => action,
    };
    Draft {
        action,
        targets: if action == Action::Create {
            Vec::new()
        } else {
            targets
        },
        kind: text(item, "kind").unwrap_or_default().to_lowercase(),
        name: text(item, "name"),
        content: text(item, "content").unwrap_or_default(),
        metadata: item.get("metadata").map(metadata).unwrap_or_default(),
        confidence: score(item, "confidence"),
        importance: score(item, "importance"),
        evidence: quotes(item, names),
        explanation: text(item, "explanation"),
        tags: item.get("tags").map(words).unwrap_or_default(),
        third_party: item
            .get("third_party")
            .and_then(Value::as_bool)
            .unwrap_or(false),
    }
}

/// A field without a value says that there is none. One without a name is kept, for the gate to drop and count.
pub(super) fn field(item: &Value, names: Names<'_>) -> Option<FieldDraft> {
    let value = match item.get("value") {
        Some(Value::Null) => return None,
        Some(Value::String(text)) => Value::String(text.trim().to_owned()),
        Some(value) => value.clone(),
        None => Value::String(String::new()),
    };
    Some(FieldDraft {
        schema: text(item, "schema").unwrap_or_default(),
        field: text(item, "field").unwrap_or_default(),
        value,
        confidence: score(item, "confidence"),
        importance: optional(item, "importance"),
        evidence: quotes(item, names),
        explanation: text(item, "explanation"),
    })
}

/// A summary that is bare text says nothing of how much it matters: the middle.
pub(super) fn summary(value: &Value) -> Option<Summary> {
    if let Some(bare) = value.as_str().map(str::trim) {
        return (!bare.is_empty()).then(|| Summary {
            content: bare.to_owned(),
            importance: MIDDLE,
        });
    }
    Some(Summary {
        content: text(value, "content")?,
        importance: optional(value, "importance"),
    })
}

/// The trimmed text of a member; nothing where it is empty or no text.
fn text(item: &Value, key: &str) -> Option<String> {
    let text = item.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A number, also one in quotes.
fn score(item: &Value, key: &str) -> Score {
    let number = match item.get(key) {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    number.map_or(Score::Bad, Score::new)
}

/// A number that may be left out: then it is the middle, and no reviewer is warned of it.
fn optional(item: &Value, key: &str) -> Score {
    match item.get(key) {
        None | Some(Value::Null) => MIDDLE,
        Some(_) => score(item, key),
    }
}

/// A text or number, or a list of them, as texts.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => vec![text.trim().to_owned()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items
            .iter()
            .filter(|item| !item.is_array())
            .flat_map(words)
            .collect(),
        _ => Vec::new(),
    }
}

fn quotes(item: &Value, names: Names<'_>) -> Vec<Quote> {
    let turn = |item: &Value| {
        item.get("message")
            .map(words)
            .and_then(|ids| (names.turn)(ids.first()?))
    };
    let common = turn(item);
    let one = |value: &Value| match value {
        Value::String(text) => Some(Quote {
            text: text.clone(),
            turn: common,
            start: None,
        }),
        Value::Object(_) => {
            let words = ["quote", "text", "evidence"]
                .iter()
                .find_map(|key| text(value, key))?;
            Some(Quote {
                text: words,
                turn: turn(value).or(common),
                start: None,
            })
        }
        _ => None,
    };
    match item.get("evidence") {
        Some(Value::Array(items)) => items.iter().filter_map(one).collect(),
        Some(value) => one(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Strict modes of providers make every property required and know no maps: null stands for an absent one, `[{name, value}]` for a
/// map.
fn metadata(value: &Value) -> Map<String, Value> {
    let members = match value {
        Value::Object(members) => members.clone(),
        Value::Array(_) => match unpaired(value.clone()) {
            Value::Object(members) => members,
            _ => Map::new(),
        },
        _ => Map::new(),
    };
    members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key, unpaired(value)))
        .collect()
}

fn unpaired(value: Value) -> Value {
    let pair = |item: &Value| {
        let members = item.as_object()?;
        let name = members.get("name")?.as_str()?;
        (members.len() == 2).then_some((name.to_owned(), members.get("value")?.clone()))
    };
    match &value {
        Value::Array(items) if !items.is_empty() => items
            .iter()
            .map(pair)
            .collect::<Option<Map<_, _>>>()
            .map_or(value, Value::Object),
        _ => value,
    }
}
