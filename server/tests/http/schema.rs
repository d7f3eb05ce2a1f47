//! Whether an answer is as the OpenAPI document describes it.

use std::sync::LazyLock;

use reqwest::Method;
use serde_json::{Value, json};

use crate::house::Answer;

/// The paths of the document.
static PATHS: LazyLock<Value> = LazyLock::new(|| {
    let document = serde_json::to_value(server::api::document()).unwrap();
    document["paths"].clone()
});

/// Fails where an answer of `/api/v1` has a header that the document does not tell of, or lacks one that it does.
#[track_caller]
pub fn assert_headers_described(method: &Method, path: &str, answer: &Answer) {
    let path = path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |template: &str| {
        let template: Vec<&str> = template["/api/v1".len()..].split('/').collect();
        template.len() == parts.len()
            && template
                .iter()
                .zip(&parts)
                .all(|(one, part)| one == part || one.starts_with('{'))
    };
    // One that is written out comes before one with a parameter.
    let fitting = PATHS.as_object().unwrap().iter();
    let mut fitting: Vec<_> = fitting.filter(|(template, _)| fits(template)).collect();
    fitting.sort_by_key(|(template, _)| template.matches('{').count());
    let operation = fitting
        .first()
        .map(|(_, item)| &item[method.as_str().to_lowercase()]);
    let Some(answers) = operation.and_then(|operation| operation.get("responses")) else {
        return;
    };
    let status = answer.status.to_string();
    let described = answers.get(&status).unwrap_or(&answers["default"]);
    let done = status.starts_with('2') && answers.get(&status).is_some();
    for name in [
        "Content-Range",
        "ETag",
        "Idempotency-Replayed",
        "Location",
        "Retry-After",
    ] {
        let (sent, told) = (
            answer.headers.contains_key(name),
            described["headers"].get(name).is_some(),
        );
        let at = format!("{method} {path} {status}: {name}");
        assert!(told || !sent, "{at} is not described");
        assert!(
            sent || !told || !done || name == "Idempotency-Replayed",
            "{at} is not sent"
        );
    }
}

/// Fails where `answer` is not a `schema` of the document.
#[track_caller]
pub fn assert_described(answer: &Value, schema: &str) {
    let document = serde_json::to_value(server::api::document()).unwrap();
    assert!(
        document["components"]["schemas"].get(schema).is_some(),
        "no schema {schema}"
    );
    let root = json!({"$ref": format!("#/components/schemas/{schema}"), "components": document["components"]});
    let validator = jsonschema::validator_for(&root).unwrap();
    let faults: Vec<_> = validator
        .iter_errors(answer)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{schema}: {faults:#?} in {answer:#}");
    let known = &document["components"]["schemas"][schema]["properties"];
    if let (Some(known), Some(fields)) = (known.as_object(), answer.as_object()) {
        let silent: Vec<_> = fields
            .keys()
            .filter(|field| !known.contains_key(*field))
            .collect();
        assert!(silent.is_empty(), "{schema} does not tell of {silent:?}");
    }
}
