//! Work in the background: jobs, schedules, signs of life. Any number of processes do it side by side; each thing is done by one.

mod field;
mod job;
mod keep;
mod migrate;
mod patterns;
mod plan;
mod schedule;
mod window;
mod work;

pub(crate) use self::{
    keep::{judged, to_forget, to_take_out},
    plan::windows,
    window::{Beside, OVERLAP, Reading, languages_of, without_turns},
    work::Progress,
};

use std::{future::Future, time::Duration};

use domain::{Timestamp, matcher, time::Span};
use store::{Claimed, JobState, JobType, Known};
use tokio::{sync::watch, task::JoinSet};

use crate::{
    Engine, again,
    error::{EngineError, Result},
};

pub(crate) fn span(duration: Duration) -> Span {
    Span::from_std(duration).unwrap_or(Span::MAX)
}

/// What the matcher compares with.
pub(crate) fn stored(known: &Known) -> matcher::Stored {
    matcher::Stored {
        memories: known
            .memories
            .iter()
            .map(matcher::StoredMemory::from)
            .collect(),
        waiting: known
            .waiting
            .iter()
            .map(|candidate| matcher::Waiting {
                id: candidate.id.clone(),
                action: candidate.proposal.action,
                kind: candidate.proposal.kind.clone(),
                name: candidate.proposal.name.clone(),
                content: candidate.proposal.content.clone(),
                targets: candidate
                    .proposal
                    .targets
                    .iter()
                    .map(|target| target.memory.clone())
                    .collect(),
                urgent: candidate.proposal.is_urgent(),
            })
            .collect(),
        rejected: known
            .rejected
            .iter()
            .map(|candidate| matcher::Rejected {
                id: candidate.id.clone(),
                action: candidate.proposal.action,
                kind: candidate.proposal.kind.clone(),
                name: candidate.proposal.name.clone(),
                content: candidate.proposal.content.clone(),
            })
            .collect(),
    }
}

impl Engine {
    /// Does what waits until `stop`. Jobs under way are given back then, for another process or the next start.
    pub async fn run(&self, stop: impl Future<Output = ()> + Send) {
        self.run_parts(stop, true).await;
    }

    /// What a process does that serves but does not work: signs of life and the servings' buffer.
    pub async fn keep_alive(&self, stop: impl Future<Output = ()> + Send) {
        self.run_parts(stop, false).await;
    }

    async fn run_parts(&self, stop: impl Future<Output = ()> + Send, works: bool) {
        let (stopping, stopped) = watch::channel(false);
        let mut parts = JoinSet::new();
        parts.spawn(self.clone().sign_of_life(stopped.clone()));
        parts.spawn(self.clone().write_servings_regularly(stopped.clone()));
        if works {
            for schedules in self.schedules() {
                parts.spawn(self.clone().keep_schedules(schedules, stopped.clone()));
            }
            for _ in 0..self.settings().workers.max(1) {
                parts.spawn(self.clone().take_jobs(stopped.clone()));
            }
            for sort in work::Sort::ALL {
                parts.spawn(self.clone().take_work(sort, stopped.clone()));
            }
            parts.spawn(self.clone().take_webhooks(stopped.clone()));
        }
        stop.await;
        stopping.send_replace(true);
        while parts.join_next().await.is_some() {}
        if let Err(error) = self.flush().await {
            tracing::error!(%error, "the last servings could not be written");
        }
    }

    async fn take_jobs(self, mut stopped: watch::Receiver<bool>) {
        let mut wakeups = self.db().wakeups();
        while !*stopped.borrow() {
            let worked = match self.work(&mut stopped).await {
                Ok(worked) => worked,
                Err(error) => {
                    tracing::error!(%error, source = ?std::error::Error::source(&error).map(ToString::to_string), "a job could not be worked on");
                    false
                }
            };
            if worked {
                continue;
            }
            let rest = self.rest().await;
            tokio::select! {
                () = wakeups.next() => {}
                () = tokio::time::sleep(rest) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    /// How long to sleep when nothing wakes: until the next job is due, at most [`crate::Settings::poll`].
    async fn rest(&self) -> Duration {
        let poll = self.settings().poll;
        let due =
            async { Ok(self.read_all().await?.next_due().await?) as Result<Option<Timestamp>> };
        match due.await {
            Ok(Some(due)) => (due - self.now())
                .to_std()
                .unwrap_or(Duration::ZERO)
                .clamp(Duration::from_millis(5), poll),
            _ => poll,
        }
    }

    /// Claims and does one job; `false` where none is due.
    ///
    /// # Errors
    /// Only the database's; what goes wrong with the job is kept on it.
    pub async fn work_once(&self) -> Result<bool> {
        let (_running, mut stopped) = watch::channel(false);
        self.work(&mut stopped).await
    }

    /// [`Self::work_once`], but a job that is under way when `stopped` says true is given back as if it had not been begun.
    ///
    /// # Errors
    /// Only the database's; what goes wrong with the job is kept on it.
    pub async fn work(&self, stopped: &mut watch::Receiver<bool>) -> Result<bool> {
        let lease = span(self.settings().lease);
        let began = self.now();
        let Some(claimed) = self.db().claim(began, lease).await? else {
            return Ok(false);
        };
        let operation = &claimed.operation;
        tracing::debug!(operation = %operation.id, attempt = operation.attempt, "job claimed");
        let done = tokio::select! {
            done = self.do_job(&claimed) => done,
            () = self.beat(&claimed) => {
                tracing::warn!(operation = %operation.id, "the lease of a job ended while it ran; another worker has it");
                return Ok(true);
            }
            () = told_to_stop(stopped) => {
                again!(self.give_job_back(&claimed).await)?;
                return Ok(true);
            }
        };
        match (done, operation.r#type) {
            (Ok(()), _) => {}
            (Err(error), _) if error.is_lost_claim() => {
                tracing::warn!(operation = %operation.id, "another worker has this job; nothing was kept here");
            }
            (Err(error), JobType::Extract) => self.failed_inside(&claimed, error).await?,
            (Err(error), JobType::Patterns | JobType::Migrate) => {
                self.tried(&claimed, began, error).await?;
            }
        }
        Ok(true)
    }

    async fn give_job_back(&self, claimed: &Claimed) -> Result<()> {
        let mut tx = self.write_all().await?;
        match tx.release_claim(claimed, self.now()).await {
            // It ended in the same moment, or another worker has it: there is nothing to give back.
            Err(store::Error::LostClaim) => return Ok(()),
            released => released?,
        }
        Ok(tx.commit().await?)
    }

    async fn do_job(&self, claimed: &Claimed) -> Result<()> {
        match claimed.operation.r#type {
            JobType::Extract => self.extract(claimed).await,
            JobType::Patterns => self.patterns(claimed).await,
            JobType::Migrate => self.migrate(claimed).await,
        }
    }

    /// An error of our own in a job that reads no conversation: it is tried again, and in the end it has failed. Patterns are looked
    /// for again when there is news from after the last try, so that what fails each time does not ask the model each hour.
    async fn tried(&self, claimed: &Claimed, began: Timestamp, error: EngineError) -> Result<()> {
        let operation = &claimed.operation;
        let source = std::error::Error::source(&error).map(ToString::to_string);
        tracing::error!(operation = %operation.id, %error, source, "a job failed inside Keepsake");
        let present = self.read_all().await?.operation(&operation.id).await?;
        let outcome = present
            .map(|operation| operation.outcome)
            .unwrap_or_default();
        if operation.attempt < self.settings().attempts {
            let next = self.now() + span(self.back_off(operation.attempt));
            return again!(self.postpone(claimed, &outcome, next, "internal").await);
        }
        let upto = (operation.r#type == JobType::Patterns).then(|| patterns::settled(began));
        self.looked(claimed, upto, JobState::Failed, Some("internal"), &outcome)
            .await
    }

    /// Returns when the claim is lost.
    async fn beat(&self, claimed: &Claimed) {
        let mut silent = Duration::ZERO;
        loop {
            tokio::time::sleep(self.settings().heartbeat).await;
            match self.heartbeat(claimed).await {
                Ok(true) => silent = Duration::ZERO,
                Ok(false) => return,
                // One missed beat is no lost lease; silence for as long as the lease is.
                Err(_) => {
                    silent += self.settings().heartbeat;
                    if silent >= self.settings().lease {
                        return;
                    }
                }
            }
        }
    }

    async fn heartbeat(&self, claimed: &Claimed) -> Result<bool> {
        let mut tx = self.write_all().await?;
        let ours = tx
            .heartbeat(claimed, self.now(), span(self.settings().lease))
            .await?;
        tx.commit().await?;
        Ok(ours)
    }
}

pub(crate) async fn told_to_stop(stopped: &mut watch::Receiver<bool>) {
    // An engine that was dropped without a word counts as one that goes on: its jobs end by their own.
    if stopped.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
