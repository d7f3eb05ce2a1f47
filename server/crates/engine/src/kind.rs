//! The kinds an agent keeps: sets turned on and off, single kinds too. A row is never removed, because memories name it.

use std::collections::BTreeMap;

use domain::{
    agent::AgentName,
    kind::{EvidenceRule, Kind},
    permission::Permit,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Engine,
    agent::READS,
    error::{EngineError, Result},
    need,
};

/// A kind of an agent's registry, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct KindView {
    /// Its name.
    pub name: String,
    /// The set that brought it.
    pub set: String,
    /// The heading in a context block.
    pub label: String,
    /// What it holds.
    pub description: String,
    /// JSON Schema of its metadata.
    pub metadata_schema: Option<Value>,
    /// Days an approved memory lives; `None`: for good.
    pub ttl_days: Option<i64>,
    /// Place in a context block.
    pub position: i64,
    /// Most memories of it in a context block.
    pub cap: Option<i64>,
    /// Whether it is in every context.
    pub always: bool,
    /// What counts as evidence.
    pub evidence: EvidenceRule,
    /// Whether extraction proposes it.
    pub enabled: bool,
    /// What belongs in it and what does not.
    pub guideline: Option<String>,
}

impl From<Kind> for KindView {
    fn from(kind: Kind) -> Self {
        let Kind {
            name,
            set,
            label,
            description,
            metadata_schema,
            ttl_days,
            position,
            cap,
            always,
            evidence,
            enabled,
            guideline,
        } = kind;
        Self {
            name,
            set,
            label,
            description,
            metadata_schema,
            ttl_days,
            position,
            cap,
            always,
            evidence,
            enabled,
            guideline,
        }
    }
}

/// A change of the kinds in use.
#[derive(Debug, Clone, Default, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KindsPatch {
    /// The sets that are on: `assistant`, `business`. Kinds of a set that is off are kept in the registry, not in use.
    pub sets: Option<Vec<String>>,
    /// Single kinds, on or off.
    pub enabled: Option<BTreeMap<String, bool>>,
}

impl KindsPatch {
    /// The rows that change.
    pub(crate) fn rows(&self, present: &[Kind]) -> Result<Vec<Kind>> {
        let mut rows = match &self.sets {
            Some(sets) => with_sets(present, sets)?,
            None => Vec::new(),
        };
        for (kind, on) in self.enabled.iter().flatten() {
            let found = rows.iter().chain(present).find(|row| row.name == *kind);
            let Some(row) = found.cloned() else {
                return Err(EngineError::invalid(
                    format!("/kinds/enabled/{kind}"),
                    "unknown",
                    "this agent has no such kind",
                ));
            };
            rows.retain(|row| row.name != *kind);
            let before = present.iter().find(|row| row.name == *kind);
            if before.is_none_or(|row| row.enabled != *on) {
                rows.push(Kind {
                    enabled: *on,
                    ..row
                });
            }
        }
        Ok(rows)
    }
}

/// The rows that a set brings into the registry.
fn set(name: &str) -> Option<Vec<Kind>> {
    match name {
        "assistant" => Some(Kind::assistant()),
        "business" => Some(Kind::business()),
        _ => None,
    }
}

/// What turning sets on and off makes of a registry: rows of a set that is on are there and in use, those of one that is off stay, not
/// in use.
fn with_sets(kinds: &[Kind], sets: &[String]) -> Result<Vec<Kind>> {
    let mut changed: Vec<Kind> = Vec::new();
    for (at, name) in sets.iter().enumerate() {
        let rows = set(name).ok_or_else(|| {
            EngineError::invalid(
                format!("/kinds/sets/{at}"),
                "unknown",
                "assistant or business",
            )
        })?;
        for row in rows {
            match kinds.iter().find(|kind| kind.name == row.name) {
                Some(kind) if kind.enabled => {}
                Some(kind) => changed.push(Kind {
                    enabled: true,
                    ..kind.clone()
                }),
                None => changed.push(row),
            }
        }
    }
    for kind in kinds
        .iter()
        .filter(|kind| kind.enabled && set(&kind.set).is_some() && !sets.contains(&kind.set))
    {
        changed.push(Kind {
            enabled: false,
            ..kind.clone()
        });
    }
    Ok(changed)
}

impl Engine {
    /// The kind registry of an agent, in the order of a context block.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn kinds(&self, permit: &Permit, name: &AgentName) -> Result<Vec<KindView>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        Ok(tx
            .kinds(name)
            .await?
            .into_iter()
            .map(KindView::from)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A11
    #[test]
    fn turning_business_on_adds_its_kinds_and_off_keeps_them_unused() {
        let assistant = [Kind::assistant(), Kind::always_there()].concat();
        let both = with_sets(&assistant, &["assistant".into(), "business".into()]).unwrap();
        assert!(
            both.iter()
                .all(|kind| kind.set == "business" && kind.enabled)
        );
        let all = [assistant, both].concat();
        let off = with_sets(&all, &["assistant".into()]).unwrap();
        assert_eq!(off.len(), Kind::business().len());
        assert!(off.iter().all(|kind| !kind.enabled));
        assert!(with_sets(&all, &["other".into()]).is_err());
    }
}
