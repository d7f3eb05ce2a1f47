//! What a recall (G4) has to know: every session that was told a memory, and what was made from it.

use std::collections::HashSet;

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    candidate::Candidate,
    id::{ConversationId, MemoryId, ServingId, UserId},
    memory::Memory,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    Result, Stamp, Tx,
    candidate_rows::CANDIDATES,
    column::{at, parsed},
    events::Telling,
    seal::Place,
    statement::sql,
};

/// That a session was told a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeTold {
    /// The agent's own id of the conversation.
    pub conversation: Option<String>,
    /// Which revision.
    pub revision: i64,
    /// When.
    pub at: Timestamp,
}

#[derive(Deserialize)]
struct Sealed {
    conversation: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    user_id: String,
    at: i64,
    sealed: Vec<u8>,
    revision: i64,
}

impl Tx {
    /// How often a memory was told.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn told_count(&mut self, agent: &AgentName, memory: &MemoryId) -> Result<i64> {
        const SQL: &str = "
            select count(*)
            from serving_items
            where agent = $1 and memory_id = $2";
        self.inside(agent)?;
        let (count,): (i64,) = sql(SQL)
            .bind(agent)
            .bind(memory)
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    /// The times a memory was told, newest first.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn times_told(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
        limit: u32,
    ) -> Result<Vec<TimeTold>> {
        let rows = self.servings_with(agent, memory, limit).await?;
        let mut times = Vec::with_capacity(rows.len());
        for row in rows {
            times.push(TimeTold {
                conversation: self.conversation_of(agent, &row).await?,
                revision: row.revision,
                at: at(row.at)?,
            });
        }
        Ok(times)
    }

    /// The newest servings that told a memory, and those conversations of them that were received: ids of ours, newest first, each once.
    /// A serving that cannot be read names no conversation, and neither does one of somebody who was erased.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn told_to(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
        limit: u32,
    ) -> Result<(Vec<ServingId>, Vec<ConversationId>)> {
        let rows = self.servings_with(agent, memory, limit).await?;
        let (mut servings, mut conversations) = (Vec::new(), Vec::new());
        let mut looked = HashSet::new();
        for row in rows {
            servings.push(parsed(&row.id)?);
            match self.received_of(agent, &row, &mut looked).await {
                Err(error) if error.is_of_one_row() => {}
                found => conversations.extend(found?),
            }
        }
        Ok((servings, conversations))
    }

    /// The conversation that a serving was asked for, where it was received and not looked for before.
    async fn received_of(
        &mut self,
        agent: &AgentName,
        row: &Row,
        looked: &mut HashSet<(UserId, String)>,
    ) -> Result<Option<ConversationId>> {
        let Some(external) = self.conversation_of(agent, row).await? else {
            return Ok(None);
        };
        let user: UserId = parsed(&row.user_id)?;
        if !looked.insert((user.clone(), external.clone())) {
            return Ok(None);
        }
        let found = self.find_conversation(agent, &user, &external).await?;
        Ok(found.map(|found| found.id))
    }

    async fn servings_with(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
        limit: u32,
    ) -> Result<Vec<Row>> {
        const SQL: &str = "
            select s.id, s.user_id, s.at, s.sealed, i.revision
            from serving_items i
            join servings s on s.agent = i.agent and s.id = i.serving_id
            where i.agent = $1 and i.memory_id = $2
            order by i.serving_id desc
            limit $3";
        self.inside(agent)?;
        sql(SQL)
            .bind(agent)
            .bind(memory)
            .bind(limit)
            .all(&mut self.conn)
            .await
    }

    /// The agent's own id of the conversation that a serving was asked for.
    async fn conversation_of(&mut self, agent: &AgentName, row: &Row) -> Result<Option<String>> {
        let user: UserId = parsed(&row.user_id)?;
        let place = Place::new("servings.sealed", agent.as_str(), &row.id);
        let key = self.user_key(agent, &user).await?;
        let body: Sealed = key.open_json(place, &row.sealed)?;
        Ok(body.conversation)
    }

    /// The memories into which an approved merge took this one.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn merged_into(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
    ) -> Result<Vec<MemoryId>> {
        const SQL: &str = "
            select distinct d.memory_id
            from candidate_targets t
            join candidates c on c.agent = t.agent and c.id = t.candidate_id and c.status = 'approved'
            join decisions d on d.agent = c.agent and d.candidate_id = c.id and d.version = c.version
            where t.agent = $1 and t.memory_id = $2 and t.part = 'absorbed' and d.memory_id is not null";
        self.inside(agent)?;
        let rows: Vec<(String,)> = sql(SQL)
            .bind(agent)
            .bind(memory)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(|(id,)| parsed(&id)).collect()
    }

    /// The candidates that wait and would change this memory or take it in.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn waiting_changes_of(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
        now: Timestamp,
    ) -> Result<Vec<Candidate>> {
        self.inside(agent)?;
        let read = sql(CANDIDATES)
            .clause(" and c.agent = ?", agent)
            .clause(
                " and c.id in (select t.candidate_id from candidate_targets t where t.agent = ?",
                agent,
            )
            .clause(" and t.memory_id = ?)", memory)
            .clause(
                " and c.status = 'pending' and c.action in ('update', 'merge') and c.expires_at + 0 > ?",
                now,
            )
            .push(" order by c.id");
        self.plain_candidates(read).await
    }

    /// The patterns that cite words which this memory rests on, and the summaries of the conversations where those were said: those
    /// that wait or were approved.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn resting_on(
        &mut self,
        agent: &AgentName,
        memory: &MemoryId,
    ) -> Result<Vec<Candidate>> {
        const SQL: &str = "
            select distinct o.candidate_id
            from revisions r
            join evidence e on e.agent = r.agent and e.candidate_id = r.candidate_id
            join evidence o on o.conversation_id = e.conversation_id and o.agent = e.agent
            where r.agent = $1 and r.memory_id = $2 and o.candidate_id <> r.candidate_id
              and (o.message_id is null or (o.message_id = e.message_id and o.starts < e.ends and o.ends > e.starts))";
        self.inside(agent)?;
        let rows: Vec<(String,)> = sql(SQL)
            .bind(agent)
            .bind(memory)
            .all(&mut self.conn)
            .await?;
        let read = sql(CANDIDATES)
            .clause(" and c.agent = ?", agent)
            .clause_in(" and c.id in (", rows.into_iter().map(|(id,)| id))
            .push(" and c.status in ('pending', 'approved') and c.kind in ('pattern', 'session_summary')")
            .push(" order by c.id");
        self.plain_candidates(read).await
    }

    /// Tells that a memory was recalled: how often it had been told, and how much was made from it.
    pub fn tell_recall(&mut self, memory: &Memory, told: i64, made: i64, stamp: &Stamp) {
        let telling = Telling {
            r#type: EventType::MemoryRecalled,
            user: Some(&memory.user),
            subject: memory.id.as_str(),
            data: json!({ "revision": memory.revision, "told": told, "made": made }),
            commitment: None,
        };
        self.tell(Some(&memory.agent), stamp, telling);
    }
}
