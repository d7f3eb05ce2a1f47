//! Decisions: only a person makes them, or a policy that a person switched on (A7), each guarded by the version it saw, each one transaction.

mod approve;
pub(crate) mod carry_out;
mod decide;
mod four_eyes;
pub(crate) mod limit;
mod policy;
mod reject;
pub(crate) mod reopen;
pub(crate) mod statement;

pub use approve::Approval;
pub use decide::{Choice, DecisionResult, OneDecision};
pub use reject::Remark;
pub use reopen::Reopened;

use domain::{
    Timestamp,
    candidate::{Candidate, Evidence, InvalidTransition, Reason, State},
    id::CandidateId,
};
use store::Tx;

use crate::{
    candidate::CandidateView,
    error::{Current, EngineError, Result},
    page::By,
    view::Names,
};

/// The version a write was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Exactly this one.
    Is(i64),
    /// Whatever is there.
    Any,
}

impl Version {
    /// Whether `present` is it.
    pub fn fits(self, present: i64) -> bool {
        match self {
            Self::Is(version) => version == present,
            Self::Any => true,
        }
    }
}

/// The candidate, locked; refused where another version than the one that was seen is there.
async fn seen(
    tx: &mut Tx,
    id: &CandidateId,
    version: Option<Version>,
    now: Timestamp,
) -> Result<Candidate> {
    let candidate = tx
        .candidate_for_update(id)
        .await?
        .ok_or(EngineError::NotFound)?;
    if version.unwrap_or(Version::Any).fits(candidate.version) {
        return Ok(candidate);
    }
    let current = view(tx, id).await?;
    Err(match candidate.state {
        State::Pending => EngineError::Stale {
            current: Current::Candidate(Box::new(current)),
        },
        // Whether the expiry job has run makes no difference to who comes late.
        State::Rejected {
            reason: Reason::Expired,
            ..
        } => expired(current),
        _ => already_decided(current, now),
    })
}

/// The candidate, locked, where it waits: for what comes before a decision.
pub(crate) async fn waiting(tx: &mut Tx, id: &CandidateId, now: Timestamp) -> Result<Candidate> {
    let candidate = seen(tx, id, None, now).await?;
    if candidate.waits(now) {
        return Ok(candidate);
    }
    let current = view(tx, id).await?;
    Err(match candidate.state {
        State::Pending
        | State::Rejected {
            reason: Reason::Expired,
            ..
        } => expired(current),
        _ => already_decided(current, now),
    })
}

fn already_decided(current: CandidateView, now: Timestamp) -> EngineError {
    let verdict = if current.status == domain::candidate::Status::Approved {
        "approve"
    } else {
        "reject"
    };
    EngineError::AlreadyDecided {
        verdict,
        by: current.decided_by.as_ref().and_then(who),
        at: current.decided_at.unwrap_or(now),
        now,
        current: Current::Candidate(Box::new(current)),
    }
}

/// Who decided, for a sentence.
fn who(by: &By) -> Option<String> {
    match &by.policy {
        Some(policy) => Some(format!("the policy {policy}")),
        None => by.name.clone(),
    }
}

fn expired(current: CandidateView) -> EngineError {
    EngineError::Expired {
        at: current.expires_at,
        current: Current::Candidate(Box::new(current)),
    }
}

/// The refusal of a transition, with what is there now.
async fn refused(tx: &mut Tx, id: &CandidateId, why: InvalidTransition) -> EngineError {
    let current = match view(tx, id).await {
        Ok(current) if current.reason == Some(Reason::Expired) => return expired(current),
        Ok(current) => Current::Candidate(Box::new(current)),
        Err(error) => return error,
    };
    match why {
        InvalidTransition::Expired { at } => EngineError::Expired { at, current },
        InvalidTransition::AlreadyDecided => EngineError::NotPending { current },
        InvalidTransition::StillWaiting => EngineError::StillWaiting { current },
        InvalidTransition::NotAPersonsReason => EngineError::invalid(
            "/reason",
            "unknown",
            "a person gives one of: not_durable, wrong, third_party, sensitive, duplicate, instruction, other",
        ),
    }
}

/// A lost race inside the store: somebody else wrote the same candidate between the reading and the writing.
async fn lost(tx: &mut Tx, id: &CandidateId, error: store::Error) -> EngineError {
    match error {
        store::Error::Stale => match view(tx, id).await {
            Ok(current) => EngineError::Stale {
                current: Current::Candidate(Box::new(current)),
            },
            Err(error) => error,
        },
        other => other.into(),
    }
}

pub(crate) async fn view(tx: &mut Tx, id: &CandidateId) -> Result<CandidateView> {
    let row = tx.candidate(id).await?.ok_or(EngineError::NotFound)?;
    let views = Names::default().candidates(tx, vec![row]).await?;
    views.into_iter().next().ok_or(EngineError::NotFound)
}

/// When the words of the evidence were said, and in which conversation; `otherwise` where there is none.
pub(crate) async fn said(
    tx: &mut Tx,
    evidence: &[Evidence],
    otherwise: Timestamp,
) -> Result<(Option<domain::id::ConversationId>, Timestamp)> {
    let Some(first) = evidence.first() else {
        return Ok((None, otherwise));
    };
    let at = match (&first.message, tx.conversation(&first.conversation).await?) {
        (Some(message), Some(conversation)) => tx
            .message(&conversation, message)
            .await?
            .map(|message| message.at),
        (None, Some(conversation)) => {
            Some(conversation.ended_at.unwrap_or(conversation.created_at))
        }
        _ => None,
    };
    Ok((Some(first.conversation.clone()), at.unwrap_or(otherwise)))
}
