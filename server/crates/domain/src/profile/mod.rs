//! Profiles: what an agent wants to know of every user, field by field (D1-D4).
//!
//! A profile schema is a JSON Schema whose properties are the fields. Each field of each user is one memory of the kind
//! [`KIND`], named `schema/field`, so that it has its own history, time to live and place in the queue like every other memory.

mod check;
mod consolidate;

use serde_json::{Map, Value, json};

use crate::Timestamp;
pub(crate) use consolidate::parts;
pub use {
    check::{SchemaError, SchemaFault, check, check_object, is_id},
    consolidate::{Consolidated, consolidate, covers},
};

/// The kind of a memory that holds a field.
pub const KIND: &str = "profile_field";

/// Most fields of a schema.
pub const MAX_FIELDS: usize = 100;
/// The largest schema, in bytes of JSON.
pub const MAX_SCHEMA: usize = 64 * 1024;
/// The longest id of a schema, and the longest name of a field, in characters.
pub const MAX_ID: usize = 64;
/// The annotation of a field that says how a new value joins the one that is there: `join` or `replace`.
pub const CONSOLIDATE: &str = "x-consolidate";
/// The annotation of a field that says how many days a value lives.
pub const TTL_DAYS: &str = "x-ttl-days";

/// A profile schema of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileSchema {
    /// Its id, unique in the agent: `user-profile`.
    pub id: String,
    /// A JSON Schema that [`check`] has passed.
    pub schema: Value,
    /// Raised by one with every change of the schema.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A field of a schema.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its values must fit.
    pub schema: &'a Value,
}

impl ProfileSchema {
    /// The fields, in the order of the schema.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        self.schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, schema)| Field { name, schema })
    }

    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<Field<'_>> {
        self.fields().find(|field| field.name == name)
    }

    /// Whether a value may stand in a field: type, enum, format, and whatever else the schema says. References inside the schema hold.
    pub fn fits(&self, field: &str, value: &Value) -> bool {
        self.field(field)
            .and_then(|found| self.compiled(found))
            .is_some_and(|validator| validator.is_valid(&json!({ field: value })))
    }

    /// What an object that holds nothing but this field has to be.
    pub(crate) fn compiled(&self, field: Field<'_>) -> Option<jsonschema::Validator> {
        // The whole schema, so that "#/$defs/…" resolves; only this field is required of the object.
        let mut schema = self.schema.clone();
        schema["required"] = json!([]);
        schema["properties"] = json!({ field.name: field.schema });
        jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .ok()
    }
}

impl<'a> Field<'a> {
    /// What it holds, told to the extractor.
    pub fn description(&self) -> Option<&'a str> {
        self.schema.get("description").and_then(Value::as_str)
    }

    /// The values it may take, where it takes only these.
    pub fn values(&self) -> Option<&'a Vec<Value>> {
        self.schema.get("enum").and_then(Value::as_array)
    }

    /// The values of which a list may hold some, where it may hold only these.
    pub fn values_of_items(&self) -> Option<&'a Vec<Value>> {
        let items = self.schema.get("items")?;
        items.get("enum").and_then(Value::as_array)
    }

    /// What it takes, in English, for whoever wrote something else.
    pub fn takes(&self) -> String {
        if let Some(values) = self.values() {
            return values.iter().map(words).collect::<Vec<_>>().join(", ");
        }
        let sorts = [
            ("boolean", "true or false"),
            ("integer", "a whole number"),
            ("number", "a number"),
            ("array", "a list"),
            ("object", "an object"),
            ("string", "text"),
        ];
        let sorts = sorts.iter().filter(|(kind, _)| self.is(kind));
        let sorts: Vec<&str> = sorts.map(|(_, sort)| *sort).collect();
        let mut takes = match sorts.is_empty() {
            true => "what its schema allows".to_owned(),
            false => sorts.join(" or "),
        };
        for (rule, said) in [
            ("format", "in the format"),
            ("pattern", "that matches"),
            ("minimum", "of at least"),
            ("maximum", "of at most"),
        ] {
            if let Some(bound) = self.schema.get(rule) {
                takes.push_str(&format!(" {said} {}", words(bound)));
            }
        }
        takes
    }

    /// Days that a value lives, where the schema says so.
    pub fn ttl_days(&self) -> Option<i64> {
        self.schema.get(TTL_DAYS).and_then(Value::as_i64)
    }

    /// Whether a new value stands beside the old one instead of in its place. The schema may say so ([`CONSOLIDATE`]); else lists join,
    /// and text joins where nothing says that there is only one of it.
    pub fn joins(&self) -> bool {
        match self.schema.get(CONSOLIDATE).and_then(Value::as_str) {
            Some(how) => how == "join",
            None if self.values().is_some() || self.schema.get("const").is_some() => false,
            None if self.is("array") => true,
            None => {
                self.is("string")
                    && self.schema.get("format").is_none()
                    && self.schema.get("pattern").is_none()
                    && !consolidate::only_one(self.name)
            }
        }
    }

    fn is(&self, kind: &str) -> bool {
        match self.schema.get("type") {
            Some(Value::String(one)) => one == kind,
            Some(Value::Array(several)) => several.iter().any(|one| one == kind),
            _ => false,
        }
    }
}

/// The name of the memory that holds a field.
pub fn name(schema: &str, field: &str) -> String {
    format!("{schema}/{field}")
}

/// Schema and field out of the name of a memory.
pub fn parse_name(name: &str) -> Option<(&str, &str)> {
    name.split_once('/')
}

/// The words of a value: what a reviewer reads and compares.
pub fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The metadata of the memory that holds a field: `value` is what the profile answers, `extracted` what was said this time (D7).
pub fn metadata(schema: &str, field: &str, value: &Value, extracted: &Value) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("schema".to_owned(), schema.into());
    metadata.insert("field".to_owned(), field.into());
    metadata.insert("value".to_owned(), value.clone());
    metadata.insert("extracted".to_owned(), extracted.clone());
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(properties: Value) -> ProfileSchema {
        ProfileSchema {
            id: "user-profile".to_owned(),
            schema: json!({"type": "object", "properties": properties}),
            version: 1,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    // D2
    #[test]
    fn a_value_fits_its_field_alone() {
        let schema = schema(json!({
            "job_status": {"type": "string", "enum": ["student", "employed"]},
            "birthday": {"type": "string", "format": "date"},
            "level": {"$ref": "#/$defs/level"},
        }));
        let schema = ProfileSchema {
            schema: {
                let mut with = schema.schema;
                with["$defs"] = json!({"level": {"type": "integer", "maximum": 5}});
                with["required"] = json!(["birthday"]);
                with
            },
            ..schema
        };
        assert!(schema.fits("job_status", &json!("student")));
        assert!(!schema.fits("job_status", &json!("retired")));
        assert!(schema.fits("birthday", &json!("1999-02-28")));
        assert!(
            !schema.fits("birthday", &json!("last spring")),
            "formats hold"
        );
        assert!(schema.fits("level", &json!(5)) && !schema.fits("level", &json!(6)));
        assert!(
            !schema.fits("shoe_size", &json!(42)),
            "only fields of the schema"
        );
        assert!(
            check(&schema.schema).is_empty(),
            "{:?}",
            check(&schema.schema)
        );
    }

    #[test]
    fn a_list_has_the_values_of_its_items() {
        let schema = schema(json!({
            "languages": {"type": "array", "items": {"type": "string", "enum": ["ja", "en"]}},
            "tools": {"type": "array", "items": {"type": "string"}},
        }));
        let of = |name| schema.field(name).and_then(|field| field.values_of_items());
        assert_eq!(of("languages"), Some(&vec![json!("ja"), json!("en")]));
        assert_eq!(of("tools"), None);
        assert!(
            schema.field("languages").unwrap().joins(),
            "several of them"
        );
    }

    #[test]
    fn what_a_field_takes_is_said_in_words() {
        let schema = schema(json!({
            "is_student": {"type": "boolean"},
            "job_status": {"type": "string", "enum": ["student", "employed"]},
            "birthday": {"type": "string", "format": "date"},
            "level": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
            "anything": {},
        }));
        for (field, takes) in [
            ("is_student", "true or false"),
            ("job_status", "student, employed"),
            ("birthday", "text in the format date"),
            ("level", "a whole number of at least 1 of at most 5"),
            ("anything", "what its schema allows"),
        ] {
            assert_eq!(schema.field(field).unwrap().takes(), takes);
        }
    }

    // D3, D11
    #[test]
    fn a_filled_field_is_consolidated() {
        let schema = schema(json!({
            "technical_stack": {"type": "string"},
            "job_status": {"type": "string", "enum": ["student", "employed"]},
            "homeCity": {"type": "string"},
            "hobbies": {"type": "array", "items": {"type": "string"}},
            "motto": {"type": "string", "x-consolidate": "replace"},
        }));
        let held = |field: &str, old: Value, new: Value| {
            let Consolidated { value, replaces } =
                consolidate(schema.field(field).unwrap(), &old, &new);
            (words(&value), replaces)
        };
        let kept = |words: &str| (words.to_owned(), false);
        assert_eq!(
            held("technical_stack", json!("ADK"), json!("Python")),
            kept("ADK, Python")
        );
        assert_eq!(
            held("technical_stack", json!("ADK"), json!("ADK, Python")),
            kept("ADK, Python")
        );
        assert_eq!(
            held("technical_stack", json!("ADK, Python"), json!("python")),
            kept("ADK, Python")
        );
        assert_eq!(
            held("technical_stack", json!("東京、大阪"), json!("京都")),
            kept("東京, 大阪, 京都")
        );
        assert_eq!(
            held("hobbies", json!(["go"]), json!(["Go", "chess"])),
            kept("go, chess")
        );
        assert_eq!(
            held("job_status", json!("student"), json!("employed")),
            ("employed".to_owned(), true)
        );
        assert_eq!(
            held("homeCity", json!("Oslo"), json!("Bergen")),
            ("Bergen".to_owned(), true)
        );
        assert_eq!(
            held("motto", json!("slow"), json!("fast")),
            ("fast".to_owned(), true)
        );
    }
}
