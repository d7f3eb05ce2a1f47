//! The schema a provider is asked to hold its answer to.
//!
//! One shape a kind, its metadata closed. Strict modes make every property required and know no maps, so what is optional may be
//! null and a map is a list of names and values; the parser takes both back.

use domain::{
    kind::Kind,
    profile::{Field, ProfileSchema},
};
use serde_json::{Map, Value, json};

use super::{super::Window, prompt::proposed};

/// The version of the answer's shape (C8); a hash of the schemas in use follows it.
pub const SCHEMA_VERSION: &str = "2";

/// From so many fields on they share one shape: providers limit the size of a schema.
const MOST_SHAPES: usize = 50;

/// The schema of an answer over this window.
pub(super) fn of(window: &Window) -> Value {
    let shapes: Vec<Value> = window
        .kinds
        .iter()
        .filter(|kind| proposed(kind))
        .map(candidate)
        .collect();
    let items = if shapes.is_empty() {
        closed([])
    } else {
        json!({"anyOf": shapes})
    };
    let mut members = vec![("candidates", json!({"type": "array", "items": items}))];
    if !window.schemas.is_empty() {
        members.push((
            "fields",
            json!({"type": "array", "items": fields(&window.schemas)}),
        ));
    }
    if window.wants_summary() {
        let summary = closed([
            ("content", json!({"type": "string"})),
            ("importance", json!({"type": "number"})),
        ]);
        members.push(("summary", nullable(summary)));
    }
    closed(members)
}

fn fields(schemas: &[ProfileSchema]) -> Value {
    let all = || {
        schemas
            .iter()
            .flat_map(|schema| schema.fields().map(move |field| (schema, field)))
    };
    let item = |ids: Vec<&str>, names: Vec<&str>, value: Value| {
        closed([
            ("schema", json!({"type": "string", "enum": ids})),
            ("field", json!({"type": "string", "enum": names})),
            ("value", value),
            ("confidence", json!({"type": "number"})),
            ("importance", json!({"type": "number"})),
            (
                "evidence",
                json!({"type": "array", "items": {"type": "string"}}),
            ),
            ("message", json!({"type": ["string", "null"]})),
            ("explanation", json!({"type": ["string", "null"]})),
        ])
    };
    if all().count() > MOST_SHAPES {
        let ids = schemas.iter().map(|schema| schema.id.as_str()).collect();
        let mut names: Vec<&str> = all().map(|(_, field)| field.name).collect();
        names.sort_unstable();
        names.dedup();
        return item(ids, names, anything());
    }
    let shapes: Vec<Value> = all()
        .map(|(schema, field)| item(vec![&schema.id], vec![field.name], value(field)))
        .collect();
    json!({"anyOf": shapes})
}

/// What a provider can be held to of a field: its type and its enum. The rest the gate sees to.
fn value(field: Field<'_>) -> Value {
    match field.values() {
        Some(values) if !values.is_empty() && values.iter().all(Value::is_string) => {
            json!({"type": "string", "enum": values})
        }
        _ => match typed(field.schema) {
            Some(schema) => strict(&schema),
            None => anything(),
        },
    }
}

/// A value of any simple type, or a list of texts.
fn anything() -> Value {
    json!({"anyOf": [
        {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "array", "items": {"type": "string"}}
    ]})
}

/// A schema with nothing in it that a strict mode may refuse: types, enums, items and properties. `None` where that says too little.
fn typed(schema: &Value) -> Option<Value> {
    let object = schema.as_object()?;
    if object.contains_key("$ref") {
        return None;
    }
    let mut out = Map::new();
    for key in ["type", "enum", "required", "additionalProperties"] {
        if let Some(value) = object.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(one) = object.get("const") {
        out.insert("enum".to_owned(), json!([one]));
    }
    if let Some(items) = object.get("items") {
        out.insert("items".to_owned(), typed(items)?);
    }
    if let Some(properties) = object.get("properties").and_then(Value::as_object) {
        let properties: Option<Map<String, Value>> = properties
            .iter()
            .map(|(name, schema)| Some((name.clone(), typed(schema)?)))
            .collect();
        out.insert("properties".to_owned(), Value::Object(properties?));
    }
    if let Some(Value::Array(several)) = object.get("anyOf").or_else(|| object.get("oneOf")) {
        let several: Option<Vec<Value>> = several.iter().map(typed).collect();
        out.insert("anyOf".to_owned(), Value::Array(several?));
    }
    let says_enough = ["type", "enum", "anyOf"]
        .iter()
        .any(|key| out.contains_key(*key));
    let lists_something = out.get("type") != Some(&json!("array")) || out.contains_key("items");
    (says_enough && lists_something).then_some(Value::Object(out))
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
        Some(schema) => match typed(schema) {
            Some(schema) => nullable(strict(&schema)),
            None => nullable(pairs(json!({"type": "string"}))),
        },
    }
}

fn closed<'a>(properties: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let required: Vec<&String> = properties.keys().collect();
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
    use domain::{Timestamp, agent::AgentSettings};

    use super::*;

    fn window(kinds: Vec<Kind>, schemas: Vec<ProfileSchema>) -> Window {
        Window {
            turns: Vec::new(),
            kinds,
            schemas,
            profile: Vec::new(),
            summary_so_far: None,
            nearest: Vec::new(),
            time_zone: None,
            ended: false,
            settings: AgentSettings::default(),
            now: Timestamp::UNIX_EPOCH,
        }
    }

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
        let schema = of(&window(all, Vec::new()));
        strictness(&schema);
        assert!(schema["properties"].get("fields").is_none());
        assert_eq!(schema["properties"]["summary"]["anyOf"][1]["type"], "null");
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
        strictness(&of(&window(Vec::new(), Vec::new())));
    }

    // D2
    #[test]
    fn a_field_takes_the_values_of_its_enum_and_nothing_a_strict_mode_refuses() {
        let schema = |id: &str, properties: Value| ProfileSchema {
            id: id.to_owned(),
            schema: json!({"type": "object", "properties": properties}),
            version: 1,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        };
        let profile = schema(
            "user-profile",
            json!({
                "job_status": {"type": "string", "enum": ["student", "employed"], "description": "what they do"},
                "birthday": {"type": "string", "format": "date", "pattern": "^.{10}$"},
                "level": {"$ref": "#/$defs/level"},
                "pets": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}}},
            }),
        );
        let asked = of(&window(Kind::always_there(), vec![profile]));
        strictness(&asked);
        let shapes = asked["properties"]["fields"]["items"]["anyOf"]
            .as_array()
            .unwrap();
        let of_field = |name: &str| {
            let shape = shapes
                .iter()
                .find(|shape| shape["properties"]["field"]["enum"][0] == name);
            shape.unwrap()["properties"]["value"].clone()
        };
        assert_eq!(
            of_field("job_status"),
            json!({"type": "string", "enum": ["student", "employed"]})
        );
        assert_eq!(of_field("birthday"), json!({"type": "string"}));
        assert_eq!(of_field("level"), anything());
        assert_eq!(
            of_field("pets")["items"]["properties"]["name"],
            nullable(json!({"type": "string"}))
        );

        let many: Map<String, Value> = (0..60)
            .map(|n| (format!("f{n}"), json!({"type": "string"})))
            .collect();
        let asked = of(&window(
            Vec::new(),
            vec![schema("wide", Value::Object(many))],
        ));
        strictness(&asked);
        let names = &asked["properties"]["fields"]["items"]["properties"]["field"]["enum"];
        assert_eq!(
            names.as_array().unwrap().len(),
            60,
            "one shape for all of them"
        );
    }
}
