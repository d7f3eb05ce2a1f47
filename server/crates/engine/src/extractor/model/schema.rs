//! The schema a provider is asked to hold its answer to.
//!
//! One shape a kind, its metadata closed. Strict modes make every property required and know no maps, so what is optional may be
//! null and a map is a list of names and values; the parser takes both back.

use domain::kind::Kind;
use serde_json::{Map, Value, json};

use super::prompt::proposed;

/// The version of the answer's shape (C8).
pub const SCHEMA_VERSION: &str = "1";

/// The schema of an answer for these kinds.
pub(super) fn of(kinds: &[Kind]) -> Value {
    let shapes: Vec<Value> = kinds
        .iter()
        .filter(|kind| proposed(kind))
        .map(candidate)
        .collect();
    let items = if shapes.is_empty() {
        closed([])
    } else {
        json!({"anyOf": shapes})
    };
    closed([("candidates", json!({"type": "array", "items": items}))])
}

fn candidate(kind: &Kind) -> Value {
    let text = json!({"type": ["string", "null"]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let target = json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]});
    closed([
        (
            "action",
            json!({"type": "string", "enum": ["create", "update", "merge", "retire"]}),
        ),
        ("target", target),
        ("kind", json!({"type": "string", "enum": [kind.name]})),
        ("name", text.clone()),
        ("content", json!({"type": "string"})),
        ("metadata", metadata(kind)),
        ("confidence", json!({"type": "number"})),
        ("importance", json!({"type": "number"})),
        ("evidence", texts.clone()),
        ("message", text.clone()),
        ("third_party", json!({"type": "boolean"})),
        ("explanation", text),
        ("tags", texts),
    ])
}

fn metadata(kind: &Kind) -> Value {
    match &kind.metadata_schema {
        // Anything may stand in it, which a strict mode can only say as a list.
        None => nullable(pairs(json!({"type": "string"}))),
        Some(schema) => nullable(strict(schema)),
    }
}

fn closed<const N: usize>(properties: [(&str, Value); N]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = properties
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn pairs(value: Value) -> Value {
    json!({"type": "array", "items": closed([("name", json!({"type": "string"})), ("value", value)])})
}

fn nullable(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// A kind's own metadata schema in the dialect of strict modes.
fn strict(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else {
        return schema.clone();
    };
    let is_object = match object.get("type") {
        Some(Value::String(one)) => one == "object",
        Some(Value::Array(several)) => several.iter().any(|one| one == "object"),
        _ => object.contains_key("properties"),
    };
    if !is_object {
        let mut out = object.clone();
        if let Some(items) = object.get("items") {
            out.insert("items".to_owned(), strict(items));
        }
        return Value::Object(out);
    }
    let may_be_null = object
        .get("type")
        .and_then(Value::as_array)
        .is_some_and(|several| several.iter().any(|one| one == "null"));
    let shape = match (
        object.get("properties").and_then(Value::as_object),
        object.get("additionalProperties"),
    ) {
        (None, Some(value @ Value::Object(_))) => pairs(strict(value)),
        (None, _) => pairs(json!({"type": "string"})),
        (Some(properties), _) => {
            let required: Vec<&str> = object
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let members: Map<String, Value> = properties
                .iter()
                .map(|(name, value)| {
                    let value = strict(value);
                    let value = if required.contains(&name.as_str()) || takes_null(&value) {
                        value
                    } else {
                        nullable(value)
                    };
                    (name.clone(), value)
                })
                .collect();
            let all: Vec<&String> = properties.keys().collect();
            json!({"type": "object", "properties": members, "required": all, "additionalProperties": false})
        }
    };
    if may_be_null { nullable(shape) } else { shape }
}

fn takes_null(schema: &Value) -> bool {
    let null = |value: &Value| value == "null" || value.is_null();
    let listed = |key: &str| {
        schema
            .get(key)
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(null))
    };
    listed("type")
        || listed("enum")
        || schema
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|one| one.get("type").is_some_and(null)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strict modes refuse an object that is open or has an optional property, wherever it stands.
    fn strictness(schema: &Value) {
        match schema {
            Value::Object(object) => {
                if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                    assert_eq!(
                        object.get("additionalProperties"),
                        Some(&Value::Bool(false)),
                        "{schema}"
                    );
                    let required = object["required"].as_array().unwrap();
                    assert_eq!(required.len(), properties.len(), "{schema}");
                }
                object.values().for_each(strictness);
            }
            Value::Array(items) => items.iter().for_each(strictness),
            _ => {}
        }
    }

    #[test]
    fn every_object_is_closed_and_every_property_required() {
        let all = [Kind::assistant(), Kind::business(), Kind::always_there()].concat();
        let schema = of(&all);
        strictness(&schema);
        let shapes = schema["properties"]["candidates"]["items"]["anyOf"]
            .as_array()
            .unwrap();
        assert_eq!(shapes.len(), 7, "one shape a kind that comes of a window");
        let campaign = shapes
            .iter()
            .find(|shape| shape["properties"]["kind"]["enum"][0] == "campaign")
            .unwrap();
        let performance =
            &campaign["properties"]["metadata"]["anyOf"][0]["properties"]["last_performance"];
        assert_eq!(
            performance["anyOf"][0]["items"]["properties"]["value"]["type"], "number",
            "a map is a list of names and values"
        );
        strictness(&of(&[]));
    }
}
