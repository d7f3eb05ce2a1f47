//! The first page's figures: what waits, what expires soon, how extraction is.

use domain::{
    Timestamp,
    permission::{Permission, Permit},
    time::Span,
};
use serde::Serialize;
use store::{QueueFilter, View};

use crate::{Engine, error::Result, need};

/// The figures.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    /// Candidates that wait.
    pub waiting: i64,
    /// Of them, those with less than 24 hours left.
    pub expiring_soon: i64,
    /// When the oldest of them was proposed.
    pub oldest: Option<Timestamp>,
    /// Decided by people since midnight UTC.
    pub decided_today: i64,
    /// Of them, approved.
    pub approved_today: i64,
    /// Memories that are served.
    pub memories: i64,
    /// Users known.
    pub users: i64,
    /// Extractions that failed and were not retried.
    pub failed_extractions: i64,
    /// Jobs that wait.
    pub queued_jobs: i64,
    /// What waits, by kind.
    pub by_kind: Vec<KindFigures>,
}

/// Figures of a kind.
#[derive(Debug, Clone, Serialize)]
pub struct KindFigures {
    /// Its name.
    pub kind: String,
    /// Candidates that wait.
    pub waiting: i64,
}

impl Engine {
    /// The figures of the agents the permit holds for.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn overview(&self, permit: &Permit) -> Result<Overview> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let figures = tx.queue_figures(now).await?;
        let jobs = tx.job_counts(now).await?;
        let (mut memories, mut users) = (0, 0);
        let mut kinds: Vec<String> = Vec::new();
        for agent in tx.agents().await? {
            let figures = tx.figures(&agent.name, now).await?;
            memories += figures.approved;
            users += figures.users;
            for kind in tx.kinds(&agent.name).await? {
                if !kinds.contains(&kind.name) {
                    kinds.push(kind.name);
                }
            }
        }
        let mut by_kind = Vec::new();
        for kind in kinds {
            let filter = QueueFilter {
                kind: Some(kind.clone()),
                view: View::Waiting,
                ..QueueFilter::default()
            };
            let waiting = tx.queue_count(&filter, now).await?;
            if waiting > 0 {
                by_kind.push(KindFigures { kind, waiting });
            }
        }
        let (decided_today, approved_today) = decided_since(
            &mut tx,
            now - Span::seconds(now.timestamp().rem_euclid(86_400)),
        )
        .await?;
        Ok(Overview {
            waiting: figures.waiting,
            expiring_soon: figures.expiring_24h,
            oldest: figures.oldest,
            decided_today,
            approved_today,
            memories,
            users,
            failed_extractions: jobs.failed,
            queued_jobs: jobs.queued,
            by_kind,
        })
    }
}

/// Counts decisions back to a time, out of the chain, which is the record of them.
async fn decided_since(tx: &mut store::Tx, midnight: Timestamp) -> Result<(i64, i64)> {
    use domain::audit::EventType::{CandidateApproved, CandidateRejected};
    let filter = store::EventFilter {
        types: vec![CandidateApproved, CandidateRejected],
        ..store::EventFilter::default()
    };
    let (mut decided, mut approved) = (0, 0);
    let mut page = store::Page::first(200);
    loop {
        let rows = tx.events(&filter, &page).await?;
        for event in &rows.rows {
            if event.at < midnight {
                return Ok((decided, approved));
            }
            decided += 1;
            approved += i64::from(event.r#type == CandidateApproved.as_str());
        }
        match rows.next {
            // A cap keeps the first page fast on a day of very many decisions.
            Some(next) if decided < 10_000 => page.after = Some(next),
            _ => return Ok((decided, approved)),
        }
    }
}
