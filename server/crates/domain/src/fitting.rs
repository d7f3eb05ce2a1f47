//! Making a value fit a schema (C8, D2): what a person typed for a field, and what an older schema had let through.
//!
//! Only what loses nothing is changed: `"12"` is 12 and 12 is `"12"`, one item is a list of one, `"Student"` is the `"student"` of
//! an enum. What cannot be made to fit is left out where it may be, and else left alone for a person to decide.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    profile::{Field, ProfileSchema, words},
    text,
};

/// A schema of metadata, compiled once.
pub struct Fitting {
    schema: Value,
    whole: Option<jsonschema::Validator>,
    parts: Option<jsonschema::Validator>,
}

/// Metadata that was made to fit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Repaired {
    /// As it fits.
    pub metadata: Map<String, Value>,
    /// The names of values that were written in another way.
    pub changed: Vec<String>,
    /// The names of values that are left out.
    pub left_out: Vec<String>,
}

impl Fitting {
    /// Compiles a JSON Schema of objects. One that cannot be compiled fits nothing but the empty object, as in the gate.
    pub fn new(schema: &Value) -> Self {
        let mut parts = schema.clone();
        if let Some(object) = parts.as_object_mut() {
            // One value alone is looked at, so nothing else may be asked for.
            for rule in ["required", "minProperties", "dependentRequired"] {
                object.remove(rule);
            }
        }
        Self {
            whole: compiled(schema),
            parts: compiled(&parts),
            schema: schema.clone(),
        }
    }

    /// Whether metadata fits.
    pub fn fits(&self, metadata: &Map<String, Value>) -> bool {
        match &self.whole {
            Some(whole) => whole.is_valid(&Value::Object(metadata.clone())),
            None => metadata.is_empty(),
        }
    }

    /// Makes metadata fit; `None` where that cannot be done without a person, as where something is asked for that nobody said.
    pub fn repair(&self, metadata: &Map<String, Value>) -> Option<Repaired> {
        let mut repaired = Repaired::default();
        for (name, value) in metadata {
            let fits = |value: &Value| {
                let alone = json!({ name: value });
                self.parts
                    .as_ref()
                    .is_some_and(|parts| parts.is_valid(&alone))
            };
            match rewritten(value, self.allowed(name), &fits) {
                Some(other) => {
                    if other != *value {
                        repaired.changed.push(name.clone());
                    }
                    repaired.metadata.insert(name.clone(), other);
                }
                None => repaired.left_out.push(name.clone()),
            }
        }
        self.fits(&repaired.metadata).then_some(repaired)
    }

    fn allowed(&self, name: &str) -> Option<&Vec<Value>> {
        self.schema
            .get("properties")?
            .get(name)?
            .get("enum")?
            .as_array()
    }
}

/// The fields of profile schemas, each compiled once: for many values.
pub struct Fields(BTreeMap<String, BTreeMap<String, jsonschema::Validator>>);

impl Fields {
    /// Compiles the fields of all of them.
    pub fn new(schemas: &[ProfileSchema]) -> Self {
        let of = |schema: &ProfileSchema| {
            let fields = schema.fields();
            fields
                .filter_map(|field| Some((field.name.to_owned(), schema.compiled(field)?)))
                .collect()
        };
        Self(
            schemas
                .iter()
                .map(|schema| (schema.id.clone(), of(schema)))
                .collect(),
        )
    }

    /// Whether a value may stand in a field of a schema.
    pub fn fit(&self, schema: &str, field: &str, value: &Value) -> bool {
        self.0
            .get(schema)
            .and_then(|fields| fields.get(field))
            .is_some_and(|validator| validator.is_valid(&json!({ field: value })))
    }
}

fn compiled(schema: &Value) -> Option<jsonschema::Validator> {
    jsonschema::validator_for(schema).ok()
}

impl ProfileSchema {
    /// The value that a field takes when a person types these words; `None` where none fits.
    pub fn read(&self, field: &str, typed: &str) -> Option<Value> {
        self.coerce(field, &Value::String(typed.trim().to_owned()))
    }

    /// A value written so that it fits a field, where that loses nothing.
    pub fn coerce(&self, field: &str, value: &Value) -> Option<Value> {
        let allowed = self.field(field).as_ref().and_then(Field::values);
        rewritten(value, allowed, &|value| self.fits(field, value))
    }
}

/// The value itself where it fits, else the first other way to write it that does.
fn rewritten(
    value: &Value,
    allowed: Option<&Vec<Value>>,
    fits: &dyn Fn(&Value) -> bool,
) -> Option<Value> {
    if fits(value) {
        return Some(value.clone());
    }
    let named = allowed.into_iter().flatten().filter(|one| {
        let said = text::normal_form(&words(value));
        !said.is_empty() && text::normal_form(&words(one)) == said
    });
    named.cloned().chain(ways(value)).find(|way| fits(way))
}

fn ways(value: &Value) -> Vec<Value> {
    let mut ways = Vec::new();
    match value {
        Value::String(text) => {
            let text = text.trim();
            ways.extend(number(text));
            match text {
                "true" => ways.push(json!(true)),
                "false" => ways.push(json!(false)),
                _ => {}
            }
            let parts = crate::profile::parts(text);
            let numbers: Option<Vec<Value>> = parts.iter().map(|part| number(part)).collect();
            ways.push(json!([text]));
            ways.push(json!(parts));
            ways.extend(numbers.map(Value::Array));
        }
        Value::Number(figure) => {
            ways.push(json!(figure.to_string()));
            ways.push(json!([value]));
            ways.push(json!([figure.to_string()]));
        }
        Value::Bool(yes) => {
            ways.push(json!(yes.to_string()));
            ways.push(json!([value]));
        }
        Value::Array(items) => {
            if let [one] = items.as_slice() {
                ways.push(one.clone());
                ways.extend(self::ways(one));
            }
            let text = items.iter().map(words).collect::<Vec<_>>();
            ways.push(json!(text));
            let numbers: Option<Vec<Value>> = text.iter().map(|text| number(text)).collect();
            ways.extend(numbers.map(Value::Array));
            let simple = |item: &Value| !(item.is_object() || item.is_array());
            if items.iter().all(simple) && !items.is_empty() {
                ways.push(json!(text.join(", ")));
            }
        }
        Value::Null | Value::Object(_) => {}
    }
    ways
}

/// A number that is written as one, and would be written the same again.
fn number(text: &str) -> Option<Value> {
    let number: serde_json::Number = text.parse().ok()?;
    (number.to_string() == text).then_some(Value::Number(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    fn schema(properties: Value) -> ProfileSchema {
        ProfileSchema {
            id: "user-profile".to_owned(),
            schema: json!({"type": "object", "properties": properties}),
            version: 1,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    // D2
    #[test]
    fn words_that_a_person_typed_become_a_value_of_the_field() {
        let schema = schema(json!({
            "stack": {"type": "string"},
            "status": {"enum": ["student", "employed"]},
            "years": {"type": "integer", "maximum": 60},
            "remote": {"type": "boolean"},
            "hobbies": {"type": "array", "items": {"type": "string"}},
        }));
        assert_eq!(
            schema.read("stack", " ADK, Python "),
            Some(json!("ADK, Python"))
        );
        assert_eq!(schema.read("status", "Student"), Some(json!("student")));
        assert_eq!(schema.read("status", "retired"), None);
        assert_eq!(schema.read("years", "12"), Some(json!(12)));
        assert_eq!(schema.read("years", "120"), None);
        assert_eq!(schema.read("years", "twelve"), None);
        assert_eq!(schema.read("remote", "true"), Some(json!(true)));
        assert_eq!(schema.read("hobbies", "chess"), Some(json!(["chess"])));
        assert_eq!(
            schema.read("shoes", "42"),
            None,
            "only fields of the schema"
        );
        let fields = Fields::new(std::slice::from_ref(&schema));
        assert!(fields.fit("user-profile", "years", &json!(12)));
        assert!(!fields.fit("user-profile", "years", &json!(120)));
        assert!(
            !fields.fit("user-profile", "shoes", &json!(42))
                && !fields.fit("other", "years", &json!(12))
        );
    }

    // C8
    #[test]
    fn a_value_is_only_changed_where_nothing_is_lost() {
        let schema = schema(json!({
            "text": {"type": "string"},
            "list": {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "whole": {"type": "integer"},
        }));
        assert_eq!(
            schema.coerce("text", &json!(["ADK", "Python"])),
            Some(json!("ADK, Python"))
        );
        assert_eq!(schema.coerce("text", &json!(12)), Some(json!("12")));
        assert_eq!(schema.coerce("text", &json!({"a": 1})), None);
        assert_eq!(
            schema.coerce("list", &json!("東京、大阪")),
            Some(json!(["東京", "大阪"]))
        );
        assert_eq!(schema.coerce("whole", &json!("12")), Some(json!(12)));
        assert_eq!(schema.coerce("whole", &json!(12.5)), None);
        assert_eq!(schema.coerce("whole", &json!("0012")), None);
    }

    // C8
    #[test]
    fn metadata_is_repaired_or_left_to_a_person() {
        let fitting = Fitting::new(&json!({
            "type": "object", "required": ["owner"], "additionalProperties": false,
            "properties": {"owner": {"type": "string"}, "budget": {"type": "number"}, "state": {"enum": ["open", "closed"]}},
        }));
        assert!(fitting.fits(&object(json!({"owner": "Mia", "budget": 5}))));
        let old =
            object(json!({"owner": "Mia", "budget": "500", "state": "Open", "colour": "red"}));
        let repaired = fitting.repair(&old).unwrap();
        assert_eq!(
            repaired.metadata,
            object(json!({"owner": "Mia", "budget": 500, "state": "open"}))
        );
        assert_eq!(repaired.changed, ["budget", "state"]);
        assert_eq!(repaired.left_out, ["colour"]);
        assert_eq!(
            fitting.repair(&object(json!({"budget": 5}))),
            None,
            "nobody said who owns it"
        );
    }
}
