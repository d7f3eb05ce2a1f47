//! Letting files go: what is past its time, and what belongs to no export any more.

use domain::id::ExportId;
use store::{ExportClaim, Stamp};

use super::files::Present;
use crate::{Engine, again, error::Result};

/// Exports of one transaction.
const BATCH: u32 = 200;

impl Engine {
    /// Removes the files that are past their time, and whatever lies in the folder that belongs to no export: of one that was stopped, or
    /// whose agent with made-up people was removed. Answers how many exports expired.
    ///
    /// # Errors
    /// Only the database's; what cannot be removed is told in the log and tried again.
    pub async fn expire_exports(&self) -> Result<usize> {
        let mut expired = 0;
        loop {
            let ids = again!(self.expire_exports_once().await)?;
            expired += ids.len();
            self.remove_export_files(&ids);
            if ids.len() < BATCH as usize {
                break;
            }
        }
        self.sweep_exports().await?;
        Ok(expired)
    }

    async fn expire_exports_once(&self) -> Result<Vec<ExportId>> {
        let mut tx = self.write_all().await?;
        let ids = tx.expire_exports(BATCH, &Stamp::system(self.now())).await?;
        tx.commit().await?;
        Ok(ids)
    }

    /// Removes all that lies in the folder of these exports.
    pub(super) fn remove_export_files(&self, ids: &[ExportId]) {
        if ids.is_empty() {
            return;
        }
        if let Some(present) = self.present_exports() {
            ids.iter().for_each(|id| present.remove(id));
        }
    }

    /// Removes what these claims and those before them wrote, finished or not. What a later claim writes stays.
    pub(crate) fn remove_export_files_upto(&self, claims: &[ExportClaim]) {
        if claims.is_empty() {
            return;
        }
        if let Some(present) = self.present_exports() {
            claims
                .iter()
                .for_each(|claim| present.remove_upto(&claim.id, claim.epoch));
        }
    }

    /// What lies in the folder; `None` where there is no setting of one, or it cannot be read.
    fn present_exports(&self) -> Option<Present> {
        let folder = self.settings().exports.as_ref()?;
        Present::look(folder)
            .inspect_err(|error| {
                tracing::error!(%error, "the folder of the exports cannot be read");
            })
            .ok()
    }

    async fn sweep_exports(&self) -> Result<()> {
        let Some(present) = self.present_exports() else {
            return Ok(());
        };
        for some in present.exports().chunks(BATCH as usize) {
            let known = self.read_all().await?.exports_with_files(some).await?;
            some.iter()
                .filter(|id| !known.contains(id))
                .for_each(|id| present.remove(id));
        }
        Ok(())
    }
}
