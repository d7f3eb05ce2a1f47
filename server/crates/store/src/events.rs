//! The audit chains: writing at commit, reading for the verifier and for people.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::{
        EventActor, EventBody, EventType, GENESIS, Hash, SYSTEM_CHAIN, StoredEvent, hex, leaf_hash,
    },
    id::UserId,
};

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, us},
    statement::{ScopeColumn, sql},
};

/// An event that waits for the commit.
pub(crate) struct Pending {
    chain: String,
    at: Timestamp,
    actor: EventActor,
    r#type: EventType,
    user: Option<String>,
    subject: String,
    data: serde_json::Map<String, serde_json::Value>,
    commitment: Option<Hash>,
}

impl Pending {
    /// Whether somebody who has a desk open should hear of it: of a candidate, or of the people who sign in.
    pub(crate) fn concerns_desks(&self) -> bool {
        self.r#type.is_about_a_candidate() || self.chain == SYSTEM_CHAIN
    }
}

/// What an event tells of, apart from when and by whom.
pub(crate) struct Telling<'a> {
    /// What happened.
    pub r#type: EventType,
    /// About which user.
    pub user: Option<&'a UserId>,
    /// The id of the thing.
    pub subject: &'a str,
    /// Ids, closed words and integers.
    pub data: serde_json::Value,
    /// The commitment to the text.
    pub commitment: Option<Hash>,
}

/// The end of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// An agent's name, or `system`.
    pub chain: String,
    /// The number of its last event; 0: none yet.
    pub seq: i64,
    /// The hash of its last event.
    pub hash: Vec<u8>,
}

/// Which events are wanted.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// One chain.
    pub chain: Option<String>,
    /// About one user.
    pub user: Option<UserId>,
    /// About one thing.
    pub subject: Option<String>,
    /// Of these types; empty: of all.
    pub types: Vec<EventType>,
    /// Done by this sort of actor: `person`, `key`, `policy`, `system`.
    pub actor: Option<String>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Before.
    pub until: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
struct EventRow {
    agent: String,
    seq: i64,
    prev_hash: Vec<u8>,
    hash: Vec<u8>,
    r#type: String,
    user_id: Option<String>,
    subject: String,
    at: i64,
    body: String,
}

impl EventRow {
    fn event(self) -> Result<StoredEvent> {
        Ok(StoredEvent {
            agent: self.agent,
            seq: self.seq,
            prev_hash: self.prev_hash,
            hash: self.hash,
            r#type: self.r#type,
            user: self.user_id,
            subject: self.subject,
            at: at(self.at)?,
            body: self.body,
        })
    }
}

/// The id of a cursor over one chain, whose number says all.
const ONE_CHAIN: &str = "e";

const COLUMNS: &str = "
    select agent, seq, prev_hash, hash, type, user_id, subject, at, body
    from events";

impl Tx {
    /// Buffers an event for the chain of an agent, or with `None` for the system's.
    pub(crate) fn tell(&mut self, agent: Option<&AgentName>, stamp: &Stamp, telling: Telling<'_>) {
        let data = match telling.data {
            serde_json::Value::Object(data) => data,
            _ => serde_json::Map::new(),
        };
        self.events.push(Pending {
            chain: agent.map_or(SYSTEM_CHAIN, AgentName::as_str).to_owned(),
            at: stamp.now,
            actor: stamp.actor.clone(),
            r#type: telling.r#type,
            user: telling.user.map(|user| user.as_str().to_owned()),
            subject: telling.subject.to_owned(),
            data,
            commitment: telling.commitment,
        });
    }

    /// Writes what was buffered. Heads are locked here and nowhere else, in the order of their names.
    pub(crate) async fn write_events(&mut self) -> Result<()> {
        let mut chains: BTreeMap<String, Vec<Pending>> = BTreeMap::new();
        for event in std::mem::take(&mut self.events) {
            chains.entry(event.chain.clone()).or_default().push(event);
        }
        for (chain, events) in chains {
            self.append(&chain, events).await?;
        }
        Ok(())
    }

    async fn append(&mut self, chain: &str, events: Vec<Pending>) -> Result<()> {
        const BEGIN: &str = "
            insert into heads (agent, seq, hash)
            values ($1, 0, $2)
            on conflict (agent) do nothing";
        const HEAD: &str = "
            select seq, hash
            from heads
            where agent = $1";
        const INSERT: &str = "
            insert into events (agent, seq, prev_hash, hash, type, user_id, subject, at, body)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        const MOVE: &str = "
            update heads
            set seq = $2, hash = $3
            where agent = $1";
        let lock = self.dialect().for_update();
        let conn = &mut self.conn;
        let mut head: Option<(i64, Vec<u8>)> =
            sql(HEAD).bind(chain).push(lock).optional(conn).await?;
        if head.is_none() {
            sql(BEGIN)
                .bind(chain)
                .bind(GENESIS.as_slice())
                .run(conn)
                .await?;
            head = sql(HEAD).bind(chain).push(lock).optional(conn).await?;
        }
        let (mut seq, mut prev) = head.ok_or(Error::Corrupt("head"))?;
        for event in events {
            seq += 1;
            let body = EventBody {
                v: 1,
                agent: chain.to_owned(),
                seq,
                prev_hash: hex(&prev),
                at_us: us(event.at),
                r#type: event.r#type,
                actor: event.actor,
                user: event.user.clone(),
                subject: event.subject.clone(),
                data: event.data,
                commitment: event.commitment.map(|hash| hex(&hash)),
            }
            .canonical();
            let hash = leaf_hash(&body);
            sql(INSERT)
                .bind(chain)
                .bind(seq)
                .bind(prev)
                .bind(hash.as_slice())
                .bind(event.r#type.as_str())
                .bind(event.user)
                .bind(event.subject)
                .bind(event.at)
                .bind(body)
                .run(conn)
                .await?;
            prev = hash.to_vec();
        }
        sql(MOVE)
            .bind(chain)
            .bind(seq)
            .bind(prev)
            .run(conn)
            .await
            .map(drop)
    }

    /// The ends of the chains within the scope; the system's only where the scope is everything.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn heads(&mut self) -> Result<Vec<Head>> {
        const SQL: &str = "
            select agent, seq, hash
            from heads
            where true";
        let rows: Vec<(String, i64, Vec<u8>)> = sql(SQL)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .push(" order by agent")
            .all(&mut self.conn)
            .await?;
        Ok(rows
            .into_iter()
            .map(|(chain, seq, hash)| Head { chain, seq, hash })
            .collect())
    }

    /// The names of the chains within the scope: of those that have a head, and of those that only have events.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn chains(&mut self) -> Result<Vec<String>> {
        // Steps from name to name along the primary key instead of through every event.
        const FIRST: &str = "
            with recursive told (chain) as (
              select min(agent) from events where true";
        const NEXT: &str = "
              union all
              select (select min(agent) from events where agent > told.chain";
        const ALL: &str = ")
              from told where told.chain is not null)
            select chain from told where chain is not null
            union
            select agent from heads where true";
        let scope = self.scope().clone();
        let rows: Vec<(String,)> = sql(FIRST)
            .scope(ScopeColumn::Plain, &scope)
            .push(NEXT)
            .scope(ScopeColumn::Plain, &scope)
            .push(ALL)
            .scope(ScopeColumn::Plain, &scope)
            .push(" order by chain")
            .all(&mut self.conn)
            .await?;
        Ok(rows.into_iter().map(|(chain,)| chain).collect())
    }

    /// A stretch of one chain after `after_seq`, in order, for the verifier; empty at its end or outside the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn chain(
        &mut self,
        chain: &str,
        after_seq: i64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>> {
        let rows: Vec<EventRow> = sql(COLUMNS)
            .push(" where agent = $1 and seq > $2")
            .bind(chain)
            .bind(after_seq)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .clause(" order by seq limit ?", limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(EventRow::event).collect()
    }

    /// Events, newest first, within the scope. The sort of actor is no column: it narrows what is read along an index.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn events(
        &mut self,
        filter: &EventFilter,
        page: &Page,
    ) -> Result<Listed<StoredEvent>> {
        // Within one chain its own number is the order; over several, or within a span of time, the time, then chain and number.
        let timed = filter.since.is_some() || filter.until.is_some();
        let one_chain =
            !timed && (filter.chain.is_some() || matches!(self.scope(), AgentScope::One(_)));
        let mut statement = sql(COLUMNS)
            .push(" where true")
            .scope_along(ScopeColumn::Plain, &self.scope().clone())
            .clause_if(" and agent = ?", filter.chain.as_deref())
            .clause_if(" and user_id = ?", filter.user.as_ref())
            .clause_if(" and subject = ?", filter.subject.as_deref())
            .clause_if(" and at >= ?", filter.since)
            .clause_if(" and at < ?", filter.until);
        if let Some(actor) = &filter.actor {
            // A canonical body begins with its actor, whose names are sorted; no quotation mark stands in a value unescaped.
            let begins = format!("{{\"actor\":{{\"id\":%,\"type\":\"{actor}\"}},\"agent\":%");
            statement = statement.clause(" and body like ?", begins);
        }
        if !filter.types.is_empty() {
            statement = statement.clause_in(
                " and type in (",
                filter.types.iter().map(|r#type| r#type.as_str()),
            );
        }
        if let Some(after) = &page.after {
            statement = if one_chain {
                if after.id != ONE_CHAIN {
                    return Err(Error::Cursor);
                }
                statement.clause(" and seq < ?", after.number)
            } else {
                // The id of a cursor over several chains is `<seq>_<chain>`.
                let (seq, chain) = after.id.split_once('_').ok_or(Error::Cursor)?;
                let seq: i64 = seq.parse().map_err(|_| Error::Cursor)?;
                statement
                    .clause(" and (at, agent, seq) < (?", after.number)
                    .clause(", ?", chain)
                    .clause(", ?)", seq)
            };
        }
        let order = if one_chain {
            " order by seq desc"
        } else {
            " order by at desc, agent desc, seq desc"
        };
        let rows: Vec<EventRow> = statement
            .push(order)
            .clause(" limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let events = rows
            .into_iter()
            .map(EventRow::event)
            .collect::<Result<Vec<_>>>()?;
        Ok(Listed::cut(events, page, |event| {
            if one_chain {
                Cursor {
                    number: event.seq,
                    id: ONE_CHAIN.to_owned(),
                }
            } else {
                Cursor {
                    number: us(event.at),
                    id: format!("{}_{}", event.seq, event.agent),
                }
            }
        }))
    }

    /// What happened about a user, newest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Cursor`]; what the database answers.
    pub async fn timeline(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        page: &Page,
    ) -> Result<Listed<StoredEvent>> {
        self.inside(agent)?;
        let filter = EventFilter {
            chain: Some(agent.as_str().to_owned()),
            user: Some(user.clone()),
            ..EventFilter::default()
        };
        self.events(&filter, page).await
    }
}
