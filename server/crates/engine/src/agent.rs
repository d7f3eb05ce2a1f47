//! Agents: made, set up, counted (A12).

use domain::{
    Timestamp,
    agent::{Agent, AgentName, AgentSettings, ExtractionTrigger},
    kind::Kind,
    permission::{Permission, Permit},
};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    Engine, again,
    error::{Current, EngineError, FieldError, Result},
    kind::KindsPatch,
    need,
    review::Version,
};

/// An agent, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct AgentView {
    /// Its name.
    pub name: AgentName,
    /// Its settings.
    #[serde(flatten)]
    pub settings: AgentSettings,
    /// Raised by one with every change of the settings.
    pub version: i64,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl From<Agent> for AgentView {
    fn from(agent: Agent) -> Self {
        let Agent {
            name,
            settings,
            version,
            created_at,
        } = agent;
        Self {
            name,
            settings,
            version,
            created_at,
        }
    }
}

/// The figures of an agent (A12).
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Figures {
    /// Memories that are served.
    pub approved: i64,
    /// Candidates that wait.
    pub pending: i64,
    /// Candidates that were rejected.
    pub rejected: i64,
    /// Users known.
    pub users: i64,
    /// All of the first three.
    pub total: i64,
}

/// A field that may be absent, `null` or a value.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// A change of an agent's settings; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentPatch {
    /// Whether conversations become candidates.
    pub learn: Option<bool>,
    /// Whether approved memories are given out.
    pub serve: Option<bool>,
    /// Most approved memories a user may have, 1 to 10,000.
    pub max_memories: Option<u32>,
    /// Drafts under this confidence are dropped.
    pub confidence_floor: Option<f64>,
    /// Most candidates of one window, 1 to 100.
    pub max_candidates: Option<u32>,
    /// When extraction starts.
    pub trigger: Option<ExtractionTrigger>,
    /// The extractor; `null`: the installation's.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub extractor: Option<Option<String>>,
    /// Kinds in use.
    pub kinds: Option<KindsPatch>,
}

impl AgentPatch {
    fn apply(&self, settings: &mut AgentSettings) -> Result<Vec<&'static str>> {
        let mut wrong = Vec::new();
        if self
            .max_memories
            .is_some_and(|most| !(1..=10_000).contains(&most))
        {
            wrong.push(FieldError::new(
                "/max_memories",
                "range",
                "a number from 1 to 10,000",
            ));
        }
        if self
            .max_candidates
            .is_some_and(|most| !(1..=100).contains(&most))
        {
            wrong.push(FieldError::new(
                "/max_candidates",
                "range",
                "a number from 1 to 100",
            ));
        }
        if self
            .confidence_floor
            .is_some_and(|floor| !(0.0..=1.0).contains(&floor))
        {
            wrong.push(FieldError::new(
                "/confidence_floor",
                "range",
                "a number from 0.0 to 1.0",
            ));
        }
        if self.trigger.is_some_and(|trigger| {
            let seconds = |seconds: Option<u32>| seconds.is_some_and(|seconds| seconds > 86_400);
            trigger
                .messages
                .is_some_and(|messages| !(1..=1000).contains(&messages))
                || seconds(trigger.quiet_seconds)
                || seconds(trigger.interval_seconds)
        }) {
            wrong.push(FieldError::new(
                "/trigger",
                "range",
                "1 to 1,000 messages, at most 86,400 seconds",
            ));
        }
        if !wrong.is_empty() {
            return Err(EngineError::Invalid(wrong));
        }
        let before = settings.clone();
        settings.learn = self.learn.unwrap_or(settings.learn);
        settings.serve = self.serve.unwrap_or(settings.serve);
        settings.max_memories = self.max_memories.unwrap_or(settings.max_memories);
        settings.confidence_floor = self.confidence_floor.unwrap_or(settings.confidence_floor);
        settings.max_candidates = self.max_candidates.unwrap_or(settings.max_candidates);
        settings.trigger = self.trigger.unwrap_or(settings.trigger);
        if let Some(extractor) = &self.extractor {
            settings.extractor.clone_from(extractor);
        }
        let changed = [
            ("learn", before.learn != settings.learn),
            ("serve", before.serve != settings.serve),
            ("max_memories", before.max_memories != settings.max_memories),
            (
                "confidence_floor",
                before.confidence_floor.to_bits() != settings.confidence_floor.to_bits(),
            ),
            (
                "max_candidates",
                before.max_candidates != settings.max_candidates,
            ),
            ("trigger", before.trigger != settings.trigger),
            ("extractor", before.extractor != settings.extractor),
        ];
        Ok(changed
            .into_iter()
            .filter(|(_, changed)| *changed)
            .map(|(name, _)| name)
            .collect())
    }
}

pub(crate) const READS: &[Permission] = &[
    Permission::ReadAgents,
    Permission::Administer,
    Permission::ReadCandidates,
    Permission::Decide,
];

impl Engine {
    /// The agents the permit holds for, by name.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn agents(&self, permit: &Permit) -> Result<Vec<AgentView>> {
        need(permit, READS)?;
        Ok(self
            .read(permit)
            .await?
            .agents()
            .await?
            .into_iter()
            .map(AgentView::from)
            .collect())
    }

    /// One agent.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn agent(&self, permit: &Permit, name: &AgentName) -> Result<AgentView> {
        need(permit, READS)?;
        self.read(permit)
            .await?
            .agent(name)
            .await?
            .map(AgentView::from)
            .ok_or(EngineError::NotFound)
    }

    /// Makes an agent, with the kinds of the set `assistant` and those that are always there (A11).
    ///
    /// # Errors
    /// [`EngineError::NameTaken`].
    pub async fn create_agent(
        &self,
        permit: &Permit,
        name: AgentName,
        settings: AgentSettings,
    ) -> Result<AgentView> {
        need(permit, &[Permission::Administer])?;
        self.known_extractor(settings.extractor.as_deref())?;
        again!(self.create_agent_once(permit, &name, &settings).await)
    }

    async fn create_agent_once(
        &self,
        permit: &Permit,
        name: &AgentName,
        settings: &AgentSettings,
    ) -> Result<AgentView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let kinds = [Kind::assistant(), Kind::always_there()].concat();
        let agent = tx.create_agent(name, settings, &kinds, &stamp).await?;
        tx.commit().await?;
        Ok(agent.into())
    }

    fn known_extractor(&self, name: Option<&str>) -> Result<()> {
        match self.extractors().of(name) {
            Some(_) => Ok(()),
            None => Err(EngineError::invalid(
                "/extractor",
                "unknown",
                "\"builtin\", or a model that this installation can reach",
            )),
        }
    }

    /// Changes an agent's settings and kinds.
    ///
    /// # Errors
    /// `stale`, `invalid`.
    pub async fn change_agent(
        &self,
        permit: &Permit,
        name: &AgentName,
        version: Option<Version>,
        patch: AgentPatch,
    ) -> Result<AgentView> {
        need(permit, &[Permission::Administer])?;
        if let Some(extractor) = &patch.extractor {
            self.known_extractor(extractor.as_deref())?;
        }
        again!(self.change_agent_once(permit, name, version, &patch).await)
    }

    async fn change_agent_once(
        &self,
        permit: &Permit,
        name: &AgentName,
        version: Option<Version>,
        patch: &AgentPatch,
    ) -> Result<AgentView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        if !version.unwrap_or(Version::Any).fits(before.version) {
            return Err(EngineError::Stale {
                current: Current::Agent(Box::new(before.into())),
            });
        }
        let mut settings = before.settings.clone();
        let changed = patch.apply(&mut settings)?;
        if let Some(kinds) = &patch.kinds {
            let present = tx.kinds(name).await?;
            for row in kinds.rows(&present)? {
                tx.put_kind(name, &row, &stamp).await?;
            }
        }
        let agent = if changed.is_empty() {
            tx.agent(name).await?.ok_or(EngineError::NotFound)?
        } else {
            match tx
                .change_agent(name, Some(before.version), &settings, &changed, &stamp)
                .await
            {
                Err(store::Error::Stale) => {
                    let now = tx.agent(name).await?.ok_or(EngineError::NotFound)?;
                    return Err(EngineError::Stale {
                        current: Current::Agent(Box::new(now.into())),
                    });
                }
                done => done?,
            }
        };
        tx.commit().await?;
        Ok(agent.into())
    }

    /// The figures of an agent.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn agent_figures(&self, permit: &Permit, name: &AgentName) -> Result<Figures> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        let store::Figures {
            approved,
            pending,
            rejected,
            users,
            total,
        } = tx.figures(name, self.now()).await?;
        Ok(Figures {
            approved,
            pending,
            rejected,
            users,
            total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_tells_null_from_absent() {
        let patch: AgentPatch = serde_json::from_str(r#"{"extractor": null}"#).unwrap();
        assert_eq!(patch.extractor, Some(None));
        let patch: AgentPatch = serde_json::from_str("{}").unwrap();
        assert_eq!(patch.extractor, None);
        assert!(serde_json::from_str::<AgentPatch>(r#"{"lern": true}"#).is_err());
    }
}
