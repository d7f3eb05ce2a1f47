//! Kinds of an agent's own, and changes of any kind's row.

use domain::{
    agent::{Agent, AgentName},
    kind::{EvidenceRule, Kind},
    permission::{Permission, Permit},
    profile,
};
use serde::Deserialize;
use serde_json::Value;
use store::{JobType, Tx};

use super::{KindView, MOST_LOOKED_AT, counted};
use crate::{
    Engine, again,
    error::{Current, EngineError, FieldError, Result},
    need,
    review::Version,
};

/// The longest name of a kind, in characters.
const MAX_NAME: usize = 64;
/// The longest label.
const MAX_LABEL: usize = 100;
/// The longest description.
const MAX_DESCRIPTION: usize = 1000;
/// The longest guideline.
const MAX_GUIDELINE: usize = 4000;

/// A kind of an agent's own.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKind {
    /// Its name, unique in the agent: 1 to 64 of `a-z`, `0-9` and `_`, a letter first.
    pub name: String,
    /// The heading in a context block.
    pub label: String,
    /// What it holds, told to the extractor.
    pub description: String,
    /// JSON Schema of its metadata; left out: an object with anything in it.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub metadata_schema: Option<Value>,
    /// Days an approved memory lives, 1 to 36,500; left out: for good.
    #[serde(default)]
    pub ttl_days: Option<i64>,
    /// Place in a context block, 0 to 1,000.
    #[serde(default = "beside_context")]
    pub position: i64,
    /// Most memories of it in a context block, 1 to 1,000.
    #[serde(default)]
    pub cap: Option<i64>,
    /// Whether it is in every context.
    #[serde(default)]
    pub always: bool,
    /// What counts as evidence.
    #[serde(default = "user_quote")]
    pub evidence: EvidenceRule,
    /// Whether extraction proposes it.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What belongs in it and what does not.
    #[serde(default)]
    pub guideline: Option<String>,
}

fn beside_context() -> i64 {
    6
}

fn user_quote() -> EvidenceRule {
    EvidenceRule::UserQuote
}

fn yes() -> bool {
    true
}

/// A change of a kind's row; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KindPatch {
    /// The heading in a context block.
    pub label: Option<String>,
    /// What it holds.
    pub description: Option<String>,
    /// JSON Schema of its metadata; `null`: anything.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<Object>)]
    pub metadata_schema: Option<Option<Value>>,
    /// Days an approved memory lives; `null`: for good. What is approved already keeps its end.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<i64>)]
    pub ttl_days: Option<Option<i64>>,
    /// Place in a context block.
    pub position: Option<i64>,
    /// Most memories of it in a context block; `null`: as many as fit.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<i64>)]
    pub cap: Option<Option<i64>>,
    /// Whether it is in every context.
    pub always: Option<bool>,
    /// What counts as evidence.
    pub evidence: Option<EvidenceRule>,
    /// Whether extraction proposes it.
    pub enabled: Option<bool>,
    /// What belongs in it and what does not; `null`: nothing is said.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<String>)]
    pub guideline: Option<Option<String>>,
}

impl KindPatch {
    fn over(&self, kind: &Kind) -> Kind {
        let mut kind = kind.clone();
        if let Some(label) = &self.label {
            kind.label = label.trim().to_owned();
        }
        if let Some(description) = &self.description {
            kind.description = description.trim().to_owned();
        }
        if let Some(schema) = &self.metadata_schema {
            kind.metadata_schema.clone_from(schema);
        }
        kind.ttl_days = self.ttl_days.unwrap_or(kind.ttl_days);
        kind.position = self.position.unwrap_or(kind.position);
        kind.cap = self.cap.unwrap_or(kind.cap);
        kind.always = self.always.unwrap_or(kind.always);
        kind.evidence = self.evidence.unwrap_or(kind.evidence);
        kind.enabled = self.enabled.unwrap_or(kind.enabled);
        if let Some(guideline) = &self.guideline {
            kind.guideline = said(guideline.as_deref());
        }
        kind
    }
}

fn said(text: Option<&str>) -> Option<String> {
    text.map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// A kind's row with a change that is only tried.
///
/// # Errors
/// What of it cannot be taken, below `/kinds/{name}`.
pub(crate) fn tried(kind: &Kind, patch: &KindPatch) -> Result<Kind> {
    let after = patch.over(kind);
    if after == *kind {
        return Ok(after);
    }
    let faults = faults(&after).into_iter().map(|fault| {
        let pointer = format!("/kinds/{}{}", kind.name, fault.pointer);
        FieldError::new(pointer, fault.code, fault.detail)
    });
    let faults: Vec<FieldError> = faults.collect();
    if faults.is_empty() {
        Ok(after)
    } else {
        Err(EngineError::Invalid(faults))
    }
}

/// What of a kind's row cannot be taken.
fn faults(kind: &Kind) -> Vec<FieldError> {
    let mut faults = Vec::new();
    let mut text = |pointer, text: &str, most: usize, lines: bool| {
        let odd = |letter: char| letter.is_control() && !(lines && letter == '\n');
        if text.trim().is_empty() || text.chars().count() > most || text.chars().any(odd) {
            let detail = format!("1 to {most} characters, without control characters");
            faults.push(FieldError::new(pointer, "length", detail));
        }
    };
    text("/label", &kind.label, MAX_LABEL, false);
    text("/description", &kind.description, MAX_DESCRIPTION, true);
    if let Some(guideline) = &kind.guideline {
        text("/guideline", guideline, MAX_GUIDELINE, true);
    }
    let mut range = |pointer, number: Option<i64>, least: i64, most: i64| {
        if number.is_some_and(|number| !(least..=most).contains(&number)) {
            let detail = format!("a whole number from {least} to {most}");
            faults.push(FieldError::new(pointer, "range", detail));
        }
    };
    range("/ttl_days", kind.ttl_days, 1, 36_500);
    range("/cap", kind.cap, 1, 1000);
    range("/position", Some(kind.position), 0, 1000);
    if let Some(schema) = &kind.metadata_schema {
        if kind.name == profile::KIND {
            faults.push(FieldError::new(
                "/metadata_schema",
                "fixed",
                "the schemas of profiles say what a field holds",
            ));
        }
        faults.extend(profile::check_object(schema).into_iter().map(|fault| {
            FieldError::new(
                format!("/metadata_schema{}", fault.pointer),
                fault.error.as_str(),
                fault.detail,
            )
        }));
    }
    faults
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

impl NewKind {
    fn kind(&self) -> Result<Kind> {
        let kind = Kind {
            name: self.name.clone(),
            set: "own".to_owned(),
            label: self.label.trim().to_owned(),
            description: self.description.trim().to_owned(),
            metadata_schema: self.metadata_schema.clone(),
            ttl_days: self.ttl_days,
            position: self.position,
            cap: self.cap,
            always: self.always,
            evidence: self.evidence,
            enabled: self.enabled,
            guideline: said(self.guideline.as_deref()),
        };
        let mut faults = faults(&kind);
        if !is_name(&kind.name) {
            let detail = "1 to 64 of a-z, 0-9 and _, a letter first";
            faults.insert(0, FieldError::new("/name", "shape", detail));
        }
        if faults.is_empty() {
            Ok(kind)
        } else {
            Err(EngineError::Invalid(faults))
        }
    }
}

/// The agent after a change of its kinds.
pub(crate) async fn raised(tx: &mut Tx, agent: &Agent) -> Result<Agent> {
    match tx.raise_agent(&agent.name, agent.version).await {
        // Somebody else changed it meanwhile: look again.
        Err(store::Error::Stale) => Err(EngineError::Busy),
        raised => Ok(raised?),
    }
}

impl Engine {
    /// Adds a kind of the agent's own to its registry.
    ///
    /// # Errors
    /// [`EngineError::NameTaken`], also by a set that is off; [`EngineError::Invalid`] with the place of each fault.
    pub async fn create_kind(
        &self,
        permit: &Permit,
        agent: &AgentName,
        new: NewKind,
    ) -> Result<KindView> {
        need(permit, &[Permission::Administer])?;
        let kind = new.kind()?;
        let sets = [Kind::assistant(), Kind::business()].concat();
        if sets.iter().any(|of_a_set| of_a_set.name == kind.name) {
            return Err(EngineError::NameTaken);
        }
        again!(self.create_kind_once(permit, agent, &kind).await)
    }

    async fn create_kind_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        kind: &Kind,
    ) -> Result<KindView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        tx.create_kind(agent, kind, &stamp).await?;
        let raised = raised(&mut tx, &before).await?;
        tx.commit().await?;
        Ok(KindView {
            version: raised.version,
            ..kind.clone().into()
        })
    }

    /// Changes a kind's row, where `version` is the agent's that was seen. Another metadata schema lets a job look at what is approved and propose what has to change (C8).
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `stale`; [`EngineError::Invalid`] with the place of each fault.
    pub async fn change_kind(
        &self,
        permit: &Permit,
        agent: &AgentName,
        name: &str,
        version: Option<Version>,
        patch: KindPatch,
    ) -> Result<KindView> {
        need(permit, &[Permission::Administer])?;
        again!(
            self.change_kind_once(permit, agent, name, version, &patch)
                .await
        )
    }

    async fn change_kind_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        name: &str,
        version: Option<Version>,
        patch: &KindPatch,
    ) -> Result<KindView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let mut of = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let kinds = tx.kinds(agent).await?;
        let before = kinds.into_iter().find(|kind| kind.name == name);
        let before = before.ok_or(EngineError::NotFound)?;
        if !version.unwrap_or(Version::Any).fits(of.version) {
            let present = KindView {
                version: of.version,
                ..before.into()
            };
            return Err(EngineError::Stale {
                current: Current::Kind(Box::new(present)),
            });
        }
        let after = patch.over(&before);
        let faults = faults(&after);
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }
        if after != before {
            tx.put_kind(agent, &after, &stamp).await?;
            of = raised(&mut tx, &of).await?;
        }
        if after.metadata_schema != before.metadata_schema {
            tx.enqueue(agent, None, JobType::Migrate, &stamp).await?;
        }
        tx.commit().await?;
        // Counted outside the transaction that holds the writers up.
        let mut tx = self.read(permit).await?;
        let mut left = MOST_LOOKED_AT;
        counted(&mut tx, &of, after, &mut left, stamp.now).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn new(changes: Value) -> Result<Kind> {
        let mut kind = json!({"name": "deal", "label": "Deals", "description": "A deal."});
        for (name, value) in changes.as_object().unwrap() {
            kind[name] = value.clone();
        }
        serde_json::from_value::<NewKind>(kind).unwrap().kind()
    }

    fn places(refused: Result<Kind>) -> Vec<(String, &'static str)> {
        let Err(EngineError::Invalid(faults)) = refused else {
            panic!("it was taken")
        };
        faults
            .into_iter()
            .map(|fault| (fault.pointer, fault.code))
            .collect()
    }

    #[test]
    fn what_cannot_be_a_kind_is_told_place_by_place() {
        assert_eq!(new(json!({})).unwrap().set, "own");
        let wrong =
            new(json!({"name": "Deal", "label": " ", "ttl_days": 0, "cap": 0, "position": -1}));
        let places_of = places(wrong);
        let pointers: Vec<_> = places_of
            .iter()
            .map(|(pointer, _)| pointer.as_str())
            .collect();
        assert_eq!(
            pointers,
            ["/name", "/label", "/ttl_days", "/cap", "/position"]
        );
        let schema = new(json!({"metadata_schema": {"properties": {"a": {"type": "strin"}}}}));
        assert_eq!(
            places(schema),
            [(
                "/metadata_schema/properties/a/type".to_owned(),
                "invalid_schema"
            )]
        );
    }

    #[test]
    fn a_patch_tells_null_from_absent() {
        let kind = new(json!({"ttl_days": 30, "guideline": "Only signed ones."})).unwrap();
        let patch: KindPatch = serde_json::from_value(json!({"ttl_days": null, "cap": 3})).unwrap();
        let after = patch.over(&kind);
        assert_eq!((after.ttl_days, after.cap), (None, Some(3)));
        assert_eq!(after.guideline, kind.guideline);
    }
}
