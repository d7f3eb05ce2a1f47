//! What a memory holds beside its statement: what a change makes of it, and which of it a reader is shown as changed (F2, B4).

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    candidate::{Cause, Proposal},
    memory::{Memory, Revision},
};

/// Two importances that are closer than this are written the same, to the hundredth.
const SEEN: f64 = 0.005;

/// The values beside a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// A kind of the agent's registry.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// Free tags.
    pub tags: Vec<String>,
    /// Metadata that fits the kind's schema.
    pub metadata: Map<String, Value>,
}

/// Which of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ValueName {
    /// The kind.
    Kind,
    /// What identifies the thing within its kind.
    Name,
    /// How much it matters.
    Importance,
    /// The tags.
    Tags,
    /// A value of the metadata.
    Metadata,
}

/// A value that a change alters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ValueChange {
    /// Which.
    pub value: ValueName,
    /// Which of the metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What is stored; `null`: nothing.
    pub before: Option<Value>,
    /// What takes its place; `null`: nothing.
    pub after: Option<Value>,
}

impl Values {
    /// What is stored once `change` is approved as it stands. A lower importance becomes the mean of both, a higher one replaces (B4).
    /// What a change says nothing of stays, but for metadata after a change of the schema: nothing may be all that it leaves.
    pub fn revised(&self, change: Self, cause: Option<Cause>) -> Self {
        let mut revised = change;
        if revised.name.is_none() {
            revised.name.clone_from(&self.name);
        }
        if revised.importance < self.importance {
            revised.importance = f64::midpoint(revised.importance, self.importance);
        }
        if revised.tags.is_empty() {
            revised.tags.clone_from(&self.tags);
        }
        let says_nothing = revised.metadata.is_empty() && revised.kind == self.kind;
        if says_nothing && cause != Some(Cause::SchemaChanged) {
            revised.metadata.clone_from(&self.metadata);
        }
        revised
    }

    /// What is not the same in `after`, metadata last and by name.
    pub fn changes(&self, after: &Self) -> Vec<ValueChange> {
        let mut changes = Vec::new();
        let mut compare = |value, key: Option<&String>, before: Value, after: Value| {
            if before != after {
                changes.push(ValueChange {
                    value,
                    key: key.cloned(),
                    before: Some(before).filter(|before| !before.is_null()),
                    after: Some(after).filter(|after| !after.is_null()),
                });
            }
        };
        let tags = |tags: &[String]| match tags {
            [] => Value::Null,
            tags => Value::from(tags),
        };
        compare(
            ValueName::Kind,
            None,
            self.kind.as_str().into(),
            after.kind.as_str().into(),
        );
        compare(
            ValueName::Name,
            None,
            self.name.as_deref().into(),
            after.name.as_deref().into(),
        );
        if (self.importance - after.importance).abs() >= SEEN {
            compare(
                ValueName::Importance,
                None,
                self.importance.into(),
                after.importance.into(),
            );
        }
        compare(ValueName::Tags, None, tags(&self.tags), tags(&after.tags));
        let keys: BTreeSet<&String> = self.metadata.keys().chain(after.metadata.keys()).collect();
        for key in keys {
            let of = |values: &Self| values.metadata.get(key).cloned().unwrap_or_default();
            compare(ValueName::Metadata, Some(key), of(self), of(after));
        }
        changes
    }
}

impl From<&Memory> for Values {
    fn from(memory: &Memory) -> Self {
        Self {
            kind: memory.kind.clone(),
            name: memory.name.clone(),
            importance: memory.importance,
            tags: memory.tags.clone(),
            metadata: memory.metadata.clone(),
        }
    }
}

impl From<&Revision> for Values {
    fn from(revision: &Revision) -> Self {
        Self {
            kind: revision.kind.clone(),
            name: revision.name.clone(),
            importance: revision.importance,
            tags: revision.tags.clone(),
            metadata: revision.metadata.clone(),
        }
    }
}

impl From<&Proposal> for Values {
    fn from(proposal: &Proposal) -> Self {
        Self {
            kind: proposal.kind.clone(),
            name: proposal.name.clone(),
            importance: proposal.importance,
            tags: proposal.tags.clone(),
            metadata: proposal.metadata.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values(importance: f64, metadata: &Value) -> Values {
        Values {
            kind: "pain_point".to_owned(),
            name: Some("exports".to_owned()),
            importance,
            tags: vec!["reports".to_owned()],
            metadata: metadata.as_object().cloned().unwrap_or_default(),
        }
    }

    fn told(before: &Values, after: &Values) -> Value {
        serde_json::to_value(before.changes(after)).unwrap()
    }

    // F2, C8
    #[test]
    fn each_value_that_differs_is_told_and_no_other() {
        let before = values(
            0.9,
            &json!({"severity": "low", "resolved": false, "owner": null}),
        );
        assert_eq!(told(&before, &before), json!([]));
        let after = Values {
            kind: "decision".to_owned(),
            name: None,
            tags: vec![],
            ..values(
                0.95,
                &json!({"severity": "high", "resolved": false, "since": 2}),
            )
        };
        assert_eq!(
            told(&before, &after),
            json!([
                {"value": "kind", "before": "pain_point", "after": "decision"},
                {"value": "name", "before": "exports", "after": null},
                {"value": "importance", "before": 0.9, "after": 0.95},
                {"value": "tags", "before": ["reports"], "after": null},
                {"value": "metadata", "key": "severity", "before": "low", "after": "high"},
                {"value": "metadata", "key": "since", "before": null, "after": 2},
            ])
        );
        let hair = values(0.904, &json!({"severity": "low", "resolved": false}));
        assert_eq!(told(&before, &hair), json!([]), "both are written 0.90");
    }

    // B4, F2
    #[test]
    fn what_a_change_says_nothing_of_stays() {
        let before = values(0.9, &json!({"severity": "low"}));
        let bare = Values {
            name: None,
            tags: vec![],
            ..values(0.5, &json!({}))
        };
        let after = before.revised(bare.clone(), None);
        assert_eq!(
            told(&before, &after),
            json!([{"value": "importance", "before": 0.9, "after": 0.7}]),
            "a lower importance becomes the mean"
        );
        assert_eq!(
            before
                .revised(values(0.95, &json!({})), None)
                .importance
                .to_bits(),
            0.95_f64.to_bits()
        );
        let migrated = before.revised(bare.clone(), Some(Cause::SchemaChanged));
        assert!(
            migrated.metadata.is_empty(),
            "the schema leaves nothing of it"
        );
        let elsewhere = Values {
            kind: "decision".to_owned(),
            ..bare
        };
        assert!(
            before.revised(elsewhere, None).metadata.is_empty(),
            "figures of another kind"
        );
    }
}
