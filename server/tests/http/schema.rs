//! Whether an answer is as the OpenAPI document describes it.

use serde_json::{Value, json};

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
