//! What the clock does. Each schedule is taken by one process of many.

use std::time::Duration;

use store::Stamp;
use tokio::sync::watch;

use crate::{Engine, error::Result, worker::span};

/// Rows of one transaction, so that nobody waits long for a lock.
const BATCH: u32 = 200;

impl Engine {
    /// Notes that a process is alive. Before anything is served, and each minute: gives back to what waited the time in which no
    /// Keepsake ran (A6).
    ///
    /// # Errors
    /// Only the database's.
    pub async fn start(&self) -> Result<()> {
        let gap = self
            .db()
            .extend_after_gap(span(self.settings().alive_gap), &Stamp::system(self.now()))
            .await?;
        if let Some(gap) = gap {
            tracing::info!(
                candidates = gap.candidates,
                minutes = gap.span.num_minutes(),
                "waiting candidates got the downtime back"
            );
        }
        Ok(())
    }

    /// Does what is due by the clock, once.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn tick(&self) -> Result<()> {
        // What nobody decided in seven days is rejected as expired (A6).
        while self.expire_some(true).await? >= BATCH {}
        // What has outlived its kind's time is no longer served (B6).
        while self.expire_some(false).await? >= BATCH {}
        // Sign-ins, flashes, idempotent answers and throttles past their time go.
        let mut tx = self.write_all().await?;
        tx.sweep(self.now()).await?;
        Ok(tx.commit().await?)
    }

    async fn expire_some(&self, candidates: bool) -> Result<u32> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        let count = if candidates {
            tx.expire_waiting(BATCH, &stamp).await?
        } else {
            tx.expire_memories(BATCH, &stamp).await?
        };
        tx.commit().await?;
        Ok(count)
    }

    pub(super) async fn keep_schedules(self, mut stopped: watch::Receiver<bool>) {
        let every = self.settings().expiry_tick;
        while wait(every, &mut stopped).await {
            let done = async {
                if self.our_turn("expiry", every).await? {
                    self.tick().await?;
                }
                Ok(()) as Result<()>
            };
            if let Err(error) = done.await {
                tracing::error!(%error, "the expiry could not run; it is tried again");
            }
        }
    }

    async fn our_turn(&self, name: &'static str, every: Duration) -> Result<bool> {
        let mut tx = self.write_all().await?;
        let ours = tx.take_turn(name, span(every), self.now()).await?;
        tx.commit().await?;
        Ok(ours)
    }

    pub(super) async fn sign_of_life(self, mut stopped: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.start().await {
                tracing::error!(%error, "the sign of life could not be written");
            }
            if !wait(self.settings().alive_tick, &mut stopped).await {
                return;
            }
        }
    }

    pub(super) async fn write_servings_regularly(self, mut stopped: watch::Receiver<bool>) {
        loop {
            let every = self.settings().servings_flush;
            let goes_on = tokio::select! {
                () = self.servings_filled() => true,
                goes_on = wait(every, &mut stopped) => goes_on,
            };
            if let Err(error) = self.flush().await {
                tracing::error!(%error, "servings could not be written; they are kept for the next try");
            }
            if !goes_on {
                return;
            }
        }
    }
}

/// Waits; `false` where it is time to stop.
async fn wait(time: Duration, stopped: &mut watch::Receiver<bool>) -> bool {
    if *stopped.borrow() {
        return false;
    }
    tokio::select! {
        () = tokio::time::sleep(time) => true,
        changed = stopped.changed() => changed.is_ok() && !*stopped.borrow(),
    }
}
