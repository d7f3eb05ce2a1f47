//! The JSON Schemas of tools, made from those of the bodies of REST: what a tool takes and answers is described in one place.
//!
//! Everything is written out where it is used, since not every client follows references.

use std::{collections::BTreeMap, sync::LazyLock};

use domain::agent::AgentName;
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{PartialSchema, ToSchema};

use crate::api;

/// What the document of REST describes. A list alone does not tell what its rows are made of.
static DESCRIBED: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let components = api::document().components.unwrap_or_default();
    let parts = components.schemas.iter();
    parts
        .map(|(name, part)| (place(name), written(part)))
        .collect()
});

fn place(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// What arguments look like.
pub fn input<T: ToSchema>() -> JsonObject {
    let mut schema = Value::Object(whole::<T>());
    without_null(&mut schema);
    object(schema)
}

/// What an answer looks like.
pub fn output<T: ToSchema>() -> JsonObject {
    whole::<T>()
}

/// The same arguments, and the name of the agent under `name`.
pub fn with_agent(input: JsonObject, name: &str) -> JsonObject {
    let mut schema = Value::Object(input);
    schema["properties"][name] = written(&AgentName::schema());
    schema["properties"][name]["description"] =
        json!("The agent whose memories are meant: this key names all of them.");
    match &mut schema["required"] {
        Value::Array(required) => required.push(json!(name)),
        none => *none = json!([name]),
    }
    object(schema)
}

/// The schema with all its parts in their places. Whatever a choice leads to, the root is an object: the protocol wants it said.
fn whole<T: ToSchema>() -> JsonObject {
    let mut own = Vec::new();
    T::schemas(&mut own);
    let own = own.iter().map(|(name, part)| (place(name), written(part)));
    let parts = DESCRIBED
        .iter()
        .map(|(at, part)| (at.clone(), part.clone()));
    let mut schema = written(&T::schema());
    write_out(&mut schema, &parts.chain(own).collect());
    let mut schema = object(schema);
    // The tool has a description of its own.
    schema.remove("description");
    schema.insert("type".to_owned(), json!("object"));
    schema
}

fn write_out(schema: &mut Value, parts: &BTreeMap<String, Value>) {
    match schema {
        Value::Object(fields) => {
            while let Some(Value::String(place)) = fields.remove("$ref") {
                let part = parts.get(&place).and_then(Value::as_object);
                let part = part.unwrap_or_else(|| panic!("{place} is not described"));
                for (name, value) in part {
                    // What is said where it is used is said of this use.
                    fields.entry(name).or_insert_with(|| value.clone());
                }
            }
            fields
                .values_mut()
                .for_each(|field| write_out(field, parts));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| write_out(item, parts)),
        _ => {}
    }
}

/// Whatever may be null may be left out as well, and models make fewer mistakes with one type.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let one_type = match fields.get_mut("type") {
                Some(Value::Array(types)) => {
                    types.retain(|kind| kind != "null");
                    (types.len() == 1).then(|| types.remove(0))
                }
                _ => None,
            };
            if let Some(kind) = one_type {
                fields.insert("type".to_owned(), kind);
            }
            let one_choice = match fields.get_mut("oneOf") {
                Some(Value::Array(choices)) => {
                    choices.retain(|choice| *choice != json!({"type": "null"}));
                    (choices.len() == 1).then(|| choices.remove(0))
                }
                _ => None,
            };
            if let Some(Value::Object(choice)) = one_choice {
                fields.remove("oneOf");
                fields.extend(choice);
            }
            fields.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

fn written(schema: &impl Serialize) -> Value {
    serde_json::to_value(schema).expect("a schema is JSON")
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(fields) => fields,
        other => unreachable!("a body is an object, not {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{candidates::CandidatePost, context::ContextPost};

    #[test]
    fn arguments_have_one_type_each_and_no_references() {
        let proposal = Value::Object(input::<CandidatePost>());
        let at = |pointer: &str| proposal.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(at("/type"), "object");
        assert_eq!(at("/required"), json!(["kind"]));
        assert_eq!(at("/additionalProperties"), false);
        assert_eq!(at("/properties/content/type"), "string");
        assert_eq!(at("/properties/target/type"), "string");
        assert!(at("/properties/target/pattern").is_string());
        assert_eq!(
            at("/properties/action/enum"),
            json!(["create", "update", "merge", "retire"])
        );
        let text = proposal.to_string();
        assert!(!text.contains("$ref") && !text.contains("null"), "{text}");
    }

    #[test]
    fn a_key_of_all_agents_has_to_name_one() {
        let of_one = Value::Object(input::<ContextPost>());
        assert_eq!(of_one.get("required"), None);
        assert_eq!(of_one.pointer("/properties/agent"), None);
        let of_all = Value::Object(with_agent(input::<ContextPost>(), "agent"));
        assert_eq!(of_all["required"], json!(["agent"]));
        assert_eq!(of_all["properties"]["agent"]["type"], "string");
        let of_all = Value::Object(with_agent(input::<CandidatePost>(), "agent"));
        assert_eq!(of_all["required"], json!(["kind", "agent"]));
    }

    #[test]
    fn the_rows_of_a_list_are_written_out() {
        let answer = Value::Object(output::<crate::api::listing::Listed<engine::Found>>());
        let row = answer.pointer("/properties/data/items/allOf/0/properties");
        assert_eq!(row.unwrap()["content"]["type"], "string", "{answer}");
        assert!(!answer.to_string().contains("$ref"), "{answer}");
    }

    #[test]
    fn an_answer_is_an_object_also_where_it_has_a_choice() {
        let answer = output::<engine::ContextAnswer>();
        assert_eq!(answer["type"], "object");
        assert_eq!(answer["oneOf"].as_array().map(Vec::len), Some(2));
        assert_eq!(
            answer["oneOf"][1]["properties"]["serving"]["type"],
            "string"
        );
    }
}
