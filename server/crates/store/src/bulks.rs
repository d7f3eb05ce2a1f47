//! Many decisions as one job (F7): what they are about, how far they are, and whose turn it is to work on them.
//!
//! A bulk is decided item by item, each in a transaction of its own, which also writes the item's end ([`Tx::decide`]): what was
//! decided is never decided again, whoever dies in between. A claim has an epoch, as that of a job has.

use std::collections::HashSet;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    bulk::{BulkState, BulkVerdict, ItemState},
    candidate::{Flag, Reason},
    id::{BulkId, CandidateId, KeyId, PersonId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Cursor, Db, Error, InBulk, Listed, Page, QueueFilter, Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt},
    events::Telling,
    saved_views::speak_of,
    seal::Place,
    statement::{ScopeColumn, Statement, sql},
};

/// Items that one statement writes.
const ROWS: usize = 200;

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

/// One candidate of a bulk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkItem {
    /// Its place, from 1.
    pub number: i64,
    /// Its agent.
    pub agent: AgentName,
    /// Which.
    pub candidate: CandidateId,
    /// The version that was seen.
    pub version: i64,
    /// What became of it.
    pub state: ItemState,
    /// Why it was refused, or how it was done where it was not decided for good.
    pub code: Option<String>,
    /// How many sessions had been told what was taken back.
    pub told: i64,
}

/// Which items are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Items {
    /// Those that were not tried yet.
    Waiting,
    /// Those that were refused.
    Failed,
    /// Those that sessions had been told of.
    Told,
}

/// A bulk in the hands of who works on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkClaim {
    /// Which.
    pub bulk: BulkId,
    /// Which claim of it this is. Who has an older one can change nothing any more.
    pub epoch: i64,
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

#[derive(sqlx::FromRow)]
struct ItemRow {
    number: i64,
    agent: String,
    candidate_id: String,
    version: i64,
    state: String,
    code: Option<String>,
    told: i64,
}

const BULKS: &str = "
    select k.id, k.person_id, k.verdict, k.reason, k.insist, k.state, k.error, k.undo_of, u.id as undone_by, k.frozen_at,
      k.total, k.done, k.failed, k.created_at, k.finished_at, k.sealed
    from bulks k
    left join bulks u on u.undo_of = k.id
    where true";

const ITEMS: &str = "
    select number, agent, candidate_id, version, state, code, told
    from bulk_items
    where bulk_id = $1";

impl Db {
    /// Claims the bulk that has waited longest, in a short transaction of its own; one whose lease ran out is one of them.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn claim_bulk(&self, now: Timestamp, until: Timestamp) -> Result<Option<BulkClaim>> {
        const DUE: &str = "
            with due as (
              select j.id
              from bulks j
              where j.state in ('collecting', 'running') and j.lease_until <= $1
              order by j.lease_until
              limit 1";
        const CLAIM: &str = ")
            update bulks
            set epoch = epoch + 1, lease_until = $2
            where id in (select id from due)
            returning id, epoch";
        let row = self.claim_due(DUE, CLAIM, now, until).await?;
        row.map(|(id, epoch)| {
            Ok(BulkClaim {
                bulk: parsed(&id)?,
                epoch,
            })
        })
        .transpose()
    }
}

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
        self.tell_of_bulk(
            EventType::BulkStarted,
            &id,
            json!({
                "verdict": new.verdict,
                "reason": new.reason,
                "insist": new.insist,
                "total": total,
                "undo_of": undo_of,
            }),
            stamp,
        );
        self.wake_at_commit();
        Ok(BulkClaim { bulk: id, epoch: 1 })
    }

    async fn pick(&mut self, bulk: &BulkId, picks: &[(CandidateId, i64)]) -> Result<()> {
        const AGENTS: &str = "
            select id, agent
            from candidates
            where true";
        let mut rows = Vec::with_capacity(picks.len());
        for some in picks.chunks(ROWS) {
            let found: Vec<(String, String)> = sql(AGENTS)
                .clause_in(" and id in (", some.iter().map(|(id, _)| id))
                .scope(ScopeColumn::Plain, self.scope())
                .all(&mut self.conn)
                .await?;
            for (candidate, version) in some {
                let agent = found
                    .iter()
                    .find(|(id, _)| id == candidate.as_str())
                    .map(|(_, agent)| agent.clone())
                    .ok_or(Error::OutOfScope)?;
                rows.push((agent, candidate.as_str().to_owned(), *version));
            }
        }
        self.insert_items(bulk, 0, &rows).await
    }

    /// All that `other` decided becomes what `bulk` is about, the last of them first: what came later may rest on what came before.
    async fn take_over(&mut self, bulk: &BulkId, other: &BulkId) -> Result<i64> {
        const SQL: &str = "
            insert into bulk_items (bulk_id, number, agent, candidate_id, version, state)
            select $1, (select max(number) from bulk_items where bulk_id = $2) + 1 - number, agent, candidate_id, made_version, 'waits'
            from bulk_items
            where bulk_id = $3 and state = 'done'";
        let taken = sql(SQL)
            .bind(bulk)
            .bind(other)
            .bind(other)
            .scope(ScopeColumn::Plain, self.scope())
            .run(&mut self.conn)
            .await?;
        Ok(i64::try_from(taken).unwrap_or(i64::MAX))
    }

    async fn insert_items(
        &mut self,
        bulk: &BulkId,
        after: i64,
        rows: &[(String, String, i64)],
    ) -> Result<()> {
        const SQL: &str = "
            insert into bulk_items (bulk_id, number, agent, candidate_id, version, state)
            values ";
        let mut number = after;
        for some in rows.chunks(ROWS) {
            let mut statement = sql(SQL);
            for (place, (agent, candidate, version)) in some.iter().enumerate() {
                number += 1;
                statement = statement
                    .push(if place == 0 { "" } else { ", " })
                    .clause("(?", bulk)
                    .clause(", ?", number)
                    .clause(", ?", agent.as_str())
                    .clause(", ?", candidate.as_str())
                    .clause(", ?, 'waits')", *version);
            }
            statement.run(&mut self.conn).await?;
        }
        Ok(())
    }

    /// Gathers up to `limit` more of what matches, in the order it was proposed; answers whether that was the last.
    ///
    /// # Errors
    /// [`Error::LostClaim`]; what the database answers.
    pub async fn collect_bulk(
        &mut self,
        claim: &BulkClaim,
        filter: &QueueFilter,
        limit: u32,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<bool> {
        const LAST: &str = "
            select coalesce(max(number), 0), max(candidate_id)
            from bulk_items
            where bulk_id = $1";
        const MATCHING: &str = "
            select c.agent, c.id, c.version
            from candidates c
            where true";
        const COLLECTED: &str = "
            update bulks
            set state = 'running', total = $1";
        self.hold_bulk(claim, until).await?;
        let (number, last): (i64, Option<String>) =
            sql(LAST).bind(&claim.bulk).one(&mut self.conn).await?;
        let read = sql(MATCHING).scope_along(ScopeColumn::Candidate, self.scope());
        // `+ 0` keeps the planner on the index of the ids, along which this goes on.
        let waits = " and c.status = 'pending' and c.expires_at + 0 > ?";
        let rows: Vec<(String, String, i64)> = self
            .filtered(read, filter, waits, now)
            .clause_if(" and c.id > ?", last.as_deref())
            .clause(" order by c.id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        self.insert_items(&claim.bulk, number, &rows).await?;
        let whole = rows.len() < limit as usize;
        if whole {
            let collected = sql(COLLECTED).bind(number + count(&rows));
            self.still_held(guarded(collected, claim)).await?;
        }
        Ok(whole)
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

    /// Items of a bulk within the scope, in its order.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn bulk_items(
        &mut self,
        bulk: &BulkId,
        which: Items,
        page: &Page,
    ) -> Result<Listed<BulkItem>> {
        let which = match which {
            Items::Waiting => " and state = 'waits'",
            Items::Failed => " and state = 'failed'",
            Items::Told => " and told > 0",
        };
        let rows: Vec<ItemRow> = sql(ITEMS)
            .bind(bulk)
            .push(which)
            .scope(ScopeColumn::Plain, self.scope())
            .clause_if(
                " and number > ?",
                page.after(CandidateId::PREFIX)?.map(|after| after.number),
            )
            .clause(" order by number limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let items: Vec<BulkItem> = rows.into_iter().map(ItemRow::item).collect::<Result<_>>()?;
        Ok(Listed::cut(items, page, |item| Cursor {
            number: item.number,
            id: item.candidate.as_str().to_owned(),
        }))
    }

    /// How many were refused, by the code of why.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn bulk_failures(&mut self, bulk: &BulkId) -> Result<Vec<(String, i64)>> {
        const SQL: &str = "
            select coalesce(code, ''), count(*)
            from bulk_items
            where bulk_id = $1 and state = 'failed'";
        sql(SQL)
            .bind(bulk)
            .scope(ScopeColumn::Plain, self.scope())
            .push(" group by code order by count(*) desc, code")
            .all(&mut self.conn)
            .await
    }

    /// Of how many of what was taken back sessions had been told, and of how many sessions altogether.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn bulk_told(&mut self, bulk: &BulkId) -> Result<(i64, i64)> {
        const SQL: &str = "
            select count(*), cast(coalesce(sum(told), 0) as bigint)
            from bulk_items
            where bulk_id = $1 and told > 0";
        sql(SQL)
            .bind(bulk)
            .scope(ScopeColumn::Plain, self.scope())
            .one(&mut self.conn)
            .await
    }

    /// Whether a bulk is about anything of an agent within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn bulk_is_about_scope(&mut self, bulk: &BulkId) -> Result<bool> {
        const SQL: &str = "
            select number
            from bulk_items
            where bulk_id = $1";
        let row: Option<(i64,)> = sql(SQL)
            .bind(bulk)
            .scope(ScopeColumn::Plain, self.scope())
            .push(" limit 1")
            .optional(&mut self.conn)
            .await?;
        Ok(row.is_some())
    }

    /// Writes that an item was refused.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn fail_item(
        &mut self,
        claim: &BulkClaim,
        item: &BulkItem,
        code: &str,
        until: Timestamp,
    ) -> Result<()> {
        const ITEM: &str = "
            update bulk_items
            set state = 'failed', code = $1
            where bulk_id = $2 and number = $3 and state = 'waits'";
        const BULK: &str = "
            update bulks
            set failed = failed + 1, lease_until = $1";
        let touched = sql(ITEM)
            .bind(code)
            .bind(&claim.bulk)
            .bind(item.number)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::LostClaim);
        }
        self.still_held(guarded(sql(BULK).bind(until), claim)).await
    }

    /// Writes that the decision of this transaction ended an item; `code` where it did not end the candidate.
    ///
    /// # Errors
    /// [`Error::LostClaim`]: then the decision must not be kept either.
    pub async fn settle_item(
        &mut self,
        bulk: &InBulk,
        candidate: &CandidateId,
        version: i64,
        code: Option<&str>,
    ) -> Result<()> {
        const ITEM: &str = "
            update bulk_items
            set state = 'done', made_version = $1, code = $2
            where bulk_id = $3 and candidate_id = $4 and state = 'waits'";
        const BULK: &str = "
            update bulks
            set done = done + 1, lease_until = $1";
        let claim = &bulk.claim;
        let touched = sql(ITEM)
            .bind(version)
            .bind(code)
            .bind(&claim.bulk)
            .bind(candidate)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::LostClaim);
        }
        self.still_held(guarded(sql(BULK).bind(bulk.until), claim))
            .await
    }

    /// Notes how many sessions had been told what this transaction takes back; outside a bulk there is nowhere to note it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn note_told(
        &mut self,
        stamp: &Stamp,
        candidate: &CandidateId,
        sessions: usize,
    ) -> Result<()> {
        const SQL: &str = "
            update bulk_items
            set told = $1
            where bulk_id = $2 and candidate_id = $3";
        if let Some(bulk) = stamp.bulk.as_ref().filter(|_| sessions > 0) {
            sql(SQL)
                .bind(i64::try_from(sessions).unwrap_or(i64::MAX))
                .bind(&bulk.claim.bulk)
                .bind(candidate)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    /// Keeps a claim until `until`: the first line of each transaction that works on a bulk and decides nothing.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where somebody else has it by now, or it was stopped.
    pub async fn hold_bulk(&mut self, claim: &BulkClaim, until: Timestamp) -> Result<()> {
        let held = sql("update bulks set lease_until = $1").bind(until);
        self.still_held(guarded(held, claim)).await
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
        const SQL: &str = "
            update bulks
            set state = $1, error = $2, finished_at = $3, lease_until = null";
        let state = match error {
            None => BulkState::Done,
            Some(_) => BulkState::Failed,
        };
        let ended = sql(SQL).bind(state.as_str()).bind(error).bind(stamp.now);
        self.still_held(guarded(ended, claim)).await?;
        let data = self.counts_of_bulk(&claim.bulk, error).await?;
        self.tell_of_bulk(EventType::BulkEnded, &claim.bulk, data, stamp);
        Ok(())
    }

    /// Stops a bulk: what was not decided yet stays as it is. False where it had ended.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn stop_bulk(&mut self, id: &BulkId, stamp: &Stamp) -> Result<bool> {
        const SQL: &str = "
            update bulks
            set state = 'stopped', finished_at = $1, lease_until = null
            where id = $2 and state in ('collecting', 'running')";
        if sql(SQL)
            .bind(stamp.now)
            .bind(id)
            .run(&mut self.conn)
            .await?
            != 1
        {
            return Ok(false);
        }
        let data = self.counts_of_bulk(id, None).await?;
        self.tell_of_bulk(EventType::BulkStopped, id, data, stamp);
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

    fn tell_of_bulk(&mut self, r#type: EventType, id: &BulkId, data: Value, stamp: &Stamp) {
        let telling = Telling {
            r#type,
            user: None,
            subject: id.as_str(),
            data,
            commitment: None,
        };
        self.tell(None, stamp, telling);
    }

    async fn still_held(&mut self, statement: Statement) -> Result<()> {
        if statement.run(&mut self.conn).await? == 1 {
            Ok(())
        } else {
            Err(Error::LostClaim)
        }
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

impl ItemRow {
    fn item(self) -> Result<BulkItem> {
        Ok(BulkItem {
            number: self.number,
            agent: parsed(&self.agent)?,
            candidate: parsed(&self.candidate_id)?,
            version: self.version,
            state: parsed(&self.state)?,
            code: self.code,
            told: self.told,
        })
    }
}

fn guarded(statement: Statement, claim: &BulkClaim) -> Statement {
    statement
        .clause(
            " where state in ('collecting', 'running') and id = ?",
            &claim.bulk,
        )
        .clause(" and epoch = ?", claim.epoch)
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
