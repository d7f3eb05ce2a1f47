//! Long work beside the jobs: each sort in a loop of its own, a part a claim, so that what is asked for takes turns.

use domain::Timestamp;
use store::{Work, WorkClaim};
use tokio::sync::watch;

use super::span;
use crate::{Engine, again, error::Result};

/// A sort of long work.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sort {
    Bulks,
    Exports,
    Imports,
    DryRuns,
}

/// Whether there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Ended,
}

impl Sort {
    pub(super) const ALL: [Self; 4] = [Self::Bulks, Self::Exports, Self::Imports, Self::DryRuns];

    /// One of it, in a line of the log.
    fn one(self) -> &'static str {
        match self {
            Self::Bulks => "a bulk",
            Self::Exports => "an export",
            Self::Imports => "an import",
            Self::DryRuns => "a dry run",
        }
    }
}

impl Engine {
    /// Does what waits of a sort until it is told to stop.
    pub(super) async fn take_work(self, sort: Sort, mut stopped: watch::Receiver<bool>) {
        let mut wakeups = self.db().wakeups();
        while !*stopped.borrow() {
            let worked = match sort {
                Sort::Bulks => self.work_bulk_once().await,
                Sort::Exports => self.work_export(&mut stopped).await,
                Sort::Imports => self.work_import_once().await,
                Sort::DryRuns => self.work_dry_run(&mut stopped).await,
            };
            match worked {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => tracing::error!(%error, "{} could not be worked on", sort.one()),
            }
            tokio::select! {
                () = wakeups.next() => {}
                () = tokio::time::sleep(self.settings().poll) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    /// Until when a claim holds that is made or kept now.
    pub(crate) fn lease_until(&self) -> Timestamp {
        self.now() + span(self.settings().lease)
    }

    /// Gives a claim back, so that whoever waited longest comes next.
    pub(crate) async fn pass_on<W: Work>(&self, claim: &WorkClaim<W>) -> Result<()> {
        again!(self.pass_on_once(claim).await)
    }

    async fn pass_on_once<W: Work>(&self, claim: &WorkClaim<W>) -> Result<()> {
        let mut tx = self.write_all().await?;
        match tx.hold_work(claim, self.now()).await {
            // It ended meanwhile.
            Err(store::Error::LostClaim) => return Ok(()),
            held => held?,
        }
        Ok(tx.commit().await?)
    }
}
