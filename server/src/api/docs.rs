//! The API for people to read, at `/api/docs`: drawn from the OpenAPI document, with nothing from outside.

use std::sync::Arc;

use askama::Template;
use axum::{
    extract::Path,
    http::{HeaderValue, header},
    response::{Html, IntoResponse, Redirect, Response},
};
use domain::key::KeyScope;
use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

use crate::problem::CODES;

/// What an agent does, in its order: a call, and what it is for.
const WALK: &[(&str, &str)] = &[
    ("create_conversation", "Send what was said."),
    (
        "get_operation",
        "See what came of it. An agent need not wait for it.",
    ),
    (
        "list_candidates",
        "A person looks at what was proposed, with a key of their own or in the dashboard,",
    ),
    ("approve_candidate", "approves it, edited or as it is,"),
    ("reject_candidate", "or rejects it for a reason."),
    (
        "ask_context",
        "Before it answers, the agent asks what is approved.",
    ),
    ("report_feedback", "Afterwards it tells what helped."),
    (
        "search_memories",
        "It can look memories up, read a profile, and propose by hand.",
    ),
    ("get_profile", "Profiles are read without a search."),
    (
        "propose_candidate",
        "What it proposes waits for a person as well.",
    ),
];

#[derive(Template)]
#[template(path = "api_docs.html")]
struct Docs {
    introduction: String,
    walk: &'static [(&'static str, &'static str)],
    sections: Vec<Section>,
    shapes: Vec<Shape>,
    problems: &'static [(&'static str, &'static str)],
}

struct Section {
    name: String,
    description: String,
    calls: Vec<Call>,
}

struct Call {
    id: String,
    method: &'static str,
    path: String,
    summary: String,
    scope: String,
    /// Whether only a person's key opens it.
    person: bool,
    curl: String,
    parameters: Vec<Field>,
    body: Vec<Field>,
    answers: Vec<Answer>,
    refusals: Vec<&'static str>,
}

struct Answer {
    status: String,
    kind: String,
    description: String,
}

/// A type that answers and bodies name.
struct Shape {
    name: String,
    kind: String,
    description: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    kind: String,
    required: bool,
    description: String,
}

mod filters {
    use std::fmt::Display;

    use askama::{Result, Values};

    fn encoded(text: &str) -> String {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    }

    /// A type, in which every name of a shape leads to it; everything else is encoded.
    #[askama::filter_fn]
    pub fn linked(kind: impl Display, _: &dyn Values) -> Result<String> {
        let kind = kind.to_string();
        let words = kind.split(' ').map(|word| {
            let name = word.trim_end_matches("[]");
            if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                let rest = &word[name.len()..];
                format!("<a href=\"#shape-{name}\">{name}</a>{rest}")
            } else {
                encoded(word)
            }
        });
        Ok(words.collect::<Vec<_>>().join(" "))
    }

    /// Text with its `code` between back-ticks marked as such; everything else is encoded.
    #[askama::filter_fn]
    pub fn marked(text: impl Display, _: &dyn Values) -> Result<String> {
        let text = text.to_string();
        let parts = text.split('`').enumerate().map(|(at, part)| {
            let part = encoded(part);
            if at % 2 == 1 {
                format!("<code>{part}</code>")
            } else {
                part
            }
        });
        Ok(parts.collect())
    }
}

/// The page, drawn once.
#[derive(Clone)]
pub struct Page(Arc<str>);

impl Page {
    pub fn new(document: &OpenApi) -> Self {
        let document = serde_json::to_value(document).expect("a document is JSON");
        let page = Docs {
            introduction: text(&document, "/info/description"),
            walk: WALK,
            sections: sections(&document),
            shapes: shapes(&document),
            problems: CODES,
        };
        Self(
            page.render()
                .expect("the template draws any document")
                .into(),
        )
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let mut response = Html(self.0.to_string()).into_response();
        response.headers_mut().insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(
                "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
            ),
        );
        response
    }
}

/// `type` of a problem document leads here.
pub async fn problem(Path(code): Path<String>) -> Redirect {
    let known = CODES
        .iter()
        .any(|(known, _)| known.replace('_', "-") == code);
    Redirect::to(&if known {
        format!("/api/docs#{code}")
    } else {
        "/api/docs#problems".to_owned()
    })
}

fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn sections(document: &Value) -> Vec<Section> {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.map(|tag| {
        let name = text(tag, "/name");
        Section {
            calls: calls(document, &name),
            description: text(tag, "/description"),
            name,
        }
    })
    .collect()
}

fn calls(document: &Value, tag: &str) -> Vec<Call> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, shown) in [
            ("get", "GET"),
            ("post", "POST"),
            ("patch", "PATCH"),
            ("put", "PUT"),
            ("delete", "DELETE"),
        ] {
            let operation = &item[method];
            if operation.pointer("/tags/0").and_then(Value::as_str) != Some(tag) {
                continue;
            }
            let sent = &operation["requestBody"]["content"]["application/json"]["schema"];
            let scope = text(operation, "/security/0/key/0");
            found.push(Call {
                id: text(operation, "/operationId"),
                method: shown,
                path: path.clone(),
                summary: text(operation, "/summary"),
                person: scope
                    .parse::<KeyScope>()
                    .is_ok_and(KeyScope::needs_a_person),
                scope,
                curl: curl(document, shown, path, operation),
                parameters: parameters(&operation["parameters"]),
                body: body(document, sent),
                answers: answers(operation),
                refusals: refusals(path, operation),
            });
        }
    }
    found
}

fn answers(operation: &Value) -> Vec<Answer> {
    let answers = operation["responses"].as_object().into_iter().flatten();
    answers
        // How it is refused is told beside them.
        .filter(|(status, _)| status.starts_with(['2', '3']))
        .map(|(status, answer)| {
            let schema = &answer["content"]["application/json"]["schema"];
            Answer {
                status: status.clone(),
                kind: match schema {
                    Value::Null => String::new(),
                    schema => type_of(schema),
                },
                description: text(answer, "/description"),
            }
        })
        .collect()
}

/// The refusals that the description itself brings with it, beside those that every call has.
fn refusals(path: &str, operation: &Value) -> Vec<&'static str> {
    let parameters: Vec<&Value> = operation["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let header = |name: &str| {
        let mut headers = parameters.iter().filter(|one| one["in"] == "header");
        headers.find(|one| one["name"] == name)
    };
    let mut refusals = Vec::new();
    if !operation["requestBody"].is_null() {
        refusals.push(
            "`400` `not_json`, `413`, `415`, `422` for a body that does not fit; `errors` say where",
        );
    }
    if parameters.iter().any(|one| one["in"] == "query") {
        refusals.push("`422` for a parameter that is not known or does not fit");
    }
    if path.contains('{') {
        refusals
            .push("`404` for what is not there, or belongs to an agent that the key does not name");
    }
    if let Some(seen) = header("If-Match") {
        if seen["required"] == true {
            refusals.push("`428` without `If-Match`");
        }
        refusals.push("`412` where another version is the present one; `current` has it");
    }
    if header("Idempotency-Key").is_some() {
        refusals.push(
            "`409` `idempotency_in_flight`, `422` `idempotency_mismatch` and `410` `idempotency_gone` with an `Idempotency-Key`",
        );
    }
    refusals
}

/// The call as a line for a shell, with what it needs.
fn curl(document: &Value, method: &str, path: &str, operation: &Value) -> String {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let mut address = path.to_owned();
    let mut headers = vec!["-H \"Authorization: Bearer $KEEPSAKE_KEY\"".to_owned()];
    let mut joint = '?';
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = text(parameter, "/name");
        let value = match example(document, &parameter["schema"], &name, 0) {
            Value::String(word) => word,
            other => other.to_string(),
        };
        match parameter["in"].as_str() {
            Some("path") => address = address.replace(&format!("{{{name}}}"), &value),
            Some("query") if parameter["required"] == true => {
                address.push_str(&format!("{joint}{name}={value}"));
                joint = '&';
            }
            Some("header") if parameter["required"] == true => {
                headers.push(format!("-H '{name}: \"1\"'"));
            }
            _ => {}
        }
    }
    let verb = match (method, schema.is_null()) {
        ("GET", _) | ("POST", false) => String::new(),
        _ => format!("-X {method} "),
    };
    let mut parts = vec![format!("curl {verb}\"$KEEPSAKE_URL{address}\"")];
    parts.append(&mut headers);
    if !schema.is_null() {
        let body = example(document, schema, "", 3);
        parts.push(format!("-H 'Content-Type: application/json' -d '{body}'"));
    }
    parts.join(" \\\n  ")
}

/// Fields that an example has although they may be left out: without them it would say nothing.
const TELLING: &[&str] = &["content", "kind", "messages", "query", "user_id"];

/// A value that a schema allows; of objects the fields that are needed and those that are [`TELLING`]. `depth`: how many objects and
/// lists deep. Where only the caller knows, it is `…`.
fn example(document: &Value, schema: &Value, name: &str, depth: usize) -> Value {
    if let Some(example) = schema.get("example") {
        return example.clone();
    }
    if let Some(target) = schema["$ref"].as_str() {
        let target = document.pointer(target.trim_start_matches('#'));
        return target.map_or(Value::Null, |schema| example(document, schema, name, depth));
    }
    if let Some(word) = schema["enum"].get(0) {
        return word.clone();
    }
    let choices = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    if let Some(choice) = choices.and_then(|all| all.iter().find(|one| one["type"] != "null")) {
        return example(document, choice, name, depth);
    }
    match first_type(schema) {
        "object" => {
            let required = schema["required"].as_array();
            let properties = schema["properties"].as_object().into_iter().flatten();
            let shown = properties.filter(|(field, _)| {
                depth > 0
                    && (TELLING.contains(&field.as_str())
                        || required.is_some_and(|all| all.iter().any(|one| one == *field)))
            });
            let fields: Map<String, Value> = shown
                .map(|(field, one)| (field.clone(), example(document, one, field, depth - 1)))
                .collect();
            Value::Object(fields)
        }
        "array" if depth > 0 => json!([example(document, &schema["items"], name, depth - 1)]),
        "array" => json!([]),
        "string" => json!(word(schema, name)),
        "integer" => json!(1),
        "number" => json!(0.9),
        "boolean" => json!(true),
        _ => json!({}),
    }
}

fn word(schema: &Value, name: &str) -> String {
    if schema["format"] == "date-time" {
        return "2026-12-01T09:30:00Z".to_owned();
    }
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    let prefix = pattern
        .trim_start_matches('^')
        .split(['[', '(', '\\', '$'])
        .next();
    match (prefix, name) {
        (Some(prefix), _) if !prefix.is_empty() => format!("{prefix}…"),
        (_, "agent" | "name") => "support".to_owned(),
        (_, "content") => "User prefers Python examples".to_owned(),
        (_, "kind") => "preference".to_owned(),
        (_, "language") => "en".to_owned(),
        (_, "query") => "show me an example".to_owned(),
        (_, "user_id") => "ana".to_owned(),
        _ => "…".to_owned(),
    }
}

fn shapes(document: &Value) -> Vec<Shape> {
    let schemas = document.pointer("/components/schemas");
    let schemas = schemas.and_then(Value::as_object).into_iter().flatten();
    schemas
        .map(|(name, schema)| {
            let parts = schema["allOf"].as_array().into_iter().flatten();
            let fields = std::iter::once(schema).chain(parts).flat_map(fields);
            Shape {
                name: name.clone(),
                kind: type_of(schema),
                description: text(schema, "/description"),
                fields: fields.collect(),
            }
        })
        .collect()
}

fn parameters(list: &Value) -> Vec<Field> {
    let list = list.as_array().into_iter().flatten();
    list.map(|parameter| Field {
        name: text(parameter, "/name"),
        kind: type_of(&parameter["schema"]),
        required: parameter["required"] == true,
        description: text(parameter, "/description"),
    })
    .collect()
}

fn body(document: &Value, schema: &Value) -> Vec<Field> {
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let named = std::iter::once(schema)
        .chain(choices)
        .find_map(|one| one["$ref"].as_str());
    let Some(target) = named.and_then(|name| document.pointer(name.trim_start_matches('#'))) else {
        return Vec::new();
    };
    fields(target)
}

/// The properties of an object.
fn fields(schema: &Value) -> Vec<Field> {
    let required = schema["required"].as_array();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, property)| Field {
            required: required.is_some_and(|all| all.iter().any(|one| one == name)),
            name: name.clone(),
            kind: type_of(property),
            description: meaning(property),
        })
        .collect()
}

/// What a property means; where it may be null, that is said of what it is otherwise.
fn meaning(property: &Value) -> String {
    let choices = property["oneOf"].as_array().into_iter().flatten();
    std::iter::once(property)
        .chain(choices)
        .map(|one| text(one, "/description"))
        .find(|said| !said.is_empty())
        .unwrap_or_default()
}

/// A schema in a few words: `string`, `MemoryView[]`, `"user" | "assistant"`.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words.iter().map(Value::to_string).collect();
        return words.join(" | ");
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let all: Vec<_> = parts.iter().map(type_of).collect();
        return all.join(" & ");
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let all: Vec<_> = choices
            .iter()
            .map(type_of)
            .filter(|one| one != "null")
            .collect();
        return all.join(" | ");
    }
    match first_type(schema) {
        "array" => format!("{}[]", type_of(&schema["items"])),
        other => other.to_owned(),
    }
}

/// The type of a schema, whether or not null is allowed beside it.
fn first_type(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(one) => one.as_str(),
        Value::Array(several) => several
            .iter()
            .filter_map(Value::as_str)
            .find(|one| *one != "null")
            .unwrap_or("any"),
        _ => "any",
    }
}
