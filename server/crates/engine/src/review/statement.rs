//! What a person writes is checked as strictly as what an extractor proposes: kind, lengths, metadata, secrets.

use domain::{
    agent::AgentName,
    candidate::{Dropped, MAX_CONTENT},
    gate,
    kind::Kind,
};
use serde_json::{Map, Value};
use store::Tx;

use crate::error::{EngineError, Result};

/// A kind of the agent's registry that is in use.
///
/// # Errors
/// [`EngineError::Invalid`] at `/kind`.
pub async fn kind(tx: &mut Tx, agent: &AgentName, name: &str) -> Result<Kind> {
    let kinds = tx.kinds(agent).await?;
    let in_use: Vec<&str> = kinds
        .iter()
        .filter(|kind| kind.enabled)
        .map(|kind| kind.name.as_str())
        .collect();
    let list = in_use.join(", ");
    kinds
        .iter()
        .find(|kind| kind.name == name && kind.enabled)
        .cloned()
        .ok_or_else(|| {
            EngineError::invalid("/kind", "unknown", format!("this agent keeps: {list}"))
        })
}

/// Whether a statement can be stored.
///
/// # Errors
/// [`EngineError::Secret`], or [`EngineError::Invalid`] at the part that does not fit.
pub fn check(
    kind: &Kind,
    name: Option<&str>,
    content: &str,
    metadata: &Map<String, Value>,
    importance: Option<f64>,
) -> Result<()> {
    if content.trim().is_empty() {
        return Err(EngineError::invalid(
            "/content",
            "required",
            "a memory says something",
        ));
    }
    let too_long = || {
        EngineError::invalid(
            "/content",
            "too_long",
            format!("a memory has at most {MAX_CONTENT} characters"),
        )
    };
    if content.chars().count() > MAX_CONTENT {
        return Err(too_long());
    }
    if content.contains('\0') {
        return Err(EngineError::invalid(
            "/content",
            "control",
            "a memory holds no NUL character",
        ));
    }
    if let Some(name) = name
        && (name.trim().is_empty()
            || name.chars().count() > 200
            || name.chars().any(char::is_control))
    {
        return Err(EngineError::invalid(
            "/name",
            "length",
            "a name has 1 to 200 characters, without control characters",
        ));
    }
    if importance.is_some_and(|importance| !(0.0..=1.0).contains(&importance)) {
        return Err(EngineError::invalid(
            "/importance",
            "range",
            "importance is a number from 0.0 to 1.0",
        ));
    }
    gate::fits(kind, name, content, metadata).map_err(|why| match why {
        Dropped::Secret => EngineError::Secret {
            pointer: "/content",
        },
        Dropped::BadMetadata => EngineError::invalid(
            "/metadata",
            "schema",
            format!("the metadata does not fit the kind {}", kind.name),
        ),
        Dropped::KindNotInUse => {
            EngineError::invalid("/kind", "unknown", format!("{} is not in use", kind.name))
        }
        _ => too_long(),
    })
}
