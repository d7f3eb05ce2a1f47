//! What an approval does to memories. A memory is changed only as it was seen: at the revision the change was proposed against, or at
//! the one the approver names because they have looked at it since (F2).

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate, Cause, Proposal},
    id::{DecisionId, MemoryId, UserId},
    matcher::{self, Judgement, Seen},
    memory::{Memory, RetiredFor, RevisionAction},
    values::Values,
};
use store::{Known, Stamp, Tx, Write};

use super::{Approval, limit::has_room};
use crate::{
    error::{Current, EngineError, Result},
    view::Names,
    worker::stored,
};

/// A candidate on its way to a memory.
pub(super) struct Approving<'a> {
    pub candidate: &'a Candidate,
    pub decision: DecisionId,
    pub write: Write,
    pub approval: &'a Approval,
}

/// Does it; answers which memory was made or changed. `into` is the memory that takes the statement in, as [`taking_in`] gave it.
pub(super) async fn carry_out(
    tx: &mut Tx,
    fresh: MemoryId,
    approving: &Approving<'_>,
    into: Option<&Memory>,
    stamp: &Stamp,
) -> Result<MemoryId> {
    if let Some(into) = into {
        return revise(tx, into, RevisionAction::Merge, approving, stamp).await;
    }
    match approving.candidate.proposal.action {
        Action::Create => create(tx, fresh, approving, stamp).await,
        Action::Update => {
            let memory = kept(tx, approving, true, stamp).await?;
            revise(tx, &memory, RevisionAction::Update, approving, stamp).await
        }
        Action::Merge => merge(tx, approving, stamp).await,
        Action::Retire => {
            let memory = kept(tx, approving, false, stamp).await?;
            retire(tx, &memory, RetiredFor::Deleted, approving, stamp).await
        }
    }
}

/// Refuses what would change a memory otherwise than it was seen, and changes nothing: for who agrees before it is carried out.
pub(super) async fn as_it_was_seen(
    tx: &mut Tx,
    approving: &Approving<'_>,
    stamp: &Stamp,
) -> Result<()> {
    match approving.candidate.proposal.action {
        _ if approving.approval.merge_into.is_some() => {}
        Action::Create => {}
        Action::Update => drop(kept(tx, approving, true, stamp).await?),
        Action::Retire => drop(kept(tx, approving, false, stamp).await?),
        Action::Merge => {
            kept(tx, approving, false, stamp).await?;
            absorbed(tx, approving, stamp).await?;
        }
    }
    Ok(())
}

/// The memory that takes a statement in, as the approver saw it.
pub(super) async fn taking_in(
    tx: &mut Tx,
    into: &MemoryId,
    candidate: &Candidate,
    approval: &Approval,
    stamp: &Stamp,
) -> Result<Memory> {
    present(tx, into, candidate, approval.seen_target, true, stamp).await
}

/// The target that stays.
async fn kept(
    tx: &mut Tx,
    approving: &Approving<'_>,
    comes_back: bool,
    stamp: &Stamp,
) -> Result<Memory> {
    let targets = &approving.candidate.proposal.targets;
    let target = targets
        .iter()
        .find(|target| !target.absorbed)
        .ok_or(EngineError::NotFound)?;
    let seen = approving.approval.seen_target;
    present(
        tx,
        &target.memory,
        approving.candidate,
        seen,
        comes_back,
        stamp,
    )
    .await
}

/// A memory that a change is about, as it is now. `named` is the revision that the approver says they saw; without one it is the one
/// of the proposal. Another revision: `stale`. Gone from what is served: `moved_on`, unless the approver names the revision that
/// retired it and what they do can bring it back.
async fn present(
    tx: &mut Tx,
    id: &MemoryId,
    candidate: &Candidate,
    named: Option<i64>,
    comes_back: bool,
    stamp: &Stamp,
) -> Result<Memory> {
    let memory = tx
        .memory_for_update(id)
        .await?
        .ok_or(EngineError::NotFound)?;
    if memory.user != candidate.user || memory.agent != candidate.agent {
        return Err(EngineError::NotFound);
    }
    let targets = &candidate.proposal.targets;
    let proposed = targets.iter().find(|target| target.memory == *id);
    let seen = named.or(proposed.map(|target| target.revision));
    let served = memory.served(stamp.now);
    if served && seen.is_none_or(|seen| seen == memory.revision) {
        return Ok(memory);
    }
    if !served && comes_back && named == Some(memory.revision) {
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

async fn create(
    tx: &mut Tx,
    id: MemoryId,
    approving: &Approving<'_>,
    stamp: &Stamp,
) -> Result<MemoryId> {
    let Candidate { agent, user, .. } = approving.candidate;
    let write = &approving.write;
    let statement = Statement {
        kind: &write.kind,
        name: write.name.as_deref(),
        content: &write.content,
    };
    nobody_says(tx, agent, user, &statement, &[], stamp.now).await?;
    has_room(tx, agent, user, stamp.now).await?;
    Ok(tx.create_memory(id, agent, user, write, stamp).await?.id)
}

/// What a new memory would say.
pub(crate) struct Statement<'a> {
    pub kind: &'a str,
    pub name: Option<&'a str>,
    pub content: &'a str,
}

/// Refuses another value of a memory where that would stand beside one that says the same or otherwise; and where the memory comes back,
/// one more than a user may have. `besides` are memories that go or come with it.
///
/// # Errors
/// [`EngineError::SlotTaken`], [`EngineError::Full`].
pub(crate) async fn has_place(
    tx: &mut Tx,
    memory: &Memory,
    write: &Write,
    besides: &[MemoryId],
    now: Timestamp,
) -> Result<()> {
    let served = memory.served(now);
    let says_as_before =
        memory.kind == write.kind && memory.name == write.name && memory.content == write.content;
    if served && says_as_before {
        return Ok(());
    }
    let statement = Statement {
        kind: &write.kind,
        name: write.name.as_deref(),
        content: &write.content,
    };
    let but = [std::slice::from_ref(&memory.id), besides].concat();
    nobody_says(tx, &memory.agent, &memory.user, &statement, &but, now).await?;
    if served {
        return Ok(());
    }
    has_room(tx, &memory.agent, &memory.user, now).await
}

/// Refuses a new memory beside one that says the same, fills the same slot or is denied by it: whichever came in meanwhile, two
/// values of one thing are never served side by side (B4, B5). Those in `but` are not asked.
///
/// # Errors
/// [`EngineError::SlotTaken`] with the memory.
pub(crate) async fn nobody_says(
    tx: &mut Tx,
    agent: &AgentName,
    user: &UserId,
    statement: &Statement<'_>,
    but: &[MemoryId],
    now: Timestamp,
) -> Result<()> {
    let mut memories = tx.approved(agent, user, now).await?;
    memories.retain(|memory| !but.contains(&memory.id));
    let served = Known {
        memories,
        waiting: Vec::new(),
        rejected: Vec::new(),
    };
    let statement = Proposal {
        action: Action::Create,
        targets: Vec::new(),
        kind: statement.kind.to_owned(),
        name: statement.name.map(str::to_owned),
        content: statement.content.to_owned(),
        metadata: Default::default(),
        tags: Vec::new(),
        confidence: 1.0,
        importance: 1.0,
        language: domain::text::language(statement.content).to_owned(),
        flags: Vec::new(),
        evidence: Vec::new(),
        explanation: None,
        cause: None,
    };
    let held = match matcher::judge(&statement, &[], &stored(&served)) {
        Judgement::SeenAgain(Seen::Memory(memory)) => Some(memory),
        Judgement::Propose { targets, .. } => {
            targets.into_iter().next().map(|target| target.memory)
        }
        Judgement::SeenAgain(Seen::Waiting(_)) | Judgement::Suppressed(_) | Judgement::NoTarget => {
            None
        }
    };
    match held {
        Some(memory) => Err(EngineError::SlotTaken { memory }),
        None => Ok(()),
    }
}

async fn revise(
    tx: &mut Tx,
    memory: &Memory,
    action: RevisionAction,
    approving: &Approving<'_>,
    stamp: &Stamp,
) -> Result<MemoryId> {
    let mut write = approving.write.clone();
    let cause = approving.candidate.proposal.cause;
    let change = Values {
        kind: write.kind.clone(),
        name: write.name.take(),
        importance: write.importance,
        tags: std::mem::take(&mut write.tags),
        metadata: std::mem::take(&mut write.metadata),
    };
    let revised = Values::from(memory).revised(change, cause);
    write.name = revised.name;
    write.tags = revised.tags;
    write.metadata = revised.metadata;
    // What the approver says counts as said.
    if approving.approval.edit.importance.is_none() {
        write.importance = revised.importance;
    }
    if cause == Some(Cause::SchemaChanged) {
        // Nobody said anything: when it was said and how long it lives stays.
        write.conversation.clone_from(&memory.conversation);
        write.said_at = memory.said_at;
        write.expires_at = memory.expires_at;
    }
    has_place(tx, memory, &write, &[], stamp.now).await?;
    Ok(tx.revise_memory(memory, action, &write, stamp).await?.id)
}

/// One memory out of several: the others are retired with this decision, each as it was seen, and the kept one takes the statement.
async fn merge(tx: &mut Tx, approving: &Approving<'_>, stamp: &Stamp) -> Result<MemoryId> {
    // All are looked at before the first is changed.
    let kept = kept(tx, approving, false, stamp).await?;
    let absorbed = absorbed(tx, approving, stamp).await?;
    for memory in &absorbed {
        retire(tx, memory, RetiredFor::Merged, approving, stamp).await?;
    }
    revise(tx, &kept, RevisionAction::Merge, approving, stamp).await
}

/// The memories that a merge retires, each as it was seen.
async fn absorbed(tx: &mut Tx, approving: &Approving<'_>, stamp: &Stamp) -> Result<Vec<Memory>> {
    let mut absorbed = Vec::new();
    for target in &approving.candidate.proposal.targets {
        if target.absorbed {
            let named = approving.approval.seen_absorbed.get(&target.memory);
            absorbed.push(
                present(
                    tx,
                    &target.memory,
                    approving.candidate,
                    named.copied(),
                    false,
                    stamp,
                )
                .await?,
            );
        }
    }
    Ok(absorbed)
}

async fn retire(
    tx: &mut Tx,
    memory: &Memory,
    why: RetiredFor,
    approving: &Approving<'_>,
    stamp: &Stamp,
) -> Result<MemoryId> {
    let Approving {
        candidate,
        decision,
        ..
    } = approving;
    Ok(tx
        .retire_memory(
            memory,
            why,
            Some(&candidate.id),
            Some(decision),
            None,
            stamp,
        )
        .await?
        .id)
}
