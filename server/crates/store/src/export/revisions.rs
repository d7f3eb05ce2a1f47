//! The revisions of an export, by memory and number.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventBody, hex},
    candidate::DecidedBy,
    id::{CandidateId, ConversationId, DecisionId, MemoryId, RevisionId, UserId},
    memory::RevisionAction,
    text::LANGUAGES,
};

use super::{Along, Columns, ExportPart, Proof, Walked};
use crate::{
    Result, Tx,
    column::{at, at_opt, canonical, parsed, parsed_opt},
    decisions::decided_by,
    revisions::{Committed, Sealed, place},
    statement::sql,
};

/// A revision of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedRevision {
    /// The agent.
    pub agent: AgentName,
    /// The memory.
    pub memory: MemoryId,
    /// Its number, from 1.
    pub number: i64,
    /// Ours.
    pub id: RevisionId,
    /// Whom it is about.
    pub user: UserId,
    /// What was done.
    pub action: RevisionAction,
    /// By whom.
    pub by: DecidedBy,
    /// How sure it is.
    pub confidence: f64,
    /// How much it matters.
    pub importance: f64,
    /// In which conversation it was said.
    pub conversation: Option<ConversationId>,
    /// When it was said.
    pub said_at: Timestamp,
    /// The candidate that it came from.
    pub candidate: Option<CandidateId>,
    /// The decision that made it.
    pub decision: Option<DecisionId>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was made.
    pub at: Timestamp,
    /// What it says.
    pub content: String,
    /// The values.
    pub proof: Proof,
}

#[derive(sqlx::FromRow)]
struct Row {
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

impl Walked for Row {
    fn place(&self) -> (&str, i64) {
        (&self.memory_id, self.number)
    }

    fn owner(&self) -> &str {
        &self.user_id
    }
}

const REVISIONS: &str = "
    select memory_id, number, id, user_id, action, kind, confidence, importance, conversation_id, said_at, candidate_id,
      decision_id, actor, person_id, expires_at, at, sealed
    from revisions
    where agent = $1";

const COLUMNS: Columns = Columns {
    after: " and (memory_id, number) > (?",
    numbered: true,
    of: " and memory_id in (",
    order: " order by memory_id, number",
    from: " and at >= ?",
    to: " and at < ?",
};

impl Tx {
    /// The next revisions of a walk along memories; `None` at its end.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exported_revisions(
        &mut self,
        part: &ExportPart,
        along: &mut Along,
    ) -> Result<Option<Vec<ExportedRevision>>> {
        let read = sql(REVISIONS).bind(&part.agent);
        let rows = self.next_rows::<Row>(read, &COLUMNS, part, along);
        let Some(rows) = rows.await? else {
            return Ok(None);
        };
        let mut revisions = Vec::with_capacity(rows.len());
        for row in rows {
            revisions.extend(self.exported_revision(&part.agent, row).await?);
        }
        Ok(Some(revisions))
    }

    async fn exported_revision(
        &mut self,
        agent: &AgentName,
        row: Row,
    ) -> Result<Option<ExportedRevision>> {
        let user: UserId = parsed(&row.user_id)?;
        let Some(key) = super::unless_erased(self.user_key(agent, &user).await)? else {
            return Ok(None);
        };
        let body: Sealed = key.open_json(place(agent, &row.id), &row.sealed)?;
        let proof_in = |language: &str| {
            let committed = Committed {
                kind: &row.kind,
                name: body.name.as_deref(),
                content: &body.content,
                metadata: &body.metadata,
                tags: &body.tags,
                language,
                note: body.note.as_deref(),
            };
            Proof {
                salt: body.salt.clone(),
                committed: canonical(&committed.text()),
            }
        };
        let proof = match &body.language {
            Some(language) => proof_in(language),
            None => {
                // It is one of a closed list, and its event says which.
                let told = self
                    .commitment_of(agent, &row.memory_id, row.number)
                    .await?;
                let fits = |proof: &Proof| {
                    let made = proof.commitment().map(|hash| hex(&hash));
                    made.is_some() && made == told
                };
                let mut proofs = LANGUAGES.into_iter().map(proof_in);
                proofs.find(fits).unwrap_or_else(|| proof_in("und"))
            }
        };
        Ok(Some(ExportedRevision {
            agent: agent.clone(),
            memory: parsed(&row.memory_id)?,
            number: row.number,
            id: parsed(&row.id)?,
            user,
            action: parsed(&row.action)?,
            by: decided_by(&row.actor, row.person_id.as_deref())?,
            confidence: row.confidence,
            importance: row.importance,
            conversation: parsed_opt(row.conversation_id.as_deref())?,
            said_at: at(row.said_at)?,
            candidate: parsed_opt(row.candidate_id.as_deref())?,
            decision: parsed_opt(row.decision_id.as_deref())?,
            expires_at: at_opt(row.expires_at)?,
            at: at(row.at)?,
            proof,
            content: body.content,
        }))
    }

    /// The commitment in the event of a revision, as hex.
    async fn commitment_of(
        &mut self,
        agent: &AgentName,
        memory: &str,
        number: i64,
    ) -> Result<Option<String>> {
        const SQL: &str = "
            select body
            from events
            where agent = $1 and subject = $2
            order by seq";
        let bodies: Vec<(String,)> = sql(SQL)
            .bind(agent)
            .bind(memory)
            .all(&mut self.conn)
            .await?;
        let told = bodies
            .iter()
            .filter_map(|(body,)| serde_json::from_str::<EventBody>(body).ok())
            .find(|body| {
                body.commitment.is_some()
                    && body
                        .data
                        .get("revision")
                        .and_then(serde_json::Value::as_i64)
                        == Some(number)
            });
        Ok(told.and_then(|body| body.commitment))
    }
}
