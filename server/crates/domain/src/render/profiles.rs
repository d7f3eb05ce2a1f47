//! The layout `profile` (C10): the user's profiles as JSON, a line a field. What could open or close a fence is written as JSON's own
//! escape, so that the text between the braces is read back to what is stored, but for characters that do not show.

use serde_json::{Map, Value};

use super::{Item, choose::Chosen, layout::PREFACE};
use crate::{profile, text};

/// The fence of the layout.
pub(super) const FENCE: &str = "user_profile";

/// The schema and the field an item stands for.
pub(super) fn place(item: &Item) -> (&str, &str) {
    let name = item.name.as_deref().unwrap_or_default();
    profile::parse_name(name).unwrap_or(("", name))
}

/// The profiles of these items: what a program reads.
pub(super) fn values<'a>(items: impl Iterator<Item = &'a Item>) -> Map<String, Value> {
    let mut profiles = Map::new();
    for item in items {
        let (schema, field) = place(item);
        let fields = profiles
            .entry(schema)
            .or_insert_with(|| Value::Object(Map::new()));
        fields[field] = value(item);
    }
    profiles
}

fn value(item: &Item) -> Value {
    match item.metadata.get("value") {
        Some(value) => value.clone(),
        None => Value::String(item.content.clone()),
    }
}

/// JSON on one line, with nothing hidden in it and no character of a fence.
fn encode(value: &Value) -> String {
    visible(value)
        .to_string()
        .replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
}

fn visible(value: &Value) -> Value {
    match value {
        Value::String(raw) => Value::String(text::visible(raw)),
        Value::Array(items) => items.iter().map(visible).collect(),
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (text::visible(key), visible(value)))
            .collect(),
        other => other.clone(),
    }
}

fn key(name: &str) -> String {
    encode(&Value::from(name))
}

/// A field's line, without the comma behind it.
pub(super) fn line(item: &Item) -> String {
    format!("    {}: {}", key(place(item).1), encode(&value(item)))
}

/// The lines around the fields of a schema.
pub(super) fn frame(item: &Item) -> String {
    format!("  {}: {{\n  }},\n{{\n}}\n", key(place(item).0))
}

/// The block, and its items in the order of their lines: by schema, then by field.
pub(super) fn write(kept: &[Chosen], items: &[Item]) -> (String, Vec<(Chosen, String)>) {
    let mut ordered = kept.to_vec();
    ordered.sort_by_key(|chosen| place(&items[chosen.index]));
    let mut schemas: Vec<String> = Vec::new();
    let mut lines = Vec::with_capacity(ordered.len());
    for fields in
        ordered.chunk_by(|one, other| place(&items[one.index]).0 == place(&items[other.index]).0)
    {
        let written: Vec<String> = fields
            .iter()
            .map(|chosen| line(&items[chosen.index]))
            .collect();
        let schema = key(place(&items[fields[0].index]).0);
        schemas.push(format!("  {schema}: {{\n{}\n  }}", written.join(",\n")));
        lines.extend(fields.iter().copied().zip(written));
    }
    if schemas.is_empty() {
        return (String::new(), lines);
    }
    let json = schemas.join(",\n");
    let text = format!("<{FENCE}>\n{PREFACE}\n{{\n{json}\n}}\n</{FENCE}>");
    (text, lines)
}
