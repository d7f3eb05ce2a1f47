//! What a person writes is checked as strictly as what an extractor proposes: kind, lengths, metadata, secrets.

use domain::{
    agent::AgentName,
    candidate::{Dropped, MAX_CONTENT},
    gate,
    kind::Kind,
};
use serde_json::{Map, Value};
use store::Tx;

use crate::error::{EngineError, FieldError, Result};

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
            "write what is to be remembered; it must not be empty",
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
        Dropped::BadMetadata => EngineError::Invalid(misfits(kind, metadata)),
        Dropped::KindNotInUse => {
            EngineError::invalid("/kind", "unknown", format!("{} is not in use", kind.name))
        }
        _ => too_long(),
    })
}

/// Where metadata does not fit its kind, and why.
fn misfits(kind: &Kind, metadata: &Map<String, Value>) -> Vec<FieldError> {
    let faults = gate::faults(kind, metadata).into_iter().map(|fault| {
        let pointer = format!("/metadata{}", fault.pointer);
        let detail = format!("{} (kind {})", fault.detail, kind.name);
        FieldError::new(pointer, "schema", detail)
    });
    let faults: Vec<_> = faults.collect();
    if faults.is_empty() {
        let detail = format!(
            "the metadata schema of the kind {} cannot be read; an administrator has to repair it",
            kind.name
        );
        return vec![FieldError::new("/metadata", "schema", detail)];
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // B1
    #[test]
    fn metadata_that_does_not_fit_is_told_by_field_and_rule() {
        let warranty = Kind {
            name: "warranty".to_owned(),
            metadata_schema: Some(json!({
                "type": "object",
                "properties": {"years": {"type": "integer", "maximum": 10}},
                "required": ["years"],
            })),
            ..Kind::assistant().remove(0)
        };
        let told = |metadata: Value| {
            let metadata = metadata.as_object().unwrap();
            let refused = check(&warranty, None, "The fridge has a warranty", metadata, None);
            let field = refused.unwrap_err().fields().remove(0);
            (field.pointer, field.code, field.detail)
        };
        let (pointer, code, detail) = told(json!({"years": "three"}));
        assert_eq!((pointer.as_str(), code), ("/metadata/years", "schema"));
        assert!(
            detail.contains("integer") && detail.contains("warranty"),
            "{detail}"
        );
        let (pointer, _, detail) = told(json!({"years": 30}));
        assert_eq!(pointer, "/metadata/years");
        assert!(detail.contains("10"), "{detail}");
        let (pointer, _, detail) = told(json!({}));
        assert_eq!(pointer, "/metadata");
        assert!(detail.contains("years"), "{detail}");
    }
}
