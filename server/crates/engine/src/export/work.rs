//! Working on exports: claimed like a job, so that one process of many writes each, and another begins anew where one died. An export is
//! written with the rights that the person has then, and the key through which they asked.

use std::{io, path::Path};

use domain::{
    agent::AgentScope,
    export::ExportSort,
    id::ExportId,
    permission::{Permission, Permit},
};
use store::{Export, ExportClaim, ExportFile, Stamp, private};
use tokio::sync::watch;

use super::{
    files::Paths,
    write::{NotWritten, Progress},
};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    worker::{span, told_to_stop},
};

impl Engine {
    /// Claims an export and writes it; `false` where none waits.
    ///
    /// # Errors
    /// Only the database's; the export is then tried again when its claim has run out.
    pub async fn work_export_once(&self) -> Result<bool> {
        let (_running, mut stopped) = watch::channel(false);
        self.work_export(&mut stopped).await
    }

    /// [`Self::work_export_once`], but one that is being written when `stopped` says true is begun anew by another process, or at the next start.
    pub(crate) async fn work_export(&self, stopped: &mut watch::Receiver<bool>) -> Result<bool> {
        let (now, until) = (self.now(), self.lease_until());
        let Some(claim) = self.db().claim_work::<ExportId>(now, until).await? else {
            return Ok(false);
        };
        let export = self.read_all().await?.export(&claim.id).await?;
        let export = export.ok_or(EngineError::NotFound)?;
        if export.attempt > self.settings().attempts {
            // It ended its process each time.
            self.give_up_export(&claim, "crashed").await?;
            return Ok(true);
        }
        let progress = Progress::default();
        let written = tokio::select! {
            written = self.write_export(&claim, &export, &progress) => written,
            () = self.hold_on(&claim, &progress) => {
                tracing::info!(export = %claim.id, "an export was stopped, or somebody else writes it");
                self.leave_export(&claim);
                return Ok(true);
            }
            () = told_to_stop(stopped) => {
                self.leave_export(&claim);
                again!(self.release_export(&claim).await)?;
                return Ok(true);
            }
        };
        let code = match written {
            Ok(file) => {
                let (rows, _) = progress.now();
                return match again!(self.finish_export(&claim, &file, rows).await) {
                    Err(error) if error.is_lost_claim() => {
                        self.leave_export(&claim);
                        Ok(true)
                    }
                    ended => ended.map(|()| true),
                };
            }
            Err(NotWritten::Refused(code)) => code,
            Err(NotWritten::Storage(error)) => {
                tracing::error!(export = %claim.id, %error, "the file of an export could not be written");
                "storage"
            }
            Err(NotWritten::Engine(error @ (EngineError::Unavailable | EngineError::Busy))) => {
                return Err(error);
            }
            Err(NotWritten::Engine(error)) if error.is_lost_claim() => {
                self.leave_export(&claim);
                return Ok(true);
            }
            Err(NotWritten::Engine(error)) => {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::error!(export = %claim.id, %error, source, "an export failed inside Keepsake");
                "internal"
            }
        };
        self.give_up_export(&claim, code).await?;
        Ok(true)
    }

    /// Takes away what was written with a claim that is gone: nobody else writes under its names.
    fn leave_export(&self, claim: &ExportClaim) {
        self.remove_export_files_upto(std::slice::from_ref(claim));
    }

    async fn write_export(
        &self,
        claim: &ExportClaim,
        export: &Export,
        progress: &Progress,
    ) -> Result<ExportFile, NotWritten> {
        let folder = self.settings().exports.as_deref();
        let folder = folder.ok_or(NotWritten::Refused("no_folder"))?;
        let scope = self.scope_of_export(export).await?;
        private::make_folder(folder)?;
        // Of a process that died.
        self.leave_export(&ExportClaim {
            epoch: claim.epoch - 1,
            ..claim.clone()
        });
        let paths = Paths::of(folder, claim);
        let file = match export.sort {
            ExportSort::Audit => self.write_bundle(export, scope, &paths, progress).await?,
            ExportSort::Copy => self.write_copy(export, scope, &paths, progress).await?,
        };
        // Only who still has the claim puts the file in its place.
        again!(self.beat_export(claim, progress).await)?;
        std::fs::rename(&paths.part, &paths.whole)?;
        keep_name(folder)?;
        Ok(file)
    }

    /// The agents that an export is read from: no more than the person may now, and the key through which they asked.
    async fn scope_of_export(&self, export: &Export) -> Result<AgentScope, NotWritten> {
        let actor = self
            .actor(&export.person)
            .await?
            .ok_or(NotWritten::Refused("deactivated"))?;
        let actor = match &export.key {
            None => actor,
            Some(key) => self
                .actor_of_key(key)
                .await?
                .ok_or(NotWritten::Refused("key_ended"))?,
        };
        let forbidden = NotWritten::Refused("forbidden");
        let Ok(permit) = Permit::ask(actor, Permission::Export) else {
            return Err(forbidden);
        };
        match &export.agent {
            Some(agent) if permit.scope().contains(agent) => Ok(AgentScope::One(agent.clone())),
            None if *permit.scope() == AgentScope::All => Ok(AgentScope::All),
            _ => Err(forbidden),
        }
    }

    /// Keeps a claim for as long as the export is written, and notes how far that is; returns when the claim is lost.
    async fn hold_on(&self, claim: &ExportClaim, progress: &Progress) {
        loop {
            tokio::time::sleep(self.settings().heartbeat).await;
            match self.beat_export(claim, progress).await {
                Err(error) if error.is_lost_claim() => return,
                // One missed beat is no lost lease; where it was lost, the next one says so.
                Ok(()) | Err(_) => {}
            }
        }
    }

    async fn beat_export(&self, claim: &ExportClaim, progress: &Progress) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.hold_export(claim, progress.now(), self.lease_until())
            .await?;
        Ok(tx.commit().await?)
    }

    async fn release_export(&self, claim: &ExportClaim) -> Result<()> {
        let mut tx = self.write_all().await?;
        match tx.release_export(claim, self.now()).await {
            // It was stopped in the same moment.
            Err(store::Error::LostClaim) => return Ok(()),
            released => released?,
        }
        Ok(tx.commit().await?)
    }

    async fn finish_export(&self, claim: &ExportClaim, file: &ExportFile, rows: i64) -> Result<()> {
        let now = self.now();
        let expires_at = now + span(self.settings().exports_keep);
        let mut tx = self.write_all().await?;
        tx.finish_export(claim, file, rows, expires_at, &Stamp::system(now))
            .await?;
        Ok(tx.commit().await?)
    }

    async fn give_up_export(&self, claim: &ExportClaim, code: &str) -> Result<()> {
        match again!(self.give_up_export_once(claim, code).await) {
            Err(error) if error.is_lost_claim() => {}
            given_up => given_up?,
        }
        self.leave_export(claim);
        Ok(())
    }

    async fn give_up_export_once(&self, claim: &ExportClaim, code: &str) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.fail_export(claim, code, &Stamp::system(self.now()))
            .await?;
        Ok(tx.commit().await?)
    }
}

/// The name of a file is on the disk only with its folder.
fn keep_name(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}
