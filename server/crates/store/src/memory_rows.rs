//! Memories as they are read: one, those of a user, or a filtered part of them all.

use domain::{
    Timestamp,
    agent::AgentName,
    id::{MemoryId, UserId},
    memory::{Memory, MemoryStatus},
};
use serde::{Deserialize, Serialize};

use crate::{
    Cursor, Listed, Page, Result, Tx,
    column::{at, at_opt, parsed, parsed_opt},
    index::{search_words, slot},
    seal::Place,
    statement::{ScopeColumn, Statement, sql},
};

/// Which memories are wanted.
#[derive(Debug, Clone)]
pub struct MemoryFilter {
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one user.
    pub user: Option<UserId>,
    /// `Approved` leaves out what is past its time.
    pub status: MemoryStatus,
    /// Without what agents are not told yet.
    pub told: bool,
    /// Of these kinds; empty: of all.
    pub kinds: Vec<String>,
    /// Without profile fields, where no kinds are named (D6).
    pub natural: bool,
    /// Holding every word of this.
    pub search: Option<String>,
}

impl Default for MemoryFilter {
    fn default() -> Self {
        Self {
            agent: None,
            user: None,
            status: MemoryStatus::Approved,
            told: false,
            kinds: Vec::new(),
            natural: false,
            search: None,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Sealed {
    name: Option<String>,
    content: String,
    metadata: serde_json::Map<String, serde_json::Value>,
    tags: Vec<String>,
}

#[derive(sqlx::FromRow)]
pub(crate) struct MemoryRow {
    pub agent: String,
    pub id: String,
    pub user_id: String,
    kind: String,
    confidence: f64,
    importance: f64,
    language: String,
    status: String,
    reason: Option<String>,
    revision: i64,
    conversation_id: Option<String>,
    said_at: i64,
    expires_at: Option<i64>,
    created_at: i64,
    updated_at: i64,
    serve_from: Option<i64>,
    sealed: Vec<u8>,
}

pub(crate) const MEMORIES: &str = "
    select m.agent, m.id, m.user_id, m.kind, m.confidence, m.importance, m.language, m.status, m.reason, m.revision,
      m.conversation_id, m.said_at, m.expires_at, m.created_at, m.updated_at, m.serve_from, m.sealed
    from memories m
    where true";

impl Tx {
    /// A memory within the scope, served or not.
    ///
    /// # Errors
    /// [`crate::Error::Erased`]; what the database answers.
    pub async fn memory(&mut self, id: &MemoryId) -> Result<Option<Memory>> {
        let read = sql(MEMORIES)
            .clause(" and m.id = ?", id)
            .scope(ScopeColumn::Memory, &self.scope().clone());
        Ok(self.memories_from(read).await?.pop())
    }

    /// A memory, read under the lock of its user.
    ///
    /// # Errors
    /// [`crate::Error::Erased`]; what the database answers.
    pub async fn memory_for_update(&mut self, id: &MemoryId) -> Result<Option<Memory>> {
        const OWNER: &str = "
            select agent, user_id
            from memories
            where true";
        let owner: Option<(String, String)> = sql(OWNER)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .optional(&mut self.conn)
            .await?;
        let Some((agent, user)) = owner else {
            return Ok(None);
        };
        self.lock_user(&parsed(&agent)?, &parsed(&user)?).await?;
        let read = sql(MEMORIES)
            .clause(" and m.agent = ?", agent)
            .clause(" and m.id = ?", id);
        Ok(self.memories_from(read).await?.pop())
    }

    /// The served memory that is about the same thing as this statement.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn memory_in_slot(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        kind: &str,
        name: Option<&str>,
        content: &str,
        now: Timestamp,
    ) -> Result<Option<Memory>> {
        self.inside(agent)?;
        let key = self.user_key(agent, user).await?;
        let Some(slot) = slot(&key, kind, name, content) else {
            return Ok(None);
        };
        let read = in_slot(agent, user, slot)
            .clause(" and (m.expires_at is null or m.expires_at > ?)", now);
        Ok(self.memories_from(read).await?.pop())
    }

    /// What a context may be made of: the approved, unexpired memories of a user, oldest first, in one query.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn approved(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        self.inside(agent)?;
        let read = sql(MEMORIES)
            .clause(" and m.agent = ?", agent)
            .clause(" and m.user_id = ?", user)
            .clause(
                " and m.status = 'approved' and (m.expires_at is null or m.expires_at > ?)",
                now,
            )
            .push(" order by m.id");
        self.memories_from(read).await
    }

    /// The profile fields of a user (D5): approved and unexpired, in one query.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn profile(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        self.inside(agent)?;
        let read = sql(MEMORIES)
            .clause(" and m.agent = ?", agent)
            .clause(" and m.user_id = ?", user)
            .clause(" and m.kind = ?", domain::profile::KIND)
            .clause(
                " and m.status = 'approved' and (m.expires_at is null or m.expires_at > ?)",
                now,
            )
            .push(" order by m.id");
        self.memories_from(read).await
    }

    /// A stretch of the approved, unexpired memories of a kind, over all users of the agent, in the order of their ids: what a change
    /// of the kind's schema has to look at.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn memories_of_kind(
        &mut self,
        agent: &AgentName,
        kind: &str,
        after: Option<&MemoryId>,
        limit: u32,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        self.inside(agent)?;
        let read = sql(MEMORIES)
            .clause(" and m.agent = ?", agent)
            .clause(" and m.kind = ?", kind)
            .clause_if(" and m.id > ?", after)
            .clause(
                " and m.status = 'approved' and (m.expires_at is null or m.expires_at > ?)",
                now,
            )
            .clause(" order by m.id limit ?", limit);
        self.memories_from(read).await
    }

    /// A part of the memories within the scope, newest first.
    ///
    /// # Errors
    /// [`crate::Error::Cursor`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn memories(
        &mut self,
        filter: &MemoryFilter,
        page: &Page,
        now: Timestamp,
    ) -> Result<Listed<Memory>> {
        let read = self
            .filtered_memories(
                sql(MEMORIES).scope_along(ScopeColumn::Memory, self.scope()),
                filter,
                now,
            )
            .clause_if(
                " and m.id < ?",
                page.after(MemoryId::PREFIX)?.map(|after| after.id.as_str()),
            )
            .clause(" order by m.id desc limit ?", page.probe());
        let memories = self.memories_from(read).await?;
        Ok(Listed::cut(memories, page, |memory| {
            Cursor::id(memory.id.as_str())
        }))
    }

    /// How many memories a filter finds.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn memory_count(&mut self, filter: &MemoryFilter, now: Timestamp) -> Result<i64> {
        let all = sql("select count(*) from memories m where true")
            .scope(ScopeColumn::Memory, self.scope());
        let (count,): (i64,) = self
            .filtered_memories(all, filter, now)
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    fn filtered_memories(
        &self,
        statement: Statement,
        filter: &MemoryFilter,
        now: Timestamp,
    ) -> Statement {
        let mut statement = match filter.status {
            MemoryStatus::Approved => statement.clause(
                " and m.status = 'approved' and (m.expires_at is null or m.expires_at > ?)",
                now,
            ),
            MemoryStatus::Retired => statement.push(" and m.status = 'retired'"),
        }
        .clause_if(
            " and (m.serve_from is null or m.serve_from <= ?)",
            filter.told.then_some(now),
        )
        .clause_if(" and m.agent = ?", filter.agent.as_ref())
        .clause_if(" and m.user_id = ?", filter.user.as_ref());
        if !filter.kinds.is_empty() {
            statement =
                statement.clause_in(" and m.kind in (", filter.kinds.iter().map(String::as_str));
        } else if filter.natural {
            statement = statement.clause(" and m.kind <> ?", domain::profile::KIND);
        }
        let Some(search) = &filter.search else {
            return statement;
        };
        let words = search_words(search);
        if words.is_empty() {
            return statement.push(" and false");
        }
        for token in words {
            let hash = self.token_hash(&token);
            statement = statement.clause(
                " and m.id in (select t.subject from search_tokens t where t.token = ?)",
                hash,
            );
        }
        statement
    }

    pub(crate) async fn memories_from(&mut self, read: Statement) -> Result<Vec<Memory>> {
        let rows: Vec<MemoryRow> = read.all(&mut self.conn).await?;
        self.memories_of_rows(rows).await
    }

    pub(crate) async fn memories_of_rows(&mut self, rows: Vec<MemoryRow>) -> Result<Vec<Memory>> {
        self.load_keys_of(
            rows.iter()
                .map(|row| (row.agent.as_str(), row.user_id.as_str())),
        )
        .await?;
        let mut memories = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let user: UserId = parsed(&row.user_id)?;
            let key = self.user_key(&agent, &user).await?;
            let body: Sealed = key.open_json(
                Place::new("memories.sealed", agent.as_str(), &row.id),
                &row.sealed,
            )?;
            memories.push(Memory {
                id: parsed(&row.id)?,
                kind: row.kind,
                name: body.name,
                content: body.content,
                metadata: body.metadata,
                tags: body.tags,
                confidence: row.confidence,
                importance: row.importance,
                language: row.language,
                status: parsed(&row.status)?,
                reason: parsed_opt(row.reason.as_deref())?,
                revision: row.revision,
                conversation: parsed_opt(row.conversation_id.as_deref())?,
                said_at: at(row.said_at)?,
                expires_at: at_opt(row.expires_at)?,
                created_at: at(row.created_at)?,
                updated_at: at(row.updated_at)?,
                serve_from: at_opt(row.serve_from)?,
                agent,
                user,
            });
        }
        Ok(memories)
    }
}

/// Reads the approved memories that hold a slot.
pub(crate) fn in_slot(agent: &AgentName, user: &UserId, slot: Vec<u8>) -> Statement {
    sql(MEMORIES)
        .clause(" and m.status = 'approved' and m.agent = ?", agent)
        .clause(" and m.user_id = ?", user)
        .clause(" and m.slot = ?", slot)
}

/// What of a memory is sealed.
pub(crate) fn body(memory: &Memory) -> Sealed {
    Sealed {
        name: memory.name.clone(),
        content: memory.content.clone(),
        metadata: memory.metadata.clone(),
        tags: memory.tags.clone(),
    }
}

/// Where a memory's ciphertext belongs.
pub(crate) fn place(memory: &Memory) -> Place<'_> {
    Place::new("memories.sealed", memory.agent.as_str(), memory.id.as_str())
}
