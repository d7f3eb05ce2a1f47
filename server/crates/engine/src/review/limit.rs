//! The most memories a user may have (A12). At the limit nothing is thrown out in silence: the approval is refused, and the memory
//! worth least is proposed for retirement, so that a person makes the room.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Cause},
    id::{CandidateId, UserId},
    memory::Memory,
    rank::{self, Rankable},
};
use store::{Stamp, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
};

/// Refuses one memory more than an agent allows a user.
///
/// # Errors
/// [`EngineError::Full`].
pub(crate) async fn has_room(
    tx: &mut Tx,
    agent: &AgentName,
    user: &UserId,
    now: Timestamp,
) -> Result<()> {
    let limit = tx
        .agent(agent)
        .await?
        .ok_or(EngineError::NotFound)?
        .settings
        .max_memories;
    let mut there = 0;
    // Ids of one person have together what one may have (G15).
    for id in tx.together(agent, user).await? {
        let filter = store::MemoryFilter {
            agent: Some(agent.clone()),
            user: Some(id),
            ..store::MemoryFilter::default()
        };
        there += tx.memory_count(&filter, now).await?;
    }
    if there >= i64::from(limit) {
        return Err(EngineError::Full {
            limit,
            retire: None,
        });
    }
    Ok(())
}

/// The memories of a user, the one worth least first: as a context without a task ranks them, from its end.
pub(crate) fn least_first(memories: &[Memory], now: Timestamp) -> Vec<&Memory> {
    let items: Vec<Rankable<'_>> = memories
        .iter()
        .map(|memory| Rankable {
            text: &memory.content,
            importance: memory.importance,
            at: memory.updated_at,
            summary: memory.kind == "session_summary",
        })
        .collect();
    let ranked = rank::rank(None, &items, now);
    ranked
        .into_iter()
        .rev()
        .map(|ranked| &memories[ranked.index])
        .collect()
}

impl Engine {
    /// Proposes to retire the memory worth least; where that waits already, it is the answer. What a person wanted to keep within the
    /// last 90 days is passed over.
    ///
    /// # Errors
    /// Only the database's.
    pub(crate) async fn propose_room(
        &self,
        tx: &mut Tx,
        agent: &AgentName,
        user: &UserId,
        stamp: &Stamp,
    ) -> Result<Option<CandidateId>> {
        let (mut memories, mut waiting) = (Vec::new(), Vec::new());
        for id in tx.together(agent, user).await? {
            let known = tx.known(agent, &id, stamp.now).await?;
            memories.extend(known.memories);
            waiting.extend(known.waiting);
        }
        for memory in least_first(&memories, stamp.now) {
            let waits = waiting.iter().find(|waiting| {
                waiting.proposal.action == Action::Retire
                    && waiting
                        .proposal
                        .targets
                        .iter()
                        .any(|target| target.memory == memory.id)
            });
            if let Some(waiting) = waits {
                return Ok(Some(waiting.id.clone()));
            }
            let proposed = self.suggest_retire(tx, memory, Cause::Limit, stamp).await?;
            if proposed.is_some() {
                return Ok(proposed);
            }
        }
        Ok(None)
    }

    /// What is answered where a user has no room: the refusal, with the proposal that would make some.
    pub(crate) async fn full(&self, limit: u32, agent: &AgentName, user: &UserId) -> EngineError {
        match again!(self.full_once(agent, user).await) {
            Ok(retire) => EngineError::Full { limit, retire },
            Err(error) => error,
        }
    }

    async fn full_once(&self, agent: &AgentName, user: &UserId) -> Result<Option<CandidateId>> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        let retire = self.propose_room(&mut tx, agent, user, &stamp).await?;
        tx.commit().await?;
        Ok(retire)
    }
}
