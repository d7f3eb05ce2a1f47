//! Retention: what is past the time for which the installation keeps it goes. Whom a legal hold keeps is passed over. What was approved
//! stays with the words it rests on (A14); it goes by its kind's own time, or by erasing the person.

use std::time::Duration;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
};
use store::{Stamp, Stretched};

use crate::{Engine, again, error::Result, worker::span};

/// Conversations or candidates of one transaction.
const BATCH: u32 = 100;
/// Servings of one transaction; each is a few rows.
const SERVINGS: u32 = 500;

/// What is removed.
#[derive(Debug, Clone, Copy)]
enum What {
    Conversations,
    Rejected,
    Servings,
}

impl Engine {
    /// Takes the words out of conversations to which nothing came for longer than they are kept; answers how many.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn remove_old_conversations(&self) -> Result<i64> {
        let keep = self.settings().retention.conversations;
        self.remove_old(What::Conversations, keep).await
    }

    /// Removes candidates that were rejected longer ago than they are kept, and never made anything; answers how many. What was rejected
    /// and is gone may be proposed again (F4).
    ///
    /// # Errors
    /// Only the database's.
    pub async fn remove_old_rejections(&self) -> Result<i64> {
        let keep = self.settings().retention.rejected;
        self.remove_old(What::Rejected, keep).await
    }

    /// Removes records of what agents were told that are older than they are kept; answers how many.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn remove_old_servings(&self) -> Result<i64> {
        let keep = self.settings().retention.servings;
        self.remove_old(What::Servings, keep).await
    }

    /// Removes the records of exports that have no file any more and are older than they are kept; answers how many.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn remove_old_exports(&self) -> Result<i64> {
        match self.settings().retention.exports {
            None => Ok(0),
            Some(keep) => again!(self.remove_old_exports_once(keep).await),
        }
    }

    async fn remove_old_exports_once(&self, keep: Duration) -> Result<i64> {
        let now = self.now();
        let Some(before) = now.checked_sub_signed(span(keep)) else {
            return Ok(0);
        };
        let mut tx = self.write_all().await?;
        let removed = tx.remove_export_records(before).await?;
        tx.tell_of_removed_exports(removed, &Stamp::system(now));
        tx.commit().await?;
        Ok(removed)
    }

    async fn remove_old(&self, what: What, keep: Option<Duration>) -> Result<i64> {
        let before = keep.and_then(|keep| self.now().checked_sub_signed(span(keep)));
        let Some(before) = before else {
            return Ok(0);
        };
        let agents = self.read_all().await?.agents().await?;
        let mut removed = 0;
        for agent in agents {
            loop {
                let (stretched, asked) =
                    again!(self.remove_stretch(what, &agent.name, before).await)?;
                removed += stretched.removed;
                // What could not be removed would be met again.
                if stretched.looked_at < asked || stretched.removed == 0 {
                    break;
                }
            }
        }
        Ok(removed)
    }

    /// Removes a stretch in a transaction of its own; answers how much was asked for.
    async fn remove_stretch(
        &self,
        what: What,
        agent: &AgentName,
        before: Timestamp,
    ) -> Result<(Stretched, u32)> {
        let stamp = Stamp::system(self.now());
        let scope = AgentScope::One(agent.clone());
        let mut tx = self.db().write(scope).await?;
        let held = tx.held(agent, stamp.now).await?;
        let (stretched, asked) = match what {
            What::Conversations => {
                let gone = tx
                    .remove_conversations(agent, before, &held, BATCH, &stamp)
                    .await?;
                (gone, BATCH)
            }
            What::Rejected => {
                let gone = tx
                    .remove_rejected(agent, before, &held, BATCH, &stamp)
                    .await?;
                (gone, BATCH)
            }
            What::Servings => {
                let gone = tx
                    .remove_servings(agent, before, &held, SERVINGS, &stamp)
                    .await?;
                (gone, SERVINGS)
            }
        };
        tx.commit().await?;
        Ok((stretched, asked))
    }
}
