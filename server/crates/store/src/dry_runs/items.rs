//! The conversations of a dry run: which is read next, and what would have come of each.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::Dropped,
    dry_run::{Found, TrialState},
    id::{ConversationId, DryRunId, UserId},
};
use serde::{Deserialize, Serialize};

use super::{DryRun, DryRunClaim};
use crate::{KeptSummary, Result, Tx, column::parsed, seal::Place, statement::sql};

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

const ITEMS: &str = "
    select number, agent, user_id, conversation_id, upto, state, error, attempt, read_upto, windows, windows_failed,
      tokens_in, tokens_out, took_ms, sealed
    from dry_run_items
    where run_id = $1";

impl Tx {
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

    /// Counts a try of a window before it begins, so that one which ends a process is not tried without end; false where the
    /// conversation went meanwhile.
    ///
    /// # Errors
    /// [`crate::Error::LostClaim`].
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
        self.hold_work(claim, until).await?;
        let begun = sql(SQL)
            .bind(&claim.id)
            .bind(item.number)
            .run(&mut self.conn)
            .await?;
        Ok(begun == 1)
    }

    /// Takes a try back that whoever was asked to stop did not end, in the transaction that passes the dry run on.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn give_try_back(&mut self, run: &DryRunId, number: i64) -> Result<()> {
        const SQL: &str = "
            update dry_run_items
            set attempt = attempt - 1
            where run_id = $1 and number = $2 and state = 'waits' and attempt > 0";
        sql(SQL)
            .bind(run)
            .bind(number)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Writes what came of a window, or of a try of it, counts what it cost, and lets go of the claim. False where the conversation went
    /// meanwhile: what it cost is counted all the same, and nothing of it is kept.
    ///
    /// # Errors
    /// [`crate::Error::LostClaim`]; what the database answers.
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
            .bind(&claim.id)
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
                let name = item_name(&claim.id, item.number);
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
            .bind(&claim.id)
            .bind(item.number)
            .run(&mut self.conn)
            .await?;
        Ok(touched == 1)
    }
}

fn item_name(run: &DryRunId, number: i64) -> String {
    format!("{run}/{number}")
}

fn place<'a>(agent: &'a AgentName, item: &'a str) -> Place<'a> {
    Place::new("dry_run_items.sealed", agent.as_str(), item)
}
