//! Profiles: what an agent wants to know of every user, field by field (D1-D4).
//!
//! A profile schema is a JSON Schema whose properties are the fields. Each field of each user is one memory of the kind
//! [`KIND`], named `schema/field`, so that it has its own history, time to live and place in the queue like every other memory.

use serde_json::{Map, Value, json};

use crate::{Timestamp, text};

/// The kind of a memory that holds a field.
pub const KIND: &str = "profile_field";

/// Most fields of a schema.
pub const MAX_FIELDS: usize = 100;
/// The largest schema, in bytes of JSON.
pub const MAX_SCHEMA: usize = 64 * 1024;
/// Most faults of a schema that are told at once.
const MAX_FAULTS: usize = 20;
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
            let detail = format!("1 to {MAX_FIELDS} fields under \"properties\"");
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
        let most = format!("at most {MAX_SCHEMA} bytes of JSON");
        return Err(vec![fault(SchemaError::TooLarge, "", &most)]);
    }
    if let Some(pointer) = reference(schema, "") {
        let detail = "a schema of profiles refers to nothing outside itself (only \"#/…\")";
        return Err(vec![fault(SchemaError::Reference, &pointer, detail)]);
    }
    if !schema.is_object() {
        return Err(vec![fault(SchemaError::NotAnObject, "", "a JSON object")]);
    }
    Ok(())
}

fn other_than_an_object(schema: &Value) -> Option<SchemaFault> {
    let other = schema.get("type").is_some_and(|found| found != "object");
    other.then(|| fault(SchemaError::NotAnObject, "/type", "\"object\""))
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
            detail: format!("a name of 1 to {MAX_ID} letters, digits, \"_\", \"-\" or \".\""),
        });
    }
    let joins = field.get(CONSOLIDATE);
    if joins.is_some_and(|how| how != "join" && how != "replace") {
        faults.push(SchemaFault {
            error: SchemaError::Annotation,
            pointer: at(&format!("/{CONSOLIDATE}")),
            detail: "\"join\" or \"replace\"".to_owned(),
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
            detail: "a whole number of days from 1 to 36,500".to_owned(),
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
                    !target.starts_with('#') && !(key == "$schema" && is_draft(target))
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
                    && !only_one(self.name)
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

/// Words in the name of a field of which a person has one at a time.
const ONE_AT_A_TIME: &[&str] = &[
    "name",
    "nickname",
    "age",
    "birthday",
    "birthdate",
    "dob",
    "gender",
    "pronouns",
    "city",
    "town",
    "country",
    "region",
    "location",
    "address",
    "home",
    "residence",
    "timezone",
    "zone",
    "locale",
    "employer",
    "company",
    "title",
    "role",
    "occupation",
    "profession",
    "position",
    "status",
    "level",
    "stage",
    "email",
    "phone",
    "salary",
    "income",
    "budget",
    "currency",
    "height",
    "weight",
    "size",
    "tone",
    "format",
    "style",
    "mood",
    "plan",
    "tier",
    "summary",
    "bio",
    "goal",
    "nationality",
    "school",
    "university",
    "major",
    "grade",
    "date",
    "id",
];

fn only_one(name: &str) -> bool {
    let mut word = String::new();
    let mut words = Vec::new();
    for letter in name.chars() {
        if !letter.is_alphanumeric()
            || (letter.is_uppercase() && word.ends_with(char::is_lowercase))
        {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.push(letter);
        }
    }
    words.push(word);
    words
        .iter()
        .any(|word| ONE_AT_A_TIME.contains(&word.to_lowercase().as_str()))
}

/// A new value beside the one that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Consolidated {
    /// What the field would hold.
    pub value: Value,
    /// Whether the old value is gone.
    pub replaces: bool,
}

/// Consolidates a field (D3): `"ADK"` and `"Python"` give `"ADK, Python"`. A new value that already holds all of the old one is taken as
/// it is: the extractor has consolidated.
pub fn consolidate(field: Field<'_>, old: &Value, new: &Value) -> Consolidated {
    let replaced = || Consolidated {
        value: new.clone(),
        replaces: old != new,
    };
    if !field.joins() {
        return replaced();
    }
    match (old, new) {
        (Value::String(old), Value::String(new)) => {
            let joined = join(parts(old), parts(new));
            let value = if covers(new, old) {
                new.clone()
            } else {
                joined.join(", ")
            };
            Consolidated {
                value: Value::String(value),
                replaces: false,
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let mut all = old.clone();
            for item in new {
                if !all.iter().any(|held| same(held, item)) {
                    all.push(item.clone());
                }
            }
            Consolidated {
                value: Value::Array(all),
                replaces: false,
            }
        }
        _ => replaced(),
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            text::normal_form(one) == text::normal_form(other)
        }
        _ => one == other,
    }
}

pub(crate) fn parts(list: &str) -> Vec<&str> {
    list.split([',', ';', '、', '，', '；', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

fn join<'a>(old: Vec<&'a str>, new: Vec<&'a str>) -> Vec<&'a str> {
    let mut all = old;
    for part in new {
        if !all
            .iter()
            .any(|held| text::normal_form(held) == text::normal_form(part))
        {
            all.push(part);
        }
    }
    all
}

/// Whether a list of words holds all of another one.
pub fn covers(new: &str, old: &str) -> bool {
    let held: Vec<String> = parts(new).into_iter().map(text::normal_form).collect();
    parts(old)
        .into_iter()
        .all(|part| held.contains(&text::normal_form(part)))
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
        assert!(mistyped[0].detail.starts_with("\"strin\" is no type: array, boolean"));
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
        assert_eq!(first(unknown), (SchemaError::Reference, "/$schema".to_owned()));
        let several = json!({"properties": {"a": {"type": "strin"}, "b": {"minLength": "x"}}});
        let places: Vec<_> = check(&several).into_iter().map(|fault| fault.pointer).collect();
        assert!(places.contains(&"/properties/a/type".to_owned()) && places.contains(&"/properties/b/minLength".to_owned()), "{places:?}");
        assert!(check_object(&json!({"type": "object"})).is_empty(), "metadata need not name its values");
        assert!(!check_object(&json!({"type": "array"})).is_empty());
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
