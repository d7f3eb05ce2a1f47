//! What keeps a JSON value from being a schema, told place by place (D1).

use serde_json::Value;

use super::{CONSOLIDATE, MAX_FIELDS, MAX_ID, MAX_SCHEMA, TTL_DAYS};

/// Most faults of a schema that are told at once.
const MAX_FAULTS: usize = 20;

/// Why a schema cannot be one of profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaError {
    /// It is no valid JSON Schema.
    Invalid,
    /// It is larger than [`MAX_SCHEMA`].
    TooLarge,
    /// It does not describe an object.
    NotAnObject,
    /// It has no properties, or more than [`MAX_FIELDS`].
    Fields,
    /// A field's name is not 1 to [`MAX_ID`] letters, digits, `_`, `-` or `.`.
    FieldName,
    /// A field says something else than `join` or `replace`, or no number of days from 1 to 36,500.
    Annotation,
    /// It refers to another document.
    Reference,
}

impl SchemaError {
    /// The word that stands for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid_schema",
            Self::TooLarge => "too_large",
            Self::NotAnObject => "not_an_object",
            Self::Fields => "fields",
            Self::FieldName => "field_name",
            Self::Annotation => "annotation",
            Self::Reference => "reference",
        }
    }
}

/// A fault of a schema, with its place as a JSON Pointer and what is wrong, in English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// What sort of fault it is.
    pub error: SchemaError,
    /// Where: a JSON Pointer into the schema.
    pub pointer: String,
    /// What is wrong there.
    pub detail: String,
}

/// Whether a name can be the id of a schema.
pub fn is_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn fault(error: SchemaError, pointer: &str, detail: &str) -> SchemaFault {
    SchemaFault {
        error,
        pointer: pointer.to_owned(),
        detail: detail.to_owned(),
    }
}

/// Finds what keeps a JSON value from being a profile schema; empty where it is one.
pub fn check(schema: &Value) -> Vec<SchemaFault> {
    if let Err(faults) = small_and_whole(schema) {
        return faults;
    }
    let mut faults: Vec<SchemaFault> = other_than_an_object(schema).into_iter().collect();
    match schema.get("properties").and_then(Value::as_object) {
        Some(fields) if (1..=MAX_FIELDS).contains(&fields.len()) => {
            for (name, field) in fields {
                faults.extend(check_field(name, field));
            }
        }
        _ => {
            let detail = format!("name 1 to {MAX_FIELDS} fields under \"properties\"");
            faults.push(fault(SchemaError::Fields, "/properties", &detail));
        }
    }
    faults.extend(check_rules(schema));
    faults
}

/// Finds what keeps a JSON value from being a schema of objects, as the metadata of a kind has one; empty where it is one.
pub fn check_object(schema: &Value) -> Vec<SchemaFault> {
    if let Err(faults) = small_and_whole(schema) {
        return faults;
    }
    let mut faults: Vec<SchemaFault> = other_than_an_object(schema).into_iter().collect();
    faults.extend(check_rules(schema));
    faults
}

/// A JSON object that stands alone.
fn small_and_whole(schema: &Value) -> Result<(), Vec<SchemaFault>> {
    if schema.to_string().len() > MAX_SCHEMA {
        let most = format!("a schema has at most {MAX_SCHEMA} bytes of JSON");
        return Err(vec![fault(SchemaError::TooLarge, "", &most)]);
    }
    if let Some(pointer) = reference(schema, "") {
        let detail = "a schema refers to nothing outside itself: write a reference as \"#/…\", or put in what it refers to";
        return Err(vec![fault(SchemaError::Reference, &pointer, detail)]);
    }
    if !schema.is_object() {
        return Err(vec![fault(
            SchemaError::NotAnObject,
            "",
            "a schema is a JSON object",
        )]);
    }
    Ok(())
}

fn other_than_an_object(schema: &Value) -> Option<SchemaFault> {
    let other = schema.get("type").is_some_and(|found| found != "object");
    other.then(|| {
        fault(
            SchemaError::NotAnObject,
            "/type",
            "leave this out, or write \"object\"",
        )
    })
}

/// What a value of `type` may be.
const TYPES: &str = "array, boolean, integer, null, number, object, string, or a list of these";

/// The rules of JSON Schema itself.
fn check_rules(schema: &Value) -> Vec<SchemaFault> {
    let told = |error: jsonschema::ValidationError<'_>| {
        let pointer = error.instance_path().to_string();
        // The rules say this by a choice of schemas, which helps nobody who mistyped a word.
        let detail = if pointer.ends_with("/type") {
            let there = error.instance();
            format!("{there} is no type: {TYPES}")
        } else {
            error.to_string()
        };
        fault(SchemaError::Invalid, &pointer, &detail)
    };
    let mut faults: Vec<SchemaFault> = match jsonschema::meta::validator_for(schema) {
        Ok(rules) => rules.iter_errors(schema).map(told).collect(),
        Err(error) => vec![fault(SchemaError::Invalid, "", &error.to_string())],
    };
    // Several rules may refuse one place; one word on it is enough.
    faults.dedup_by(|later, first| later.pointer == first.pointer);
    faults.truncate(MAX_FAULTS);
    if faults.is_empty()
        && let Err(error) = jsonschema::validator_for(schema)
    {
        faults.push(fault(SchemaError::Invalid, "", &error.to_string()));
    }
    faults
}

fn check_field(name: &str, field: &Value) -> Vec<SchemaFault> {
    let mut faults = Vec::new();
    let at = |suffix: &str| {
        let name = name.replace('~', "~0").replace('/', "~1");
        format!("/properties/{name}{suffix}")
    };
    if !is_id(name) {
        faults.push(SchemaFault {
            error: SchemaError::FieldName,
            pointer: at(""),
            detail: format!("name a field by 1 to {MAX_ID} letters, digits, \"_\", \"-\" or \".\""),
        });
    }
    let joins = field.get(CONSOLIDATE);
    if joins.is_some_and(|how| how != "join" && how != "replace") {
        faults.push(SchemaFault {
            error: SchemaError::Annotation,
            pointer: at(&format!("/{CONSOLIDATE}")),
            detail: "write \"join\" or \"replace\"".to_owned(),
        });
    }
    let days = field.get(TTL_DAYS);
    if days.is_some_and(|days| {
        !days
            .as_i64()
            .is_some_and(|days| (1..=36_500).contains(&days))
    }) {
        faults.push(SchemaFault {
            error: SchemaError::Annotation,
            pointer: at(&format!("/{TTL_DAYS}")),
            detail: "write a whole number of days from 1 to 36,500".to_owned(),
        });
    }
    faults
}

/// The first reference to another document.
fn reference(schema: &Value, at: &str) -> Option<String> {
    match schema {
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            let here = format!("{at}/{key}");
            let outside = matches!(key.as_str(), "$ref" | "$dynamicRef" | "$schema")
                && value.as_str().is_some_and(|target| {
                    let known = key == "$schema" && is_draft(target);
                    !(known || target.starts_with('#'))
                });
            if outside {
                Some(here)
            } else {
                reference(value, &here)
            }
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| reference(item, &format!("{at}/{index}"))),
        _ => None,
    }
}

/// The drafts of JSON Schema that are known here.
const DRAFTS: [&str; 5] = [
    "json-schema.org/draft/2020-12/schema",
    "json-schema.org/draft/2019-09/schema",
    "json-schema.org/draft-07/schema",
    "json-schema.org/draft-06/schema",
    "json-schema.org/draft-04/schema",
];

fn is_draft(uri: &str) -> bool {
    let uri = uri.trim_end_matches('#');
    uri.strip_prefix("https://")
        .or_else(|| uri.strip_prefix("http://"))
        .is_some_and(|rest| DRAFTS.contains(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // D1
    #[test]
    fn a_wrong_schema_is_told_where_it_is_wrong() {
        let first = |schema: Value| {
            let faults = check(&schema);
            let first = faults.first().unwrap_or_else(|| panic!("{schema} passed"));
            (first.error, first.pointer.clone())
        };
        assert_eq!(first(json!([])).0, SchemaError::NotAnObject);
        assert_eq!(first(json!({"type": "array"})).1, "/type");
        assert_eq!(
            first(json!({"type": "object"})),
            (SchemaError::Fields, "/properties".to_owned())
        );
        assert_eq!(
            first(json!({"properties": {"a b": {}}})),
            (SchemaError::FieldName, "/properties/a b".to_owned())
        );
        assert_eq!(
            first(json!({"properties": {"a": {"type": "strin"}}})),
            (SchemaError::Invalid, "/properties/a/type".to_owned())
        );
        let mistyped = check(&json!({"properties": {"a": {"type": "strin"}}}));
        assert!(
            mistyped[0]
                .detail
                .starts_with("\"strin\" is no type: array, boolean")
        );
        assert_eq!(
            first(json!({"properties": {"a": {"x-consolidate": "mix"}}})),
            (
                SchemaError::Annotation,
                "/properties/a/x-consolidate".to_owned()
            )
        );
        assert_eq!(
            first(json!({"properties": {"a": {"$ref": "https://example.com/a.json"}}})),
            (SchemaError::Reference, "/properties/a/$ref".to_owned())
        );
        assert!(check(&json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"a": true}})).is_empty());
        let unknown = json!({"$schema": "https://json-schema.org/draft/2099-12/schema", "properties": {"a": true}});
        assert_eq!(
            first(unknown),
            (SchemaError::Reference, "/$schema".to_owned())
        );
        let several = json!({"properties": {"a": {"type": "strin"}, "b": {"minLength": "x"}}});
        let places: Vec<_> = check(&several)
            .into_iter()
            .map(|fault| fault.pointer)
            .collect();
        assert!(
            places.contains(&"/properties/a/type".to_owned())
                && places.contains(&"/properties/b/minLength".to_owned()),
            "{places:?}"
        );
        assert!(
            check_object(&json!({"type": "object"})).is_empty(),
            "metadata need not name its values"
        );
        assert!(!check_object(&json!({"type": "array"})).is_empty());
    }
}
