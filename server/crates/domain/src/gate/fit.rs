//! Whether a statement fits its kind: lengths, secrets, the schema of its metadata.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::{
    candidate::{Dropped, MAX_CONTENT},
    kind::Kind,
    secret, text,
};

/// The longest name, in characters.
pub const MAX_NAME: usize = 200;
/// The largest metadata, in bytes of JSON.
pub const MAX_METADATA: usize = 16 * 1024;

/// The validators of a registry, each compiled once.
pub(super) struct Validators<'a>(HashMap<&'a str, Option<jsonschema::Validator>>);

impl<'a> Validators<'a> {
    pub(super) fn new(kinds: &'a [Kind]) -> Self {
        Self(
            kinds
                .iter()
                .filter_map(|kind| {
                    Some((kind.name.as_str(), compiled(kind.metadata_schema.as_ref()?)))
                })
                .collect(),
        )
    }

    /// Whether metadata fits the kind's schema. A schema that cannot be compiled fits nothing but the empty object, so that what an
    /// administrator mistyped shows in the counts.
    pub(super) fn fit(&self, kind: &str, metadata: &Map<String, Value>) -> bool {
        self.0
            .get(kind)
            .is_none_or(|validator| valid(validator.as_ref(), metadata))
    }
}

fn compiled(schema: &Value) -> Option<jsonschema::Validator> {
    jsonschema::validator_for(schema).ok()
}

fn valid(validator: Option<&jsonschema::Validator>, metadata: &Map<String, Value>) -> bool {
    validator.map_or(metadata.is_empty(), |validator| {
        validator.is_valid(&Value::Object(metadata.clone()))
    })
}

/// What is wrong at a place of metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataFault {
    /// Where: a JSON Pointer into the metadata.
    pub pointer: String,
    /// What is wrong there, in English. It may repeat a value.
    pub detail: String,
}

impl std::fmt::Display for MetadataFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pointer, self.detail)
    }
}

/// What keeps metadata from fitting its kind; empty where it fits, and where the schema itself cannot be read. For who wrote it, and for
/// the extractor that is asked to repair it.
pub fn faults(kind: &Kind, metadata: &Map<String, Value>) -> Vec<MetadataFault> {
    let Some(validator) = kind.metadata_schema.as_ref().and_then(compiled) else {
        return Vec::new();
    };
    validator
        .iter_errors(&Value::Object(metadata.clone()))
        .map(|error| MetadataFault {
            pointer: error.instance_path().to_string(),
            detail: error.to_string(),
        })
        .take(20)
        .collect()
}

/// Whether a statement of a person or an agent, proposed by hand or edited, may be kept under `kind`.
///
/// # Errors
/// [`Dropped::Secret`] where any of it holds a secret, [`Dropped::TooLong`], or [`Dropped::BadMetadata`] where the content is empty
/// or the metadata does not fit.
pub fn fits(
    kind: &Kind,
    name: Option<&str>,
    content: &str,
    metadata: &Map<String, Value>,
) -> Result<(), Dropped> {
    if holds_secret(name, content, metadata) {
        return Err(Dropped::Secret);
    }
    lengths(name, content, metadata)?;
    let schema = kind.metadata_schema.as_ref();
    if content.trim().is_empty()
        || schema.is_some_and(|schema| !valid(compiled(schema).as_ref(), metadata))
    {
        return Err(Dropped::BadMetadata);
    }
    Ok(())
}

pub(super) fn lengths(
    name: Option<&str>,
    content: &str,
    metadata: &Map<String, Value>,
) -> Result<(), Dropped> {
    let bytes = if metadata.is_empty() {
        0
    } else {
        Value::Object(metadata.clone()).to_string().len()
    };
    let long = text::length(content) > MAX_CONTENT
        || name.is_some_and(|name| text::length(name) > MAX_NAME)
        || bytes > MAX_METADATA;
    if long { Err(Dropped::TooLong) } else { Ok(()) }
}

pub(super) fn holds_secret(
    name: Option<&str>,
    content: &str,
    metadata: &Map<String, Value>,
) -> bool {
    secret::holds(content)
        || name.is_some_and(secret::holds)
        || strings(metadata).iter().any(|text| secret::holds(text))
}

/// Every text inside metadata, keys included.
pub(super) fn strings(metadata: &Map<String, Value>) -> Vec<String> {
    fn collect(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Number(number) => texts.push(number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                texts.push(key.clone());
                collect(value, texts);
            }),
            Value::Null | Value::Bool(_) => {}
        }
    }
    let mut texts = Vec::new();
    for (key, value) in metadata {
        texts.push(key.clone());
        collect(value, &mut texts);
    }
    texts
}
