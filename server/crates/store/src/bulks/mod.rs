//! Many decisions as one job (F7): what they are about, how far they are, and whose turn it is to work on them.
//!
//! A bulk is decided item by item, each in a transaction of its own, which also writes the item's end ([`Tx::decide`]): what was
//! decided is never decided again, whoever dies in between.

mod items;

use std::collections::HashSet;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    bulk::{BulkState, BulkVerdict},
    candidate::{Flag, Reason},
    id::{BulkId, CandidateId, KeyId, PersonId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::items::{BulkItem, Items};
use crate::{
    Cursor, Error, Listed, Page, QueueFilter, Result, Stamp, Tx, Work, WorkClaim, WorkTable,
    column::{at, at_opt, parsed, parsed_opt},
    saved_views::speak_of,
    seal::Place,
    statement::{ScopeColumn, sql},
    work,
};

/// Many decisions that are asked for.
#[derive(Debug, Clone)]
pub struct NewBulk {
    /// Who asks.
    pub person: PersonId,
    /// The key through which they ask; `None`: a session.
    pub key: Option<KeyId>,
    /// What is to become of each.
    pub verdict: BulkVerdict,
    /// Why, of rejections.
    pub reason: Option<Reason>,
    /// A note for each decision.
    pub note: Option<String>,
    /// Whether risky ones are approved too.
    pub insist: bool,
    /// The agents it may touch, as whoever asked for it might.
    pub scope: AgentScope,
    /// On what.
    pub of: BulkOf,
    /// What was proposed later is not in it.
    pub frozen_at: Timestamp,
}

/// On what a bulk decides.
#[derive(Debug, Clone)]
pub enum BulkOf {
    /// These, at the versions that were seen.
    Picked(Vec<(CandidateId, i64)>),
    /// All that match, about so many.
    Matching(Box<QueueFilter>, i64),
    /// All that another bulk decided, the last of them first.
    Undone(BulkId),
}

/// Many decisions as one job.
#[derive(Debug, Clone)]
pub struct Bulk {
    /// Ours.
    pub id: BulkId,
    /// Who asked for it, and decides.
    pub person: PersonId,
    /// The key through which they asked; `None`: a session.
    pub key: Option<KeyId>,
    /// What is to become of each.
    pub verdict: BulkVerdict,
    /// Why, of rejections.
    pub reason: Option<Reason>,
    /// The note of each decision.
    pub note: Option<String>,
    /// Whether risky ones are approved too.
    pub insist: bool,
    /// How far it is.
    pub state: BulkState,
    /// Why it could not go on.
    pub error: Option<String>,
    /// The bulk that it takes back.
    pub undo_of: Option<BulkId>,
    /// The bulk that takes it back.
    pub undone_by: Option<BulkId>,
    /// What was proposed later is not in it.
    pub frozen_at: Timestamp,
    /// How many there are; while they are gathered, how many matched when it was asked for.
    pub total: i64,
    /// How many were decided.
    pub done: i64,
    /// How many were refused.
    pub failed: i64,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// The agents it may touch.
    pub scope: AgentScope,
    /// What it gathers.
    pub filter: Option<QueueFilter>,
}

/// A bulk in the hands of who works on it.
pub type BulkClaim = WorkClaim<BulkId>;

impl Work for BulkId {
    const TABLE: WorkTable = WorkTable {
        name: "bulks",
        open: "state in ('collecting', 'running')",
        held: "state in ('collecting', 'running')",
        claimed: "",
    };
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    note: Option<String>,
    filter: Option<QueueFilter>,
    /// `None`: all.
    agents: Option<Vec<AgentName>>,
    /// Bulks of before this was kept name none.
    #[serde(default)]
    key: Option<KeyId>,
}

#[derive(sqlx::FromRow)]
struct BulkRow {
    id: String,
    person_id: String,
    verdict: String,
    reason: Option<String>,
    insist: bool,
    state: String,
    error: Option<String>,
    undo_of: Option<String>,
    undone_by: Option<String>,
    frozen_at: i64,
    total: i64,
    done: i64,
    failed: i64,
    created_at: i64,
    finished_at: Option<i64>,
    sealed: Vec<u8>,
}

const BULKS: &str = "
    select k.id, k.person_id, k.verdict, k.reason, k.insist, k.state, k.error, k.undo_of, u.id as undone_by, k.frozen_at,
      k.total, k.done, k.failed, k.created_at, k.finished_at, k.sealed
    from bulks k
    left join bulks u on u.undo_of = k.id
    where true";

impl Tx {
    /// Begins a bulk, claimed until `until` by whoever began it.
    ///
    /// # Errors
    /// [`Error::Exists`] where the bulk is undone already; [`Error::OutOfScope`] where a picked candidate is not there.
    pub async fn create_bulk(
        &mut self,
        new: &NewBulk,
        until: Timestamp,
        stamp: &Stamp,
    ) -> Result<BulkClaim> {
        const SQL: &str = "
            insert into bulks
              (id, person_id, verdict, reason, insist, state, undo_of, frozen_at, total, done, failed, epoch, lease_until,
               created_at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, 1, $10, $11, $12)";
        const TOTAL: &str = "
            update bulks
            set total = $1
            where id = $2";
        let id = BulkId::new(stamp.now, self.entropy());
        let (state, filter, undo_of, expected) = match &new.of {
            BulkOf::Picked(picks) => (BulkState::Running, None, None, count(picks)),
            BulkOf::Matching(filter, expected) => {
                (BulkState::Collecting, Some(&**filter), None, *expected)
            }
            BulkOf::Undone(bulk) => (BulkState::Running, None, Some(bulk), 0),
        };
        let body = Sealed {
            note: new.note.clone(),
            filter: filter.cloned(),
            agents: agents(&new.scope),
            key: new.key.clone(),
        };
        let sealed = self
            .vault
            .staff
            .seal_json(place(&id), &body, self.entropy());
        sql(SQL)
            .bind(&id)
            .bind(&new.person)
            .bind(new.verdict.as_str())
            .bind(new.reason.map(Reason::as_str))
            .bind(new.insist)
            .bind(state.as_str())
            .bind(undo_of)
            .bind(new.frozen_at)
            .bind(expected)
            .bind(until)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        let mut total = expected;
        match &new.of {
            BulkOf::Picked(picks) => self.pick(&id, picks).await?,
            BulkOf::Matching(..) => {}
            BulkOf::Undone(bulk) => {
                total = self.take_over(&id, bulk).await?;
                sql(TOTAL).bind(total).bind(&id).run(&mut self.conn).await?;
            }
        }
        let data = json!({
            "verdict": new.verdict,
            "reason": new.reason,
            "insist": new.insist,
            "total": total,
            "undo_of": undo_of,
        });
        self.tell_of_work(None, EventType::BulkStarted, &id, data, stamp);
        self.wake_at_commit();
        Ok(BulkClaim { id, epoch: 1 })
    }

    /// How many of each kind with each set of flags a filter finds.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn queue_makeup(
        &mut self,
        filter: &QueueFilter,
        now: Timestamp,
    ) -> Result<Vec<(String, Vec<Flag>, i64)>> {
        const SQL: &str = "
            select c.kind, c.flags, count(*)
            from candidates c
            where true";
        let waits = " and c.status = 'pending' and c.expires_at > ?";
        let all = sql(SQL).scope(ScopeColumn::Candidate, self.scope());
        let rows: Vec<(String, String, i64)> = self
            .filtered(all, filter, waits, now)
            .push(" group by c.kind, c.flags")
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(kind, flags, count)| {
                let flags = flags.split_whitespace().map(parsed);
                Ok((kind, flags.collect::<Result<_>>()?, count))
            })
            .collect()
    }

    /// One bulk.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn bulk(&mut self, id: &BulkId) -> Result<Option<Bulk>> {
        let row: Option<BulkRow> = sql(BULKS)
            .clause(" and k.id = ?", id)
            .optional(&mut self.conn)
            .await?;
        row.map(|row| self.bulk_of(row)).transpose()
    }

    /// The bulks of a person, or of everybody, newest first.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn bulks(&mut self, of: Option<&PersonId>, page: &Page) -> Result<Listed<Bulk>> {
        let rows: Vec<BulkRow> = sql(BULKS)
            .clause_if(" and k.person_id = ?", of)
            .clause_if(
                " and k.id < ?",
                page.after(BulkId::PREFIX)?.map(|after| after.id.as_str()),
            )
            .clause(" order by k.id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let bulks: Vec<Bulk> = rows
            .into_iter()
            .map(|row| self.bulk_of(row))
            .collect::<Result<_>>()?;
        Ok(Listed::cut(bulks, page, |bulk| {
            Cursor::id(bulk.id.as_str())
        }))
    }

    /// Ends a bulk; `error` says why it cannot go on.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn finish_bulk(
        &mut self,
        claim: &BulkClaim,
        error: Option<&str>,
        stamp: &Stamp,
    ) -> Result<()> {
        let state = match error {
            None => BulkState::Done,
            Some(_) => BulkState::Failed,
        };
        self.still_ours(claim.end(state.as_str(), error, stamp.now))
            .await?;
        let data = self.counts_of_bulk(&claim.id, error).await?;
        self.tell_of_work(None, EventType::BulkEnded, &claim.id, data, stamp);
        Ok(())
    }

    /// Stops a bulk: what was not decided yet stays as it is. False where it had ended.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn stop_bulk(&mut self, id: &BulkId, stamp: &Stamp) -> Result<bool> {
        let stopped = work::stop(id, BulkState::Stopped.as_str(), None, stamp.now)
            .run(&mut self.conn)
            .await?;
        if stopped != 1 {
            return Ok(false);
        }
        let data = self.counts_of_bulk(id, None).await?;
        self.tell_of_work(None, EventType::BulkStopped, id, data, stamp);
        Ok(true)
    }

    /// Forgets what was written with the bulks that touch a user or speak of them: the note, and the words that were searched for. One
    /// that is not ended is stopped, because it would go on writing them.
    pub(crate) async fn forget_in_bulks(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        stamp: &Stamp,
    ) -> Result<()> {
        const TOUCHING: &str = "
            select distinct bulk_id
            from bulk_items
            where agent = $1 and candidate_id in (select id from candidates where agent = $1 and user_id = $2)";
        const ALL: &str = "
            select id, sealed
            from bulks";
        const FORGET: &str = "
            update bulks
            set sealed = $1
            where id = $2";
        let touching: Vec<(String,)> = sql(TOUCHING)
            .bind(agent)
            .bind(user)
            .all(&mut self.conn)
            .await?;
        let touching: HashSet<String> = touching.into_iter().map(|(id,)| id).collect();
        let scope = match self.user(user).await {
            Ok(found) => found.map(|found| found.scope),
            // Their key is gone already, and so is what they were called.
            Err(Error::Erased) => None,
            Err(error) => return Err(error),
        };
        let rows: Vec<(String, Vec<u8>)> = sql(ALL).all(&mut self.conn).await?;
        for (id, sealed) in rows {
            let touches = touching.contains(&id);
            let id: BulkId = parsed(&id)?;
            let mut body: Sealed = self.vault.staff.open_json(place(&id), &sealed)?;
            let of_them = |filter: &QueueFilter| filter.user.as_ref() == Some(user);
            let search = body
                .filter
                .as_ref()
                .and_then(|filter| filter.search.clone());
            let said = body.note.clone().into_iter().chain(search);
            let speaks = scope
                .as_ref()
                .is_some_and(|scope| speak_of(said, user, scope));
            if !touches && !speaks && !body.filter.as_ref().is_some_and(of_them) {
                continue;
            }
            self.stop_bulk(&id, stamp).await?;
            body.note = None;
            if let Some(filter) = &mut body.filter {
                filter.search = None;
            }
            let sealed = self
                .vault
                .staff
                .seal_json(place(&id), &body, self.entropy());
            sql(FORGET)
                .bind(sealed)
                .bind(&id)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    async fn counts_of_bulk(&mut self, id: &BulkId, error: Option<&str>) -> Result<Value> {
        const SQL: &str = "
            select total, done, failed
            from bulks
            where id = $1";
        let (total, done, failed): (i64, i64, i64) = sql(SQL).bind(id).one(&mut self.conn).await?;
        Ok(json!({ "total": total, "done": done, "failed": failed, "error": error }))
    }

    fn bulk_of(&self, row: BulkRow) -> Result<Bulk> {
        let id: BulkId = parsed(&row.id)?;
        let body: Sealed = self.vault.staff.open_json(place(&id), &row.sealed)?;
        Ok(Bulk {
            person: parsed(&row.person_id)?,
            key: body.key,
            verdict: parsed(&row.verdict)?,
            reason: parsed_opt(row.reason.as_deref())?,
            note: body.note,
            insist: row.insist,
            state: parsed(&row.state)?,
            error: row.error,
            undo_of: parsed_opt(row.undo_of.as_deref())?,
            undone_by: parsed_opt(row.undone_by.as_deref())?,
            frozen_at: at(row.frozen_at)?,
            total: row.total,
            done: row.done,
            failed: row.failed,
            created_at: at(row.created_at)?,
            finished_at: at_opt(row.finished_at)?,
            scope: body.agents.map_or(AgentScope::All, AgentScope::Some),
            filter: body.filter,
            id,
        })
    }
}

fn agents(scope: &AgentScope) -> Option<Vec<AgentName>> {
    match scope {
        AgentScope::One(agent) => Some(vec![agent.clone()]),
        AgentScope::Some(agents) => Some(agents.clone()),
        AgentScope::All => None,
    }
}

fn count<T>(rows: &[T]) -> i64 {
    i64::try_from(rows.len()).unwrap_or(i64::MAX)
}

fn place(id: &BulkId) -> Place<'_> {
    Place::new("bulks.sealed", "", id.as_str())
}
