//! Servings: what an agent was told, for which conversation.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventType, hex},
    id::{MemoryId, ServingId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, canonical, parsed},
    events::Telling,
    seal::{Place, SecretKey},
    statement::{ScopeColumn, Statement, sql},
};

/// One answer to `POST /context`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serving {
    /// Ours.
    pub id: ServingId,
    /// Which agent was told.
    pub agent: AgentName,
    /// About whom.
    pub user: UserId,
    /// The agent's own id of the conversation it asked for.
    pub conversation: Option<String>,
    /// Tokens of the block, as estimated.
    pub tokens: i64,
    /// Which memories, in which revision, in the order of the block.
    pub items: Vec<(MemoryId, i64)>,
    /// How many were cut.
    pub cut: i64,
    /// When.
    pub at: Timestamp,
}

/// The lines that were served to a user's agent, as keyed hashes (F6).
#[derive(Clone)]
pub struct ServedLines(
    /// Of each id of the person (G15), whose own key makes the hashes.
    Vec<(Arc<SecretKey>, HashSet<Vec<u8>>)>,
);

impl ServedLines {
    /// Whether Keepsake served a line that says this.
    pub fn holds(&self, line: &str) -> bool {
        self.0
            .iter()
            .any(|(key, lines)| !lines.is_empty() && lines.contains(&crate::index::line(key, line)))
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    conversation: Option<String>,
}

#[derive(sqlx::FromRow)]
pub(crate) struct ServingRow {
    pub agent: String,
    pub id: String,
    pub user_id: String,
    tokens: i64,
    cut: i64,
    at: i64,
    sealed: Vec<u8>,
    pub batch: String,
    pub place: i64,
}

pub(crate) const SERVINGS: &str = "
    select s.agent, s.id, s.user_id, s.tokens, s.cut, s.at, s.sealed, s.batch, s.place
    from servings s
    where true";

impl Tx {
    /// An id for a serving, which its answer names before it is written.
    pub fn serving_id(&self, now: Timestamp) -> ServingId {
        ServingId::new(now, self.entropy())
    }

    /// Writes a batch of servings; one event an agent tells of it, with a hash over what was served. Users that were erased
    /// meanwhile are left out.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn record_servings(&mut self, batch: &[Serving], now: Timestamp) -> Result<()> {
        let mut by_agent: BTreeMap<&AgentName, Vec<&Serving>> = BTreeMap::new();
        for serving in batch {
            by_agent.entry(&serving.agent).or_default().push(serving);
        }
        for (agent, servings) in by_agent {
            self.inside(agent)?;
            let mut told = Vec::with_capacity(servings.len());
            let mut first: Option<&ServingId> = None;
            let mut served: HashSet<&(MemoryId, i64)> = HashSet::new();
            for serving in servings {
                let batch = *first.get_or_insert(&serving.id);
                match self
                    .insert_serving(serving, Some(batch), told.len(), now)
                    .await
                {
                    Err(Error::Erased) => {
                        first = first.filter(|_| !told.is_empty());
                        continue;
                    }
                    other => other?,
                }
                served.extend(&serving.items);
                told.push(json!({
                    "id": serving.id,
                    "user": serving.user,
                    "at_us": crate::column::us(serving.at),
                    "items": serving.items,
                }));
            }
            let mut served: Vec<_> = served.into_iter().collect();
            served.sort_unstable();
            for (memory, revision) in served {
                self.mark_served(agent, memory, *revision, now).await?;
            }
            self.serving_event(agent, &told, now);
        }
        Ok(())
    }

    /// A serving within the scope.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn serving(&mut self, id: &ServingId) -> Result<Option<Serving>> {
        let read = sql(SERVINGS)
            .clause(" and s.id = ?", id)
            .scope(ScopeColumn::Serving, &self.scope().clone());
        Ok(self.servings_from(read).await?.pop())
    }

    /// The servings to a user's agent up to an instant, newest first; `None`: all.
    ///
    /// # Errors
    /// [`Error::Cursor`]; [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn servings_of(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        until: Option<Timestamp>,
        page: &Page,
    ) -> Result<Listed<Serving>> {
        self.inside(agent)?;
        let read = sql(SERVINGS)
            .clause(" and s.agent = ?", agent)
            .clause(" and s.user_id = ?", user)
            .clause_if(" and s.at <= ?", until)
            .clause_if(
                " and s.id < ?",
                page.after(ServingId::PREFIX)?
                    .map(|after| after.id.as_str()),
            )
            .clause(" order by s.id desc limit ?", page.probe());
        let servings = self.servings_from(read).await?;
        Ok(Listed::cut(servings, page, |serving| {
            Cursor::id(serving.id.as_str())
        }))
    }

    /// Which sessions were told a memory, from a revision on; newest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn told(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
        from_revision: i64,
        limit: u32,
    ) -> Result<Vec<Serving>> {
        self.inside(agent)?;
        let read = sql(SERVINGS)
            .clause(" and s.agent = ?", agent)
            .clause(
                " and s.id in (select i.serving_id from serving_items i where i.agent = ?",
                agent,
            )
            .clause(" and i.memory_id = ?", memory)
            .clause(" and i.revision >= ?)", from_revision)
            .clause(" order by s.id desc limit ?", limit);
        self.servings_from(read).await
    }

    /// The events that tell of servings: the number and the hash of each. Of servings of before batches were kept none is known.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn serving_events(
        &mut self,
        agent: &AgentName,
        servings: &[ServingId],
    ) -> Result<HashMap<ServingId, (i64, Vec<u8>)>> {
        const SQL: &str = "
            select s.id, e.seq, e.hash
            from servings s
            join events e on e.agent = s.agent and e.subject = s.batch
            where s.agent = $1 and e.type = $2";
        self.inside(agent)?;
        if servings.is_empty() {
            return Ok(HashMap::new());
        }
        let rows: Vec<(String, i64, Vec<u8>)> = sql(SQL)
            .bind(agent)
            .bind(EventType::ContextServed.as_str())
            .clause_in(" and s.id in (", servings)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(serving, seq, hash)| Ok((parsed(&serving)?, (seq, hash))))
            .collect()
    }

    /// The lines that were ever served about a user (F6), under this id or one that is or was joined with it.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn served_lines(&mut self, agent: &AgentName, user: &UserId) -> Result<ServedLines> {
        const SQL: &str = "
            select line
            from revisions
            where agent = $1 and user_id = $2 and first_served_at is not null";
        let mut served = Vec::new();
        for id in self.ever_together(agent, user).await? {
            let rows: Vec<(Vec<u8>,)> = sql(SQL).bind(agent).bind(&id).all(&mut self.conn).await?;
            let key = self.user_key(agent, &id).await?;
            served.push((key, rows.into_iter().map(|(line,)| line).collect()));
        }
        Ok(ServedLines(served))
    }

    /// `batch` is the first serving that the same event tells of, if that is known, `place` the place of this one among them, `now` the
    /// time of the event.
    pub(crate) async fn insert_serving(
        &mut self,
        serving: &Serving,
        batch: Option<&ServingId>,
        place: usize,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into servings (agent, id, user_id, tokens, cut, at, sealed, batch, place, recorded_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        const ITEM: &str = "
            insert into serving_items (agent, serving_id, position, memory_id, revision)
            values ($1, $2, $3, $4, $5)";
        let key = self.user_key(&serving.agent, &serving.user).await?;
        let body = Sealed {
            conversation: serving.conversation.clone(),
        };
        let sealed = key.seal_json(
            sealed_place(serving.agent.as_str(), serving.id.as_str()),
            &body,
            self.entropy(),
        );
        sql(SQL)
            .bind(&serving.agent)
            .bind(&serving.id)
            .bind(&serving.user)
            .bind(serving.tokens)
            .bind(serving.cut)
            .bind(serving.at)
            .bind(sealed)
            .bind(batch.map_or("", ServingId::as_str))
            .bind(i64::try_from(place).unwrap_or(i64::MAX))
            .bind(domain::time::micros(now))
            .run(&mut self.conn)
            .await?;
        for (position, (memory, revision)) in (0_i64..).zip(&serving.items) {
            sql(ITEM)
                .bind(&serving.agent)
                .bind(&serving.id)
                .bind(position)
                .bind(memory)
                .bind(*revision)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    /// Notes when a revision was first served.
    pub(crate) async fn mark_served(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
        revision: i64,
        now: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update revisions
            set first_served_at = $1
            where agent = $2 and memory_id = $3 and number = $4 and first_served_at is null";
        sql(SQL)
            .bind(now)
            .bind(agent)
            .bind(memory)
            .bind(revision)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    fn serving_event(&mut self, agent: &AgentName, told: &[serde_json::Value], now: Timestamp) {
        let Some(first) = told.first().and_then(|told| told["id"].as_str()) else {
            return;
        };
        let hash = hex(&Sha256::digest(canonical(&told)));
        let telling = Telling {
            r#type: EventType::ContextServed,
            user: None,
            subject: first,
            data: json!({ "servings": told.len(), "hash": hash }),
            commitment: None,
        };
        self.tell(Some(agent), &Stamp::system(now), telling);
    }

    async fn servings_from(&mut self, read: Statement) -> Result<Vec<Serving>> {
        let rows: Vec<ServingRow> = read.all(&mut self.conn).await?;
        self.servings_of_rows(rows).await
    }

    /// Opens rows, with their items, in their order.
    pub(crate) async fn servings_of_rows(&mut self, rows: Vec<ServingRow>) -> Result<Vec<Serving>> {
        const ITEMS: &str = "
            select serving_id, memory_id, revision
            from serving_items
            where agent = $1";
        self.load_keys_of(
            rows.iter()
                .map(|row| (row.agent.as_str(), row.user_id.as_str())),
        )
        .await?;
        let mut ids: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in &rows {
            ids.entry(&row.agent).or_default().push(&row.id);
        }
        let mut items: HashMap<String, Vec<(MemoryId, i64)>> = HashMap::new();
        for (agent, ids) in ids {
            let found: Vec<(String, String, i64)> = sql(ITEMS)
                .bind(agent)
                .clause_in(" and serving_id in (", ids)
                .push(" order by serving_id, position")
                .all(&mut self.conn)
                .await?;
            for (serving, memory, revision) in found {
                items
                    .entry(serving)
                    .or_default()
                    .push((parsed(&memory)?, revision));
            }
        }
        let mut servings = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let user: UserId = parsed(&row.user_id)?;
            let body: Sealed = self
                .user_key(&agent, &user)
                .await?
                .open_json(sealed_place(&row.agent, &row.id), &row.sealed)?;
            servings.push(Serving {
                items: items.remove(&row.id).unwrap_or_default(),
                id: parsed(&row.id)?,
                conversation: body.conversation,
                tokens: row.tokens,
                cut: row.cut,
                at: at(row.at)?,
                agent,
                user,
            });
        }
        Ok(servings)
    }
}

fn sealed_place<'a>(agent: &'a str, serving: &'a str) -> Place<'a> {
    Place::new("servings.sealed", agent, serving)
}
