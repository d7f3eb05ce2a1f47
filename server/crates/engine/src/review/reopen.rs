//! Undo is reopening: the candidate waits again where it waited (or, past its time, for seven days), and what its approval did to memories
//! is taken back, as long as nobody has built on it.

use std::collections::BTreeSet;

use domain::{
    candidate::{Action, Candidate, State, Verdict},
    id::{CandidateId, DecisionId, MemoryId},
    memory::{Memory, RetiredFor, Revision, RevisionAction},
    permission::{Permission, Permit},
};
use serde::Serialize;
use store::{Stamp, Tx, Write};

use super::{
    Version, approve::serve_from, carry_out::has_place, four_eyes, lost, refused, seen, view,
};
use crate::{
    Engine, again,
    candidate::{CandidateView, Told},
    error::{Current, EngineError, Result},
    need,
    profile::time_to_live,
    speaks,
    view::{Names, told},
};

/// A candidate that waits again.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Reopened {
    /// Itself.
    #[serde(flatten)]
    pub candidate: CandidateView,
    /// Which sessions were told what it had made.
    pub told: Vec<Told>,
    /// It was not decided yet: only the agreement of the same person was taken back (G9).
    #[serde(skip)]
    pub withdrawn: bool,
}

impl Engine {
    /// Brings a decided or expired candidate back; of one that waits for a second person, takes back that the same person agreed.
    ///
    /// # Errors
    /// `stale`, `already_decided`, `still_waiting`; `moved_on` where a newer statement waits or the memory has changed since;
    /// `slot_taken`, `memory_limit` where there is no place any more for what would come back.
    pub async fn reopen(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        note: Option<String>,
    ) -> Result<Reopened> {
        need(permit, &[Permission::Decide])?;
        // Who was told within the last second waits in memory, and belongs into the answer.
        self.flush().await?;
        match again!(self.reopen_once(permit, id, version, note.as_deref()).await) {
            Err(EngineError::Full { limit, .. }) => {
                let about = self.read(permit).await?.candidate(id).await?;
                let about = about.ok_or(EngineError::NotFound)?.candidate;
                Err(self.full(limit, &about.agent, &about.user).await)
            }
            done => done,
        }
    }

    async fn reopen_once(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        note: Option<&str>,
    ) -> Result<Reopened> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = seen(&mut tx, id, version, stamp.now).await?;
        speaks(permit, &before.agent, &before.proposal.language)?;
        if let Some(candidate) = four_eyes::withdraw(&mut tx, &before, &stamp).await? {
            tx.commit().await?;
            let told = Vec::new();
            return Ok(Reopened {
                candidate,
                told,
                withdrawn: true,
            });
        }
        let after = match before.clone().reopen(stamp.now) {
            Ok(after) => after,
            Err(why) => return Err(refused(&mut tx, id, why).await),
        };
        if let Some(newer) = tx.candidate(id).await?.and_then(|row| row.superseded_by)
            && tx
                .candidate(&newer)
                .await?
                .is_some_and(|row| row.candidate.waits(stamp.now))
        {
            let current = view(&mut tx, &newer).await?;
            return Err(EngineError::MovedOn {
                current: Current::Candidate(Box::new(current)),
            });
        }
        let told = match &before.state {
            State::Approved {
                decision, memory, ..
            } => undo(&mut tx, &before, decision, memory, &stamp).await?,
            State::Pending | State::Rejected { .. } => Vec::new(),
        };
        tx.note_told(&stamp, id, sessions(&told)).await?;
        match tx
            .decide(&before, &after, &Verdict::Reopen, note, &stamp)
            .await
        {
            Ok(_) => {}
            Err(store::Error::StillWaiting(other)) => {
                let current = view(&mut tx, &other).await?;
                return Err(EngineError::MovedOn {
                    current: Current::Candidate(Box::new(current)),
                });
            }
            Err(error) => return Err(lost(&mut tx, id, error).await),
        }
        let candidate = view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(Reopened {
            candidate,
            told,
            withdrawn: false,
        })
    }
}

/// How many sessions were told; an answer that names no conversation counts as one.
fn sessions(told: &[Told]) -> usize {
    let named: BTreeSet<_> = told
        .iter()
        .filter_map(|told| told.conversation.as_deref())
        .collect();
    let unnamed = told.iter().filter(|told| told.conversation.is_none());
    named.len() + unnamed.count()
}

/// Takes back what an approval did. The newest revision must be the one it made: on anything newer somebody has built.
async fn undo(
    tx: &mut Tx,
    candidate: &Candidate,
    decision: &DecisionId,
    id: &MemoryId,
    stamp: &Stamp,
) -> Result<Vec<Told>> {
    let memory = tx
        .memory_for_update(id)
        .await?
        .ok_or(EngineError::NotFound)?;
    let revisions = tx.revisions(id).await?;
    let newest = revisions.last().ok_or(EngineError::NotFound)?;
    if newest.decision.as_ref() != Some(decision) {
        let current = Names::default()
            .memory(tx, memory)
            .await?
            .ok_or(EngineError::NotFound)?;
        return Err(EngineError::MovedOn {
            current: Current::Memory(Box::new(current)),
        });
    }
    let told = told(tx, &candidate.agent, id, newest.number).await?;
    // What was merged may be alike: it stands side by side again, as a person had it.
    let targets = candidate.proposal.targets.iter();
    let together: Vec<MemoryId> = targets.map(|target| target.memory.clone()).collect();
    match newest.action {
        RevisionAction::Create => {
            tx.retire_memory(
                &memory,
                RetiredFor::Undone,
                Some(&candidate.id),
                None,
                None,
                stamp,
            )
            .await?;
        }
        _ => restore(tx, &memory, &revisions, &together, stamp).await?,
    }
    if candidate.proposal.action == Action::Merge {
        for target in candidate
            .proposal
            .targets
            .iter()
            .filter(|target| target.absorbed)
        {
            let Some(absorbed) = tx.memory_for_update(&target.memory).await? else {
                continue;
            };
            let revisions = tx.revisions(&target.memory).await?;
            if revisions
                .last()
                .is_some_and(|newest| newest.decision.as_ref() == Some(decision))
            {
                restore(tx, &absorbed, &revisions, &together, stamp).await?;
            }
        }
    }
    Ok(told)
}

/// Gives a memory the value of the revision before its newest; one that was retired then is retired again. An end that has passed
/// meanwhile is counted anew: undo leaves what was there, not nothing.
async fn restore(
    tx: &mut Tx,
    memory: &Memory,
    revisions: &[Revision],
    together: &[MemoryId],
    stamp: &Stamp,
) -> Result<()> {
    let before = revisions.iter().rev().nth(1).ok_or(EngineError::NotFound)?;
    if before.action == RevisionAction::Retire {
        tx.retire_memory(memory, RetiredFor::Undone, None, None, None, stamp)
            .await?;
        return Ok(());
    }
    let mut write = as_it_was(before, &memory.language);
    if write.expires_at.is_some_and(|end| end <= stamp.now) {
        let kinds = tx.kinds(&memory.agent).await?;
        let life = match kinds.iter().find(|kind| kind.name == write.kind) {
            Some(kind) => time_to_live(tx, &memory.agent, kind, write.name.as_deref()).await?,
            None => None,
        };
        write.expires_at = life.map(|life| stamp.now + life);
    }
    if before.decision.is_some() {
        // What was approved a moment before keeps the rest of its grace.
        write.serve_from = serve_from(tx, &memory.agent, before.at)
            .await?
            .filter(|from| stamp.now < *from);
    }
    has_place(tx, memory, &write, together, stamp.now).await?;
    tx.revise_memory(memory, RevisionAction::Restore, &write, stamp)
        .await?;
    Ok(())
}

/// An earlier revision, to be written again. It does not say its language; `language` is that of the memory now.
pub(crate) fn as_it_was(before: &Revision, language: &str) -> Write {
    let of_a_field = before.kind == domain::profile::KIND;
    Write {
        kind: before.kind.clone(),
        name: before.name.clone(),
        content: before.content.clone(),
        metadata: before.metadata.clone(),
        tags: before.tags.clone(),
        confidence: before.confidence,
        importance: before.importance,
        language: domain::text::language_with(&before.content, of_a_field, [language]).to_owned(),
        expires_at: before.expires_at,
        serve_from: None,
        conversation: before.conversation.clone(),
        said_at: before.said_at,
        candidate: None,
        decision: None,
        note: None,
    }
}
