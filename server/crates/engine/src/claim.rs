//! Claims: who edits a candidate keeps the others from deciding it meanwhile, for five minutes or as long as the page says that they
//! are still there (F7). Reading is never in the way of anybody.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Candidate,
    id::{CandidateId, PersonId},
    permission::{Permission, Permit, authorize},
    time::Span,
};
use serde::Serialize;
use store::{Claim, Stamp, Tx};

use crate::{
    Engine, again,
    error::{Current, EngineError, Result},
    need,
    page::By,
    review::{view, waiting},
    speaks,
};

/// How long a claim holds when nothing more is heard of its owner.
pub const HOLDS: Span = Span::minutes(5);

/// A claim, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ClaimView {
    /// Whose it is.
    pub by: By,
    /// When it runs out unless it is renewed.
    #[schema(value_type = String, format = DateTime)]
    pub until: Timestamp,
    /// From whom it was taken over.
    #[serde(skip)]
    pub taken_from: Option<PersonId>,
}

impl ClaimView {
    pub(crate) fn new(claim: Claim, name: Option<String>) -> Self {
        Self {
            by: By::person(&claim.person, name),
            until: claim.until,
            taken_from: claim.taken_from,
        }
    }

    /// Whether it is this person's.
    pub fn is_of(&self, person: &PersonId) -> bool {
        self.by.id.as_deref() == Some(person.as_str())
    }
}

impl Engine {
    /// Claims a candidate that waits, or renews the claim.
    ///
    /// # Errors
    /// `claimed` where somebody else has it; `already_decided`, `expired`.
    pub async fn claim(&self, permit: &Permit, id: &CandidateId) -> Result<ClaimView> {
        need(permit, &[Permission::Decide])?;
        again!(self.claim_once(permit, id, false).await)
    }

    /// Claims a candidate, also one that somebody else has: for administrators of its agent.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`]; `already_decided`, `expired`.
    pub async fn take_over(&self, permit: &Permit, id: &CandidateId) -> Result<ClaimView> {
        need(permit, &[Permission::Decide])?;
        again!(self.claim_once(permit, id, true).await)
    }

    async fn claim_once(
        &self,
        permit: &Permit,
        id: &CandidateId,
        take_over: bool,
    ) -> Result<ClaimView> {
        let stamp = self.stamp(permit);
        let person = stamp.person().ok_or(EngineError::Forbidden)?;
        let mut tx = self.write(permit).await?;
        let candidate = waiting(&mut tx, id, stamp.now).await?;
        // What one may not decide one does not keep from others.
        speaks(permit, &candidate.agent, &candidate.proposal.language)?;
        if !take_over {
            unclaimed(&mut tx, &candidate, &stamp).await?;
        } else if !may_take_over(permit, &candidate.agent) {
            return Err(EngineError::Forbidden);
        }
        let until = stamp.now + HOLDS;
        let claim = tx.put_claim(&candidate, &person, until, &stamp).await?;
        let name = tx.person_names(std::slice::from_ref(&person)).await?;
        tx.commit().await?;
        Ok(ClaimView::new(claim, name.get(&person).cloned()))
    }

    /// Gives one's claim up. Where there is none, that is well too.
    ///
    /// # Errors
    /// `claimed` where somebody else has it; [`EngineError::NotFound`].
    pub async fn release(&self, permit: &Permit, id: &CandidateId) -> Result<()> {
        need(permit, &[Permission::Decide])?;
        again!(self.release_once(permit, id).await)
    }

    async fn release_once(&self, permit: &Permit, id: &CandidateId) -> Result<()> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let candidate = tx.candidate_for_update(id).await?;
        let candidate = candidate.ok_or(EngineError::NotFound)?;
        unclaimed(&mut tx, &candidate, &stamp).await?;
        tx.give_up_claim(&candidate, &stamp).await?;
        Ok(tx.commit().await?)
    }
}

/// Whether the person may take over what others of this agent have claimed.
pub fn may_take_over(permit: &Permit, agent: &AgentName) -> bool {
    authorize(permit.actor(), Permission::Administer).is_ok_and(|scope| scope.contains(agent))
}

/// Refuses what somebody else has claimed.
pub(crate) async fn unclaimed(tx: &mut Tx, candidate: &Candidate, stamp: &Stamp) -> Result<()> {
    let claim = tx.claim_of(candidate, stamp.now).await?;
    let person = stamp.person();
    let Some(claim) = claim.filter(|claim| Some(&claim.person) != person.as_ref()) else {
        return Ok(());
    };
    let names = tx.person_names(std::slice::from_ref(&claim.person)).await?;
    Err(EngineError::Claimed {
        by: names.get(&claim.person).cloned(),
        until: claim.until,
        current: Current::Candidate(Box::new(view(tx, &candidate.id).await?)),
    })
}
