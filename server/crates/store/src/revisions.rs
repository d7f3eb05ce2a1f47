//! Revisions: every version of a memory stays.

use std::collections::{HashMap, HashSet};

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventType, commitment, hex},
    candidate::DecidedBy,
    id::{CandidateId, DecisionId, MemoryId, RevisionId, UserId},
    memory::{Memory, Revision, RevisionAction},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Result, Stamp, Tx, Write,
    column::{at, at_opt, canonical, parsed, parsed_opt, thousandths, us},
    decisions::{decided_by, deciding},
    events::Telling,
    index::line,
    seal::Place,
    statement::{ScopeColumn, sql},
};

#[derive(Serialize, Deserialize)]
pub(crate) struct Sealed {
    pub name: Option<String>,
    pub content: String,
    pub metadata: serde_json::Map<String, serde_json::Value>,
    pub tags: Vec<String>,
    pub note: Option<String>,
    /// Revisions of before this was kept do not say it.
    #[serde(default)]
    pub language: Option<String>,
    /// The salt of the commitment to the values, as hex.
    pub salt: String,
}

/// The values of a revision that its event commits to.
pub(crate) struct Committed<'a> {
    pub kind: &'a str,
    pub name: Option<&'a str>,
    pub content: &'a str,
    pub metadata: &'a serde_json::Map<String, serde_json::Value>,
    pub tags: &'a [String],
    pub language: &'a str,
    pub note: Option<&'a str>,
}

impl Committed<'_> {
    /// As they are written down to be hashed.
    pub(crate) fn text(&self) -> serde_json::Value {
        json!({
            "kind": self.kind,
            "name": self.name,
            "content": self.content,
            "metadata": self.metadata,
            "tags": self.tags,
            "language": self.language,
            "note": self.note,
        })
    }
}

/// How a memory came to the revision it has.
pub(crate) struct Made<'a> {
    pub id: &'a RevisionId,
    pub action: RevisionAction,
    pub by: &'a DecidedBy,
    pub candidate: Option<&'a CandidateId>,
    pub decision: Option<&'a DecisionId>,
    pub note: Option<&'a str>,
    pub at: Timestamp,
    /// Of the commitment to the values, as hex.
    pub salt: &'a str,
}

#[derive(sqlx::FromRow)]
pub(crate) struct RevisionRow {
    agent: String,
    memory_id: String,
    number: i64,
    id: String,
    user_id: String,
    action: String,
    kind: String,
    confidence: f64,
    importance: f64,
    conversation_id: Option<String>,
    said_at: i64,
    candidate_id: Option<String>,
    decision_id: Option<String>,
    actor: String,
    person_id: Option<String>,
    expires_at: Option<i64>,
    at: i64,
    sealed: Vec<u8>,
}

const REVISIONS: &str = "
    select agent, memory_id, number, id, user_id, action, kind, confidence, importance, conversation_id, said_at, candidate_id,
      decision_id, actor, person_id, expires_at, at, sealed
    from revisions
    where true";

impl Tx {
    /// The revisions of a memory, oldest first, with the words that support each and what had been proposed where that was changed.
    ///
    /// # Errors
    /// [`crate::Error::Erased`]; what the database answers.
    pub async fn revisions(&mut self, memory: &MemoryId) -> Result<Vec<Revision>> {
        // Finds the agent, with which the primary key begins, and keeps to the scope.
        let Some(owner) = self.memory(memory).await? else {
            return Ok(Vec::new());
        };
        let rows: Vec<RevisionRow> = sql(REVISIONS)
            .clause(" and agent = ?", &owner.agent)
            .clause(" and memory_id = ?", memory)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .push(" order by number")
            .all(&mut self.conn)
            .await?;
        self.revisions_of_rows(&owner.agent, rows).await
    }

    /// Revisions of one agent's memories by memory and number; what is gone is left out.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn revisions_at(
        &mut self,
        agent: &AgentName,
        wanted: &[(MemoryId, i64)],
    ) -> Result<HashMap<(MemoryId, i64), Revision>> {
        self.inside(agent)?;
        let numbers: HashSet<(&str, i64)> = wanted
            .iter()
            .map(|(memory, number)| (memory.as_str(), *number))
            .collect();
        let mut memories: Vec<&MemoryId> = wanted.iter().map(|(memory, _)| memory).collect();
        memories.sort_unstable();
        memories.dedup();
        if memories.is_empty() {
            return Ok(HashMap::new());
        }
        let mut rows: Vec<RevisionRow> = sql(REVISIONS)
            .clause(" and agent = ?", agent)
            .clause_in(" and memory_id in (", memories)
            .all(&mut self.conn)
            .await?;
        rows.retain(|row| numbers.contains(&(row.memory_id.as_str(), row.number)));
        let revisions = self.revisions_of_rows(agent, rows).await?;
        Ok(revisions
            .into_iter()
            .map(|revision| ((revision.memory.clone(), revision.number), revision))
            .collect())
    }

    /// Opens rows of one agent, in their order.
    pub(crate) async fn revisions_of_rows(
        &mut self,
        agent: &AgentName,
        rows: Vec<RevisionRow>,
    ) -> Result<Vec<Revision>> {
        let candidates = rows
            .iter()
            .filter_map(|row| row.candidate_id.as_deref())
            .map(parsed)
            .collect::<Result<Vec<CandidateId>>>()?;
        let candidates = self.candidates_by_id(agent, &candidates).await?;
        let decisions = rows
            .iter()
            .filter_map(|row| row.decision_id.as_deref())
            .map(parsed)
            .collect::<Result<Vec<DecisionId>>>()?;
        let decisions = self.decisions_by_id(agent, &decisions).await?;
        let mut revisions = Vec::with_capacity(rows.len());
        for row in rows {
            let agent: AgentName = parsed(&row.agent)?;
            let user: UserId = parsed(&row.user_id)?;
            let key = self.user_key(&agent, &user).await?;
            let body: Sealed = key.open_json(place(&agent, &row.id), &row.sealed)?;
            let candidate: Option<CandidateId> = parsed_opt(row.candidate_id.as_deref())?;
            let decision: Option<DecisionId> = parsed_opt(row.decision_id.as_deref())?;
            let action: RevisionAction = parsed(&row.action)?;
            let proposal = candidate
                .as_ref()
                .and_then(|id| candidates.get(id))
                .map(|candidate| &candidate.proposal);
            let says_something =
                !matches!(action, RevisionAction::Retire | RevisionAction::Restore);
            let decided = decision.as_ref().and_then(|id| decisions.get(id));
            revisions.push(Revision {
                id: parsed(&row.id)?,
                memory: parsed(&row.memory_id)?,
                number: row.number,
                action,
                kind: row.kind,
                name: body.name,
                proposed: proposal
                    .filter(|proposal| says_something && proposal.content != body.content)
                    .map(|proposal| proposal.content.clone()),
                content: body.content,
                metadata: body.metadata,
                tags: body.tags,
                confidence: row.confidence,
                importance: row.importance,
                conversation: parsed_opt(row.conversation_id.as_deref())?,
                said_at: at(row.said_at)?,
                by: decided_by(&row.actor, row.person_id.as_deref())?,
                note: body
                    .note
                    .or_else(|| decided.and_then(|decision| decision.note.clone())),
                evidence: proposal
                    .map(|proposal| proposal.evidence.clone())
                    .unwrap_or_default(),
                explanation: proposal.and_then(|proposal| proposal.explanation.clone()),
                expires_at: at_opt(row.expires_at)?,
                at: at(row.at)?,
                candidate,
                decision,
            });
        }
        Ok(revisions)
    }

    /// Writes the revision that a memory has come to.
    pub(crate) async fn write_revision(
        &mut self,
        memory: &Memory,
        action: RevisionAction,
        write: &Write,
        stamp: &Stamp,
    ) -> Result<()> {
        let Memory { agent, user, .. } = memory;
        let id = RevisionId::new(stamp.now, self.entropy());
        let salt = self.salt();
        let made = Made {
            id: &id,
            action,
            by: &stamp.decided_by,
            candidate: write.candidate.as_ref(),
            decision: write.decision.as_ref(),
            note: write.note.as_deref(),
            at: stamp.now,
            salt: &hex(&salt),
        };
        self.insert_revision(memory, &made).await?;
        let r#type = match action {
            RevisionAction::Create => EventType::MemoryCreated,
            RevisionAction::Update => EventType::MemoryUpdated,
            RevisionAction::Merge => EventType::MemoryMerged,
            RevisionAction::Restore => EventType::MemoryRestored,
            RevisionAction::Retire => EventType::MemoryRetired,
        };
        let committed = Committed {
            kind: &memory.kind,
            name: memory.name.as_deref(),
            content: &memory.content,
            metadata: &memory.metadata,
            tags: &memory.tags,
            language: &memory.language,
            note: write.note.as_deref(),
        };
        let mut data = json!({
            "revision": memory.revision,
            "id": id,
            "candidate": write.candidate,
            "decision": write.decision,
            "importance": thousandths(memory.importance),
            "reason": memory.reason,
        });
        if let Some(from) = memory.serve_from {
            data["serve_from"] = json!(us(from));
        }
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type,
                user: Some(user),
                subject: memory.id.as_str(),
                data,
                commitment: Some(commitment(&salt, &canonical(&committed.text()))),
            },
        );
        Ok(())
    }

    /// Writes the row of the revision that a memory has come to.
    pub(crate) async fn insert_revision(&mut self, memory: &Memory, made: &Made<'_>) -> Result<()> {
        const SQL: &str = "
            insert into revisions
              (agent, memory_id, number, id, user_id, action, kind, line, confidence, importance, conversation_id, said_at,
               candidate_id, decision_id, actor, person_id, expires_at, at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
        let Memory { agent, user, .. } = memory;
        let key = self.user_key(agent, user).await?;
        let body = Sealed {
            name: memory.name.clone(),
            content: memory.content.clone(),
            metadata: memory.metadata.clone(),
            tags: memory.tags.clone(),
            note: made.note.map(str::to_owned),
            language: Some(memory.language.clone()),
            salt: made.salt.to_owned(),
        };
        let sealed = key.seal_json(place(agent, made.id.as_str()), &body, self.entropy());
        let (actor, person) = deciding(made.by);
        sql(SQL)
            .bind(agent)
            .bind(&memory.id)
            .bind(memory.revision)
            .bind(made.id)
            .bind(user)
            .bind(made.action.as_str())
            .bind(memory.kind.as_str())
            .bind(line(&key, &memory.content))
            .bind(memory.confidence)
            .bind(memory.importance)
            .bind(memory.conversation.as_ref())
            .bind(memory.said_at)
            .bind(made.candidate)
            .bind(made.decision)
            .bind(actor)
            .bind(person)
            .bind(memory.expires_at)
            .bind(made.at)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}

/// Where a revision's ciphertext belongs.
pub(crate) fn place<'a>(agent: &'a AgentName, revision: &'a str) -> Place<'a> {
    Place::new("revisions.sealed", agent.as_str(), revision)
}
