//! What a bulk is about, candidate by candidate, and what became of each.

use domain::{
    Timestamp,
    agent::AgentName,
    bulk::ItemState,
    id::{BulkId, CandidateId},
};

use super::{BulkClaim, count};
use crate::{
    Cursor, Error, InBulk, Listed, Page, QueueFilter, Result, Stamp, Tx,
    column::parsed,
    statement::{ScopeColumn, sql},
};

/// Items that one statement writes.
const ROWS: usize = 200;

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

const ITEMS: &str = "
    select number, agent, candidate_id, version, state, code, told
    from bulk_items
    where bulk_id = $1";

impl Tx {
    pub(super) async fn pick(&mut self, bulk: &BulkId, picks: &[(CandidateId, i64)]) -> Result<()> {
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
    pub(super) async fn take_over(&mut self, bulk: &BulkId, other: &BulkId) -> Result<i64> {
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
        let numbered: Vec<_> = (after + 1..).zip(rows).collect();
        for some in numbered.chunks(ROWS) {
            sql(SQL)
                .rows(some, |row, (number, (agent, candidate, version))| {
                    row.clause("(?", bulk)
                        .clause(", ?", *number)
                        .clause(", ?", agent.as_str())
                        .clause(", ?", candidate.as_str())
                        .clause(", ?, 'waits')", *version)
                })
                .run(&mut self.conn)
                .await?;
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
        self.hold_work(claim, until).await?;
        let (number, last): (i64, Option<String>) =
            sql(LAST).bind(&claim.id).one(&mut self.conn).await?;
        let read = sql(MATCHING).scope_along(ScopeColumn::Candidate, self.scope());
        // `+ 0` keeps the planner on the index of the ids, along which this goes on.
        let waits = " and c.status = 'pending' and c.expires_at + 0 > ?";
        let rows: Vec<(String, String, i64)> = self
            .filtered(read, filter, waits, now)
            .clause_if(" and c.id > ?", last.as_deref())
            .clause(" order by c.id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        self.insert_items(&claim.id, number, &rows).await?;
        let whole = rows.len() < limit as usize;
        if whole {
            let collected = sql(COLLECTED).bind(number + count(&rows));
            self.still_ours(claim.guard(collected)).await?;
        }
        Ok(whole)
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
        let refused = sql(ITEM).bind(code).bind(&claim.id).bind(item.number);
        self.still_ours(refused).await?;
        self.still_ours(claim.guard(sql(BULK).bind(until))).await
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
        let settled = sql(ITEM)
            .bind(version)
            .bind(code)
            .bind(&claim.id)
            .bind(candidate);
        self.still_ours(settled).await?;
        self.still_ours(claim.guard(sql(BULK).bind(bulk.until)))
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
                .bind(&bulk.claim.id)
                .bind(candidate)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
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
