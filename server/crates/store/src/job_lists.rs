//! The jobs as the people see them who keep extraction going: how many wait and for how long, what runs, what was given up and why.

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    id::OperationId,
};

use crate::{
    Cursor, Listed, Operation, Page, Result, Tx,
    column::{at, at_opt, parsed},
    jobs::{JOBS, JobRow},
    statement::{ScopeColumn, Statement, sql},
};

/// The jobs of an agent that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Depth {
    /// The agent.
    pub agent: AgentName,
    /// All that wait, also those that wait for their time.
    pub queued: i64,
    /// Of them, those whose time has come.
    pub due: i64,
    /// Since when the first of these is due.
    pub oldest_due: Option<Timestamp>,
}

/// Jobs of an agent that were given up for one reason and not tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// The agent.
    pub agent: AgentName,
    /// The code of what went wrong; `None` where an answer was merely cut off.
    pub reason: Option<String>,
    /// How many.
    pub count: i64,
}

/// Which of those that were given up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Why {
    /// For whatever reason.
    #[default]
    Any,
    /// With this code.
    Code(String),
    /// An answer was cut off; nothing else was wrong.
    CutOff,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleRow {
    /// What it is called.
    pub name: String,
    /// When it had its turn last.
    pub ran_at: Option<Timestamp>,
    /// When it comes next.
    pub next_at: Timestamp,
}

impl Tx {
    /// What waits, by agent.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn depths(&mut self, now: Timestamp) -> Result<Vec<Depth>> {
        const SQL: &str = "
            select agent, count(*), count(*) filter (where next_at <= $1), min(next_at)
            from jobs
            where state = 'queued'";
        let rows: Vec<(String, i64, i64, Option<i64>)> = sql(SQL)
            .bind(now)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .push(" group by agent order by agent")
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(agent, queued, due, first)| {
                Ok(Depth {
                    agent: parsed(&agent)?,
                    queued,
                    due,
                    oldest_due: at_opt(first)?.filter(|first| *first <= now),
                })
            })
            .collect()
    }

    /// How many jobs were put off for this reason, by agent.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn put_off_by_agent(&mut self, why: &str) -> Result<Vec<(AgentName, i64)>> {
        const SQL: &str = "
            select agent, count(*)
            from jobs
            where state = 'queued' and error = $1";
        let rows: Vec<(String, i64)> = sql(SQL)
            .bind(why)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .push(" group by agent order by agent")
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(agent, count)| Ok((parsed(&agent)?, count)))
            .collect()
    }

    /// What workers have in hand, the first that was asked for first. There are no more of them than workers.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn running(&mut self) -> Result<Vec<Operation>> {
        let rows: Vec<JobRow> = sql(JOBS)
            .push(" and state = 'running'")
            .scope_along(ScopeColumn::Plain, &self.scope().clone())
            .all(&mut self.conn)
            .await?;
        let jobs: Result<Vec<_>> = rows.into_iter().map(JobRow::operation).collect();
        let mut jobs = jobs?;
        jobs.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(jobs)
    }

    /// What comes next, of what has a time.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn next_jobs(&mut self, limit: u32) -> Result<Vec<Operation>> {
        let rows: Vec<JobRow> = sql(JOBS)
            .push(" and state = 'queued' and next_at is not null")
            .scope_along(ScopeColumn::Plain, &self.scope().clone())
            .clause(" order by next_at, id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(JobRow::operation).collect()
    }

    /// What was given up and not tried again, by agent and reason, most first.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn given_up_by_reason(&mut self) -> Result<Vec<GivenUp>> {
        const SQL: &str = "
            select agent, error, count(*)
            from jobs
            where state in ('failed', 'truncated') and retried_by is null";
        let rows: Vec<(String, Option<String>, i64)> = sql(SQL)
            .scope_along(ScopeColumn::Plain, &self.scope().clone())
            .push(" group by agent, error order by count(*) desc, agent, error")
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(agent, reason, count)| {
                Ok(GivenUp {
                    agent: parsed(&agent)?,
                    reason,
                    count,
                })
            })
            .collect()
    }

    /// What was given up and not tried again, newest first.
    ///
    /// # Errors
    /// [`crate::Error::Cursor`]; what the database answers.
    pub async fn given_up(&mut self, why: &Why, page: &Page) -> Result<Listed<Operation>> {
        let after = page.after(OperationId::PREFIX)?;
        let rows: Vec<JobRow> = given_up_for(sql(JOBS), self.scope(), why)
            .clause_if(" and id < ?", after.map(|after| after.id.as_str()))
            .clause(" order by id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let jobs = rows
            .into_iter()
            .map(JobRow::operation)
            .collect::<Result<Vec<_>>>()?;
        Ok(Listed::cut(jobs, page, |job| Cursor::id(job.id.as_str())))
    }

    /// How many there are of what was given up and not tried again, from a place in its list on.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn given_up_after(&mut self, why: &Why, after: &Cursor) -> Result<i64> {
        const SQL: &str = "
            select count(*)
            from jobs
            where true";
        let (count,): (i64,) = given_up_for(sql(SQL), self.scope(), why)
            .clause(" and id < ?", after.id.as_str())
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    /// What is done by the clock, by name.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn schedule_rows(&mut self) -> Result<Vec<ScheduleRow>> {
        const SQL: &str = "
            select name, ran_at, next_at
            from schedules
            order by name";
        let rows: Vec<(String, Option<i64>, i64)> = sql(SQL).all(&mut self.conn).await?;
        rows.into_iter()
            .map(|(name, ran, next)| {
                Ok(ScheduleRow {
                    name,
                    ran_at: at_opt(ran)?,
                    next_at: at(next)?,
                })
            })
            .collect()
    }
}

fn given_up_for(list: Statement, scope: &AgentScope, why: &Why) -> Statement {
    let list = list
        .push(" and state in ('failed', 'truncated') and retried_by is null")
        .scope_along(ScopeColumn::Plain, scope);
    match why {
        Why::Any => list,
        Why::Code(code) => list.clause(" and error = ?", code.as_str()),
        Why::CutOff => list.push(" and error is null"),
    }
}
