//! What extraction may cost an agent on a day (G14). At the limit conversations wait for the next day of UTC; nothing is lost.

use domain::{
    Timestamp,
    agent::{Agent, AgentSettings},
};
use serde::Serialize;
use store::{Claimed, Outcome, Tx, Usage};

use crate::{
    Engine, again,
    allowed::{NOT_ALLOWED, Wait},
    error::Result,
    extractor::Extractor,
    worker::span,
};

/// The word on a job that waits for the next day.
pub(crate) const BUDGET: &str = "budget";

/// From this share of the budget on an administrator is warned.
const WARNS_FROM: f64 = 0.8;

/// Days before today that the figures tell of.
const DAYS_BEFORE: i64 = 30;

/// What an agent has spent today.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct UsageView {
    /// The day of UTC, `2026-11-30`.
    pub day: String,
    /// Windows that were read.
    pub extractions: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// Their price; `None` where the settings have no prices.
    pub cost: Option<f64>,
    /// Of the tokens read, those of dry runs.
    pub dry_run_tokens_in: i64,
    /// Of the tokens written, those of dry runs.
    pub dry_run_tokens_out: i64,
    /// The share of the day's budget, 1.0 for all of it; `None` without a limit.
    pub used: Option<f64>,
    /// Whether 80 % of the budget are used.
    pub budget_warning: bool,
    /// Conversations that wait for the next day.
    pub waiting: i64,
    /// Conversations that wait until the agent allows their extractor.
    pub not_allowed: i64,
}

/// What an agent spent on a day.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct UsageDay {
    /// The day of UTC, `2026-11-30`.
    pub day: String,
    /// Windows that were read.
    pub extractions: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// Their price by the present prices; `None` where the settings have none.
    pub cost: Option<f64>,
    /// Of the tokens read, those of dry runs.
    pub dry_run_tokens_in: i64,
    /// Of the tokens written, those of dry runs.
    pub dry_run_tokens_out: i64,
}

impl Engine {
    /// Until when an agent's conversations wait because its budget is used up; `None` where it is not. What costs nothing never
    /// waits.
    ///
    /// # Errors
    /// Only the database's.
    pub(crate) async fn over_budget(
        &self,
        agent: &Agent,
        extractor: &Extractor,
        now: Timestamp,
    ) -> Result<Option<Timestamp>> {
        let settings = &agent.settings;
        let limited =
            settings.budget.tokens_per_day.is_some() || settings.budget.money_per_day.is_some();
        if !limited || matches!(extractor, Extractor::Builtin) {
            return Ok(None);
        }
        let today = today(&mut self.read_all().await?, agent, now).await?;
        let used = settings.budget.used(today.tokens_in, today.tokens_out);
        Ok(used.filter(|used| *used >= 1.0).map(|_| today.ends()))
    }

    /// Puts a job off, without counting it as a try.
    ///
    /// # Errors
    /// Only the database's; a lost claim.
    pub(crate) async fn put_off(
        &self,
        claimed: &Claimed,
        outcome: &Outcome,
        wait: Wait,
    ) -> Result<()> {
        tracing::warn!(operation = %claimed.operation.id, agent = %claimed.operation.agent, why = wait.why, until = %wait.until, "a job is put off: the budget of the day is used up, or the agent does not allow its extractor");
        again!(self.put_off_once(claimed, outcome, wait).await)
    }

    async fn put_off_once(&self, claimed: &Claimed, outcome: &Outcome, wait: Wait) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, self.now(), span(self.settings().lease))
            .await?;
        tx.save_outcome(claimed, outcome).await?;
        tx.put_off_job(claimed, wait.until, wait.why).await?;
        Ok(tx.commit().await?)
    }
}

/// What an agent has spent on the day of `now`.
///
/// # Errors
/// Only the database's.
pub(crate) async fn today(tx: &mut Tx, agent: &Agent, now: Timestamp) -> Result<Usage> {
    let rows = tx.usage(&agent.name, 0, now).await?;
    Ok(rows.into_iter().next().unwrap_or(Usage {
        day: Usage::day_of(now),
        ..Usage::default()
    }))
}

/// What an agent spent today and on the days before, newest first.
pub(crate) async fn figures(
    tx: &mut Tx,
    agent: &Agent,
    now: Timestamp,
) -> Result<(UsageView, Vec<UsageDay>)> {
    let settings = &agent.settings;
    let rows = tx.usage(&agent.name, DAYS_BEFORE, now).await?;
    let waiting = tx.put_off(&agent.name, BUDGET).await?;
    let not_allowed = tx.put_off(&agent.name, NOT_ALLOWED).await?;
    let days: Vec<UsageDay> = rows.iter().map(|row| day(row, settings)).collect();
    let spent = rows
        .into_iter()
        .find(|row| row.day == Usage::day_of(now))
        .unwrap_or(Usage {
            day: Usage::day_of(now),
            ..Usage::default()
        });
    let used = settings.budget.used(spent.tokens_in, spent.tokens_out);
    let UsageDay {
        day,
        extractions,
        tokens_in,
        tokens_out,
        cost,
        dry_run_tokens_in,
        dry_run_tokens_out,
    } = day(&spent, settings);
    let today = UsageView {
        day,
        extractions,
        tokens_in,
        tokens_out,
        cost,
        dry_run_tokens_in,
        dry_run_tokens_out,
        used,
        budget_warning: used.is_some_and(|used| used >= WARNS_FROM),
        waiting,
        not_allowed,
    };
    Ok((today, days))
}

pub(crate) fn day(usage: &Usage, settings: &AgentSettings) -> UsageDay {
    let budget = &settings.budget;
    let priced = budget.price_in.is_some() || budget.price_out.is_some();
    UsageDay {
        // The last moment of the day has its date.
        day: (usage.ends() - domain::time::Span::microseconds(1))
            .format("%Y-%m-%d")
            .to_string(),
        extractions: usage.extractions,
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        cost: priced.then(|| budget.cost(usage.tokens_in, usage.tokens_out)),
        dry_run_tokens_in: usage.dry_run_tokens_in,
        dry_run_tokens_out: usage.dry_run_tokens_out,
    }
}
