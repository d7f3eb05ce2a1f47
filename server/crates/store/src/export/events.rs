//! The events of an export, chain by chain in the order of their numbers, and the leaves that lie between them.

use domain::{Timestamp, audit::Hash, id::UserId};

use crate::{
    Error, Result, Tx,
    column::at,
    statement::{ScopeColumn, Statement, sql},
};

/// Events of one look.
const ROWS: u32 = 1000;
/// Leaves of one look.
const LEAVES: u32 = 8000;

/// One chain's part of an export.
#[derive(Debug, Clone)]
pub struct ChainPart {
    /// An agent's name, or `system`.
    pub chain: String,
    /// About these users; `None`: everything.
    pub users: Option<Vec<UserId>>,
    /// Not before.
    pub from: Option<Timestamp>,
    /// Before.
    pub to: Option<Timestamp>,
}

/// An event as it was hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedEvent {
    /// Its number in the chain.
    pub seq: i64,
    /// Its leaf.
    pub hash: Hash,
    /// When.
    pub at: Timestamp,
    /// What happened.
    pub r#type: String,
    /// Canonical JSON.
    pub body: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    seq: i64,
    hash: Vec<u8>,
    at: i64,
    r#type: String,
    body: String,
}

/// Of a span that ended: what was taken away since of what it tells, so that nothing seems to be missing.
const TAKEN_AWAY: &str = "
      or type in ('user.erased', 'agent.removed')
      or type in ('conversation.removed', 'candidate.removed') and exists (
        select 1 from events b
        where b.agent = events.agent and b.subject = events.subject";

const EVENTS: &str = "
    select seq, hash, at, type, body
    from events
    where agent = $1";

impl Tx {
    /// The events of a chain after a number, in order; empty at its end or outside the scope. Those of a span are followed by what tells
    /// that texts of it were taken away later.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_events(
        &mut self,
        part: &ChainPart,
        after: i64,
    ) -> Result<Vec<ExportedEvent>> {
        let rows: Vec<Row> = self
            .events_of(EVENTS, part, after)
            .clause(" order by seq limit ?", ROWS)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(ExportedEvent {
                    seq: row.seq,
                    hash: leaf(&row.hash)?,
                    at: at(row.at)?,
                    r#type: row.r#type,
                    body: row.body,
                })
            })
            .collect()
    }

    /// The numbers and leaves of all events of a chain after a number and up to another, in order; empty where there are no more.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn leaves(&mut self, chain: &str, after: i64, upto: i64) -> Result<Vec<(i64, Hash)>> {
        const SQL: &str = "
            select seq, hash
            from events
            where agent = $1 and seq > $2 and seq <= $3";
        let rows: Vec<(i64, Vec<u8>)> = sql(SQL)
            .bind(chain)
            .bind(after)
            .bind(upto)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .clause(" order by seq limit ?", LEAVES)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(seq, hash)| Ok((seq, leaf(&hash)?)))
            .collect()
    }

    fn events_of(&self, read: &'static str, part: &ChainPart, after: i64) -> Statement {
        let mut statement = sql(read)
            .bind(part.chain.as_str())
            .scope(ScopeColumn::Plain, self.scope())
            .clause(" and seq > ?", after)
            .clause_if(" and at >= ?", part.from);
        if let Some(to) = part.to {
            statement = statement
                .clause(" and (at < ?", to)
                .push(TAKEN_AWAY)
                .clause_if(" and b.at >= ?", part.from)
                .clause(" and b.at < ?))", to);
        }
        if let Some(users) = &part.users {
            statement = statement.clause_in(" and user_id in (", users);
        }
        statement
    }
}

fn leaf(hash: &[u8]) -> Result<Hash> {
    hash.try_into().map_err(|_| Error::Corrupt("hash"))
}
