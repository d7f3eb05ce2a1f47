//! Finds the answer in what a model wrote: among prose, reasoning, fences and several objects in a row.

use std::ops::Range;

use serde_json::{Map, Value};

use super::json::{Reader, Stop};

/// The closing tags of reasoning. What comes before the last of them was thought, not answered.
const REASONING_ENDS: [&str; 6] = [
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "</reflection>",
    "</scratchpad>",
];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) candidates: Vec<Value>,
    pub(super) fields: Vec<Value>,
    pub(super) summary: Option<Value>,
    /// Whether anything had the shape of an answer, be it an empty one.
    pub(super) answered: bool,
    /// Whether an answer ended too early, or had a part that could not be read.
    pub(super) incomplete: bool,
    /// Why there is no answer, where there is none.
    pub(super) why: &'static str,
}

struct Piece {
    at: Range<usize>,
    sort: Sort,
}

enum Sort {
    Answer {
        value: Value,
        cut: bool,
    },
    /// The answer was cut off before its first whole item.
    CutEarly,
    /// JSON of another shape.
    Other,
    /// Was meant as an answer and cannot be read.
    Unreadable,
}

/// Looks at every bracket that is not inside something already read.
pub(super) fn find(raw: &str) -> Found {
    let mut found = Found {
        why: if raw.trim().is_empty() {
            "empty"
        } else {
            "no_answer"
        },
        ..Found::default()
    };
    let Some(pieces) = pieces(raw) else {
        found.why = "too_tangled";
        return found;
    };
    let thought = last_reasoning_end(raw, &pieces);
    for piece in pieces.into_iter().filter(|piece| piece.at.start >= thought) {
        match piece.sort {
            Sort::Answer { value, cut } => {
                found.answered = true;
                found.incomplete |= cut;
                found.absorb(value);
            }
            Sort::CutEarly => {
                found.answered = true;
                found.incomplete = true;
            }
            Sort::Other => found.why = "other_schema",
            Sort::Unreadable => {
                found.incomplete = true;
                found.why = "not_json";
            }
        }
    }
    found
}

fn pieces(raw: &str) -> Option<Vec<Piece>> {
    let mut reader = Reader::new(raw);
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(next) = raw[from..].find(['{', '[']) {
        let start = from + next;
        let read = reader.read(start);
        let (end, sort) = match read {
            Ok((value, end)) => (end, whole(value, raw, start..end)),
            Err(Stop::Cut(part)) => {
                let part = part.unwrap_or(Value::Null);
                let sort = if holds_answer(&part, 0) {
                    Some(Sort::Answer {
                        value: part,
                        cut: true,
                    })
                } else {
                    (reader.saw_known_key || begins_answer(raw, start)).then_some(Sort::CutEarly)
                };
                let end = if sort.is_some() { raw.len() } else { start + 1 };
                (end, sort)
            }
            Err(Stop::Broken) => (start + 1, reader.saw_known_key.then_some(Sort::Unreadable)),
            Err(Stop::Tangled) => return None,
        };
        pieces.extend(sort.map(|sort| Piece {
            at: start..end,
            sort,
        }));
        from = end;
    }
    Some(pieces)
}

fn whole(value: Value, raw: &str, at: Range<usize>) -> Option<Sort> {
    let empty = value.as_array().is_some_and(Vec::is_empty);
    if holds_answer(&value, 0) || (empty && stands_alone(raw, at)) {
        Some(Sort::Answer { value, cut: false })
    } else if empty
        || value
            .as_array()
            .is_some_and(|items| !items.iter().any(Value::is_object))
    {
        // `[1]` and `[]` inside a sentence are prose.
        None
    } else {
        Some(Sort::Other)
    }
}

/// Whether there is nothing else on its lines, fences apart.
fn stands_alone(raw: &str, at: Range<usize>) -> bool {
    let bare = |text: &str| {
        text.trim_matches(|c: char| c == '`' || c.is_whitespace())
            .is_empty()
    };
    let before = raw[..at.start].rsplit('\n').next().unwrap_or_default();
    let after = raw[at.end..].split('\n').next().unwrap_or_default();
    let tag = before.trim().trim_start_matches('`');
    (bare(before) || (before.contains("```") && tag.chars().all(|c| c.is_ascii_alphanumeric())))
        && bare(after)
}

/// Whether a bracket that never closes opens the text or a line of it and goes on as an object or a list of objects would.
fn begins_answer(raw: &str, start: usize) -> bool {
    let before = raw[..start].rsplit('\n').next().unwrap_or_default().trim();
    let opens = before
        .trim_start_matches('`')
        .trim_start_matches(|c: char| c.is_ascii_alphanumeric())
        .is_empty()
        && (before.is_empty() || before.starts_with('`'));
    let rest = raw[start..].trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
    opens && (rest.is_empty() || rest.starts_with(['"', '“', '\'']))
}

/// The shape of one item of `candidates`.
fn is_item(value: &Value) -> bool {
    value.get("content").is_some_and(Value::is_string)
        && (value.get("kind").is_some() || value.get("evidence").is_some())
}

fn is_wrapper(members: &Map<String, Value>) -> bool {
    let list = |key: &str, known: fn(&Value) -> bool| {
        members.get(key).is_some_and(|value| {
            known(value)
                || value
                    .as_array()
                    .is_some_and(|items| items.is_empty() || items.iter().any(Value::is_object))
        })
    };
    list("candidates", is_item)
        || list("fields", |_| false)
        || members
            .get("summary")
            .is_some_and(|summary| summary.get("content").is_some_and(Value::is_string))
}

fn holds_answer(value: &Value, depth: usize) -> bool {
    match value {
        Value::Object(members) => {
            is_item(value)
                || is_wrapper(members)
                || (depth < 2 && members.values().any(|inner| holds_answer(inner, depth + 1)))
        }
        Value::Array(items) => depth < 2 && items.iter().any(|item| holds_answer(item, depth + 1)),
        _ => false,
    }
}

impl Found {
    fn absorb(&mut self, value: Value) {
        let item = is_item(&value);
        match value {
            Value::Object(_) if item => self.candidates.push(value),
            Value::Object(mut members) if is_wrapper(&members) => {
                match members.remove("candidates") {
                    Some(Value::Array(items)) => self.candidates.extend(items),
                    Some(one) if is_item(&one) => self.candidates.push(one),
                    _ => {}
                }
                match members.remove("fields") {
                    Some(Value::Array(items)) => self.fields.extend(items),
                    Some(one) if one.get("field").is_some() => self.fields.push(one),
                    _ => {}
                }
                if let Some(summary) = members
                    .remove("summary")
                    .filter(|summary| !summary.is_null())
                {
                    self.summary = Some(summary);
                }
            }
            Value::Object(members) => members
                .into_values()
                .filter(|inner| holds_answer(inner, 1))
                .for_each(|inner| self.absorb(inner)),
            // Beside an item, what is no item is kept as one that the gate will drop and count.
            Value::Array(items) if items.iter().any(is_item) => self.candidates.extend(items),
            Value::Array(items) => items
                .into_iter()
                .filter(|inner| holds_answer(inner, 1))
                .for_each(|inner| self.absorb(inner)),
            _ => {}
        }
    }
}

/// The byte after the last closing tag of reasoning that is not inside an answer.
fn last_reasoning_end(raw: &str, pieces: &[Piece]) -> usize {
    let lower = raw.to_ascii_lowercase();
    let inside = |at: usize| {
        pieces.iter().any(|piece| {
            matches!(piece.sort, Sort::Answer { .. } | Sort::CutEarly) && piece.at.contains(&at)
        })
    };
    REASONING_ENDS
        .iter()
        .flat_map(|tag| lower.match_indices(tag))
        .filter(|(at, _)| !inside(*at))
        .map(|(at, tag)| at + tag.len())
        .max()
        .unwrap_or(0)
}
