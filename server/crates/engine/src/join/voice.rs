//! What is told of a person with several ids: as of one user, the main id first, nothing twice and nothing against it.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate},
    id::{MemoryId, UserId},
    join::{OneVoice, one_voice},
    matcher::{self, Judgement, Seen},
    memory::Memory,
    render::CutFor,
};
use serde::Serialize;
use store::{Known, Tx};

use super::others;
use crate::{
    error::Result, memory::MemoryView, review::limit::least_first, view::Names, worker::stored,
};

/// What is told, and what is not because of another id.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Oldest first.
    pub memories: Vec<Memory>,
    /// With the reason.
    pub left: Vec<(Memory, CutFor)>,
}

/// Two memories that contradict each other under different ids of one person.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ConflictView {
    /// What is told: that of the main id, or of the id that was joined first.
    pub told: MemoryView,
    /// What is not told, until a person retires or changes one of the two.
    pub silent: MemoryView,
}

/// The approved memories of a person's ids, as many as one user may have.
///
/// # Errors
/// Only the database's.
pub(crate) async fn told(
    tx: &mut Tx,
    agent: &AgentName,
    ids: &[UserId],
    most: u32,
    now: Timestamp,
) -> Result<Told> {
    let mut left = Vec::new();
    let mut of_ids = Vec::with_capacity(ids.len());
    for id in ids {
        of_ids.push(tx.approved(agent, id, now).await?);
    }
    if ids.len() == 1 {
        let approved = of_ids.into_iter().flatten().collect();
        let memories = without_grace(approved, now, &mut left);
        return Ok(Told { memories, left });
    }
    // What has a grace stands, so it silences what another id says otherwise: neither is told until the grace is over.
    let OneVoice { told, silent } = one_voice(of_ids);
    let told = without_grace(told, now, &mut left);
    let withheld: BTreeSet<MemoryId> = left.iter().map(|(memory, _)| memory.id.clone()).collect();
    let over = told.len().saturating_sub(most as usize);
    let least: BTreeSet<MemoryId> = least_first(&told, now)
        .into_iter()
        .take(over)
        .map(|memory| memory.id.clone())
        .collect();
    let (beyond, memories): (Vec<Memory>, Vec<Memory>) = told
        .into_iter()
        .partition(|memory| least.contains(&memory.id));
    let silent = silent.into_iter().map(|silent| {
        let grace = silent.memory.has_grace(now) || withheld.contains(&silent.beside);
        (silent.memory, silenced(grace))
    });
    let beyond = beyond.into_iter().map(|memory| (memory, CutFor::Cap));
    left.extend(silent.chain(beyond));
    Ok(Told { memories, left })
}

/// What of the approved memories agents are told; the rest goes to what is left out.
fn without_grace(
    approved: Vec<Memory>,
    now: Timestamp,
    left: &mut Vec<(Memory, CutFor)>,
) -> Vec<Memory> {
    let (waiting, told): (Vec<Memory>, Vec<Memory>) = approved
        .into_iter()
        .partition(|memory| memory.has_grace(now));
    left.extend(waiting.into_iter().map(|memory| (memory, CutFor::Grace)));
    told
}

/// Why another id silences a memory. Where one of the two has a grace an agent must not learn that there are two, so the grace is the
/// reason.
fn silenced(grace: bool) -> CutFor {
    if grace {
        CutFor::Grace
    } else {
        CutFor::OtherId
    }
}

/// The profile fields of a person's ids: each is that of the first id that fills it.
///
/// # Errors
/// Only the database's.
pub(crate) async fn told_fields(
    tx: &mut Tx,
    agent: &AgentName,
    ids: &[UserId],
    now: Timestamp,
) -> Result<Told> {
    let mut told = Told::default();
    // With whether what fills it has a grace: until that is over nobody else's value is told in its place.
    let mut filled: BTreeMap<Option<String>, bool> = BTreeMap::new();
    for (at, id) in ids.iter().enumerate() {
        for memory in tx.profile(agent, id, now).await? {
            let grace = memory.has_grace(now);
            match filled.get(&memory.name).copied().filter(|_| at > 0) {
                Some(withheld) => {
                    let why = silenced(grace || withheld);
                    told.left.push((memory, why));
                }
                None => {
                    filled.insert(memory.name.clone(), grace);
                    if grace {
                        told.left.push((memory, CutFor::Grace));
                    } else {
                        told.memories.push(memory);
                    }
                }
            }
        }
    }
    Ok(told)
}

/// What contradicts each other under the ids of a person, for a reviewer to decide.
///
/// # Errors
/// Only the database's.
pub(crate) async fn conflicts(
    tx: &mut Tx,
    names: &mut Names,
    agent: &AgentName,
    ids: &[UserId],
    now: Timestamp,
) -> Result<Vec<ConflictView>> {
    if ids.len() < 2 {
        return Ok(Vec::new());
    }
    let mut of_ids = Vec::with_capacity(ids.len());
    for id in ids {
        of_ids.push(tx.approved(agent, id, now).await?);
    }
    let OneVoice { told, silent } = one_voice(of_ids);
    let mut conflicts = Vec::new();
    for silent in silent.into_iter().filter(|silent| silent.contradicts) {
        let Some(beside) = told.iter().find(|memory| memory.id == silent.beside) else {
            continue;
        };
        let told = names.memory(tx, beside.clone()).await?;
        let silent = names.memory(tx, silent.memory).await?;
        conflicts.extend(
            told.zip(silent)
                .map(|(told, silent)| ConflictView { told, silent }),
        );
    }
    Ok(conflicts)
}

/// What other ids of the person say of the thing that a waiting statement is about: it is shown beside it, and changed by no decision
/// about it.
///
/// # Errors
/// Only the database's.
pub(crate) async fn meets_elsewhere(
    tx: &mut Tx,
    names: &mut Names,
    candidate: &Candidate,
    now: Timestamp,
) -> Result<Vec<MemoryView>> {
    let states = matches!(candidate.proposal.action, Action::Create | Action::Update);
    let mut found = Vec::new();
    if !states || !candidate.waits(now) {
        return Ok(found);
    }
    for other in others(tx, &candidate.agent, &candidate.user).await? {
        let known = Known {
            memories: tx.approved(&candidate.agent, &other, now).await?,
            waiting: Vec::new(),
            rejected: Vec::new(),
        };
        let met = match matcher::judge(&candidate.proposal, &[], &stored(&known)) {
            Judgement::SeenAgain(Seen::Memory(memory)) => Some(memory),
            Judgement::Propose { targets, .. } => {
                targets.into_iter().next().map(|target| target.memory)
            }
            Judgement::SeenAgain(Seen::Waiting(_))
            | Judgement::Suppressed(_)
            | Judgement::NoTarget => None,
        };
        let memory = known
            .memories
            .into_iter()
            .find(|memory| Some(&memory.id) == met.as_ref());
        if let Some(memory) = memory {
            found.extend(names.memory(tx, memory).await?);
        }
    }
    Ok(found)
}
