//! Whom a call is about: `user_id`, or a `scope` of at most five pairs.

use std::collections::BTreeMap;

use domain::user::{InvalidScope, Scope};
use engine::{EngineError, FieldError};

/// The longest id that an agent may give to its own things, in characters.
pub const MAX_EXTERNAL_ID: usize = 256;

/// Takes the one that was given.
///
/// # Errors
/// None or both were, or the one has not the shape.
pub fn scope(
    user_id: Option<&str>,
    scope: Option<BTreeMap<String, String>>,
) -> Result<Scope, FieldError> {
    match (user_id, scope) {
        (Some(_), Some(_)) => Err(field("/scope", "both", "give user_id or scope, not both")),
        (None, None) => Err(field("/user_id", "required", "give user_id or scope")),
        (Some(id), None) => Scope::user_id(id).map_err(|error| refused("/user_id", &error)),
        (None, Some(pairs)) => Scope::parse(pairs).map_err(|error| refused("/scope", &error)),
    }
}

/// The user that the parameters of a query name, if any: `user_id`, or `scope` as a JSON object.
///
/// # Errors
/// Both were given, or the one has not the shape.
pub fn named(user_id: Option<&str>, pairs: Option<&str>) -> Result<Option<Scope>, EngineError> {
    let pairs = pairs.map(serde_json::from_str).transpose().map_err(|_| {
        let detail = "a JSON object of 1 to 5 pairs";
        fault(field("/scope", "invalid", detail))
    })?;
    match (user_id, pairs) {
        (None, None) => Ok(None),
        (id, pairs) => scope(id, pairs).map(Some).map_err(fault),
    }
}

/// An id of the agent's own: not empty, not longer than [`MAX_EXTERNAL_ID`].
///
/// # Errors
/// It is.
pub fn external_id(pointer: &str, id: Option<String>) -> Result<Option<String>, FieldError> {
    match &id {
        Some(text) if text.is_empty() || text.chars().count() > MAX_EXTERNAL_ID => Err(field(
            pointer,
            "too_long",
            format!("1 to {MAX_EXTERNAL_ID} characters"),
        )),
        _ => Ok(id),
    }
}

/// A fault at a place.
pub fn field(pointer: &str, code: &'static str, detail: impl Into<String>) -> FieldError {
    FieldError::new(pointer, code, detail)
}

/// One fault as an error.
pub fn fault(field: FieldError) -> EngineError {
    EngineError::Invalid(vec![field])
}

fn refused(pointer: &str, error: &InvalidScope) -> FieldError {
    let code = match error {
        InvalidScope::Pairs => "pairs",
        InvalidScope::Empty(_) => "required",
        InvalidScope::Length(_) => "too_long",
        InvalidScope::Reserved => "reserved",
    };
    field(pointer, code, error.to_string())
}
