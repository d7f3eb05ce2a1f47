//! What exports hold of somebody who is erased: files with them go, and what is being written of others begins anew.

use domain::{Timestamp, agent::AgentName, audit::EventType, export::ExportState, id::UserId};
use serde_json::json;

use super::{EXPORTS, Export, ExportClaim, Row, Sealed, place};
use crate::{Result, Stamp, Tx, statement::sql, work};

/// Somebody who is erased, as exports may hold them.
pub(crate) struct Whom<'a> {
    pub agent: &'a AgentName,
    pub user: &'a UserId,
    /// The hash they are found by, which tells a name of theirs also where their key is gone already.
    pub lookup: &'a [u8],
    /// When they were first heard of: what ends before holds nothing of them.
    pub known_since: Timestamp,
}

/// How an export holds somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holding {
    /// It is about them.
    Them,
    /// Among others.
    Among,
}

impl Holding {
    /// Why the file is gone.
    fn code(self) -> &'static str {
        match self {
            Self::Them => "erased",
            Self::Among => "outdated",
        }
    }
}

impl Tx {
    /// Lets nobody ask for an export of an agent, or of all with `None`, while somebody of it is erased, nor erase while that is asked:
    /// an erasure could not know of an export that is asked for meanwhile, and who writes it would still see the person.
    pub(crate) async fn lock_agents(&mut self, agent: Option<&AgentName>) -> Result<()> {
        let lock = self.dialect().for_update();
        let _rows: Vec<(String,)> = sql("select agent from agents where true")
            .clause_if(" and agent = ?", agent)
            // In one order, so that two who lock several never wait for each other.
            .push(" order by agent")
            .push(lock)
            .all(&mut self.conn)
            .await?;
        Ok(())
    }

    /// How many exports have a file that holds a user.
    pub(crate) async fn files_that_hold(&mut self, whom: &Whom<'_>) -> Result<i64> {
        let exports = self.exports_with(whom, "").await?;
        let files = exports.iter().filter(|(export, _)| {
            export.state == ExportState::Done && self.held_by(whom, export).is_some()
        });
        Ok(i64::try_from(files.count()).unwrap_or(i64::MAX))
    }

    /// Takes a user out of all exports: files that hold them go, what is being written of others begins anew, and the name by which they
    /// were asked for is forgotten. Answers the exports of which something may lie in the folder, each with the last claim that wrote it:
    /// what a later one writes of it holds them no more.
    pub(crate) async fn forget_in_exports(
        &mut self,
        whom: &Whom<'_>,
        stamp: &Stamp,
    ) -> Result<Vec<ExportClaim>> {
        const FORGET: &str = "
            update exports
            set sealed = $1
            where id = $2";
        const GO: &str = "
            update exports
            set state = 'expired', file = null, expires_at = $1, error = $2
            where id = $3 and state = 'done'";
        // Who writes it has an older claim now, and puts no file in its place.
        const AGAIN: &str = "
            update exports
            set state = 'queued', done = 0, epoch = epoch + 1, lease_until = $1,
                attempt = case when state = 'running' then attempt - 1 else attempt end
            where id = $2 and state in ('queued', 'running')";
        let mut gone = Vec::new();
        // Locked, or one that is finished meanwhile would keep its file.
        let lock = self.dialect().for_update();
        for (export, epoch) in self.exports_with(whom, lock).await? {
            let Some(holding) = self.held_by(whom, &export) else {
                continue;
            };
            let id = &export.id;
            if holding == Holding::Them && export.named.is_some() {
                let body = Sealed {
                    named: None,
                    key: export.key.clone(),
                };
                let sealed = self.vault.staff.seal_json(place(id), &body, self.entropy());
                sql(FORGET)
                    .bind(sealed)
                    .bind(id)
                    .run(&mut self.conn)
                    .await?;
            }
            let code = holding.code();
            match (export.state, holding) {
                (ExportState::Done, _) => {
                    sql(GO)
                        .bind(stamp.now)
                        .bind(code)
                        .bind(id)
                        .run(&mut self.conn)
                        .await?;
                    let data = json!({ "error": code });
                    self.tell_of_work(None, EventType::ExportExpired, id, data, stamp);
                }
                (ExportState::Queued | ExportState::Running, Holding::Them) => {
                    let failed = ExportState::Failed.as_str();
                    work::stop(id, failed, Some(code), stamp.now)
                        .run(&mut self.conn)
                        .await?;
                    let data = json!({ "error": code });
                    self.tell_of_work(None, EventType::ExportFinished, id, data, stamp);
                }
                (ExportState::Queued | ExportState::Running, Holding::Among) => {
                    sql(AGAIN)
                        .bind(stamp.now)
                        .bind(id)
                        .run(&mut self.conn)
                        .await?;
                    self.wake_at_commit();
                }
                (ExportState::Failed | ExportState::Expired, _) => continue,
            }
            gone.push(ExportClaim {
                id: export.id,
                epoch,
            });
        }
        Ok(gone)
    }

    fn held_by(&self, whom: &Whom<'_>, export: &Export) -> Option<Holding> {
        match (&export.user, &export.named) {
            (Some(user), _) => (user == whom.user).then_some(Holding::Them),
            (None, Some(named)) => {
                let they = self.user_lookup(whom.agent, named) == whom.lookup;
                they.then_some(Holding::Them)
            }
            (None, None) => {
                let begins_later = export.to.is_some_and(|to| to <= whom.known_since);
                (!begins_later).then_some(Holding::Among)
            }
        }
    }

    /// The exports that may be about a user, or hold them among others; each with the number of its last claim.
    async fn exports_with(
        &mut self,
        whom: &Whom<'_>,
        lock: &'static str,
    ) -> Result<Vec<(Export, i64)>> {
        let rows: Vec<Row> = sql(EXPORTS)
            .clause(" and (agent is null or agent = ?", whom.agent)
            .clause(" and (user_id is null or user_id = ?))", whom.user)
            .push(" order by id")
            .push(lock)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|row| {
                let epoch = row.epoch;
                Ok((self.export_of(row)?, epoch))
            })
            .collect()
    }
}
