//! The API for people to read, at `/api/docs`: drawn from the OpenAPI document, with nothing from outside.

use std::sync::Arc;

use askama::Template;
use axum::{
    extract::Path,
    http::{HeaderValue, header},
    response::{Html, IntoResponse, Redirect, Response},
};
use serde_json::Value;
use utoipa::openapi::OpenApi;

use crate::problem::CODES;

#[derive(Template)]
#[template(path = "api_docs.html")]
struct Docs {
    introduction: String,
    sections: Vec<Section>,
    problems: &'static [(&'static str, &'static str)],
}

struct Section {
    name: String,
    description: String,
    calls: Vec<Call>,
}

struct Call {
    method: &'static str,
    path: String,
    summary: String,
    scope: String,
    parameters: Vec<Field>,
    body: Vec<Field>,
    answers: Vec<(String, String)>,
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

    /// Text with its `code` between back-ticks marked as such; everything else is encoded.
    #[askama::filter_fn]
    pub fn marked(text: impl Display, _: &dyn Values) -> Result<String> {
        let text = text.to_string();
        let parts = text.split('`').enumerate().map(|(at, part)| {
            let part = part
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
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
            sections: sections(&document),
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
            let answers = operation["responses"].as_object().into_iter().flatten();
            found.push(Call {
                method: shown,
                path: path.clone(),
                summary: text(operation, "/summary"),
                scope: text(operation, "/security/0/key/0"),
                parameters: parameters(&operation["parameters"]),
                body: body(
                    document,
                    &operation["requestBody"]["content"]["application/json"]["schema"],
                ),
                answers: answers
                    .filter(|(status, _)| *status != "default")
                    .map(|(status, answer)| {
                        let schema = &answer["content"]["application/json"]["schema"];
                        (status.clone(), type_of(schema))
                    })
                    .collect(),
            });
        }
    }
    found
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
    let named = [&schema["$ref"], &schema["oneOf"][1]["$ref"]]
        .into_iter()
        .find_map(Value::as_str);
    let Some(target) = named.and_then(|name| document.pointer(name.trim_start_matches('#'))) else {
        return Vec::new();
    };
    let required = target["required"].as_array();
    let properties = target["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, property)| Field {
            required: required.is_some_and(|all| all.iter().any(|one| one == name)),
            name: name.clone(),
            kind: type_of(property),
            description: text(property, "/description"),
        })
        .collect()
}

/// A schema in a few words: `string`, `MemoryView[]`, `number?`.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let all: Vec<_> = choices
            .iter()
            .map(type_of)
            .filter(|one| one != "null")
            .collect();
        return all.join(" | ");
    }
    let first = match &schema["type"] {
        Value::String(one) => one.as_str(),
        Value::Array(several) => several
            .iter()
            .filter_map(Value::as_str)
            .find(|one| *one != "null")
            .unwrap_or("any"),
        _ => "any",
    };
    match first {
        "array" => format!("{}[]", type_of(&schema["items"])),
        other => other.to_owned(),
    }
}
