//! Four eyes (G9): what an agent's settings single out is approved by two different people. The first one's agreement is kept with what
//! they changed; whoever approves the same after them makes the approval, whoever approves otherwise takes their place. Agreeing makes
//! another version of the candidate, so that nobody decides without having seen who agreed to what.

use domain::{
    agent::FourEyes,
    candidate::{Candidate, Edit, Flag},
    id::{MemoryId, PersonId},
};
use store::{AgreedTo, Agreement, Stamp, Tx};

use super::{
    Approval,
    carry_out::{Approving, as_it_was_seen},
    lost, refused, view,
};
use crate::{
    candidate::CandidateView,
    error::{Current, EngineError, Result},
    passed::passed,
};

/// The approval as it is meant: with nothing changed it is that of whoever agreed before.
pub(super) fn meant(
    approval: &Approval,
    standing: Option<&Agreement>,
    person: Option<&PersonId>,
) -> Approval {
    let mut meant = approval.clone();
    let Some(first) = standing.filter(|first| Some(&first.person) != person) else {
        return meant;
    };
    if is_plain(approval) {
        meant.edit = first.to.edit.clone();
        meant.merge_into.clone_from(&first.to.merge_into);
        if let Some(into) = &first.to.merge_into {
            meant.seen_target = revision_of(&first.to.targets, into);
        }
        meant.note = meant.note.or_else(|| first.to.note.clone());
    }
    meant
}

fn is_plain(approval: &Approval) -> bool {
    approval.edit.is_empty() && approval.merge_into.is_none()
}

fn revision_of(targets: &[(MemoryId, i64)], of: &MemoryId) -> Option<i64> {
    let target = targets.iter().find(|(memory, _)| memory == of);
    target.map(|(_, revision)| *revision)
}

/// Asks for the second person where one is needed. `asked` is the approval as it came, `approving` what it means. `Some`: it was the
/// first of two, and the candidate waits on.
///
/// # Errors
/// [`EngineError::SecondPersonNeeded`] for who agreed already; `stale`, `expired`.
pub(super) async fn first_of_two(
    tx: &mut Tx,
    before: &Candidate,
    asked: &Approval,
    approving: &Approving<'_>,
    standing: Option<&Agreement>,
    stamp: &Stamp,
) -> Result<Option<CandidateView>> {
    let agent = tx.agent(&before.agent).await?;
    let four_eyes = agent
        .map(|agent| agent.settings.four_eyes)
        .unwrap_or_default();
    let looked = match four_eyes == FourEyes::default() {
        true => None,
        false => Some(look(tx, before, approving, stamp).await?),
    };
    let asks = |looked: &Looked| {
        let kinds = looked.kinds.iter().map(String::as_str);
        four_eyes.asks(kinds, &looked.flags)
    };
    let Some(looked) = looked.filter(asks) else {
        // One decides, so one is named.
        tx.drop_agreement(before).await?;
        return Ok(None);
    };
    let to = AgreedTo {
        edit: changes(&approving.approval.edit, before),
        merge_into: approving.approval.merge_into.clone(),
        targets: looked.targets,
        note: approving.approval.note.clone(),
    };
    let Some(person) = stamp.person() else {
        return Err(second_person_needed(tx, before).await);
    };
    if let Some(first) = standing {
        let same = first.to.edit == to.edit
            && first.to.merge_into == to.merge_into
            && first.to.targets == to.targets;
        match first.person == person {
            true if same || is_plain(asked) => return Err(second_person_needed(tx, before).await),
            false if same => return Ok(None),
            _ => {}
        }
    }
    as_it_was_seen(tx, approving, stamp).await?;
    let after = match before.clone().agreed(stamp.now) {
        Ok(after) => after,
        Err(why) => return Err(refused(tx, &before.id, why).await),
    };
    if let Err(error) = tx.agree(before, &after, &to, stamp).await {
        return Err(lost(tx, &before.id, error).await);
    }
    view(tx, &before.id).await.map(Some)
}

/// Takes back what the same person agreed to; `None` where it is not theirs.
///
/// # Errors
/// `stale`, `expired`.
pub(super) async fn withdraw(
    tx: &mut Tx,
    before: &Candidate,
    stamp: &Stamp,
) -> Result<Option<CandidateView>> {
    let standing = tx.agreement(before).await?;
    if standing.is_none_or(|first| Some(first.person) != stamp.person()) {
        return Ok(None);
    }
    let after = match before.clone().agreed(stamp.now) {
        Ok(after) => after,
        Err(why) => return Err(refused(tx, &before.id, why).await),
    };
    if let Err(error) = tx.withdraw_agreement(before, &after, stamp).await {
        return Err(lost(tx, &before.id, error).await);
    }
    view(tx, &before.id).await.map(Some)
}

async fn second_person_needed(tx: &mut Tx, candidate: &Candidate) -> EngineError {
    match view(tx, &candidate.id).await {
        Ok(current) => EngineError::SecondPersonNeeded {
            current: Current::Candidate(Box::new(current)),
        },
        Err(error) => error,
    }
}

/// What the settings look at.
struct Looked {
    /// The kinds of what is proposed, of what it would become, and of what it would change.
    kinds: Vec<String>,
    flags: Vec<Flag>,
    targets: Vec<(MemoryId, i64)>,
}

async fn look(
    tx: &mut Tx,
    candidate: &Candidate,
    approving: &Approving<'_>,
    stamp: &Stamp,
) -> Result<Looked> {
    let proposal = &candidate.proposal;
    let mut kinds = vec![proposal.kind.clone(), approving.write.kind.clone()];
    let mut flags = proposal.flags.clone();
    let mut targets = Vec::new();
    let into = approving.approval.merge_into.as_ref();
    let proposed = proposal.targets.iter().map(|target| &target.memory);
    for id in proposed.filter(|_| into.is_none()).chain(into) {
        if let Some(memory) = tx.memory(id).await? {
            targets.push((memory.id, memory.revision));
            kinds.push(memory.kind);
        }
    }
    let row = tx.candidate(&candidate.id).await?;
    if row.is_some_and(|row| row.target_moved()) {
        flags.push(Flag::TargetMoved);
    }
    if passed(&proposal.kind, &proposal.metadata, stamp.now) {
        flags.push(Flag::DatePassed);
    }
    Ok(Looked {
        kinds,
        flags,
        targets,
    })
}

/// What of an edit says otherwise than the proposal: two people mean the same whether or not they repeat what is there.
fn changes(edit: &Edit, candidate: &Candidate) -> Edit {
    let proposal = &candidate.proposal;
    let Edit {
        content,
        kind,
        name,
        metadata,
        importance,
    } = edit.clone();
    Edit {
        content: content.filter(|content| *content != proposal.content),
        kind: kind.filter(|kind| *kind != proposal.kind),
        name: name.filter(|name| Some(name) != proposal.name.as_ref()),
        metadata: metadata.filter(|metadata| *metadata != proposal.metadata),
        importance: importance
            .filter(|importance| importance.to_bits() != proposal.importance.to_bits()),
    }
}
