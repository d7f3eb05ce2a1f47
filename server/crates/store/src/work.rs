//! Long work: what is asked for once and done in the background over many transactions, from a table of its own: exports, many
//! decisions, imports, dry runs. Here stands what is one thing in all of them: in whose hands a row is, and how it ends.
//!
//! A row is claimed for a while, and whoever has it says again and again that they go on. Where they do not, another claims it and goes
//! on from what was written. A claim has an epoch, as that of a job has (`lease.rs`), and whatever is written for the row names it, in
//! the same transaction: with an older claim, or one of what was stopped, nothing is changed any more.

use std::{fmt::Display, str::FromStr};

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
};
use serde_json::Value;

use crate::{
    Db, Result, Stamp, Tx,
    column::parsed,
    events::Telling,
    statement::{Statement, sql},
};

/// A sort of long work, by the id of its rows.
pub trait Work: Display + FromStr + Send + Sync {
    /// Where its rows are.
    const TABLE: WorkTable;
}

/// The table of a sort of long work. Its rows have an `id`, a `state`, an `error`, an `epoch`, a `lease_until` and a `finished_at`.
#[derive(Debug, Clone, Copy)]
pub struct WorkTable {
    /// Its name.
    pub(crate) name: &'static str,
    /// The condition of a row that has not ended. The index on its lease has the same, word for word.
    pub(crate) open: &'static str,
    /// The condition of a row that somebody has in their hands.
    pub(crate) held: &'static str,
    /// What a claim sets besides.
    pub(crate) claimed: &'static str,
}

/// A row of long work in the hands of who works on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkClaim<W> {
    /// Which.
    pub id: W,
    /// Which claim of it this is. Who has an older one can change nothing any more.
    pub epoch: i64,
}

impl<W: Work> WorkClaim<W> {
    /// An `update` of the row up to its `where`, which touches it only where this is the claim of it.
    pub(crate) fn guard(&self, update: Statement) -> Statement {
        update
            .push(" where ")
            .push(W::TABLE.held)
            .clause(" and id = ?", self.id.to_string())
            .clause(" and epoch = ?", self.epoch)
    }

    /// The end of the row in these hands; `error` says why it cannot go on.
    pub(crate) fn end(&self, state: &str, error: Option<&str>, now: Timestamp) -> Statement {
        self.guard(end(W::TABLE, state, error, now))
    }
}

/// The end of a row in whatever hands it is, and in none: who works on it finds out at the next write.
pub(crate) fn stop<W: Work>(id: &W, state: &str, error: Option<&str>, now: Timestamp) -> Statement {
    end(W::TABLE, state, error, now)
        .push(" where ")
        .push(W::TABLE.open)
        .clause(" and id = ?", id.to_string())
}

fn end(table: WorkTable, state: &str, error: Option<&str>, now: Timestamp) -> Statement {
    sql("update ")
        .push(table.name)
        .push(" set state = $1, error = $2, finished_at = $3, lease_until = null")
        .bind(state)
        .bind(error)
        .bind(now)
}

impl Db {
    /// Claims the work of a sort that has waited longest, in a short transaction of its own; what was claimed and not kept since waits
    /// too.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn claim_work<W: Work>(
        &self,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<WorkClaim<W>>> {
        let table = W::TABLE;
        let mut tx = self.write(AgentScope::All).await?;
        let lock = tx.dialect().skip_locked();
        let row: Option<(String, i64)> = sql("with due as (select j.id from ")
            .push(table.name)
            .push(" j where ")
            .push(table.open)
            .push(" and lease_until <= $1 order by lease_until limit 1")
            .push(lock)
            .push(") update ")
            .push(table.name)
            .push(" set epoch = epoch + 1, lease_until = $2")
            .push(table.claimed)
            .push(" where id in (select id from due) returning id, epoch")
            .bind(now)
            .bind(until)
            .optional(&mut tx.conn)
            .await?;
        tx.commit().await?;
        row.map(|(id, epoch)| {
            Ok(WorkClaim {
                id: parsed(&id)?,
                epoch,
            })
        })
        .transpose()
    }
}

impl Tx {
    /// Keeps a claim until `until`; with now it is given back. What a transaction does for a row is kept only with this or another guarded
    /// write of the row.
    ///
    /// # Errors
    /// [`crate::Error::LostClaim`] where somebody else has it by now, or it was stopped.
    pub async fn hold_work<W: Work>(
        &mut self,
        claim: &WorkClaim<W>,
        until: Timestamp,
    ) -> Result<()> {
        let held = sql("update ")
            .push(W::TABLE.name)
            .push(" set lease_until = $1")
            .bind(until);
        self.still_ours(claim.guard(held)).await
    }

    /// Buffers an event about a row of long work, for the chain of an agent, or with `None` for the system's.
    pub(crate) fn tell_of_work<W: Work>(
        &mut self,
        agent: Option<&AgentName>,
        r#type: EventType,
        id: &W,
        data: Value,
        stamp: &Stamp,
    ) {
        let telling = Telling {
            r#type,
            user: None,
            subject: &id.to_string(),
            data,
            commitment: None,
        };
        self.tell(agent, stamp, telling);
    }
}
