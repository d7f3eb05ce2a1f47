//! Working on bulks, a batch at a time: claimed like a job, so that one process of many does it, and another goes on where one died.
//! Each batch is done with the rights that the person has then, and the key through which they asked.

use domain::{
    agent::AgentScope,
    bulk::{BulkState, BulkVerdict, is_risky},
    candidate::Flag,
    id::BulkId,
    permission::{Permission, Permit},
};
use store::{Bulk, BulkClaim, BulkItem, InBulk, Items, Queued, Stamp};

use crate::{
    Approval, Engine, Version, again,
    error::{EngineError, Result},
    worker::Progress,
};

/// Decisions of one claim, so that bulks take turns.
const DECIDED: u32 = 50;
/// Candidates gathered in one transaction.
const COLLECTED: u32 = 1000;

impl Engine {
    /// Claims a bulk and does a batch of it; `false` where none waits.
    ///
    /// # Errors
    /// Only the database's; the bulk is then tried again when its claim has run out.
    pub async fn work_bulk_once(&self) -> Result<bool> {
        let (now, until) = (self.now(), self.lease_until());
        let Some(claim) = self.db().claim_work::<BulkId>(now, until).await? else {
            return Ok(false);
        };
        if self.batch(&claim).await? == Progress::More {
            self.pass_on(&claim).await?;
        }
        Ok(true)
    }

    /// Does all of a bulk that is claimed.
    pub(super) async fn run_bulk(&self, claim: &BulkClaim) -> Result<()> {
        while self.batch(claim).await? == Progress::More {}
        Ok(())
    }

    /// A batch; one that somebody else has by now, or that was stopped, has ended for us.
    async fn batch(&self, claim: &BulkClaim) -> Result<Progress> {
        match self.batch_of(claim).await {
            Err(error) if error.is_lost_claim() => {
                tracing::debug!(bulk = %claim.id, "a bulk was stopped, or somebody else works on it");
                Ok(Progress::Ended)
            }
            done => done,
        }
    }

    async fn batch_of(&self, claim: &BulkClaim) -> Result<Progress> {
        let bulk = self.read_all().await?.bulk(&claim.id).await?;
        let bulk = bulk.ok_or(EngineError::NotFound)?;
        let Some(actor) = self.actor(&bulk.person).await? else {
            return self.end_bulk(claim, Some("deactivated"), None).await;
        };
        // What a key began does no more than the key may, and goes on no longer than it opens anything.
        let actor = match &bulk.key {
            None => Some(actor),
            Some(key) => self.actor_of_key(key).await?,
        };
        let Some(actor) = actor else {
            return self.end_bulk(claim, Some("key_ended"), None).await;
        };
        let Ok(permit) = Permit::ask(actor, Permission::Decide) else {
            return self.end_bulk(claim, Some("forbidden"), None).await;
        };
        let Some(scope) = both(permit.scope(), &bulk.scope) else {
            return self.end_bulk(claim, Some("forbidden"), Some(&permit)).await;
        };
        if bulk.state == BulkState::Collecting {
            again!(self.collect_some(claim, &bulk, &scope).await)?;
            return Ok(Progress::More);
        }
        let page = store::Page::first(DECIDED);
        let mut tx = self.read_all().await?;
        let items = tx.bulk_items(&claim.id, Items::Waiting, &page).await?.rows;
        drop(tx);
        if items.is_empty() {
            return self.end_bulk(claim, None, Some(&permit)).await;
        }
        for item in items {
            self.one(claim, &bulk, &item, &permit, &scope).await?;
        }
        Ok(Progress::More)
    }

    async fn collect_some(&self, claim: &BulkClaim, bulk: &Bulk, scope: &AgentScope) -> Result<()> {
        let filter = bulk.filter.as_ref().ok_or(EngineError::NotFound)?;
        let mut tx = self.db().write(scope.clone()).await?;
        tx.collect_bulk(claim, filter, COLLECTED, self.lease_until(), self.now())
            .await?;
        Ok(tx.commit().await?)
    }

    /// Decides one candidate, and writes what came of it.
    async fn one(
        &self,
        claim: &BulkClaim,
        bulk: &Bulk,
        item: &BulkItem,
        permit: &Permit,
        scope: &AgentScope,
    ) -> Result<()> {
        let permit = permit
            .within(&item.agent)
            .filter(|_| scope.contains(&item.agent));
        let decided = match permit {
            None => Err(EngineError::NotFound),
            Some(permit) => self.decide_item(claim, bulk, item, &permit).await,
        };
        let code = match decided {
            Ok(()) => return Ok(()),
            Err(error @ (EngineError::Unavailable | EngineError::Busy)) => return Err(error),
            Err(error) if error.is_lost_claim() => return Err(error),
            Err(EngineError::Internal(error)) => {
                tracing::error!(bulk = %claim.id, candidate = %item.candidate, %error, "a decision of a bulk failed inside Keepsake");
                "internal"
            }
            Err(error) => error.code(),
        };
        again!(self.refuse_item(claim, item, code).await)
    }

    async fn refuse_item(&self, claim: &BulkClaim, item: &BulkItem, code: &str) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.fail_item(claim, item, code, self.lease_until()).await?;
        Ok(tx.commit().await?)
    }

    async fn decide_item(
        &self,
        claim: &BulkClaim,
        bulk: &Bulk,
        item: &BulkItem,
        permit: &Permit,
    ) -> Result<()> {
        let mut in_bulk = InBulk {
            claim: claim.clone(),
            insisted: false,
            until: self.lease_until(),
        };
        let seen = Some(Version::Is(item.version));
        let (id, note) = (&item.candidate, bulk.note.clone());
        // Each decision settles its item in its own transaction; so does the agreement of the first of two, and its withdrawal (G9).
        match bulk.verdict {
            BulkVerdict::Approve => {
                let row = self.read(permit).await?.candidate(id).await?;
                let row = row.ok_or(EngineError::NotFound)?;
                let mut approval = Approval {
                    note,
                    ..Approval::default()
                };
                if row.candidate.version == item.version && must_be_looked_at(&row) {
                    if !bulk.insist || !administers(permit) {
                        return Err(EngineError::Risky);
                    }
                    in_bulk.insisted = true;
                    as_it_stands(&row, &mut approval);
                }
                let engine = self.in_bulk(in_bulk.clone());
                engine.approve(permit, id, seen, approval).await?;
            }
            BulkVerdict::Reject => {
                let reason = bulk.reason.ok_or(EngineError::NotFound)?;
                let engine = self.in_bulk(in_bulk.clone());
                engine.reject(permit, id, seen, reason, note).await?;
            }
            BulkVerdict::Reopen => {
                let engine = self.in_bulk(in_bulk.clone());
                engine.reopen(permit, id, seen, note).await?;
            }
        }
        Ok(())
    }

    async fn end_bulk(
        &self,
        claim: &BulkClaim,
        error: Option<&str>,
        permit: Option<&Permit>,
    ) -> Result<Progress> {
        let stamp = match permit {
            Some(permit) => self.stamp(permit),
            None => Stamp::system(self.now()),
        };
        again!(self.end_bulk_once(claim, error, &stamp).await)?;
        Ok(Progress::Ended)
    }

    async fn end_bulk_once(
        &self,
        claim: &BulkClaim,
        error: Option<&str>,
        stamp: &Stamp,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.finish_bulk(claim, error, stamp).await?;
        Ok(tx.commit().await?)
    }
}

/// Whether nobody approves it without a look: for what it says, or because a memory that it would change has moved on.
fn must_be_looked_at(row: &Queued) -> bool {
    is_risky(&row.candidate.proposal.flags)
        || (row.target_moved() && is_risky(&[Flag::TargetMoved]))
}

/// Whoever insists means the memories as they are now.
fn as_it_stands(row: &Queued, approval: &mut Approval) {
    for (then, now) in row.candidate.proposal.targets.iter().zip(&row.targets) {
        if then.absorbed {
            approval
                .seen_absorbed
                .insert(now.memory.clone(), now.revision);
        } else {
            approval.seen_target = Some(now.revision);
        }
    }
}

fn administers(permit: &Permit) -> bool {
    Permit::ask(permit.actor().clone(), Permission::Administer).is_ok_and(
        |administers| match permit.scope() {
            AgentScope::One(agent) => administers.scope().contains(agent),
            AgentScope::Some(_) | AgentScope::All => false,
        },
    )
}

/// The agents that are in both; `None` where that is none.
fn both(one: &AgentScope, other: &AgentScope) -> Option<AgentScope> {
    let agents = match (one, other) {
        (AgentScope::All, scope) | (scope, AgentScope::All) => return Some(scope.clone()),
        (AgentScope::One(agent), _) => vec![agent.clone()],
        (AgentScope::Some(agents), _) => agents.clone(),
    };
    let agents: Vec<_> = agents
        .into_iter()
        .filter(|agent| other.contains(agent))
        .collect();
    (!agents.is_empty()).then_some(AgentScope::Some(agents))
}

#[cfg(test)]
mod tests {
    use domain::agent::AgentName;

    use super::*;

    // G7
    #[test]
    fn a_bulk_reaches_no_further_than_its_person_now_and_then() {
        let agent = |name: &str| AgentName::parse(name).unwrap();
        let (one, two) = (agent("one"), agent("two"));
        let some =
            |agents: &[&AgentName]| AgentScope::Some(agents.iter().copied().cloned().collect());
        assert_eq!(both(&AgentScope::All, &some(&[&one])), Some(some(&[&one])));
        assert_eq!(
            both(&some(&[&one, &two]), &some(&[&two])),
            Some(some(&[&two]))
        );
        assert_eq!(both(&AgentScope::One(one.clone()), &some(&[&two])), None);
    }
}
