//! What is served often and never helps (C9): listed for people, and proposed for retirement by the clock.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Cause,
    id::CandidateId,
    permission::{Permission, Permit},
};
use serde::Serialize;
use store::Stamp;

use crate::{
    Engine, again,
    error::{EngineError, Result},
    memory::MemoryView,
    need,
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

    /// Proposes to retire what the reports of all agents list; answers how many proposals are new.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn propose_never_helpful(&self) -> Result<u32> {
        self.flush().await?;
        let now = self.now();
        let mut tx = self.read_all().await?;
        let mut found = Vec::new();
        for agent in tx.agents().await? {
            found.extend(
                tx.never_helpful(&agent.name, OFTEN, NOT_HELPED, now, MOST)
                    .await?,
            );
        }
        drop(tx);
        let mut proposed = 0;
        for row in found {
            proposed += u32::from(
                self.propose_retirement(&row.memory, Cause::NeverHelpful)
                    .await?,
            );
        }
        Ok(proposed)
    }

    /// Proposes to retire a memory that is still served; `false` where that waits, or a person did not want it.
    pub(crate) async fn propose_retirement(
        &self,
        id: &domain::id::MemoryId,
        cause: Cause,
    ) -> Result<bool> {
        again!(self.propose_retirement_once(id, cause).await)
    }

    async fn propose_retirement_once(
        &self,
        id: &domain::id::MemoryId,
        cause: Cause,
    ) -> Result<bool> {
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
