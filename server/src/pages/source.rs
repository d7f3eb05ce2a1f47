//! A schema as it was typed: read, or its faults kept in a flash with the place of each.

use app::components::source::Fault;
use engine::{EngineError, FieldError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::form;
use crate::{flash::Flash, page_error::PageError};

/// The field of a flash that holds the faults.
const FAULTS: &str = "faults";

#[derive(Serialize, Deserialize)]
struct Kept {
    pointer: String,
    line: Option<usize>,
    code: String,
    detail: String,
}

/// Why a typed schema was not stored.
pub enum Refusal {
    /// The text is no JSON.
    Text(Fault),
    /// The engine said no.
    Engine(EngineError),
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

/// Reads what was typed; nothing where nothing was.
///
/// # Errors
/// [`Refusal::Text`] with the line, where it is no JSON.
pub fn read(typed: &str) -> Result<Option<Value>, Refusal> {
    if typed.trim().is_empty() {
        return Ok(None);
    }
    serde_json::from_str(typed).map(Some).map_err(|error| {
        Refusal::Text(Fault {
            pointer: String::new(),
            line: Some(error.line().max(1)),
            code: "json".to_owned(),
            detail: error.to_string(),
        })
    })
}

/// A stored schema as a person would write it: what fits into a line stands in one.
pub fn written(schema: &Value) -> String {
    let mut text = String::new();
    write(schema, 0, &mut text);
    text
}

/// The longest line that holds a whole value.
const LINE: usize = 76;

fn write(value: &Value, depth: usize, text: &mut String) {
    let whole = inline(value);
    let plain = !matches!(value, Value::Object(_) | Value::Array(_));
    if plain || (depth > 1 && 2 * depth + whole.len() <= LINE) || whole.len() <= 2 {
        text.push_str(&whole);
        return;
    }
    let (open, close) = if value.is_object() {
        ('{', '}')
    } else {
        ('[', ']')
    };
    let entries: Vec<(Option<&String>, &Value)> = match value {
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (Some(key), value))
            .collect(),
        Value::Array(items) => items.iter().map(|value| (None, value)).collect(),
        _ => Vec::new(),
    };
    let last = entries.len().saturating_sub(1);
    text.push(open);
    for (index, (key, value)) in entries.into_iter().enumerate() {
        text.push('\n');
        text.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            text.push_str(&format!("{}: ", Value::from(key.as_str())));
        }
        write(value, depth + 1, text);
        if index < last {
            text.push(',');
        }
    }
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(close);
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(object) if !object.is_empty() => {
            let pair = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), inline(value))
            };
            let pairs: Vec<String> = object.iter().map(pair).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// The refusal as a flash: the faults inside the schema of the form's field with their places, the others by field, and what was
/// typed.
///
/// # Errors
/// What is no fault of a field stays an error.
pub fn refused(refusal: Refusal, field: &str, values: &[(&str, &str)]) -> Result<Flash, PageError> {
    let (inside, flash) = match refusal {
        Refusal::Text(fault) => (
            vec![kept(fault)],
            form::refused(EngineError::Invalid(Vec::new()), values)?,
        ),
        Refusal::Engine(EngineError::Invalid(all)) => {
            let root = format!("/{field}");
            let (inside, outside): (Vec<_>, Vec<_>) = all
                .into_iter()
                .partition(|fault| is_inside(&fault.pointer, &root));
            let inside = inside
                .into_iter()
                .map(|fault| placed(fault, &root))
                .collect();
            (
                inside,
                form::refused(EngineError::Invalid(outside), values)?,
            )
        }
        Refusal::Engine(error @ EngineError::Stale { .. }) => {
            return Ok(form::keep(Flash::new(error.code()), values));
        }
        Refusal::Engine(error) => return form::refused(error, values),
    };
    if inside.is_empty() {
        return Ok(flash);
    }
    let json = serde_json::to_string(&inside).map_err(|_| PageError::internal())?;
    Ok(flash
        .with(&format!("fault.{field}"), "faults")
        .with(FAULTS, json))
}

fn is_inside(pointer: &str, root: &str) -> bool {
    pointer
        .strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn placed(fault: FieldError, root: &str) -> Kept {
    let place = fault.pointer.strip_prefix(root).unwrap_or_default();
    Kept {
        pointer: place.to_owned(),
        line: None,
        code: fault.code.to_owned(),
        detail: fault.detail,
    }
}

fn kept(fault: Fault) -> Kept {
    Kept {
        pointer: fault.pointer,
        line: fault.line,
        code: fault.code,
        detail: fault.detail,
    }
}

/// The faults that a refused form left in the flash.
pub fn faults_of(flash: Option<&Flash>) -> Vec<Fault> {
    let all = flash.and_then(|flash| flash.fields.get(FAULTS));
    let all: Vec<Kept> = all
        .and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default();
    all.into_iter()
        .map(|fault| Fault {
            pointer: fault.pointer,
            line: fault.line,
            code: fault.code,
            detail: fault.detail,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_written_as_a_person_would_and_reads_back_the_same() {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {"job": {"type": "string", "enum": ["student", "employed"]}, "odd\"key": {}},
            "required": []
        });
        let text = written(&schema);
        assert!(
            text.contains(
                "\n    \"job\": { \"type\": \"string\", \"enum\": [\"student\", \"employed\"] }"
            ),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), schema);
    }

    // D1
    #[test]
    fn faults_keep_their_places_and_what_was_typed() {
        let Err(text) = read("{\n \"type\": }") else {
            panic!("that is no JSON");
        };
        let flash = refused(text, "schema", &[("schema", "{\n \"type\": }")]).unwrap();
        let faults = faults_of(Some(&flash));
        assert_eq!((faults[0].line, faults[0].code.as_str()), (Some(2), "json"));
        let typed = form::typed_of(Some(&flash));
        assert_eq!(typed.value("schema", ""), "{\n \"type\": }");

        let wrong = EngineError::Invalid(vec![
            FieldError::new("/schema/properties/a/type", "invalid_schema", "strin"),
            FieldError::new("/id", "shape", "letters"),
        ]);
        let flash = refused(wrong.into(), "schema", &[]).unwrap();
        assert_eq!(faults_of(Some(&flash))[0].pointer, "/properties/a/type");
        let typed = form::typed_of(Some(&flash));
        assert_eq!(typed.faults["id"], "shape");
        assert_eq!(typed.faults["schema"], "faults");
    }
}
