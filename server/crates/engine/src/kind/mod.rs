//! The kinds an agent keeps: sets turned on and off, single kinds too, and kinds of its own. A row is never removed, because memories
//! name it. After a change of a metadata schema what no longer fits is counted, and its migration proposed (C8).

mod guideline;
mod own;

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::{Agent, AgentName},
    fitting::Fitting,
    kind::{EvidenceRule, Kind},
    permission::Permit,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;

use crate::{
    Engine,
    agent::READS,
    error::{EngineError, Result},
    need,
};
pub use guideline::{GuidelineView, NewGuideline};
pub use own::{KindPatch, NewKind};
pub(crate) use own::{raised, tried};

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
    /// How many approved memories have metadata that does not fit any more; at most 20,000 memories are looked at.
    pub misfits: i64,
    /// The version of the agent, which every change of its kinds raises.
    pub version: i64,
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
            misfits: 0,
            version: 0,
        }
    }
}

/// The most memories that are looked at to count what does not fit, of all kinds or schemas that one call lists.
pub(crate) const MOST_LOOKED_AT: u32 = 20_000;

/// A kind outward, with its misfits among `left` memories.
async fn counted(
    tx: &mut Tx,
    agent: &Agent,
    kind: Kind,
    left: &mut u32,
    now: Timestamp,
) -> Result<KindView> {
    let mut misfits = 0;
    if let Some(schema) = &kind.metadata_schema {
        let fitting = Fitting::new(schema);
        let mut after = None;
        while *left > 0 {
            let limit = (*left).min(500);
            let part = tx
                .memories_of_kind(&agent.name, &kind.name, after.as_ref(), limit, now)
                .await?;
            let Some(last) = part.last() else { break };
            after = Some(last.id.clone());
            *left -= u32::try_from(part.len()).unwrap_or(*left);
            misfits += part
                .iter()
                .filter(|memory| !fitting.fits(&memory.metadata))
                .count();
        }
    }
    Ok(KindView {
        misfits: i64::try_from(misfits).unwrap_or(i64::MAX),
        version: agent.version,
        ..kind.into()
    })
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
            let row = Kind {
                enabled: *on,
                ..row
            };
            if !present.contains(&row) {
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

/// The kinds in use, as [`KindsPatch`] takes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct KindsInUse {
    /// The sets that are on: those of which a kind is in use.
    pub sets: Vec<String>,
    /// Every kind of the registry, on or off.
    pub enabled: BTreeMap<String, bool>,
}

impl KindsInUse {
    /// What a registry says.
    pub(crate) fn of(kinds: &[Kind]) -> Self {
        let on = |set: &str| kinds.iter().any(|kind| kind.enabled && kind.set == set);
        let sets = ["assistant", "business"].into_iter();
        Self {
            sets: sets.filter(|set| on(set)).map(str::to_owned).collect(),
            enabled: kinds
                .iter()
                .map(|kind| (kind.name.clone(), kind.enabled))
                .collect(),
        }
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
    for kind in kinds.iter().filter(|kind| {
        kind.enabled
            && kind.name != PREFERENCE
            && set(&kind.set).is_some()
            && !sets.contains(&kind.set)
    }) {
        changed.push(Kind {
            enabled: false,
            ..kind.clone()
        });
    }
    changed.retain(|row| row.name != PREFERENCE);
    changed.extend(preference(kinds, sets));
    Ok(changed)
}

const PREFERENCE: &str = "preference";

/// Both sets have `preference`, and it is one row with one figure (A11): `business` writes B6's time to live into it as it is turned
/// on, and takes it out again as it is turned off; what an administrator set stays. Its cap holds where `assistant` is off (B8).
fn preference(kinds: &[Kind], sets: &[String]) -> Option<Kind> {
    let on = |set: &str| sets.iter().any(|name| name == set);
    let (plain, typed) = (Kind::assistant().remove(0), Kind::business_preference());
    let present = kinds.iter().find(|kind| kind.name == PREFERENCE);
    let before = present.cloned().unwrap_or_else(|| plain.clone());
    let was_business = kinds
        .iter()
        .any(|kind| kind.set == "business" && kind.enabled);
    let mut row = before.clone();
    row.enabled = on("assistant") || on("business");
    row.set = if on("business") && !on("assistant") {
        typed.set
    } else {
        plain.set
    };
    if on("business") && !was_business {
        row.ttl_days = row.ttl_days.or(typed.ttl_days);
        row.metadata_schema = row.metadata_schema.or(typed.metadata_schema.clone());
    }
    if !on("business") && was_business {
        row.ttl_days = row.ttl_days.filter(|days| Some(*days) != typed.ttl_days);
        row.metadata_schema = row
            .metadata_schema
            .filter(|schema| Some(schema) != typed.metadata_schema.as_ref());
    }
    if row.set != before.set {
        row.cap = match row.set.as_str() {
            "business" => row.cap.or(typed.cap),
            _ => row.cap.filter(|cap| Some(*cap) != typed.cap),
        };
    }
    let news = present.is_none_or(|present| *present != row);
    (news && (row.enabled || present.is_some())).then_some(row)
}

impl Engine {
    /// The kind registry of an agent, in the order of a context block.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn kinds(&self, permit: &Permit, name: &AgentName) -> Result<Vec<KindView>> {
        need(permit, READS)?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let agent = tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        let mut left = MOST_LOOKED_AT;
        let mut views = Vec::new();
        for kind in tx.kinds(name).await? {
            views.push(counted(&mut tx, &agent, kind, &mut left, now).await?);
        }
        Ok(views)
    }

    /// The names of the kinds in use, in the order of a context block.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn kinds_in_use(&self, permit: &Permit, name: &AgentName) -> Result<Vec<String>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        let kinds = tx.kinds(name).await?.into_iter();
        Ok(kinds
            .filter(|kind| kind.enabled)
            .map(|kind| kind.name)
            .collect())
    }

    /// A kind as it is set, without a look at its memories.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent that is not there.
    pub async fn kind_as_set(
        &self,
        permit: &Permit,
        agent: &AgentName,
        name: &str,
    ) -> Result<Option<Kind>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let kinds = tx.kinds(agent).await?;
        Ok(kinds.into_iter().find(|kind| kind.name == name))
    }

    /// One kind.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn kind(&self, permit: &Permit, agent: &AgentName, name: &str) -> Result<KindView> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let agent = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let kinds = tx.kinds(&agent.name).await?;
        let kind = kinds.into_iter().find(|kind| kind.name == name);
        let kind = kind.ok_or(EngineError::NotFound)?;
        let mut left = MOST_LOOKED_AT;
        counted(&mut tx, &agent, kind, &mut left, self.now()).await
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
        assert!(both.iter().all(|kind| kind.enabled));
        let all = over(&assistant, both);
        let off = with_sets(&all, &["assistant".into()]).unwrap();
        let unused = off.iter().filter(|kind| !kind.enabled);
        assert_eq!(unused.count(), Kind::business().len());
        assert!(with_sets(&all, &["other".into()]).is_err());
    }

    // A11
    #[test]
    fn the_kinds_in_use_can_be_sent_back_as_they_were_told() {
        let fresh = [Kind::assistant(), Kind::always_there()].concat();
        let both = with_sets(&fresh, &["assistant".into(), "business".into()]).unwrap();
        let mut odd = over(&fresh, both);
        for kind in &mut odd {
            kind.enabled = kind.name != "fact" && kind.name != "campaign";
        }
        let business = over(&odd, with_sets(&odd, &["business".into()]).unwrap());
        for (registry, sets) in [
            (fresh, vec!["assistant"]),
            (odd, vec!["assistant", "business"]),
            (business, vec!["business"]),
        ] {
            let told = KindsInUse::of(&registry);
            assert_eq!(told.sets, sets);
            let patch: KindsPatch =
                serde_json::from_value(serde_json::to_value(told).unwrap()).unwrap();
            assert_eq!(patch.rows(&registry).unwrap(), []);
        }
    }

    // B6
    #[test]
    fn a_kind_named_beside_its_set_still_gets_what_the_set_brings() {
        let fresh = [Kind::assistant(), Kind::always_there()].concat();
        let patch = KindsPatch {
            sets: Some(vec!["assistant".into(), "business".into()]),
            enabled: Some([(PREFERENCE.to_owned(), true)].into()),
        };
        let rows = patch.rows(&fresh).unwrap();
        let preference = rows.iter().find(|row| row.name == PREFERENCE).unwrap();
        assert_eq!(preference.ttl_days, Some(180));
    }

    fn over(kinds: &[Kind], rows: Vec<Kind>) -> Vec<Kind> {
        let mut all = kinds.to_vec();
        all.retain(|kind| rows.iter().all(|row| row.name != kind.name));
        all.extend(rows);
        all
    }

    // A11, B6, B8
    #[test]
    fn preference_is_one_row_with_one_figure() {
        let sets = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let figures = |kinds: &[Kind]| {
            let rows: Vec<_> = kinds
                .iter()
                .filter(|kind| kind.name == PREFERENCE)
                .collect();
            assert_eq!(rows.len(), 1);
            (rows[0].enabled, rows[0].ttl_days, rows[0].cap)
        };
        let assistant = [Kind::assistant(), Kind::always_there()].concat();
        let both = with_sets(&assistant, &sets(&["assistant", "business"])).unwrap();
        let both = over(&assistant, both);
        assert_eq!(figures(&both), (true, Some(180), None));
        let business = over(&both, with_sets(&both, &sets(&["business"])).unwrap());
        assert_eq!(figures(&business), (true, Some(180), Some(5)));
        let back = over(
            &business,
            with_sets(&business, &sets(&["assistant"])).unwrap(),
        );
        assert_eq!(figures(&back), (true, None, None));
        let none = over(&back, with_sets(&back, &[]).unwrap());
        assert!(!figures(&none).0);

        let mut own = both.clone();
        for kind in own.iter_mut().filter(|kind| kind.name == PREFERENCE) {
            kind.ttl_days = None;
        }
        let again = with_sets(&own, &sets(&["assistant", "business"])).unwrap();
        assert_eq!(
            figures(&over(&own, again)).1,
            None,
            "an administrator's word stays"
        );
    }
}
