//! Recall (G4): a memory that was found to be wrong is served no more from this moment on, and it is told who had been told it and
//! what was made from it. It is undone by restoring the memory.
//!
//! "Made from it" means, exactly: a memory into which an approved merge took it; a proposal that waits and would change it or take it
//! in; a pattern that cites words which it rests on; the summary of a conversation in which those words were said. What merely stands
//! beside it in the same conversation is not meant. One step is followed: each of these names what was made from it in turn.

use domain::{
    Timestamp,
    candidate::{Candidate, State},
    id::MemoryId,
    memory::{Memory, MemoryStatus, RetiredFor},
    permission::{Actor, Permission, Permit},
};
use serde::Serialize;
use store::{TimeTold, Tx};

use crate::{
    Engine, again,
    candidate::CandidateView,
    error::{Current, EngineError, Result},
    memory::MemoryView,
    need,
    page::By,
    review::Version,
    view::Names,
};

/// The most times told that are looked through; the count beside them is whole.
const TIMES: u32 = 10_000;

/// How far a memory has got.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct RecallView {
    /// The memory.
    pub memory: MemoryView,
    /// That it was recalled; absent where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Recalled>,
    /// The sessions that were told it, the last one first.
    pub told: Vec<ToldSession>,
    /// How often it was told, in all sessions together.
    pub times_told: i64,
    /// What was made from it.
    pub made: Vec<Made>,
}

/// That a memory was recalled.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Recalled {
    /// By whom.
    pub by: By,
    /// Why.
    pub reason: Option<String>,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// A session that was told a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ToldSession {
    /// The agent's own id of the conversation; `null`: it named none.
    pub conversation: Option<String>,
    /// Which revisions, the newest first.
    pub revisions: Vec<i64>,
    /// How often.
    pub times: u64,
    /// When first.
    #[schema(value_type = String, format = DateTime)]
    pub first_at: Timestamp,
    /// When last.
    #[schema(value_type = String, format = DateTime)]
    pub last_at: Timestamp,
}

/// How something was made from a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MadeBy {
    /// An approved merge took the memory in.
    Merge,
    /// A proposal that waits would change it or take it in.
    Change,
    /// A pattern cites words that it rests on.
    Pattern,
    /// The summary of a conversation in which those words were said.
    Summary,
}

/// Something that was made from a memory: a memory, or a candidate that waits.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Made {
    /// How.
    pub how: MadeBy,
    /// The memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryView>,
    /// The candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<CandidateView>,
}

impl Engine {
    /// Recalls a memory: it is in no context from now on. Its language does not matter: what is wrong must not wait for a translator.
    ///
    /// # Errors
    /// `stale`, `moved_on` (it is retired already); `invalid` without a reason.
    pub async fn recall(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        reason: &str,
    ) -> Result<RecallView> {
        need(permit, &[Permission::Decide])?;
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(EngineError::invalid(
                "/reason",
                "required",
                "say why it is recalled",
            ));
        }
        if reason.chars().count() > 2000 {
            return Err(EngineError::invalid(
                "/reason",
                "too_long",
                "at most 2,000 characters",
            ));
        }
        again!(self.recall_once(permit, id, version, reason).await)?;
        self.recall_of(permit, id).await
    }

    async fn recall_once(
        &self,
        permit: &Permit,
        id: &MemoryId,
        version: Version,
        reason: &str,
    ) -> Result<()> {
        // Who was told within the last second waits in memory, and is counted too.
        self.flush().await?;
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = tx
            .memory_for_update(id)
            .await?
            .ok_or(EngineError::NotFound)?;
        let fits = version.fits(before.revision);
        if !fits || before.status != MemoryStatus::Approved {
            let current = Names::default()
                .memory(&mut tx, before)
                .await?
                .ok_or(EngineError::NotFound)?;
            let current = Current::Memory(Box::new(current));
            return Err(if fits {
                EngineError::MovedOn { current }
            } else {
                EngineError::Stale { current }
            });
        }
        let told = tx.told_count(&before.agent, id).await?;
        let made = found(&mut tx, &before, stamp.now).await?.len();
        let why = RetiredFor::Recalled;
        let after = tx
            .retire_memory(&before, why, None, None, Some(reason), &stamp)
            .await?;
        let made = i64::try_from(made).unwrap_or(i64::MAX);
        tx.tell_recall(&after, told, made, &stamp);
        Ok(tx.commit().await?)
    }

    /// How far a memory has got, whether or not it was recalled.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Forbidden`] for the key of an agent.
    pub async fn recall_of(&self, permit: &Permit, id: &MemoryId) -> Result<RecallView> {
        need(permit, &[Permission::ReadHistory, Permission::Decide])?;
        if matches!(permit.actor(), Actor::Key { .. }) {
            return Err(EngineError::Forbidden);
        }
        self.flush().await?;
        let view = self.memory(permit, id).await?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let memory = tx.memory(id).await?.ok_or(EngineError::NotFound)?;
        let recalled = recalled(&mut tx, &memory).await?;
        let times_told = tx.told_count(&memory.agent, id).await?;
        let told = sessions(tx.times_told(&memory.agent, id, TIMES).await?);
        let mut names = Names::at(now);
        let mut made = Vec::new();
        for (how, one) in found(&mut tx, &memory, now).await? {
            let mut one_made = Made {
                how,
                memory: None,
                candidate: None,
            };
            match one {
                Found::Memory(id) => {
                    let Some(memory) = tx.memory(&id).await? else {
                        continue;
                    };
                    one_made.memory = names.memory(&mut tx, memory).await?;
                }
                Found::Waits(candidate) => {
                    let row = tx.candidate(&candidate.id).await?;
                    let rows = row.into_iter().collect();
                    one_made.candidate = names.candidates(&mut tx, rows).await?.pop();
                }
            }
            made.push(one_made);
        }
        Ok(RecallView {
            memory: view,
            recalled,
            told,
            times_told,
            made,
        })
    }
}

/// That a memory was recalled, where it was.
pub(crate) async fn recalled(tx: &mut Tx, memory: &Memory) -> Result<Option<Recalled>> {
    if memory.reason != Some(RetiredFor::Recalled) {
        return Ok(None);
    }
    let Some(last) = tx.revisions(&memory.id).await?.pop() else {
        return Ok(None);
    };
    let mut names = Names::default();
    names.learn_people(tx, last.by.person().cloned()).await?;
    Ok(Some(Recalled {
        by: names.by(&last.by),
        reason: last.note,
        at: last.at,
    }))
}

enum Found {
    Memory(MemoryId),
    Waits(Box<Candidate>),
}

/// What was made from a memory, each thing once.
async fn found(tx: &mut Tx, memory: &Memory, now: Timestamp) -> Result<Vec<(MadeBy, Found)>> {
    let (agent, id) = (&memory.agent, &memory.id);
    let mut known = vec![id.clone()];
    let mut found = Vec::new();
    for into in tx.merged_into(agent, id).await? {
        known.push(into.clone());
        found.push((MadeBy::Merge, Found::Memory(into)));
    }
    for waits in tx.waiting_changes_of(agent, id, now).await? {
        found.push((MadeBy::Change, Found::Waits(Box::new(waits))));
    }
    for rests in tx.resting_on(agent, id).await? {
        let changes_it = rests
            .proposal
            .targets
            .iter()
            .any(|target| target.memory == *id);
        let how = match rests.proposal.kind.as_str() {
            "pattern" => MadeBy::Pattern,
            _ => MadeBy::Summary,
        };
        match &rests.state {
            State::Approved { memory, .. } if !known.contains(memory) => {
                known.push(memory.clone());
                found.push((how, Found::Memory(memory.clone())));
            }
            State::Pending if rests.waits(now) && !changes_it => {
                found.push((how, Found::Waits(Box::new(rests))));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The times a memory was told, session by session. What names no conversation is one session each.
fn sessions(times: Vec<TimeTold>) -> Vec<ToldSession> {
    let mut sessions: Vec<ToldSession> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for TimeTold {
        conversation,
        revision,
        at,
    } in times
    {
        let place = conversation
            .as_ref()
            .and_then(|conversation| places.get(conversation))
            .copied();
        let Some(place) = place else {
            if let Some(conversation) = &conversation {
                places.insert(conversation.clone(), sessions.len());
            }
            sessions.push(ToldSession {
                conversation,
                revisions: vec![revision],
                times: 1,
                first_at: at,
                last_at: at,
            });
            continue;
        };
        let session: &mut ToldSession = &mut sessions[place];
        session.times += 1;
        session.first_at = session.first_at.min(at);
        session.last_at = session.last_at.max(at);
        if !session.revisions.contains(&revision) {
            session.revisions.push(revision);
        }
    }
    sessions
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Span;

    // G4
    #[test]
    fn one_session_is_one_line_however_often_it_was_told() {
        let at = |minutes| Timestamp::UNIX_EPOCH + Span::minutes(minutes);
        let time = |conversation: Option<&str>, revision, minutes| TimeTold {
            conversation: conversation.map(str::to_owned),
            revision,
            at: at(minutes),
        };
        let told = sessions(vec![
            time(Some("c-2"), 2, 9),
            time(None, 2, 8),
            time(Some("c-1"), 2, 7),
            time(Some("c-2"), 1, 3),
            time(None, 1, 2),
        ]);
        assert_eq!(told.len(), 4, "{told:?}");
        let first = &told[0];
        assert_eq!(
            (first.times, first.revisions.as_slice()),
            (2, [2, 1].as_slice())
        );
        assert_eq!((first.first_at, first.last_at), (at(3), at(9)));
    }
}
