//! What Keepsake proposes by itself (F2): a retirement at the limit, of what never helped, of what has passed; a change after a new
//! schema; a trend. It goes to the same queue as everything else, with its cause, and a person decides.
//!
//! Nobody said anything, so nothing counts as said again: what waits already, or was rejected by a person within 90 days, is left.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate, Cause, Flag, Proposal, Target},
    id::{CandidateId, MemoryId, UserId},
    matcher::{self, Judgement},
    memory::Memory,
};
use serde_json::{Map, Value};
use store::{Known, NewCandidate, Stamp, Tx};

use crate::{Engine, error::Result, worker::stored};

impl Engine {
    /// Proposes something of Keepsake's own about a user; `None` where the same waits already, is stored, or was rejected by a
    /// person within 90 days. The targets of an update or a retirement are those of the proposal; a create about the same thing
    /// as a memory becomes an update of it.
    ///
    /// # Errors
    /// Only the database's.
    pub(crate) async fn suggest(
        &self,
        tx: &mut Tx,
        agent: &AgentName,
        user: &UserId,
        proposal: Proposal,
        stamp: &Stamp,
    ) -> Result<Option<CandidateId>> {
        let known = tx.known(agent, user, stamp.now).await?;
        let Some((proposal, supersedes)) = judged(proposal, &known) else {
            return Ok(None);
        };
        let new = NewCandidate {
            agent: agent.clone(),
            user: user.clone(),
            proposal,
            extraction: None,
            supersedes,
        };
        match tx.propose(&new, stamp).await {
            Ok(candidate) => Ok(Some(candidate.id)),
            Err(store::Error::StillWaiting(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Proposes to retire a memory, in the memory's own words.
    ///
    /// # Errors
    /// Only the database's.
    pub(crate) async fn suggest_retire(
        &self,
        tx: &mut Tx,
        memory: &Memory,
        cause: Cause,
        stamp: &Stamp,
    ) -> Result<Option<CandidateId>> {
        let proposal = retirement(memory, cause);
        self.suggest(tx, &memory.agent, &memory.user, proposal, stamp)
            .await
    }
}

/// Whether [`Engine::suggest_retire`] would propose something as things stand; a transaction that reads is enough.
///
/// # Errors
/// Only the database's.
pub(crate) async fn would_suggest_retire(
    tx: &mut Tx,
    memory: &Memory,
    cause: Cause,
    now: Timestamp,
) -> Result<bool> {
    let known = tx.known(&memory.agent, &memory.user, now).await?;
    Ok(judged(retirement(memory, cause), &known).is_some())
}

fn retirement(memory: &Memory, cause: Cause) -> Proposal {
    Proposal {
        action: Action::Retire,
        targets: vec![target(memory)],
        kind: memory.kind.clone(),
        name: memory.name.clone(),
        content: memory.content.clone(),
        metadata: memory.metadata.clone(),
        tags: memory.tags.clone(),
        confidence: 1.0,
        importance: memory.importance,
        language: memory.language.clone(),
        flags: (cause == Cause::OtherId)
            .then_some(Flag::AskedToForget)
            .into_iter()
            .collect(),
        evidence: Vec::new(),
        explanation: None,
        cause: Some(cause),
    }
}

/// The proposal with the action, targets and flags that fit what there is, and what it takes the place of; `None` where there is
/// nothing to propose.
fn judged(mut proposal: Proposal, known: &Known) -> Option<(Proposal, Vec<CandidateId>)> {
    if proposal.action == Action::Create {
        let there = known.memories.iter().find(|memory| {
            subject(&memory.kind, memory.name.as_deref(), &memory.metadata) == of(&proposal)
        });
        if let Some(memory) = there.filter(|_| of(&proposal).is_some()) {
            proposal.action = Action::Update;
            proposal.targets = vec![target(memory)];
        }
    }
    let waits = |waiting: &Candidate| {
        repeats(&proposal, &waiting.proposal) && !gives_way(&proposal, &waiting.proposal)
    };
    let refused = |rejected: &Candidate| {
        proposal.cause == rejected.proposal.cause
            && (repeats(&proposal, &rejected.proposal)
                || same_finding(&proposal, &rejected.proposal))
    };
    if known.waiting.iter().any(waits) || known.rejected.iter().any(refused) {
        return None;
    }
    if proposal.action == Action::Create {
        let judgement = matcher::judge(&proposal, &[], &stored(known));
        let Judgement::Propose {
            action: Action::Create,
            flags,
            ..
        } = judgement
        else {
            return None;
        };
        // Newer figures of a trend do not deny the older ones.
        let flags = flags
            .into_iter()
            .filter(|flag| *flag != Flag::Contradiction);
        proposal.flags.extend(flags);
        proposal.flags.sort_unstable();
        proposal.flags.dedup();
    } else {
        // The matcher compares words; here only the metadata, the kind or the name may differ.
        for target in &mut proposal.targets {
            let memory = known
                .memories
                .iter()
                .find(|memory| memory.id == target.memory)?;
            target.revision = memory.revision;
        }
        let first = proposal.targets.first()?;
        let changes = known.memories.iter().any(|memory| {
            memory.id == first.memory
                && (memory.content != proposal.content
                    || memory.metadata != proposal.metadata
                    || memory.kind != proposal.kind
                    || memory.name != proposal.name)
        });
        if proposal.action == Action::Update && !changes {
            return None;
        }
    }
    let supersedes = known
        .waiting
        .iter()
        .filter(|waiting| overtakes(&proposal, &waiting.proposal))
        .map(|waiting| waiting.id.clone())
        .collect();
    Some((proposal, supersedes))
}

fn target(memory: &Memory) -> Target {
    Target {
        memory: memory.id.clone(),
        revision: memory.revision,
        absorbed: false,
    }
}

fn about(proposal: &Proposal) -> Option<&MemoryId> {
    proposal.targets.first().map(|target| &target.memory)
}

/// What a statement is about: its kind, and the thing that a finding names, else its name.
fn subject<'a>(
    kind: &'a str,
    name: Option<&'a str>,
    metadata: &'a Map<String, Value>,
) -> Option<(&'a str, &'a str)> {
    let thing = metadata.get("of").and_then(Value::as_str).or(name)?;
    Some((kind, thing))
}

fn of(proposal: &Proposal) -> Option<(&str, &str)> {
    subject(&proposal.kind, proposal.name.as_deref(), &proposal.metadata)
}

fn states(proposal: &Proposal) -> bool {
    matches!(proposal.action, Action::Create | Action::Update)
}

/// Whether an earlier candidate proposed the same. Of a retirement that is the memory, whoever wished it.
fn repeats(proposal: &Proposal, earlier: &Proposal) -> bool {
    if proposal.action == Action::Retire {
        return earlier.action == Action::Retire && about(proposal) == about(earlier);
    }
    // A trend is a create the first time and an update of its memory later.
    (proposal.action == earlier.action || (states(proposal) && states(earlier)))
        && proposal.kind == earlier.kind
        && proposal.name == earlier.name
        && proposal.content == earlier.content
        && proposal.metadata == earlier.metadata
}

/// Whether a finding with newer figures is one that a person did not want: the same thing going the same way.
fn same_finding(proposal: &Proposal, earlier: &Proposal) -> bool {
    let way = |proposal: &Proposal| proposal.metadata.get("direction").cloned();
    matches!(proposal.cause, Some(Cause::Trend | Cause::Returning))
        && of(proposal).is_some()
        && of(proposal) == of(earlier)
        && way(proposal) == way(earlier)
}

/// Whether a retirement that waits is no wish of the user's, and this one is.
fn gives_way(proposal: &Proposal, waiting: &Proposal) -> bool {
    proposal.is_urgent() && !waiting.is_urgent() && repeats(proposal, waiting)
}

/// What waits of Keepsake's own about the same thing for the same cause gives way, and to a wish of the user's what would do the same.
/// What else a person or a conversation proposed stays.
fn overtakes(proposal: &Proposal, waiting: &Proposal) -> bool {
    if gives_way(proposal, waiting) {
        return true;
    }
    let same_memory = about(proposal).is_some() && about(proposal) == about(waiting);
    let same_subject = of(proposal).is_some() && of(proposal) == of(waiting);
    proposal.cause.is_some()
        && proposal.cause == waiting.cause
        && states(proposal)
        && states(waiting)
        && (same_memory || same_subject)
}
