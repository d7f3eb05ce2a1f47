//! Approving by policy (A12): what a person has said they need not look at. The decision names the policy and that person, and is as
//! open to undo as any other.

use domain::{
    agent::AgentSettings,
    candidate::{Candidate, Edit, Proposal, Verdict},
    id::{DecisionId, MemoryId},
    matcher,
};
use store::{Stamp, Tx};

use super::{Approval, approve::prepare, carry_out::carry_out};
use crate::{
    Engine,
    error::{EngineError, Result},
};

impl Engine {
    /// Approves a candidate that was proposed a moment ago in this transaction, where a policy fits. `None`: it waits for a person.
    ///
    /// `settings` are those the job began with; they are read again before anything is decided, so that a policy that was switched
    /// off meanwhile decides nothing more.
    ///
    /// # Errors
    /// Only the database's; whatever stands against the approval leaves the candidate waiting.
    pub(crate) async fn decide_by_policy(
        &self,
        tx: &mut Tx,
        settings: &AgentSettings,
        candidate: &Candidate,
        stamp: &Stamp,
    ) -> Result<Option<MemoryId>> {
        let fits = |settings: &AgentSettings| {
            let policies = settings.auto_approve.iter();
            policies
                .filter(|policy| policy.fits(&candidate.proposal))
                .min_by_key(|policy| policy.at)
                .cloned()
        };
        if fits(settings).is_none() {
            return Ok(None);
        }
        let agent = tx.agent(&candidate.agent).await?;
        let Some(settings) = agent.map(|agent| agent.settings) else {
            return Ok(None);
        };
        let Some(policy) = fits(&settings) else {
            return Ok(None);
        };
        // What two people must agree to is for people (G9).
        let proposal = &candidate.proposal;
        let asks = settings
            .four_eyes
            .asks([proposal.kind.as_str()], &proposal.flags);
        if asks {
            return Ok(None);
        }
        if !changes_its_own_sort(tx, &candidate.proposal).await? {
            return Ok(None);
        }
        let stamp = Stamp::policy(&policy, stamp.now);
        let decision = DecisionId::new(stamp.now, self.entropy());
        let fresh = MemoryId::new(stamp.now, self.entropy());
        let approval = Approval::default();
        if candidate
            .clone()
            .approve(decision.clone(), fresh.clone(), stamp.now)
            .is_err()
        {
            return Ok(None);
        }
        // Each refusal comes before the first write, so the transaction is as it was.
        let done = async {
            let approving =
                prepare(tx, candidate, decision.clone(), &approval, None, &stamp).await?;
            carry_out(tx, fresh, &approving, None, &stamp).await
        };
        let memory = match done.await {
            Ok(memory) => memory,
            Err(EngineError::Full { .. }) => {
                let by_system = Stamp::system(stamp.now);
                self.propose_room(tx, &candidate.agent, &candidate.user, &by_system)
                    .await?;
                return Ok(None);
            }
            Err(
                error @ (EngineError::Internal(_) | EngineError::Unavailable | EngineError::Busy),
            ) => return Err(error),
            Err(refused) => {
                tracing::debug!(candidate = %candidate.id, policy = %policy.name, code = refused.code(), "a policy could not approve; it waits for a person");
                return Ok(None);
            }
        };
        let after = candidate
            .clone()
            .approve(decision, memory.clone(), stamp.now)
            .map_err(|_| EngineError::NotFound)?;
        tx.decide(
            candidate,
            &after,
            &Verdict::Approve(Edit::default()),
            None,
            &stamp,
        )
        .await?;
        Ok(Some(memory))
    }
}

/// Whether what a proposal would change is of the proposal's own kind, and what is told apart by its name has the same one: a policy
/// for one kind is no leave to overwrite memories of another.
async fn changes_its_own_sort(tx: &mut Tx, proposal: &Proposal) -> Result<bool> {
    for target in &proposal.targets {
        let Some(memory) = tx.memory_for_update(&target.memory).await? else {
            return Ok(false);
        };
        let another_name = matcher::by_name(&memory.kind) && memory.name != proposal.name;
        if memory.kind != proposal.kind || another_name {
            return Ok(false);
        }
    }
    Ok(true)
}
