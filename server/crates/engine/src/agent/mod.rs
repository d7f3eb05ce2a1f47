//! Agents: made, set up, counted (A12).

mod four_eyes;
mod patch;
mod prompt;

use std::collections::BTreeSet;

pub use four_eyes::FourEyesPatch;
pub use patch::{AgentPatch, BudgetPatch, PolicyPatch, TriggerPatch};
pub use prompt::Prompt;

use domain::{
    Timestamp,
    agent::{Agent, AgentName, AgentSettings, AutoApprove},
    kind::Kind,
    permission::{Permission, Permit},
    time::Span,
};
use patch::Changer;
use serde::Serialize;

use crate::{
    Engine, again,
    allowed::NOT_ALLOWED,
    budget::{self, BUDGET, UsageDay, UsageView},
    error::{Current, EngineError, Result},
    kind::{KindsInUse, raised},
    need,
    page::By,
    review::Version,
    view::Names,
};

/// An agent, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct AgentView {
    /// Its name.
    pub name: AgentName,
    /// Its settings.
    #[serde(flatten)]
    pub settings: AgentSettings,
    /// The kinds in use, in the shape that a change takes; only of one agent that was asked for, made or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<KindsInUse>,
    /// Raised by one with every change of the settings or the kinds.
    pub version: i64,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The policies, with the names of who switched them on; only of one agent that was asked for.
    #[serde(skip)]
    pub policies: Vec<PolicyView>,
}

/// A policy, for a page.
#[derive(Debug, Clone)]
pub struct PolicyView {
    /// What it is called.
    pub name: String,
    /// The kinds it decides on.
    pub kinds: Vec<String>,
    /// From this confidence on.
    pub min_confidence: f64,
    /// Who switched it on.
    pub by: By,
    /// When.
    pub at: Timestamp,
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
            kinds: None,
            version,
            created_at,
            policies: Vec::new(),
        }
    }
}

/// The figures of an agent (A12).
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Figures {
    /// Memories that are served, as their list has them: without profile fields.
    pub approved: i64,
    /// Candidates that wait.
    pub pending: i64,
    /// Candidates that were rejected.
    pub rejected: i64,
    /// Users known.
    pub users: i64,
    /// All of the first three.
    pub total: i64,
    /// What was spent today (G14).
    pub today: UsageView,
    /// What was spent on the last 31 days, newest first.
    pub usage: Vec<UsageDay>,
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
        let mut tx = self.read(permit).await?;
        let agent = tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        let mut names = Names::default();
        let people = agent.settings.auto_approve.iter();
        let people: Vec<_> = people.map(|policy| policy.by.clone()).collect();
        names.learn_people(&mut tx, people).await?;
        let policies = agent.settings.auto_approve.clone();
        let policies = policies
            .into_iter()
            .map(|policy| outward(policy, &names))
            .collect();
        let kinds = tx.kinds(name).await?;
        Ok(AgentView {
            policies,
            kinds: Some(KindsInUse::of(&kinds)),
            ..agent.into()
        })
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
        let settings = AgentSettings {
            allowed_extractors: self.allowed_entries(&settings.allowed_extractors)?,
            ..settings
        };
        self.usable_extractor(&settings)?;
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
        Ok(AgentView {
            kinds: Some(KindsInUse::of(&kinds)),
            ..agent.into()
        })
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
        mut patch: AgentPatch,
    ) -> Result<AgentView> {
        need(permit, &[Permission::Administer])?;
        if let Some(given) = &patch.allowed_extractors {
            patch.allowed_extractors = Some(self.allowed_entries(given)?);
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
        let mut rows = Vec::new();
        if let Some(kinds) = &patch.kinds {
            rows = kinds.rows(&tx.kinds(name).await?)?;
            for row in &rows {
                tx.put_kind(name, row, &stamp).await?;
            }
        }
        let kinds = tx.kinds(name).await?;
        let names: BTreeSet<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        let mut settings = before.settings.clone();
        let by = Changer {
            person: permit.actor().person(),
            now: stamp.now,
        };
        let changed = patch.apply(&mut settings, &names, &by)?;
        // One that is chosen is one of those that are allowed. A list that leaves out the one in use is taken: what would be read by it
        // waits.
        if changed.contains(&"extractor") {
            self.usable_extractor(&settings)?;
        }
        let agent = if changed.is_empty() && rows.is_empty() {
            before
        } else if changed.is_empty() {
            raised(&mut tx, &before).await?
        } else {
            match tx
                .change_agent(name, Some(before.version), &settings, &changed, &stamp)
                .await
            {
                // Somebody else changed it meanwhile: look again.
                Err(store::Error::Stale) => return Err(EngineError::Busy),
                done => done?,
            }
        };
        let goes_on = |why: &[&str]| why.iter().any(|field| changed.contains(field));
        if goes_on(&["budget", "extractor"]) {
            // Whoever is still over the new limit is put off again.
            tx.take_up_again(name, BUDGET, stamp.now).await?;
        }
        if goes_on(&["allowed_extractors", "extractor"]) {
            tx.take_up_again(name, NOT_ALLOWED, stamp.now).await?;
        }
        let trigger = &settings.trigger;
        let soonest = [trigger.quiet_seconds, trigger.interval_seconds];
        if let Some(seconds) = soonest.into_iter().flatten().min()
            && changed.contains(&"trigger")
        {
            // What came while no trigger was on.
            let due = stamp.now + Span::seconds(i64::from(seconds));
            tx.make_due(name, due).await?;
        }
        tx.commit().await?;
        Ok(AgentView {
            kinds: Some(KindsInUse::of(&kinds)),
            ..agent.into()
        })
    }

    /// What an agent has spent today, and nothing else of it.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`]; [`EngineError::NotFound`].
    pub async fn agent_today(&self, permit: &Permit, name: &AgentName) -> Result<UsageDay> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let agent = tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        let spent = budget::today(&mut tx, &agent, self.now()).await?;
        Ok(budget::day(&spent, &agent.settings))
    }

    /// The figures of an agent.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn agent_figures(&self, permit: &Permit, name: &AgentName) -> Result<Figures> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let agent = tx.agent(name).await?.ok_or(EngineError::NotFound)?;
        let now = self.now();
        let (today, usage) = budget::figures(&mut tx, &agent, now).await?;
        let store::Figures {
            approved,
            pending,
            rejected,
            users,
            total,
        } = tx.figures(name, now).await?;
        Ok(Figures {
            approved,
            pending,
            rejected,
            users,
            total,
            today,
            usage,
        })
    }
}

fn outward(policy: AutoApprove, names: &Names) -> PolicyView {
    let by = domain::candidate::DecidedBy::Person(policy.by);
    PolicyView {
        by: names.by(&by),
        name: policy.name,
        kinds: policy.kinds,
        min_confidence: policy.min_confidence,
        at: policy.at,
    }
}
