//! Dry runs (G14): which conversations are read by another extractor, how far that is, and what would have come of each, sealed under the
//! key of its user. Nothing here is a candidate, and nothing of it reaches one.
//!
//! A window is kept in a transaction that also counts what it cost, so whoever dies in between loses no more than the answer under way.

mod before;
mod items;

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    dry_run::{DryRunState, Trial, TrialState},
    id::{DryRunId, PersonId},
};
use serde_json::json;

pub use self::{
    before::{AnswersCost, CameOf, Triable},
    items::{DryRunItem, DryRunResult, TriedWindow},
};
use crate::{
    Cursor, Listed, Page, Result, Stamp, Tx, Work, WorkClaim, WorkTable,
    column::{at, at_opt, json as from_json, parsed, parsed_opt, to_json},
    statement::{ScopeColumn, sql},
    work,
};

/// Rows that one statement writes or asks about.
const ROWS: usize = 50;

/// A dry run on its way in.
#[derive(Debug, Clone)]
pub struct NewDryRun {
    /// Of which agent.
    pub agent: AgentName,
    /// Who asks for it; `None`: the command line.
    pub person: Option<PersonId>,
    /// What is tried.
    pub trial: Trial,
    /// Over what.
    pub over: Vec<Triable>,
}

/// A dry run.
#[derive(Debug, Clone)]
pub struct DryRun {
    /// Ours.
    pub id: DryRunId,
    /// Of which agent.
    pub agent: AgentName,
    /// Who asked for it.
    pub person: Option<PersonId>,
    /// What is tried.
    pub trial: Trial,
    /// How far it is.
    pub state: DryRunState,
    /// Why it could not go on; while it runs, what it waits for.
    pub error: Option<String>,
    /// Until when it waits, or somebody has it.
    pub lease_until: Option<Timestamp>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// How its conversations stand.
    pub sums: DryRunSums,
}

/// How the conversations of a dry run stand, all together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DryRunSums {
    /// How many became what.
    pub counts: BTreeMap<TrialState, i64>,
    /// Answers.
    pub windows: i64,
    /// Those that could not be read.
    pub windows_failed: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// How long the answers took, in milliseconds.
    pub took_ms: i64,
}

/// A dry run in the hands of who works on it.
pub type DryRunClaim = WorkClaim<DryRunId>;

impl Work for DryRunId {
    const TABLE: WorkTable = WorkTable {
        name: "dry_runs",
        open: "state = 'running'",
        held: "state = 'running'",
        claimed: ", error = null",
    };
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    agent: String,
    person_id: Option<String>,
    state: String,
    error: Option<String>,
    plan: String,
    lease_until: Option<i64>,
    created_at: i64,
    finished_at: Option<i64>,
}

const RUNS: &str = "
    select id, agent, person_id, state, error, plan, lease_until, created_at, finished_at
    from dry_runs
    where true";

impl Tx {
    /// Begins a dry run.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn create_dry_run(&mut self, new: &NewDryRun, stamp: &Stamp) -> Result<DryRunId> {
        const SQL: &str = "
            insert into dry_runs (id, agent, person_id, state, plan, epoch, lease_until, created_at)
            values ($1, $2, $3, 'running', $4, 0, $5, $5)";
        const ITEM: &str = "
            insert into dry_run_items
              (run_id, number, agent, user_id, conversation_id, upto, state, attempt, read_upto, windows, windows_failed, tokens_in,
               tokens_out, took_ms)
            values ";
        self.inside(&new.agent)?;
        let id = DryRunId::new(stamp.now, self.entropy());
        sql(SQL)
            .bind(&id)
            .bind(&new.agent)
            .bind(new.person.as_ref())
            .bind(to_json(&new.trial))
            .bind(stamp.now)
            .run(&mut self.conn)
            .await?;
        let numbered: Vec<(i64, &Triable)> = (1..).zip(&new.over).collect();
        for some in numbered.chunks(ROWS) {
            sql(ITEM)
                .rows(some, |row, (number, one)| {
                    row.clause("(?", &id)
                        .clause(", ?", *number)
                        .clause(", ?", &new.agent)
                        .clause(", ?", &one.user)
                        .clause(", ?", &one.conversation)
                        .clause(", ?", one.upto)
                        .push(", 'waits', 0, 0, 0, 0, 0, 0, 0)")
                })
                .run(&mut self.conn)
                .await?;
        }
        let conversations = i64::try_from(new.over.len()).unwrap_or(i64::MAX);
        let data = json!({ "conversations": conversations });
        self.tell_of_work(Some(&new.agent), EventType::DryRunStarted, &id, data, stamp);
        self.wake_at_commit();
        Ok(id)
    }

    /// A dry run within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn dry_run(&mut self, id: &DryRunId) -> Result<Option<DryRun>> {
        let row: Option<Row> = sql(RUNS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, self.scope())
            .optional(&mut self.conn)
            .await?;
        match row {
            Some(row) => self.dry_run_of(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// The dry runs of an agent, newest first.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Cursor`]; what the database answers.
    pub async fn dry_runs(&mut self, agent: &AgentName, page: &Page) -> Result<Listed<DryRun>> {
        self.inside(agent)?;
        let rows: Vec<Row> = sql(RUNS)
            .clause(" and agent = ?", agent)
            .clause_if(
                " and id < ?",
                page.after(DryRunId::PREFIX)?.map(|after| after.id.as_str()),
            )
            .clause(" order by id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let mut runs = Vec::with_capacity(rows.len());
        for row in rows {
            runs.push(self.dry_run_of(row).await?);
        }
        Ok(Listed::cut(runs, page, |run| Cursor::id(run.id.as_str())))
    }

    async fn dry_run_of(&mut self, row: Row) -> Result<DryRun> {
        let id: DryRunId = parsed(&row.id)?;
        Ok(DryRun {
            agent: parsed(&row.agent)?,
            person: parsed_opt(row.person_id.as_deref())?,
            trial: from_json(&row.plan)?,
            state: parsed(&row.state)?,
            error: row.error,
            lease_until: at_opt(row.lease_until)?,
            created_at: at(row.created_at)?,
            finished_at: at_opt(row.finished_at)?,
            sums: self.sums_of_dry_run(&id).await?,
            id,
        })
    }

    async fn sums_of_dry_run(&mut self, id: &DryRunId) -> Result<DryRunSums> {
        const SQL: &str = "
            select state, count(*), cast(sum(windows) as bigint), cast(sum(windows_failed) as bigint),
              cast(sum(tokens_in) as bigint), cast(sum(tokens_out) as bigint), cast(sum(took_ms) as bigint)
            from dry_run_items
            where run_id = $1
            group by state";
        let rows: Vec<(String, i64, i64, i64, i64, i64, i64)> =
            sql(SQL).bind(id).all(&mut self.conn).await?;
        let mut sums = DryRunSums::default();
        for (state, count, windows, failed, tokens_in, tokens_out, took_ms) in rows {
            sums.counts.insert(parsed(&state)?, count);
            sums.windows += windows;
            sums.windows_failed += failed;
            sums.tokens_in += tokens_in;
            sums.tokens_out += tokens_out;
            sums.took_ms += took_ms;
        }
        Ok(sums)
    }

    /// Gives the claim back until `until`, with the word for what it waits for. A beat of it that comes late does not hold it again.
    ///
    /// # Errors
    /// [`crate::Error::LostClaim`] where somebody else has it by now, or it was stopped.
    pub async fn pass_on_dry_run(
        &mut self,
        claim: &DryRunClaim,
        until: Timestamp,
        waits: Option<&str>,
    ) -> Result<()> {
        const SQL: &str = "
            update dry_runs
            set lease_until = $1, error = $2, epoch = epoch + 1";
        let passed_on = sql(SQL).bind(until).bind(waits);
        self.still_ours(claim.guard(passed_on)).await
    }

    /// Ends a dry run; `error` says why it cannot go on.
    ///
    /// # Errors
    /// [`crate::Error::LostClaim`].
    pub async fn finish_dry_run(
        &mut self,
        claim: &DryRunClaim,
        run: &DryRun,
        error: Option<&str>,
        stamp: &Stamp,
    ) -> Result<()> {
        let state = match error {
            Some(_) => DryRunState::Failed,
            None => DryRunState::Done,
        };
        self.still_ours(claim.end(state.as_str(), error, stamp.now))
            .await?;
        self.tell_of_end(run, state, error, stamp).await
    }

    /// Stops it; false where it does not run.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn stop_dry_run(&mut self, run: &DryRun, stamp: &Stamp) -> Result<bool> {
        self.inside(&run.agent)?;
        let state = DryRunState::Stopped;
        let stopped = work::stop(&run.id, state.as_str(), None, stamp.now)
            .run(&mut self.conn)
            .await?;
        if stopped == 1 {
            self.tell_of_end(run, state, None, stamp).await?;
        }
        Ok(stopped == 1)
    }

    /// Removes dry runs that ended before `before`, with what came of them; answers how many.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn remove_dry_runs(&mut self, before: Timestamp) -> Result<u64> {
        const ITEMS: &str = "
            delete from dry_run_items
            where run_id in (select id from dry_runs where finished_at is not null and finished_at < $1)";
        const RUNS: &str = "
            delete from dry_runs
            where finished_at is not null and finished_at < $1";
        sql(ITEMS).bind(before).run(&mut self.conn).await?;
        sql(RUNS).bind(before).run(&mut self.conn).await
    }

    async fn tell_of_end(
        &mut self,
        run: &DryRun,
        state: DryRunState,
        error: Option<&str>,
        stamp: &Stamp,
    ) -> Result<()> {
        let sums = self.sums_of_dry_run(&run.id).await?;
        let count = |state| sums.counts.get(&state).copied().unwrap_or_default();
        let data = json!({
            "state": state,
            "error": error,
            "done": count(TrialState::Done),
            "failed": count(TrialState::Failed),
            "skipped": count(TrialState::Skipped),
            "tokens_in": sums.tokens_in,
            "tokens_out": sums.tokens_out,
        });
        self.tell_of_work(
            Some(&run.agent),
            EventType::DryRunEnded,
            &run.id,
            data,
            stamp,
        );
        Ok(())
    }
}
