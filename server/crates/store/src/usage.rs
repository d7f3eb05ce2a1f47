//! What extraction cost an agent, a row a day of UTC (G14). Money is worked out on reading, by the prices of the settings.

use domain::{Timestamp, agent::AgentName};

use crate::{Result, Tx, statement::sql};

/// What was spent on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Days since 1970, in UTC.
    pub day: i64,
    /// Windows that were read.
    pub extractions: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// Of the tokens read, those of dry runs.
    pub dry_run_tokens_in: i64,
    /// Of the tokens written, those of dry runs.
    pub dry_run_tokens_out: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    day: i64,
    extractions: i64,
    tokens_in: i64,
    tokens_out: i64,
    dry_run_tokens_in: i64,
    dry_run_tokens_out: i64,
}

const DAY: i64 = 86_400;

impl Usage {
    /// The day of a time.
    pub fn day_of(at: Timestamp) -> i64 {
        at.timestamp().div_euclid(DAY)
    }

    /// When the day after this one begins.
    pub fn ends(&self) -> Timestamp {
        Timestamp::from_timestamp((self.day + 1) * DAY, 0).unwrap_or(Timestamp::MAX_UTC)
    }
}

impl Tx {
    /// Adds what a call of an extractor cost to the day of `now`.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn spend(
        &mut self,
        agent: &AgentName,
        tokens_in: i64,
        tokens_out: i64,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into usage (agent, day, extractions, tokens_in, tokens_out)
            values ($1, $2, 1, $3, $4)
            on conflict (agent, day) do update
            set extractions = usage.extractions + 1, tokens_in = usage.tokens_in + excluded.tokens_in,
                tokens_out = usage.tokens_out + excluded.tokens_out";
        self.inside(agent)?;
        sql(SQL)
            .bind(agent)
            .bind(Usage::day_of(now))
            .bind(tokens_in)
            .bind(tokens_out)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The same of a dry run: it counts like any other call, and is told apart.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub(crate) async fn spend_on_dry_run(
        &mut self,
        agent: &AgentName,
        tokens_in: i64,
        tokens_out: i64,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update usage
            set dry_run_tokens_in = dry_run_tokens_in + $1, dry_run_tokens_out = dry_run_tokens_out + $2
            where agent = $3 and day = $4";
        self.spend(agent, tokens_in, tokens_out, now).await?;
        sql(SQL)
            .bind(tokens_in)
            .bind(tokens_out)
            .bind(agent)
            .bind(Usage::day_of(now))
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// What was spent on the day of `now` and the `before` days before it, newest first; days without a call are left out.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn usage(
        &mut self,
        agent: &AgentName,
        before: i64,
        now: Timestamp,
    ) -> Result<Vec<Usage>> {
        const SQL: &str = "
            select day, extractions, tokens_in, tokens_out, dry_run_tokens_in, dry_run_tokens_out
            from usage
            where agent = $1 and day >= $2 and day <= $3
            order by day desc";
        self.inside(agent)?;
        let today = Usage::day_of(now);
        let rows: Vec<Row> = sql(SQL)
            .bind(agent)
            .bind(today - before)
            .bind(today)
            .all(&mut self.conn)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| Usage {
                day: row.day,
                extractions: row.extractions,
                tokens_in: row.tokens_in,
                tokens_out: row.tokens_out,
                dry_run_tokens_in: row.dry_run_tokens_in,
                dry_run_tokens_out: row.dry_run_tokens_out,
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_one_of_utc_and_ends_at_midnight() {
        let late: Timestamp = "2026-11-30T23:59:59Z".parse().unwrap();
        let midnight: Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
        let day = Usage {
            day: Usage::day_of(late),
            ..Usage::default()
        };
        assert_eq!(day.ends(), midnight);
        assert_eq!(Usage::day_of(midnight), day.day + 1);
    }
}
