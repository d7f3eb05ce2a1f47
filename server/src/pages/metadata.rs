//! Metadata between its schema and a form: a property that a person can type is a field, the rest stays JSON.

use std::collections::BTreeMap;

use app::components::metadata::{Entry, PREFIX, Sort};
use engine::EngineError;
use serde_json::{Map, Value};

/// What a property is typed into; `None` for what no field can hold.
fn sort(schema: &Value) -> Option<Sort> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = values
            .iter()
            .filter_map(|value| value.as_str().map(str::to_owned))
            .collect();
        let nulls = values.iter().filter(|value| value.is_null()).count();
        return (words.len() + nulls == values.len()).then_some(Sort::Choice(words));
    }
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let is = |wanted: &str| types.contains(&wanted);
    if is("object") {
        None
    } else if is("array") {
        let items = schema.get("items").and_then(|items| items.get("type"));
        (items == Some(&Value::from("string"))).then_some(Sort::List)
    } else if is("string") {
        Some(Sort::Line)
    } else if is("number") || is("integer") {
        Some(Sort::Number)
    } else {
        is("boolean").then_some(Sort::YesNo)
    }
}

fn properties(schema: Option<&Value>) -> impl Iterator<Item = (&String, &Value, Sort)> {
    schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| Some((name, property, sort(property)?)))
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            let lines: Vec<String> = items.iter().map(|item| shown(Some(item))).collect();
            lines.join("\n")
        }
        Some(other) => other.to_string(),
    }
}

/// The properties as fields.
pub fn fields(schema: Option<&Value>, metadata: &Map<String, Value>) -> Vec<Entry> {
    properties(schema)
        .map(|(name, property, sort)| Entry {
            name: name.clone(),
            description: property
                .get("description")
                .and_then(Value::as_str)
                .map(str::to_owned),
            sort,
            value: shown(metadata.get(name)),
        })
        .collect()
}

/// What no field holds, as JSON; empty for nothing.
pub fn rest(schema: Option<&Value>, metadata: &Map<String, Value>) -> String {
    let held: Vec<&String> = properties(schema).map(|(name, ..)| name).collect();
    let mut rest = metadata.clone();
    rest.retain(|name, _| !held.contains(&name));
    if rest.is_empty() {
        return String::new();
    }
    serde_json::to_string_pretty(&rest).unwrap_or_default()
}

/// The metadata that a form makes of what was there; `None` where nothing was changed.
///
/// # Errors
/// `invalid` at `/metadata` for what is no number or no JSON.
pub fn changed(
    schema: Option<&Value>,
    present: &Map<String, Value>,
    typed: &BTreeMap<String, String>,
    rest_typed: Option<&str>,
) -> Result<Option<Map<String, Value>>, EngineError> {
    let mut metadata = present.clone();
    if let Some(json) = rest_typed {
        let json = json.trim();
        let unread = |_| EngineError::invalid("/metadata", "json", "a JSON object");
        let given: Map<String, Value> = match json {
            "" => Map::new(),
            json => serde_json::from_str(json).map_err(unread)?,
        };
        let held: Vec<&String> = properties(schema).map(|(name, ..)| name).collect();
        metadata.retain(|name, _| held.contains(&name));
        metadata.extend(given);
    }
    for (name, property, sort) in properties(schema) {
        let Some(text) = typed.get(&format!("{PREFIX}{name}")) else {
            continue;
        };
        // A browser sends line ends as CR LF whatever they were.
        let text = text.replace("\r\n", "\n");
        if text.trim() == shown(present.get(name)).trim() {
            continue;
        }
        match value(&sort, property, text.trim())? {
            Some(value) => metadata.insert(name.clone(), value),
            None => metadata.remove(name),
        };
    }
    Ok((metadata != *present).then_some(metadata))
}

fn value(sort: &Sort, property: &Value, text: &str) -> Result<Option<Value>, EngineError> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = || serde_json::from_str::<serde_json::Number>(text).map(Value::Number);
    let no_number = |_| EngineError::invalid("/metadata", "number", "a number");
    Ok(Some(match sort {
        Sort::Number => number().map_err(no_number)?,
        Sort::YesNo => Value::Bool(text == "true"),
        Sort::List => text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(Value::from)
            .collect(),
        // A budget may be 500 or "500 a day".
        Sort::Line if takes_numbers(property) => number().unwrap_or_else(|_| Value::from(text)),
        Sort::Line | Sort::Choice(_) => Value::from(text),
    }))
}

fn takes_numbers(property: &Value) -> bool {
    let types = property.get("type").and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|one| one == "number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::kind::Kind;
    use serde_json::json;

    fn schema(kind: &str) -> Value {
        let mut kinds = Kind::business().into_iter();
        let found = kinds.find(|row| row.name == kind).unwrap();
        found.metadata_schema.unwrap()
    }

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn form(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pair = |(name, value): &(&str, &str)| (format!("{PREFIX}{name}"), (*value).to_owned());
        pairs.iter().map(pair).collect()
    }

    // B1
    #[test]
    fn a_property_is_typed_into_what_fits_it_and_the_rest_stays_json() {
        let present = map(
            json!({"severity": "low", "resolved": null, "related_campaigns": ["Alpha", "Beta"], "odd": 1}),
        );
        let schema = schema("pain_point");
        let entries = fields(Some(&schema), &present);
        let of = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap();
        assert!(matches!(&of("severity").sort, Sort::Choice(words) if words.len() == 3));
        assert_eq!(of("resolved").sort, Sort::YesNo);
        assert_eq!(of("related_campaigns").value, "Alpha\nBeta");
        assert_eq!(rest(Some(&schema), &present), "{\n  \"odd\": 1\n}");
        assert_eq!(fields(None, &present), []);
    }

    #[test]
    fn what_was_not_touched_is_no_change_and_what_was_is_read_by_its_schema() {
        let schema = schema("campaign");
        let present = map(json!({"status": null, "budget": "500 a day"}));
        let untouched = form(&[
            ("status", ""),
            ("budget", "500 a day\r\n"),
            ("strategy", ""),
        ]);
        assert_eq!(
            changed(Some(&schema), &present, &untouched, None).unwrap(),
            None
        );
        let touched = form(&[("budget", "750"), ("strategy", "target CPA")]);
        assert_eq!(
            changed(Some(&schema), &present, &touched, None).unwrap(),
            Some(map(
                json!({"status": null, "budget": 750, "strategy": "target CPA"})
            ))
        );
        let figures = Some("{\"last_performance\": {\"ctr\": 2.1}}");
        let with = changed(Some(&schema), &present, &form(&[]), figures).unwrap();
        assert_eq!(with.unwrap()["last_performance"]["ctr"], 2.1);
        assert!(changed(Some(&schema), &present, &form(&[]), Some("{")).is_err());
    }
}
