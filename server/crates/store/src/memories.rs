//! Memories: what is approved, with the values of its newest revision.

use domain::{
    Timestamp,
    agent::AgentName,
    id::{CandidateId, ConversationId, DecisionId, MemoryId, UserId},
    memory::{Memory, MemoryStatus, RetiredFor, RevisionAction},
};
use serde::{Deserialize, Serialize};

use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt},
    index::{fingerprint, slot},
    seal::Place,
    statement::{ScopeColumn, Statement, sql},
};

/// What is to be approved: the values of a revision.
#[derive(Debug, Clone)]
pub struct Write {
    /// A kind of the agent's registry.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Metadata that fits the kind's schema.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How sure the extractor was, 0.0 to 1.0.
    pub confidence: f64,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// BCP 47 language of the content.
    pub language: String,
    /// When it stops being served.
    pub expires_at: Option<Timestamp>,
    /// The conversation it was said in.
    pub conversation: Option<ConversationId>,
    /// When the words were said.
    pub said_at: Timestamp,
    /// The candidate it comes from.
    pub candidate: Option<CandidateId>,
    /// The decision that makes it.
    pub decision: Option<DecisionId>,
    /// The note of who wrote it by hand; a decision keeps its own.
    pub note: Option<String>,
}

/// Which memories are wanted.
#[derive(Debug, Clone)]
pub struct MemoryFilter {
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one user.
    pub user: Option<UserId>,
    /// `Approved` leaves out what is past its time.
    pub status: MemoryStatus,
    /// Of these kinds; empty: of all.
    pub kinds: Vec<String>,
    /// Holding every word of this.
    pub search: Option<String>,
}

impl Default for MemoryFilter {
    fn default() -> Self {
        Self { agent: None, user: None, status: MemoryStatus::Approved, kinds: Vec::new(), search: None }
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    name: Option<String>,
    content: String,
    metadata: serde_json::Map<String, serde_json::Value>,
    tags: Vec<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    agent: String,
    id: String,
    user_id: String,
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
    sealed: Vec<u8>,
}

const MEMORIES: &str = "
    select m.agent, m.id, m.user_id, m.kind, m.confidence, m.importance, m.language, m.status, m.reason, m.revision,
      m.conversation_id, m.said_at, m.expires_at, m.created_at, m.updated_at, m.sealed
    from memories m
    where true";

impl Tx {
    /// Makes a memory with its first revision.
    ///
    /// # Errors
    /// [`Error::SlotTaken`] where another approved memory is about the same thing; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn create_memory(
        &mut self,
        id: MemoryId,
        agent: &AgentName,
        user: &UserId,
        write: &Write,
        stamp: &Stamp,
    ) -> Result<Memory> {
        const SQL: &str = "
            insert into memories
              (agent, id, user_id, kind, slot, fingerprint, confidence, importance, language, status, revision,
               conversation_id, said_at, expires_at, created_at, updated_at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'approved', 1, $10, $11, $12, $13, $14, $15)";
        self.lock_user(agent, user).await?;
        let memory = written(id, agent, user, write, stamp);
        let slot = self.free_slot(&memory, stamp).await?;
        let key = self.user_key(agent, user).await?;
        let sealed = key.seal_json(place(&memory), &body(&memory), self.entropy());
        sql(SQL)
            .bind(agent)
            .bind(&memory.id)
            .bind(user)
            .bind(memory.kind.as_str())
            .bind(slot)
            .bind(fingerprint(&key, &memory.kind, &memory.content))
            .bind(memory.confidence)
            .bind(memory.importance)
            .bind(memory.language.as_str())
            .bind(memory.conversation.as_ref())
            .bind(memory.said_at)
            .bind(memory.expires_at)
            .bind(stamp.now)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        self.index_memory(&memory).await?;
        self.write_revision(&memory, RevisionAction::Create, write, stamp).await?;
        Ok(memory)
    }

    /// Gives a memory another value, as a new revision; a retired one is served again.
    ///
    /// # Errors
    /// [`Error::Stale`] where it has another revision by now; [`Error::SlotTaken`]; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn revise_memory(
        &mut self,
        before: &Memory,
        action: RevisionAction,
        write: &Write,
        stamp: &Stamp,
    ) -> Result<Memory> {
        let memory = Memory {
            revision: before.revision + 1,
            created_at: before.created_at,
            ..written(before.id.clone(), &before.agent, &before.user, write, stamp)
        };
        self.replace(before, &memory, stamp).await?;
        self.index_memory(&memory).await?;
        self.write_revision(&memory, action, write, stamp).await?;
        Ok(memory)
    }

    /// Retires a memory: kept, no longer served. A revision tells of it.
    ///
    /// # Errors
    /// [`Error::Stale`] where it has another revision by now; [`Error::OutOfScope`]; [`Error::Erased`].
    pub async fn retire_memory(
        &mut self,
        before: &Memory,
        why: RetiredFor,
        candidate: Option<&CandidateId>,
        decision: Option<&DecisionId>,
        note: Option<&str>,
        stamp: &Stamp,
    ) -> Result<Memory> {
        let memory = Memory {
            status: MemoryStatus::Retired,
            reason: Some(why),
            revision: before.revision + 1,
            updated_at: stamp.now,
            ..before.clone()
        };
        let write = Write {
            kind: memory.kind.clone(),
            name: memory.name.clone(),
            content: memory.content.clone(),
            metadata: memory.metadata.clone(),
            tags: memory.tags.clone(),
            confidence: memory.confidence,
            importance: memory.importance,
            language: memory.language.clone(),
            expires_at: memory.expires_at,
            conversation: memory.conversation.clone(),
            said_at: memory.said_at,
            candidate: candidate.cloned(),
            decision: decision.cloned(),
            note: note.map(str::to_owned),
        };
        self.replace(before, &memory, stamp).await?;
        self.write_revision(&memory, RevisionAction::Retire, &write, stamp).await?;
        Ok(memory)
    }

    /// A memory within the scope, served or not.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn memory(&mut self, id: &MemoryId) -> Result<Option<Memory>> {
        let read = sql(MEMORIES)
            .clause(" and m.id = ?", id)
            .scope(ScopeColumn::Memory, &self.scope().clone());
        Ok(self.memories_from(read).await?.pop())
    }

    /// A memory, read under the lock of its user.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
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
        let Some((agent, user)) = owner else { return Ok(None) };
        self.lock_user(&parsed(&agent)?, &parsed(&user)?).await?;
        let read = sql(MEMORIES).clause(" and m.agent = ?", agent).clause(" and m.id = ?", id);
        Ok(self.memories_from(read).await?.pop())
    }

    /// The served memory that is about the same thing as this statement.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
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
        let Some(slot) = slot(&key, kind, name, content) else { return Ok(None) };
        let read = in_slot(agent, user, slot).clause(" and (m.expires_at is null or m.expires_at > ?)", now);
        Ok(self.memories_from(read).await?.pop())
    }

    /// What a context may be made of: the approved, unexpired memories of a user, oldest first, in one query.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn approved(&mut self, agent: &AgentName, user: &UserId, now: Timestamp) -> Result<Vec<Memory>> {
        self.inside(agent)?;
        let read = sql(MEMORIES)
            .clause(" and m.agent = ?", agent)
            .clause(" and m.user_id = ?", user)
            .clause(" and m.status = 'approved' and (m.expires_at is null or m.expires_at > ?)", now)
            .push(" order by m.id");
        self.memories_from(read).await
    }

    /// A part of the memories within the scope, newest first.
    ///
    /// # Errors
    /// [`Error::Erased`]; what the database answers.
    pub async fn memories(&mut self, filter: &MemoryFilter, page: &Page, now: Timestamp) -> Result<Listed<Memory>> {
        let read = self
            .filtered_memories(sql(MEMORIES), filter, now)
            .clause_if(" and m.id < ?", page.after.as_ref().map(|after| after.id.as_str()))
            .clause(" order by m.id desc limit ?", page.probe());
        let memories = self.memories_from(read).await?;
        Ok(Listed::cut(memories, page, |memory| Cursor::id(memory.id.as_str())))
    }

    /// How many memories a filter finds.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn memory_count(&mut self, filter: &MemoryFilter, now: Timestamp) -> Result<i64> {
        let all = sql("select count(*) from memories m where true");
        let (count,): (i64,) = self.filtered_memories(all, filter, now).one(&mut self.conn).await?;
        Ok(count)
    }

    /// Retires memories that are past their time (B6); answers how many. Call until 0.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn expire_memories(&mut self, limit: u32, stamp: &Stamp) -> Result<u32> {
        const DUE: &str = "
            select agent, user_id, id
            from memories
            where status = 'approved' and expires_at is not null and expires_at <= $1";
        let mut due: Vec<(String, String, String)> = sql(DUE)
            .bind(stamp.now)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .clause(" order by expires_at limit ?", limit)
            .all(&mut self.conn)
            .await?;
        // Locks are taken in one order, whichever process runs this.
        due.sort_unstable();
        let mut expired = 0;
        for (_, _, id) in due {
            let Some(memory) = self.memory_for_update(&parsed(&id)?).await? else { continue };
            if memory.status == MemoryStatus::Approved && !memory.served(stamp.now) {
                self.retire_memory(&memory, RetiredFor::Expired, None, None, None, stamp).await?;
                expired += 1;
            }
        }
        Ok(expired)
    }

    /// The slot of a memory, free: one past its time is retired; one that is served keeps it.
    async fn free_slot(&mut self, memory: &Memory, stamp: &Stamp) -> Result<Option<Vec<u8>>> {
        let key = self.user_key(&memory.agent, &memory.user).await?;
        let Some(slot) = slot(&key, &memory.kind, memory.name.as_deref(), &memory.content) else { return Ok(None) };
        let holders = in_slot(&memory.agent, &memory.user, slot.clone()).clause(" and m.id <> ?", &memory.id);
        for holder in self.memories_from(holders).await? {
            if holder.served(stamp.now) {
                return Err(Error::SlotTaken(holder.id));
            }
            Box::pin(self.retire_memory(&holder, RetiredFor::Expired, None, None, None, &Stamp::system(stamp.now))).await?;
        }
        Ok(Some(slot))
    }

    async fn replace(&mut self, before: &Memory, after: &Memory, stamp: &Stamp) -> Result<()> {
        const SQL: &str = "
            update memories
            set kind = $1, slot = $2, fingerprint = $3, confidence = $4, importance = $5, language = $6, status = $7,
                reason = $8, revision = $9, conversation_id = $10, said_at = $11, expires_at = $12, updated_at = $13,
                sealed = $14
            where agent = $15 and id = $16 and revision = $17";
        self.lock_user(&after.agent, &after.user).await?;
        let slot = match after.status {
            MemoryStatus::Approved => self.free_slot(after, stamp).await?,
            MemoryStatus::Retired => None,
        };
        let key = self.user_key(&after.agent, &after.user).await?;
        let sealed = key.seal_json(place(after), &body(after), self.entropy());
        let touched = sql(SQL)
            .bind(after.kind.as_str())
            .bind(slot)
            .bind(fingerprint(&key, &after.kind, &after.content))
            .bind(after.confidence)
            .bind(after.importance)
            .bind(after.language.as_str())
            .bind(after.status.as_str())
            .bind(after.reason.map(RetiredFor::as_str))
            .bind(after.revision)
            .bind(after.conversation.as_ref())
            .bind(after.said_at)
            .bind(after.expires_at)
            .bind(after.updated_at)
            .bind(sealed)
            .bind(&after.agent)
            .bind(&after.id)
            .bind(before.revision)
            .run(&mut self.conn)
            .await?;
        if touched == 1 { Ok(()) } else { Err(Error::Stale) }
    }

    async fn index_memory(&mut self, memory: &Memory) -> Result<()> {
        let texts: Vec<&str> = [Some(memory.content.as_str()), memory.name.as_deref()]
            .into_iter()
            .flatten()
            .chain(memory.tags.iter().map(String::as_str))
            .collect();
        self.index_words(&memory.agent, &memory.user, memory.id.as_str(), &texts).await
    }

    fn filtered_memories(&self, statement: Statement, filter: &MemoryFilter, now: Timestamp) -> Statement {
        let mut statement = match filter.status {
            MemoryStatus::Approved => {
                statement.clause(" and m.status = 'approved' and (m.expires_at is null or m.expires_at > ?)", now)
            }
            MemoryStatus::Retired => statement.push(" and m.status = 'retired'"),
        }
        .scope(ScopeColumn::Memory, self.scope())
        .clause_if(" and m.agent = ?", filter.agent.as_ref())
        .clause_if(" and m.user_id = ?", filter.user.as_ref());
        if !filter.kinds.is_empty() {
            statement = statement.clause_in(" and m.kind in (", filter.kinds.iter().map(String::as_str));
        }
        let Some(search) = &filter.search else { return statement };
        let mut tokens = domain::text::tokens(search);
        tokens.dedup();
        // The single characters at the ends of 東京 are parts of its bigram; in a longer text they do not stand alone.
        let longer = tokens.clone();
        tokens.retain(|token| !longer.iter().any(|other| other.len() > token.len() && token.chars().count() == 1 && other.contains(token.as_str())));
        if tokens.is_empty() {
            return statement.push(" and false");
        }
        for token in tokens {
            let hash = self.token_hash(&token);
            statement = statement.clause(" and m.id in (select t.subject from search_tokens t where t.token = ?)", hash);
        }
        statement
    }

    async fn memories_from(&mut self, read: Statement) -> Result<Vec<Memory>> {
        let rows: Vec<Row> = read.all(&mut self.conn).await?;
        self.load_keys_of(rows.iter().map(|row| (row.agent.as_str(), row.user_id.as_str()))).await?;
        let mut memories = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let user: UserId = parsed(&row.user_id)?;
            let key = self.user_key(&agent, &user).await?;
            let body: Sealed = key.open_json(Place::new("memories.sealed", agent.as_str(), &row.id), &row.sealed)?;
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
                agent,
                user,
            });
        }
        Ok(memories)
    }
}

fn in_slot(agent: &AgentName, user: &UserId, slot: Vec<u8>) -> Statement {
    sql(MEMORIES)
        .clause(" and m.status = 'approved' and m.agent = ?", agent)
        .clause(" and m.user_id = ?", user)
        .clause(" and m.slot = ?", slot)
}

/// A new, approved memory with the values of a revision.
fn written(id: MemoryId, agent: &AgentName, user: &UserId, write: &Write, stamp: &Stamp) -> Memory {
    Memory {
        agent: agent.clone(),
        id,
        user: user.clone(),
        kind: write.kind.clone(),
        name: write.name.clone(),
        content: write.content.clone(),
        metadata: write.metadata.clone(),
        tags: write.tags.clone(),
        confidence: write.confidence,
        importance: write.importance,
        language: write.language.clone(),
        status: MemoryStatus::Approved,
        reason: None,
        revision: 1,
        conversation: write.conversation.clone(),
        said_at: domain::time::micros(write.said_at),
        expires_at: write.expires_at.map(domain::time::micros),
        created_at: stamp.now,
        updated_at: stamp.now,
    }
}

fn body(memory: &Memory) -> Sealed {
    Sealed {
        name: memory.name.clone(),
        content: memory.content.clone(),
        metadata: memory.metadata.clone(),
        tags: memory.tags.clone(),
    }
}

fn place(memory: &Memory) -> Place<'_> {
    Place::new("memories.sealed", memory.agent.as_str(), memory.id.as_str())
}
