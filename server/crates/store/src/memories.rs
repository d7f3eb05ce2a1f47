//! Memories: what is approved, with the values of its newest revision.

use domain::{
    Timestamp,
    agent::AgentName,
    id::{CandidateId, ConversationId, DecisionId, MemoryId, UserId},
    memory::{Memory, MemoryStatus, RetiredFor, RevisionAction},
};

use crate::{
    Error, Result, Stamp, Tx,
    column::parsed,
    demo::FILLING,
    index::{fingerprint, slot},
    memory_rows::{body, in_slot, place},
    statement::{ScopeColumn, sql},
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
    /// From when on agents are told of it; `None`: at once.
    pub serve_from: Option<Timestamp>,
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
        self.lock_user(agent, user).await?;
        let memory = written(id, agent, user, write, stamp);
        let slot = self.free_slot(&memory, stamp).await?;
        self.insert_memory(&memory, slot).await?;
        self.index_memory(&memory).await?;
        self.write_revision(&memory, RevisionAction::Create, write, stamp)
            .await?;
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
            serve_from: None,
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
            serve_from: None,
            conversation: memory.conversation.clone(),
            said_at: memory.said_at,
            candidate: candidate.cloned(),
            decision: decision.cloned(),
            note: note.map(str::to_owned),
        };
        self.replace(before, &memory, stamp).await?;
        self.write_revision(&memory, RevisionAction::Retire, &write, stamp)
            .await?;
        Ok(memory)
    }

    /// Retires memories that are past their time (B6); answers how many. Call until 0. An agent that is being
    /// filled is left alone, as by [`Tx::expire_waiting`].
    ///
    /// # Errors
    /// What the database answers.
    pub async fn expire_memories(&mut self, limit: u32, stamp: &Stamp) -> Result<u32> {
        const DUE: &str = "
            select agent, user_id, id
            from memories
            where status = 'approved' and expires_at is not null and expires_at <= $1
              and not exists (
                select 1
                from idempotency i
                where i.owner = memories.agent and i.key_hash = $2 and i.expires_at > $1)";
        let mut due: Vec<(String, String, String)> = sql(DUE)
            .bind(stamp.now)
            .bind(FILLING)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .clause(" order by expires_at limit ?", limit)
            .all(&mut self.conn)
            .await?;
        // Locks are taken in one order, whichever process runs this.
        due.sort_unstable();
        let mut expired = 0;
        for (_, _, id) in due {
            let memory = match self.memory_for_update(&parsed(&id)?).await {
                Ok(Some(memory)) => memory,
                Ok(None) => continue,
                // It is served no more either way, and the others must have their turn.
                Err(error) if error.is_of_one_row() => {
                    tracing::error!(memory = %id, %error, "a memory past its time could not be retired");
                    continue;
                }
                Err(error) => return Err(error),
            };
            if memory.status == MemoryStatus::Approved && !memory.served(stamp.now) {
                self.retire_memory(&memory, RetiredFor::Expired, None, None, None, stamp)
                    .await?;
                expired += 1;
            }
        }
        Ok(expired)
    }

    /// The slot of a memory, free: one past its time is retired; one that is served keeps it.
    async fn free_slot(&mut self, memory: &Memory, stamp: &Stamp) -> Result<Option<Vec<u8>>> {
        let key = self.user_key(&memory.agent, &memory.user).await?;
        let Some(slot) = slot(&key, &memory.kind, memory.name.as_deref(), &memory.content) else {
            return Ok(None);
        };
        let holders =
            in_slot(&memory.agent, &memory.user, slot.clone()).clause(" and m.id <> ?", &memory.id);
        for holder in self.memories_from(holders).await? {
            if holder.served(stamp.now) {
                return Err(Error::SlotTaken(holder.id));
            }
            Box::pin(self.retire_memory(
                &holder,
                RetiredFor::Expired,
                None,
                None,
                None,
                &Stamp::system(stamp.now),
            ))
            .await?;
        }
        Ok(Some(slot))
    }

    async fn replace(&mut self, before: &Memory, after: &Memory, stamp: &Stamp) -> Result<()> {
        const SQL: &str = "
            update memories
            set kind = $1, slot = $2, fingerprint = $3, confidence = $4, importance = $5, language = $6, status = $7,
                reason = $8, revision = $9, conversation_id = $10, said_at = $11, expires_at = $12, updated_at = $13,
                serve_from = $14, sealed = $15
            where agent = $16 and id = $17 and revision = $18";
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
            .bind(fingerprint(
                &key,
                &after.kind,
                after.name.as_deref(),
                &after.content,
            ))
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
            .bind(after.serve_from)
            .bind(sealed)
            .bind(&after.agent)
            .bind(&after.id)
            .bind(before.revision)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::Stale)
        }
    }

    /// Writes the row of a memory as it stands.
    pub(crate) async fn insert_memory(
        &mut self,
        memory: &Memory,
        slot: Option<Vec<u8>>,
    ) -> Result<()> {
        const SQL: &str = "
            insert into memories
              (agent, id, user_id, kind, slot, fingerprint, confidence, importance, language, status, reason, revision,
               conversation_id, said_at, expires_at, created_at, updated_at, serve_from, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
        let key = self.user_key(&memory.agent, &memory.user).await?;
        let sealed = key.seal_json(place(memory), &body(memory), self.entropy());
        sql(SQL)
            .bind(&memory.agent)
            .bind(&memory.id)
            .bind(&memory.user)
            .bind(memory.kind.as_str())
            .bind(slot)
            .bind(fingerprint(
                &key,
                &memory.kind,
                memory.name.as_deref(),
                &memory.content,
            ))
            .bind(memory.confidence)
            .bind(memory.importance)
            .bind(memory.language.as_str())
            .bind(memory.status.as_str())
            .bind(memory.reason.map(RetiredFor::as_str))
            .bind(memory.revision)
            .bind(memory.conversation.as_ref())
            .bind(memory.said_at)
            .bind(memory.expires_at)
            .bind(memory.created_at)
            .bind(memory.updated_at)
            .bind(memory.serve_from)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    pub(crate) async fn index_memory(&mut self, memory: &Memory) -> Result<()> {
        let texts: Vec<&str> = [Some(memory.content.as_str()), memory.name.as_deref()]
            .into_iter()
            .flatten()
            .chain(memory.tags.iter().map(String::as_str))
            .collect();
        self.index_words(&memory.agent, &memory.user, memory.id.as_str(), &texts)
            .await
    }
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
        serve_from: write.serve_from.map(domain::time::micros),
    }
}
