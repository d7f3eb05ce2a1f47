//! The jobs, for the people who keep extraction going: what waits, what runs, what was given up, and trying that again.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    permission::{Permission, Permit},
};
use serde::Serialize;
use store::Why;

use crate::{
    Engine,
    allowed::NOT_ALLOWED,
    budget::BUDGET,
    error::{EngineError, Result},
    need,
    operation::{CUT_OFF, OperationError, OperationView},
    page::{List, Page},
    queue::page,
};

/// Jobs that come next and are listed.
const NEXT: u32 = 50;

/// When so many are queued again, a press ends with the page it is at; another press goes on.
const AT_ONCE: usize = 200;

/// Jobs that one press looks at, also where none of them can be tried again.
const LOOKED_AT: usize = 1000;

/// How the jobs stand.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Jobs {
    /// All agents together.
    #[serde(flatten)]
    pub all: JobFigures,
    /// Each agent that has any.
    pub agents: Vec<AgentJobs>,
    /// What was given up and not tried again, by reason, most first.
    pub given_up_for: Vec<GivenUp>,
    /// What is done by the clock.
    pub schedules: Vec<ScheduleView>,
    /// What workers have in hand.
    #[serde(skip)]
    pub in_hand: Vec<OperationView>,
    /// What comes next.
    #[serde(skip)]
    pub next: Vec<OperationView>,
}

/// The figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, utoipa::ToSchema)]
pub struct JobFigures {
    /// That wait, also those that wait for their time.
    pub queued: i64,
    /// Of them, those whose time has come.
    pub due: i64,
    /// Since when the first of these is due.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub oldest_due: Option<Timestamp>,
    /// Of the queued, those that wait for the next day's budget.
    pub put_off: i64,
    /// Of the queued, those that wait until the agent allows their extractor.
    pub not_allowed: i64,
    /// In the hands of a worker.
    pub running: i64,
    /// Given up, or kept in part, and not tried again.
    pub given_up: i64,
}

/// The figures of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AgentJobs {
    /// The agent.
    pub agent: AgentName,
    /// Its figures.
    #[serde(flatten)]
    pub figures: JobFigures,
}

/// What was given up for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct GivenUp {
    /// Why.
    #[serde(flatten)]
    pub why: OperationError,
    /// How many.
    pub count: i64,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ScheduleView {
    /// Its name.
    pub name: String,
    /// When it had its turn last.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ran_at: Option<Timestamp>,
    /// When it comes next.
    #[schema(value_type = String, format = DateTime)]
    pub next_at: Timestamp,
}

/// What came of trying many again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TriedAgain {
    /// Queued again.
    pub queued: usize,
    /// Could not be: the agent does not learn, or the conversation is gone.
    pub refused: usize,
    /// Not looked at yet.
    pub left: i64,
    /// Where the next press goes on; `None`: all were looked at.
    pub next: Option<String>,
}

/// The code of a reason as the store has it.
fn why(code: Option<&str>) -> Why {
    match code {
        None => Why::Any,
        Some(CUT_OFF) => Why::CutOff,
        Some(code) => Why::Code(code.to_owned()),
    }
}

impl Engine {
    /// How the jobs stand, of one agent or of all in reach.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent outside the permit.
    pub async fn jobs(&self, permit: &Permit, agent: Option<&AgentName>) -> Result<Jobs> {
        need(permit, &[Permission::ReadAgents, Permission::Administer])?;
        let mut tx = self.read_of(permit, agent).await?;
        let mut agents: BTreeMap<AgentName, JobFigures> = BTreeMap::new();
        for depth in tx.depths(self.now()).await? {
            let figures = agents.entry(depth.agent).or_default();
            figures.queued = depth.queued;
            figures.due = depth.due;
            figures.oldest_due = depth.oldest_due;
        }
        for (agent, count) in tx.put_off_by_agent(BUDGET).await? {
            agents.entry(agent).or_default().put_off = count;
        }
        for (agent, count) in tx.put_off_by_agent(NOT_ALLOWED).await? {
            agents.entry(agent).or_default().not_allowed = count;
        }
        let in_hand: Vec<OperationView> = views(tx.running().await?);
        for job in &in_hand {
            agents.entry(job.agent.clone()).or_default().running += 1;
        }
        let mut reasons: BTreeMap<String, i64> = BTreeMap::new();
        for found in tx.given_up_by_reason().await? {
            agents.entry(found.agent).or_default().given_up += found.count;
            let code = found.reason.unwrap_or_else(|| CUT_OFF.to_owned());
            *reasons.entry(code).or_default() += found.count;
        }
        let mut given_up_for: Vec<_> = reasons
            .into_iter()
            .map(|(code, count)| GivenUp {
                why: OperationError::new(code),
                count,
            })
            .collect();
        given_up_for.sort_by_key(|found| std::cmp::Reverse(found.count));
        let schedules = tx.schedule_rows().await?.into_iter();
        Ok(Jobs {
            all: agents.values().copied().fold(JobFigures::default(), sum),
            agents: agents
                .into_iter()
                .map(|(agent, figures)| AgentJobs { agent, figures })
                .collect(),
            given_up_for,
            schedules: schedules
                .map(|row| ScheduleView {
                    name: row.name,
                    ran_at: row.ran_at,
                    next_at: row.next_at,
                })
                .collect(),
            in_hand,
            next: views(tx.next_jobs(NEXT).await?),
        })
    }

    /// What was given up and not tried again, newest first; of one reason, by its code, or of all.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent outside the permit; [`EngineError::Invalid`] for a cursor that is not ours.
    pub async fn given_up(
        &self,
        permit: &Permit,
        agent: Option<&AgentName>,
        code: Option<&str>,
        wanted: &Page,
    ) -> Result<List<OperationView>> {
        need(permit, &[Permission::ReadAgents, Permission::Administer])?;
        let mut tx = self.read_of(permit, agent).await?;
        let rows = tx.given_up(&why(code), &page(wanted)?).await?;
        Ok(List {
            data: views(rows.rows),
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }

    /// Tries again what was given up for one reason, each in a transaction of its own: 200 or a page more, of at most 1,000 that are
    /// looked at, from where the press before ended.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent outside the permit; [`EngineError::Invalid`] for a cursor that is not ours; the database's.
    pub async fn retry_given_up(
        &self,
        permit: &Permit,
        agent: Option<&AgentName>,
        code: &str,
        after: Option<&str>,
    ) -> Result<TriedAgain> {
        need(permit, &[Permission::Decide])?;
        let why = why(Some(code));
        let mut done = TriedAgain::default();
        let mut wanted = page(&Page {
            cursor: after.map(str::to_owned),
            limit: Page::MOST,
        })?;
        loop {
            let mut tx = self.read_of(permit, agent).await?;
            let rows = tx.given_up(&why, &wanted).await?;
            drop(tx);
            for job in rows.rows {
                match self.retry(permit, &job.id).await {
                    Ok(_) => done.queued += 1,
                    Err(EngineError::NotFinal | EngineError::MemoryOff | EngineError::NotFound) => {
                        done.refused += 1;
                    }
                    Err(error) => return Err(error),
                }
            }
            let Some(next) = rows.next else {
                return Ok(done);
            };
            if done.queued >= AT_ONCE || done.queued + done.refused >= LOOKED_AT {
                let mut tx = self.read_of(permit, agent).await?;
                done.left = tx.given_up_after(&why, &next).await?;
                done.next = Some(next.to_string());
                return Ok(done);
            }
            wanted.after = Some(next);
        }
    }
}

fn views(jobs: Vec<store::Operation>) -> Vec<OperationView> {
    jobs.into_iter().map(OperationView::from).collect()
}

fn sum(all: JobFigures, one: JobFigures) -> JobFigures {
    JobFigures {
        queued: all.queued + one.queued,
        due: all.due + one.due,
        oldest_due: [all.oldest_due, one.oldest_due].into_iter().flatten().min(),
        put_off: all.put_off + one.put_off,
        not_allowed: all.not_allowed + one.not_allowed,
        running: all.running + one.running,
        given_up: all.given_up + one.given_up,
    }
}
