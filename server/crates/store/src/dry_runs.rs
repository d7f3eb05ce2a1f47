//! Dry runs (G14): which conversations are read by another extractor, how far that is, and what would have come of each, sealed under the
//! key of its user. Nothing here is a candidate, and nothing of it reaches one.
//!
//! A window is kept in a transaction that also counts what it cost, so whoever dies in between loses no more than the answer under way. A
//! claim has an epoch, as that of a job has.

use std::collections::{BTreeMap, HashMap};

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    candidate::{Candidate, Dropped},
    dry_run::{DryRunState, Found, Trial, TrialState},
    id::{ConversationId, DryRunId, ExtractionId, PersonId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Cursor, Db, Error, KeptSummary, Listed, Page, Result, Stamp, Tx,
    candidate_rows::CANDIDATES,
    column::{at, at_opt, json as from_json, parsed, parsed_opt, to_json},
    events::Telling,
    seal::Place,
    statement::{ScopeColumn, Statement, sql},
};

/// Rows that one statement writes.
const ROWS: usize = 50;

/// A conversation that can be tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triable {
    /// Which.
    pub conversation: ConversationId,
    /// With whom.
    pub user: UserId,
    /// Messages that were read.
    pub upto: i64,
}

/// What answers about conversations have cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswersCost {
    /// How many answers there were that cost tokens.
    pub answers: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
}

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

/// A conversation of a dry run.
#[derive(Debug, Clone)]
pub struct DryRunItem {
    /// From 1, the newest conversation first.
    pub number: i64,
    /// Which.
    pub conversation: ConversationId,
    /// With whom.
    pub user: UserId,
    /// Messages that are read.
    pub upto: i64,
    /// What became of it.
    pub state: TrialState,
    /// Why it was not read, or which of its answers could not be.
    pub error: Option<String>,
    /// How often the window under way was tried.
    pub attempt: i64,
    /// Messages that were read.
    pub read_upto: i64,
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
    /// What would have come of it so far.
    pub result: DryRunResult,
}

/// What would have come of a conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DryRunResult {
    /// What would have gone to the queue, in its order.
    pub found: Vec<Found>,
    /// How often something known was said again.
    pub sightings: u32,
    /// How often something came that a person had rejected before.
    pub suppressed: u32,
    /// What became no candidate, by reason.
    pub dropped: BTreeMap<Dropped, u32>,
    /// What the conversation was about so far.
    pub summary: Option<KeptSummary>,
}

/// A window of a conversation that was tried, or what it cost where no answer came.
#[derive(Debug, Clone, Default)]
pub struct TriedWindow {
    /// Messages that were read by now; `None`: the window is tried again.
    pub read_upto: Option<i64>,
    /// Whether somebody was asked.
    pub asked: bool,
    /// Which of its answers could not be read, and why.
    pub error: Option<String>,
    /// How the conversation ends with it.
    pub ends: Option<TrialState>,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// How long the answer took, in milliseconds.
    pub took_ms: i64,
    /// What would have come of the conversation by now.
    pub result: Option<DryRunResult>,
    /// Until when the next try waits, and for what; `None`: whoever waited longest comes next.
    pub wait: Option<(Timestamp, &'static str)>,
}

/// A dry run in the hands of who works on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRunClaim {
    /// Which.
    pub run: DryRunId,
    /// Which claim of it this is. Who has an older one can change nothing any more.
    pub epoch: i64,
}

/// What came of a conversation when it was read.
#[derive(Debug, Clone, Default)]
pub struct CameOf {
    /// The candidates, oldest first.
    pub candidates: Vec<Candidate>,
    /// What that cost.
    pub cost: AnswersCost,
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

#[derive(sqlx::FromRow)]
struct ItemRow {
    number: i64,
    agent: String,
    user_id: String,
    conversation_id: String,
    upto: i64,
    state: String,
    error: Option<String>,
    attempt: i64,
    read_upto: i64,
    windows: i64,
    windows_failed: i64,
    tokens_in: i64,
    tokens_out: i64,
    took_ms: i64,
    sealed: Option<Vec<u8>>,
}

const RUNS: &str = "
    select id, agent, person_id, state, error, plan, lease_until, created_at, finished_at
    from dry_runs
    where true";

const ITEMS: &str = "
    select number, agent, user_id, conversation_id, upto, state, error, attempt, read_upto, windows, windows_failed,
      tokens_in, tokens_out, took_ms, sealed
    from dry_run_items
    where run_id = $1";

impl Db {
    /// Claims the dry run that has waited longest, in a short transaction of its own; one whose lease ran out is one of them.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn claim_dry_run(
        &self,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<DryRunClaim>> {
        const DUE: &str = "
            with due as (
              select j.id
              from dry_runs j
              where j.state = 'running' and j.lease_until <= $1
              order by j.lease_until
              limit 1";
        const CLAIM: &str = ")
            update dry_runs
            set epoch = epoch + 1, lease_until = $2, error = null
            where id in (select id from due)
            returning id, epoch";
        let mut tx = self.write(AgentScope::All).await?;
        let lock = tx.dialect().skip_locked();
        let row: Option<(String, i64)> = sql(DUE)
            .bind(now)
            .bind(until)
            .push(lock)
            .push(CLAIM)
            .optional(&mut tx.conn)
            .await?;
        tx.commit().await?;
        row.map(|(id, epoch)| {
            Ok(DryRunClaim {
                run: parsed(&id)?,
                epoch,
            })
        })
        .transpose()
    }
}

impl Tx {
    /// The last conversations of an agent that were read, newest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn last_read(&mut self, agent: &AgentName, limit: u32) -> Result<Vec<Triable>> {
        const SQL: &str = "
            select id, user_id, extracted_upto
            from conversations
            where agent = $1 and extracted_upto > 0 and removed_at is null
            order by id desc
            limit $2";
        self.inside(agent)?;
        let rows: Vec<(String, String, i64)> =
            sql(SQL).bind(agent).bind(limit).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|(id, user, upto)| {
                Ok(Triable {
                    conversation: parsed(&id)?,
                    user: parsed(&user)?,
                    upto,
                })
            })
            .collect()
    }

    /// What answers about these conversations cost, as far as they cost tokens.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn answers_cost(
        &mut self,
        agent: &AgentName,
        over: &[Triable],
    ) -> Result<AnswersCost> {
        const SQL: &str = "
            select count(*), cast(coalesce(sum(tokens_in), 0) as bigint), cast(coalesce(sum(tokens_out), 0) as bigint)
            from extractions
            where agent = $1 and tokens_in > 0";
        self.inside(agent)?;
        let (answers, tokens_in, tokens_out): (i64, i64, i64) = sql(SQL)
            .bind(agent)
            .clause_in(
                " and conversation_id in (",
                over.iter().map(|one| &one.conversation),
            )
            .one(&mut self.conn)
            .await?;
        Ok(AnswersCost {
            answers,
            tokens_in,
            tokens_out,
        })
    }

    /// Begins a dry run.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
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
            let mut statement = sql(ITEM);
            for (index, (number, one)) in some.iter().enumerate() {
                statement = statement
                    .push(if index == 0 { "" } else { ", " })
                    .clause("(?", &id)
                    .clause(", ?", *number)
                    .clause(", ?", &new.agent)
                    .clause(", ?", &one.user)
                    .clause(", ?", &one.conversation)
                    .clause(", ?", one.upto)
                    .push(", 'waits', 0, 0, 0, 0, 0, 0, 0)");
            }
            statement.run(&mut self.conn).await?;
        }
        let conversations = i64::try_from(new.over.len()).unwrap_or(i64::MAX);
        let data = json!({ "conversations": conversations });
        self.tell_of_dry_run(EventType::DryRunStarted, &new.agent, &id, data, stamp);
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
            .scope(ScopeColumn::Plain, &self.scope().clone())
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
    /// [`Error::OutOfScope`]; [`Error::Cursor`]; what the database answers.
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

    /// All conversations of a dry run that are still there, in their order.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn dry_run_items(&mut self, run: &DryRun) -> Result<Vec<DryRunItem>> {
        let rows: Vec<ItemRow> = sql(ITEMS)
            .bind(&run.id)
            .push(" order by number")
            .all(&mut self.conn)
            .await?;
        self.dry_run_items_of(&run.id, rows).await
    }

    /// The conversation that is read next.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn next_dry_run_item(&mut self, run: &DryRun) -> Result<Option<DryRunItem>> {
        let rows: Vec<ItemRow> = sql(ITEMS)
            .bind(&run.id)
            .push(" and state = 'waits' order by number limit 1")
            .all(&mut self.conn)
            .await?;
        Ok(self.dry_run_items_of(&run.id, rows).await?.pop())
    }

    async fn dry_run_items_of(
        &mut self,
        run: &DryRunId,
        rows: Vec<ItemRow>,
    ) -> Result<Vec<DryRunItem>> {
        self.load_keys_of(
            rows.iter()
                .map(|row| (row.agent.as_str(), row.user_id.as_str())),
        )
        .await?;
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let (agent, user): (AgentName, UserId) = (parsed(&row.agent)?, parsed(&row.user_id)?);
            let result = match &row.sealed {
                None => DryRunResult::default(),
                Some(sealed) => {
                    let key = self.user_key(&agent, &user).await?;
                    key.open_json(place(&agent, &item_name(run, row.number)), sealed)?
                }
            };
            items.push(DryRunItem {
                number: row.number,
                conversation: parsed(&row.conversation_id)?,
                user,
                upto: row.upto,
                state: parsed(&row.state)?,
                error: row.error,
                attempt: row.attempt,
                read_upto: row.read_upto,
                windows: row.windows,
                windows_failed: row.windows_failed,
                tokens_in: row.tokens_in,
                tokens_out: row.tokens_out,
                took_ms: row.took_ms,
                result,
            });
        }
        Ok(items)
    }

    /// Keeps a claim until `until`.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where somebody else has it by now, or it was stopped.
    pub async fn hold_dry_run(&mut self, claim: &DryRunClaim, until: Timestamp) -> Result<()> {
        const SQL: &str = "
            update dry_runs
            set lease_until = $1";
        self.still_dry_runs(guarded(sql(SQL).bind(until), claim))
            .await
    }

    /// Gives the claim back until `until`, with the word for what it waits for. A beat of it that comes late does not hold it again.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where somebody else has it by now, or it was stopped.
    pub async fn pass_on_dry_run(
        &mut self,
        claim: &DryRunClaim,
        until: Timestamp,
        waits: Option<&str>,
    ) -> Result<()> {
        const SQL: &str = "
            update dry_runs
            set lease_until = $1, error = $2, epoch = epoch + 1";
        self.still_dry_runs(guarded(sql(SQL).bind(until).bind(waits), claim))
            .await
    }

    /// Counts a try of a window before it begins, so that one which ends a process is not tried without end; false where the
    /// conversation went meanwhile.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn begin_try(
        &mut self,
        claim: &DryRunClaim,
        item: &DryRunItem,
        until: Timestamp,
    ) -> Result<bool> {
        const SQL: &str = "
            update dry_run_items
            set attempt = attempt + 1
            where run_id = $1 and number = $2 and state = 'waits'";
        self.hold_dry_run(claim, until).await?;
        let begun = sql(SQL)
            .bind(&claim.run)
            .bind(item.number)
            .run(&mut self.conn)
            .await?;
        Ok(begun == 1)
    }

    /// Writes what came of a window, or of a try of it, counts what it cost, and lets go of the claim. False where the conversation went
    /// meanwhile: what it cost is counted all the same, and nothing of it is kept.
    ///
    /// # Errors
    /// [`Error::LostClaim`]; what the database answers.
    pub async fn keep_tried(
        &mut self,
        claim: &DryRunClaim,
        agent: &AgentName,
        item: &DryRunItem,
        tried: &TriedWindow,
        now: Timestamp,
    ) -> Result<bool> {
        const STILL: &str = "
            select number
            from dry_run_items
            where run_id = $1 and number = $2 and state = 'waits'";
        const SQL: &str = "
            update dry_run_items
            set state = $1, error = coalesce($2, error), attempt = case when $3 = 1 then 0 else attempt end, read_upto = $4,
                windows = windows + $5,
                windows_failed = windows_failed + $6, tokens_in = tokens_in + $7, tokens_out = tokens_out + $8,
                took_ms = took_ms + $9, sealed = coalesce($10, sealed)
            where run_id = $11 and number = $12 and state = 'waits'";
        self.lock_user(agent, &item.user).await?;
        let (until, waits) = tried.wait.unzip();
        self.pass_on_dry_run(claim, until.unwrap_or(now), waits)
            .await?;
        if tried.tokens_in > 0 || tried.tokens_out > 0 {
            self.spend_on_dry_run(agent, tried.tokens_in, tried.tokens_out, now)
                .await?;
        }
        let still: Option<(i64,)> = sql(STILL)
            .bind(&claim.run)
            .bind(item.number)
            .optional(&mut self.conn)
            .await?;
        if still.is_none() {
            return Ok(false);
        }
        let sealed = match &tried.result {
            None => None,
            Some(result) => {
                let key = self.user_key(agent, &item.user).await?;
                let name = item_name(&claim.run, item.number);
                Some(key.seal_json(place(agent, &name), result, self.entropy()))
            }
        };
        let state = tried.ends.unwrap_or(TrialState::Waits);
        let read = tried.read_upto.is_some();
        let answered = tried.asked && read;
        let failed = answered && tried.error.is_some();
        let touched = sql(SQL)
            .bind(state.as_str())
            .bind(tried.error.as_deref())
            .bind(i64::from(read))
            .bind(tried.read_upto.unwrap_or(item.read_upto))
            .bind(i64::from(answered))
            .bind(i64::from(failed))
            .bind(tried.tokens_in)
            .bind(tried.tokens_out)
            .bind(tried.took_ms)
            .bind(sealed)
            .bind(&claim.run)
            .bind(item.number)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }

    /// Ends a dry run; `error` says why it cannot go on.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
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
        let ended = ends(state, error, stamp);
        self.still_dry_runs(guarded(ended, claim)).await?;
        self.tell_of_end(run, state, error, stamp).await
    }

    /// Stops it; false where it does not run.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn stop_dry_run(&mut self, run: &DryRun, stamp: &Stamp) -> Result<bool> {
        self.inside(&run.agent)?;
        let stopped = ends(DryRunState::Stopped, None, stamp)
            .clause(" where state = 'running' and id = ?", &run.id)
            .run(&mut self.conn)
            .await?;
        if stopped == 1 {
            self.tell_of_end(run, DryRunState::Stopped, None, stamp)
                .await?;
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

    /// What came of conversations when they were read: the candidates that their extractions made, and what those cost.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn came_of(
        &mut self,
        agent: &AgentName,
        over: &[Triable],
    ) -> Result<HashMap<ConversationId, CameOf>> {
        const SQL: &str = "
            select id, conversation_id, starts, tokens_in, tokens_out
            from extractions
            where agent = $1";
        self.inside(agent)?;
        let mut came: HashMap<ConversationId, CameOf> = HashMap::new();
        for some in over.chunks(ROWS) {
            let upto: HashMap<&str, i64> = some
                .iter()
                .map(|one| (one.conversation.as_str(), one.upto))
                .collect();
            let rows: Vec<(String, String, i64, i64, i64)> = sql(SQL)
                .bind(agent)
                .clause_in(" and conversation_id in (", upto.keys().copied())
                .push(" order by id")
                .all(&mut self.conn)
                .await?;
            let mut made_in: HashMap<ExtractionId, ConversationId> = HashMap::new();
            for (id, conversation, starts, tokens_in, tokens_out) in rows {
                // What was said later is not read again.
                if upto
                    .get(conversation.as_str())
                    .is_none_or(|upto| starts > *upto + 1)
                {
                    continue;
                }
                let conversation: ConversationId = parsed(&conversation)?;
                let cost = &mut came.entry(conversation.clone()).or_default().cost;
                cost.answers += 1;
                cost.tokens_in += tokens_in;
                cost.tokens_out += tokens_out;
                made_in.insert(parsed(&id)?, conversation);
            }
            let users = some.iter().map(|one| &one.user);
            let read = sql(CANDIDATES)
                .clause(" and c.agent = ?", agent)
                .clause_in(" and c.user_id in (", users)
                .clause_in(" and c.extraction_id in (", made_in.keys())
                .push(" order by c.id");
            for candidate in self.plain_candidates(read).await? {
                let made_in = candidate
                    .extraction
                    .as_ref()
                    .and_then(|extraction| made_in.get(extraction));
                if let Some(conversation) = made_in {
                    let of = came.entry(conversation.clone()).or_default();
                    of.candidates.push(candidate);
                }
            }
        }
        for of in came.values_mut() {
            // Those of one window are a microsecond apart, and their ids are not.
            of.candidates
                .sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        }
        Ok(came)
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
        self.tell_of_dry_run(EventType::DryRunEnded, &run.agent, &run.id, data, stamp);
        Ok(())
    }

    fn tell_of_dry_run(
        &mut self,
        r#type: EventType,
        agent: &AgentName,
        id: &DryRunId,
        data: Value,
        stamp: &Stamp,
    ) {
        let telling = Telling {
            r#type,
            user: None,
            subject: id.as_str(),
            data,
            commitment: None,
        };
        self.tell(Some(agent), stamp, telling);
    }

    async fn still_dry_runs(&mut self, statement: Statement) -> Result<()> {
        if statement.run(&mut self.conn).await? == 1 {
            Ok(())
        } else {
            Err(Error::LostClaim)
        }
    }
}

fn ends(state: DryRunState, error: Option<&str>, stamp: &Stamp) -> Statement {
    const SQL: &str = "
        update dry_runs
        set state = $1, error = $2, finished_at = $3, lease_until = null";
    sql(SQL).bind(state.as_str()).bind(error).bind(stamp.now)
}

fn guarded(statement: Statement, claim: &DryRunClaim) -> Statement {
    statement
        .clause(" where state = 'running' and id = ?", &claim.run)
        .clause(" and epoch = ?", claim.epoch)
}

fn item_name(run: &DryRunId, number: i64) -> String {
    format!("{run}/{number}")
}

fn place<'a>(agent: &'a AgentName, item: &'a str) -> Place<'a> {
    Place::new("dry_run_items.sealed", agent.as_str(), item)
}
