//! Who works on a job: claimed for a while, kept by a heartbeat, and finished only by who claimed it last.

use domain::{Timestamp, agent::AgentScope, time::Span};

use crate::{
    Db, Error, JobState, Operation, Outcome, Result, Tx,
    column::to_json,
    jobs::JobRow,
    statement::{Statement, sql},
};

/// A job in the hands of a worker.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The job; `attempt` counts this claim.
    pub operation: Operation,
    /// Which claim of it this is. A worker with an older one can change nothing any more.
    pub epoch: i64,
}

// A job whose lease ran out comes first: its worker died. One job runs a user, and a conversation's jobs run oldest first, so one
// that waits for another try holds back what came after it.
const CLAIM_LEASED: &str = "
    with due as (
      select j.agent, j.id
      from jobs j
      where j.state = 'running' and j.lease_until <= $1
      order by j.lease_until
      limit 1";
const CLAIM_QUEUED: &str = "
    with due as (
      select j.agent, j.id
      from jobs j
      where j.state = 'queued' and j.next_at <= $1
        and not exists (
          select 1 from jobs r
          where r.agent = j.agent and r.user_id = j.user_id and r.state = 'running')
        and not exists (
          select 1 from jobs o
          where o.agent = j.agent and o.conversation_id = j.conversation_id and o.id < j.id
            and o.state in ('queued', 'running'))
      order by j.next_at, j.id
      limit 1";
const CLAIM: &str = ")
    update jobs
    set state = 'running', attempt = attempt + 1, epoch = epoch + 1, lease_until = $2, next_at = null
    where (agent, id) in (select agent, id from due)
    returning agent, id, type, user_id, conversation_id, starts, upto, state, attempt, epoch, next_at, error, outcome,
      retry_of, retried_by, created_at, finished_at";

impl Db {
    /// Claims the next due job in a short transaction of its own.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn claim(&self, now: Timestamp, lease: Span) -> Result<Option<Claimed>> {
        for text in [CLAIM_LEASED, CLAIM_QUEUED] {
            // Two workers may pick two jobs of one user in the same moment: the index on running jobs lets one have its way, and
            // the other looks again.
            for _ in 0..3 {
                let mut tx = self.write(AgentScope::All).await?;
                let lock = tx.dialect().skip_locked();
                let statement = sql(text).bind(now).bind(now + lease).push(lock).push(CLAIM);
                let row: Option<JobRow> = match statement.optional(&mut tx.conn).await {
                    Err(error) if error.is_duplicate() || error.is_retryable() => continue,
                    other => other?,
                };
                tx.commit().await?;
                let Some(row) = row else { break };
                let epoch = row.epoch;
                return Ok(Some(Claimed {
                    operation: row.operation()?,
                    epoch,
                }));
            }
        }
        Ok(None)
    }
}

impl Tx {
    /// Keeps a claim for another `lease`; false where another worker has the job by now.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn heartbeat(
        &mut self,
        claimed: &Claimed,
        now: Timestamp,
        lease: Span,
    ) -> Result<bool> {
        let statement = guarded(
            sql("update jobs set lease_until = $1").bind(now + lease),
            claimed,
        );
        Ok(statement.run(&mut self.conn).await? == 1)
    }

    /// Makes this transaction valid only for this claim: the first line of each that writes what a job found.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where another worker has the job by now.
    pub async fn hold_claim(
        &mut self,
        claimed: &Claimed,
        now: Timestamp,
        lease: Span,
    ) -> Result<()> {
        if let Some(user) = &claimed.operation.user {
            self.lock_user(&claimed.operation.agent, user).await?;
        }
        if self.heartbeat(claimed, now, lease).await? {
            Ok(())
        } else {
            Err(Error::LostClaim)
        }
    }

    /// Writes what came of a job so far, so that another worker goes on from there.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn save_outcome(&mut self, claimed: &Claimed, outcome: &Outcome) -> Result<()> {
        let statement = sql("update jobs set outcome = $1").bind(to_json(outcome));
        self.still_ours(guarded(statement, claimed)).await
    }

    /// Ends a job.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn finish_job(
        &mut self,
        claimed: &Claimed,
        state: JobState,
        error: Option<&str>,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update jobs
            set state = $1, error = $2, outcome = $3, finished_at = $4, lease_until = null";
        let statement = sql(SQL)
            .bind(state.as_str())
            .bind(error)
            .bind(to_json(outcome))
            .bind(now);
        // What waits behind it in the conversation can be claimed from now on.
        self.wake_at_commit();
        self.still_ours(guarded(statement, claimed)).await
    }

    /// Puts a job back for another try.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn postpone_job(
        &mut self,
        claimed: &Claimed,
        next_at: Timestamp,
        error: &str,
    ) -> Result<()> {
        const SQL: &str = "
            update jobs
            set state = 'queued', next_at = $1, error = $2, lease_until = null";
        self.wake_at_commit();
        self.still_ours(guarded(sql(SQL).bind(next_at).bind(error), claimed))
            .await
    }

    /// Puts a job back at once, as if it had not been tried: the worker is asked to stop.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn release_claim(&mut self, claimed: &Claimed, now: Timestamp) -> Result<()> {
        const SQL: &str = "
            update jobs
            set state = 'queued', next_at = $1, attempt = attempt - 1, lease_until = null";
        self.wake_at_commit();
        self.still_ours(guarded(sql(SQL).bind(now), claimed)).await
    }

    /// Puts a job off, as if it had not been tried: not it is at fault, `why` is.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn put_off_job(
        &mut self,
        claimed: &Claimed,
        until: Timestamp,
        why: &str,
    ) -> Result<()> {
        const SQL: &str = "
            update jobs
            set state = 'queued', next_at = $1, error = $2, attempt = attempt - 1, lease_until = null";
        self.still_ours(guarded(sql(SQL).bind(until).bind(why), claimed))
            .await
    }

    /// Runs a write that touches its one row only while it is in these hands.
    pub(crate) async fn still_ours(&mut self, statement: Statement) -> Result<()> {
        if statement.run(&mut self.conn).await? == 1 {
            Ok(())
        } else {
            Err(Error::LostClaim)
        }
    }
}

fn guarded(statement: Statement, claimed: &Claimed) -> Statement {
    statement
        .clause(
            " where state = 'running' and agent = ?",
            &claimed.operation.agent,
        )
        .clause(" and id = ?", &claimed.operation.id)
        .clause(" and epoch = ?", claimed.epoch)
}
