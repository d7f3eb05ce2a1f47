//! What is said under one id of a person, beside what the others have. It is judged under its own id first and belongs to that id,
//! whatever comes of it; of another id it is only asked whether it is known there.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Cause, Flag, Proposal},
    gate::Forget,
    id::{CandidateId, MemoryId, UserId},
    matcher::{self, Judgement, Seen},
    user::User,
};
use store::{Stamp, Tx};

use super::others;
use crate::{
    Engine,
    error::Result,
    worker::{Reading, stored, to_take_out},
};

/// What a statement is beside the other ids of the person.
pub(crate) enum Elsewhere {
    /// As under its own id.
    Own(Judgement),
    /// Another id has it: it is not proposed a second time.
    Known(Seen),
    /// A person rejected it under another id (F4).
    Rejected(CandidateId),
}

/// What "forget that I …" came to under the other ids of a person.
#[derive(Debug, Default)]
pub(crate) struct ForgottenElsewhere {
    /// Retirements that were proposed.
    pub proposed: Vec<CandidateId>,
    /// How much waited and does no more.
    pub taken_out: u32,
}

/// Asks the other ids of a person about what would be new under its own. What changes something of its own is proposed in any case. What
/// says otherwise than another id is new, and warned of: which is true, a person decides.
///
/// # Errors
/// Only the database's.
pub(crate) async fn beside(
    tx: &mut Tx,
    agent: &AgentName,
    user: &UserId,
    judgement: Judgement,
    proposal: &Proposal,
    wanted: &[MemoryId],
    now: Timestamp,
) -> Result<Elsewhere> {
    let (targets, mut flags, supersedes) = match judgement {
        Judgement::Propose {
            action: Action::Create,
            targets,
            flags,
            supersedes,
        } => (targets, flags, supersedes),
        other => return Ok(Elsewhere::Own(other)),
    };
    let overtakes = !supersedes.is_empty();
    for other in others(tx, agent, user).await? {
        let known = tx.known_beside(agent, &other, now).await?;
        match matcher::judge(proposal, wanted, &stored(&known)) {
            Judgement::SeenAgain(seen) if !overtakes => return Ok(Elsewhere::Known(seen)),
            Judgement::Suppressed(rejected) if !overtakes => {
                return Ok(Elsewhere::Rejected(rejected));
            }
            Judgement::Propose {
                targets,
                flags: more,
                ..
            } => {
                let alike = !targets.is_empty() && !more.contains(&Flag::Contradiction);
                flags.extend(alike.then_some(Flag::PossibleDuplicate));
                flags.extend(more);
            }
            Judgement::SeenAgain(_) | Judgement::Suppressed(_) | Judgement::NoTarget => {}
        }
    }
    Ok(Elsewhere::Own(Judgement::Propose {
        action: Action::Create,
        targets,
        flags,
        supersedes,
    }))
}

/// Whose memory it is that something is proposed about: an agent is told memories of all ids of a person under each of them.
///
/// # Errors
/// Only the database's.
pub(crate) async fn owner(tx: &mut Tx, user: User, memory: &MemoryId) -> Result<User> {
    let Some(memory) = tx.memory(memory).await? else {
        return Ok(user);
    };
    let others = others(tx, &user.agent, &user.id).await?;
    if memory.agent != user.agent || !others.contains(&memory.user) {
        return Ok(user);
    }
    Ok(tx.user(&memory.user).await?.unwrap_or(user))
}

impl Engine {
    /// "Forget that I …" goes for what the other ids of the person have, too (G1): it is proposed there, in the words of each memory and
    /// without those that were said, and what waits there gives way. The words stay with the id under which they were said.
    ///
    /// # Errors
    /// Only the database's.
    pub(crate) async fn forget_elsewhere(
        &self,
        tx: &mut Tx,
        agent: &AgentName,
        user: &UserId,
        forget: &Forget,
        reading: &Reading,
        stamp: &Stamp,
    ) -> Result<ForgottenElsewhere> {
        let mut forgotten = ForgottenElsewhere::default();
        for other in others(tx, agent, user).await? {
            let known = tx.known(agent, &other, stamp.now).await?;
            let there = stored(&known);
            let first = forgotten.proposed.len();
            for id in matcher::to_forget(&matcher::meant(&forget.what, &there), &there) {
                if let Some(memory) = known.memories.iter().find(|memory| memory.id == id) {
                    forgotten.proposed.extend(
                        self.suggest_retire(tx, memory, Cause::OtherId, stamp)
                            .await?,
                    );
                }
            }
            let newer = forgotten.proposed.get(first).cloned();
            for waiting in to_take_out(forget, reading, &known) {
                let taken = tx.take_out(&waiting, newer.as_ref(), None, stamp).await?;
                forgotten.taken_out += u32::from(taken);
            }
        }
        Ok(forgotten)
    }
}
