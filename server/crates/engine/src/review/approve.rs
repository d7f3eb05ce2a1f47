//! Approving: the proposal, or the reviewer's edit of it, becomes a memory or a revision. Proposal, edit and approver stay apart (F3).

use domain::{
    candidate::{Action, Candidate, Edit, Verdict},
    id::{CandidateId, DecisionId, MemoryId},
    memory::{Memory, RetiredFor, RevisionAction},
    permission::{Permission, Permit},
};
use store::{Stamp, Tx, Write};

use super::{Version, lost, refused, said, seen, statement, view};
use crate::{
    Engine, again,
    candidate::CandidateView,
    error::{Current, EngineError, Result},
    need,
    view::Names,
};

/// An approval.
#[derive(Debug, Clone, Default)]
pub struct Approval {
    /// What the approver changes.
    pub edit: Edit,
    /// A memory that takes the statement in, instead of a new one.
    pub merge_into: Option<MemoryId>,
    /// The revision of the memory that takes the statement in, as the approver saw it; `None`: whichever there is.
    pub seen_target: Option<i64>,
    /// The approver's note.
    pub note: Option<String>,
}

/// A candidate on its way to a memory.
struct Approving<'a> {
    candidate: &'a Candidate,
    decision: DecisionId,
    write: Write,
    given_importance: Option<f64>,
    seen_target: Option<i64>,
}

impl Engine {
    /// Approves a candidate.
    ///
    /// # Errors
    /// As `docs/API` tells: `already_decided`, `stale`, `expired`, `not_pending`, `moved_on`, `slot_taken`, `memory_limit`, `secret`,
    /// `invalid`.
    pub async fn approve(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        approval: Approval,
    ) -> Result<CandidateView> {
        need(permit, &[Permission::Decide])?;
        again!(self.approve_once(permit, id, version, &approval).await)
    }

    async fn approve_once(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        approval: &Approval,
    ) -> Result<CandidateView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = seen(&mut tx, id, version, stamp.now).await?;
        let decision = DecisionId::new(stamp.now, self.entropy());
        let fresh = MemoryId::new(stamp.now, self.entropy());
        // The transition is asked first: what is decided or expired is told so, whatever the edit holds.
        if let Err(why) = before
            .clone()
            .approve(decision.clone(), fresh.clone(), stamp.now)
        {
            return Err(refused(&mut tx, id, why).await);
        }
        let approving = prepare(&mut tx, &before, decision.clone(), approval, &stamp).await?;
        let memory = match (before.proposal.action, &approval.merge_into) {
            (Action::Create, None) => create(&mut tx, fresh, &approving, &stamp).await?,
            (Action::Create, Some(into)) => {
                revise(&mut tx, into, RevisionAction::Merge, &approving, &stamp).await?
            }
            (Action::Update, _) => {
                revise(
                    &mut tx,
                    &target(&before)?,
                    RevisionAction::Update,
                    &approving,
                    &stamp,
                )
                .await?
            }
            (Action::Merge, _) => merge(&mut tx, &approving, &stamp).await?,
            (Action::Retire, _) => retire(&mut tx, &approving, &stamp).await?,
        };
        let after = match before.clone().approve(decision, memory, stamp.now) {
            Ok(after) => after,
            Err(why) => return Err(refused(&mut tx, id, why).await),
        };
        let verdict = Verdict::Approve(approval.edit.clone());
        if let Err(error) = tx
            .decide(&before, &after, &verdict, approval.note.as_deref(), &stamp)
            .await
        {
            return Err(lost(&mut tx, id, error).await);
        }
        let view = view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(view)
    }
}

/// What would be written: the proposal with the edit over it, checked where the person changed something.
async fn prepare<'a>(
    tx: &mut Tx,
    candidate: &'a Candidate,
    decision: DecisionId,
    approval: &Approval,
    stamp: &Stamp,
) -> Result<Approving<'a>> {
    let edit = &approval.edit;
    let proposal = &candidate.proposal;
    let kind_name = edit.kind.as_deref().unwrap_or(&proposal.kind);
    let kinds = tx.kinds(&candidate.agent).await?;
    let kind = match kinds.into_iter().find(|kind| kind.name == kind_name) {
        Some(kind) if edit.kind.is_none() || kind.enabled => kind,
        _ => statement::kind(tx, &candidate.agent, kind_name).await?,
    };
    let name = edit.name.clone().or_else(|| proposal.name.clone());
    let content = edit
        .content
        .clone()
        .unwrap_or_else(|| proposal.content.clone());
    let metadata = edit
        .metadata
        .clone()
        .unwrap_or_else(|| proposal.metadata.clone());
    if !edit.is_empty() {
        statement::check(&kind, name.as_deref(), &content, &metadata, edit.importance)?;
    }
    let (conversation, said_at) = said(tx, &proposal.evidence, candidate.created_at).await?;
    let language = if edit.content.is_some() {
        domain::text::language(&content).to_owned()
    } else {
        proposal.language.clone()
    };
    Ok(Approving {
        write: Write {
            kind: kind.name.clone(),
            name,
            language,
            content,
            metadata,
            tags: proposal.tags.clone(),
            confidence: proposal.confidence,
            importance: edit.importance.unwrap_or(proposal.importance),
            expires_at: kind.time_to_live().map(|life| stamp.now + life),
            conversation,
            said_at,
            candidate: Some(candidate.id.clone()),
            decision: Some(decision.clone()),
            note: None,
        },
        candidate,
        decision,
        given_importance: edit.importance,
        seen_target: approval.seen_target,
    })
}

fn target(candidate: &Candidate) -> Result<MemoryId> {
    let kept = candidate
        .proposal
        .targets
        .iter()
        .find(|target| !target.absorbed);
    kept.map(|target| target.memory.clone())
        .ok_or(EngineError::NotFound)
}

async fn create(
    tx: &mut Tx,
    id: MemoryId,
    approving: &Approving<'_>,
    stamp: &Stamp,
) -> Result<MemoryId> {
    let Candidate { agent, user, .. } = approving.candidate;
    let write = &approving.write;
    let held = tx
        .memory_in_slot(
            agent,
            user,
            &write.kind,
            write.name.as_deref(),
            &write.content,
            stamp.now,
        )
        .await?;
    if let Some(held) = held.filter(|held| held.served(stamp.now)) {
        return Err(EngineError::SlotTaken { memory: held.id });
    }
    has_room(tx, approving.candidate, stamp).await?;
    Ok(tx.create_memory(id, agent, user, write, stamp).await?.id)
}

/// A12: an agent says how many memories a user may have; the reviewer retires one first, or an administrator raises the limit.
async fn has_room(tx: &mut Tx, candidate: &Candidate, stamp: &Stamp) -> Result<()> {
    let limit = tx
        .agent(&candidate.agent)
        .await?
        .ok_or(EngineError::NotFound)?
        .settings
        .max_memories;
    let filter = store::MemoryFilter {
        agent: Some(candidate.agent.clone()),
        user: Some(candidate.user.clone()),
        ..store::MemoryFilter::default()
    };
    if tx.memory_count(&filter, stamp.now).await? >= i64::from(limit) {
        return Err(EngineError::Full { limit });
    }
    Ok(())
}

/// The memory a change is about, as it is now; gone or retired meanwhile: `moved_on`; another revision than the one seen: `stale`.
async fn present(
    tx: &mut Tx,
    id: &MemoryId,
    approving: &Approving<'_>,
    seen: Option<i64>,
    stamp: &Stamp,
) -> Result<Memory> {
    let memory = tx
        .memory_for_update(id)
        .await?
        .ok_or(EngineError::NotFound)?;
    if memory.user != approving.candidate.user || memory.agent != approving.candidate.agent {
        return Err(EngineError::NotFound);
    }
    let served = memory.served(stamp.now);
    if served && seen.is_none_or(|seen| seen == memory.revision) {
        return Ok(memory);
    }
    let current = Names::default()
        .memory(tx, memory)
        .await?
        .ok_or(EngineError::NotFound)?;
    let current = Current::Memory(Box::new(current));
    Err(if served {
        EngineError::Stale { current }
    } else {
        EngineError::MovedOn { current }
    })
}

async fn revise(
    tx: &mut Tx,
    id: &MemoryId,
    action: RevisionAction,
    approving: &Approving<'_>,
    stamp: &Stamp,
) -> Result<MemoryId> {
    let memory = present(tx, id, approving, approving.seen_target, stamp).await?;
    let mut write = approving.write.clone();
    write.name = write.name.or_else(|| memory.name.clone());
    // B4: a lower importance becomes the mean of both, a higher one replaces; what the approver says counts as said.
    if approving.given_importance.is_none() && write.importance < memory.importance {
        write.importance = f64::midpoint(write.importance, memory.importance);
    }
    if write.tags.is_empty() {
        write.tags.clone_from(&memory.tags);
    }
    if write.metadata.is_empty() && write.kind == memory.kind {
        write.metadata.clone_from(&memory.metadata);
    }
    Ok(tx.revise_memory(&memory, action, &write, stamp).await?.id)
}

async fn merge(tx: &mut Tx, approving: &Approving<'_>, stamp: &Stamp) -> Result<MemoryId> {
    let kept = target(approving.candidate)?;
    for absorbed in approving
        .candidate
        .proposal
        .targets
        .iter()
        .filter(|target| target.absorbed)
    {
        let memory = present(tx, &absorbed.memory, approving, None, stamp).await?;
        tx.retire_memory(
            &memory,
            RetiredFor::Merged,
            Some(&approving.candidate.id),
            Some(&approving.decision),
            None,
            stamp,
        )
        .await?;
    }
    revise(tx, &kept, RevisionAction::Merge, approving, stamp).await
}

async fn retire(tx: &mut Tx, approving: &Approving<'_>, stamp: &Stamp) -> Result<MemoryId> {
    let id = target(approving.candidate)?;
    let memory = present(tx, &id, approving, approving.seen_target, stamp).await?;
    Ok(tx
        .retire_memory(
            &memory,
            RetiredFor::Deleted,
            Some(&approving.candidate.id),
            Some(&approving.decision),
            None,
            stamp,
        )
        .await?
        .id)
}
