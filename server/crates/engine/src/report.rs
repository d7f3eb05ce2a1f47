//! What is served often and never helps (C9): listed for people, and proposed for retirement by the clock.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Cause,
    id::{CandidateId, MemoryId},
    permission::{Permission, Permit},
};
use serde::Serialize;
use store::Stamp;

use crate::{
    Engine, again,
    error::{EngineError, Result},
    memory::MemoryView,
    need,
    suggest::would_suggest_retire,
    view::Names,
};

/// Servings from which on a memory counts as served often.
pub const OFTEN: i64 = 20;
/// Reports of no help from which on it counts as never helpful, where none says that it helped.
pub const NOT_HELPED: i64 = 3;
/// Memories of one report.
const MOST: u32 = 200;

/// What an agent is told again and again to no use.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Report {
    /// The most served first, at most 200.
    pub memories: Vec<NeverHelpful>,
}

/// A memory that was served at least 20 times in its present revision, reported as no help at least three times, and never as one.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct NeverHelpful {
    /// The memory.
    pub memory: MemoryView,
    /// How often its present revision was served.
    pub servings: i64,
    /// How many of these did not help.
    pub not_helped: i64,
    /// When it was served last.
    #[schema(value_type = String, format = DateTime)]
    pub last_served_at: Timestamp,
    /// The candidate that proposes to retire it, while one waits.
    pub proposal: Option<CandidateId>,
}

impl Engine {
    /// The report of an agent, as it stands now.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent that is not there.
    pub async fn report(&self, permit: &Permit, agent: &AgentName) -> Result<Report> {
        need(permit, &[Permission::ReadHistory])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        let now = self.now();
        self.flush().await?;
        let mut tx = self.read(&permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let rows = tx
            .never_helpful(agent, OFTEN, NOT_HELPED, now, MOST)
            .await?;
        let mut names = Names::at(now);
        let mut memories = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(memory) = tx.memory(&row.memory).await? else {
                continue;
            };
            let Some(memory) = names.memory(&mut tx, memory).await? else {
                continue;
            };
            memories.push(NeverHelpful {
                proposal: tx.waiting_retirement(agent, &row.memory, now).await?,
                memory,
                servings: row.servings,
                not_helped: row.not_helped,
                last_served_at: row.last_served_at,
            });
        }
        Ok(Report { memories })
    }

    /// Proposes to retire what the reports of all agents list; answers how many proposals are new. An agent or a memory that cannot be
    /// looked at is passed over, with a line in the log.
    ///
    /// # Errors
    /// Only the database's, before the first agent is looked at.
    pub async fn propose_never_helpful(&self) -> Result<u32> {
        self.flush().await?;
        let now = self.now();
        let agents = self.read_all().await?.agents().await?;
        let mut proposed = 0;
        for agent in agents {
            match self.never_helpful_of(&agent.name, now).await {
                Ok(memories) => proposed += self.retire_each(&memories, Cause::NeverHelpful).await,
                Err(error) => {
                    tracing::error!(agent = %agent.name, %error, "the report of an agent could not be drawn");
                }
            }
        }
        Ok(proposed)
    }

    async fn never_helpful_of(&self, agent: &AgentName, now: Timestamp) -> Result<Vec<MemoryId>> {
        let mut tx = self.read_all().await?;
        let rows = tx
            .never_helpful(agent, OFTEN, NOT_HELPED, now, MOST)
            .await?;
        Ok(rows.into_iter().map(|row| row.memory).collect())
    }

    /// Proposes to retire memories that are still served; answers how many proposals are new. What cannot be looked at is passed over,
    /// with a line in the log.
    pub(crate) async fn retire_each(&self, memories: &[MemoryId], cause: Cause) -> u32 {
        let mut proposed = 0;
        for memory in memories {
            match self.propose_retirement(memory, cause).await {
                Ok(new) => proposed += u32::from(new),
                Err(error) => {
                    tracing::error!(%memory, %error, "a memory could not be proposed for retirement");
                }
            }
        }
        proposed
    }

    /// `false` where it is retired, the proposal waits, or a person did not want it. That is asked before anything is locked, because
    /// it is so for most of what a schedule finds.
    async fn propose_retirement(&self, id: &MemoryId, cause: Cause) -> Result<bool> {
        let now = self.now();
        let mut tx = self.read_all().await?;
        let memory = tx.memory(id).await?.filter(|memory| memory.served(now));
        let Some(memory) = memory else {
            return Ok(false);
        };
        if !would_suggest_retire(&mut tx, &memory, cause, now).await? {
            return Ok(false);
        }
        drop(tx);
        again!(self.propose_retirement_once(id, cause).await)
    }

    async fn propose_retirement_once(&self, id: &MemoryId, cause: Cause) -> Result<bool> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        let memory = tx
            .memory_for_update(id)
            .await?
            .filter(|memory| memory.served(stamp.now));
        let Some(memory) = memory else {
            return Ok(false);
        };
        let made = self.suggest_retire(&mut tx, &memory, cause, &stamp).await?;
        tx.commit().await?;
        Ok(made.is_some())
    }
}
