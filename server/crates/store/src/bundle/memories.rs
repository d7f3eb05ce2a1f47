//! The memories of an export, each with all its revisions: what it is, the last of them says.

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventBody, EventType},
    candidate::DecidedBy,
    id::{CandidateId, ConversationId, DecisionId, MemoryId, RevisionId, UserId},
    memory::{Memory, MemoryStatus, RetiredFor, RevisionAction},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{KEYS, same, text};
use crate::{
    Error, Proof, Result, Tx,
    column::{at, json, parsed_opt},
    index::slot,
    revisions::{Committed, Made},
    statement::sql,
};

/// A revision as an export has it.
#[derive(Debug, Clone)]
pub struct ImportedRevision {
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
    /// The values.
    pub proof: Proof,
}

/// The values of a revision as they are committed to.
#[derive(Deserialize)]
struct Values {
    kind: String,
    name: Option<String>,
    content: String,
    metadata: Map<String, Value>,
    tags: Vec<String>,
    language: String,
    note: Option<String>,
}

/// What the chain tells of a memory since its last revision.
#[derive(Default)]
struct Since {
    /// Why it was retired.
    retired: Option<RetiredFor>,
    /// The end that a repetition gave it (B6).
    renewed: Option<Timestamp>,
}

impl Tx {
    /// Takes a memory in with its revisions, which are all there are, in their order.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; [`Error::Erased`] where nobody of that id was taken in; [`Error::OutOfScope`]; what the database answers.
    pub async fn import_memory(&mut self, revisions: &[ImportedRevision]) -> Result<()> {
        let (Some(first), Some(last)) = (revisions.first(), revisions.last()) else {
            return Ok(());
        };
        self.inside(&first.agent)?;
        self.forget_keys_above(KEYS);
        let numbered = (1..).zip(revisions).all(|(number, revision)| {
            revision.number == number
                && (&revision.agent, &revision.memory, &revision.user)
                    == (&first.agent, &first.memory, &first.user)
        });
        if !numbered {
            return Err(Error::Corrupt("numbers of revisions"));
        }
        let (mut memory, _) = came_to(last, first.at)?;
        let since = self.since(&memory).await?;
        if last.action == RevisionAction::Retire {
            memory.status = MemoryStatus::Retired;
            let why = since.retired.ok_or(Error::Corrupt("reason of a memory"))?;
            memory.reason = Some(why);
        } else {
            memory.expires_at = since.renewed.or(memory.expires_at);
        }
        let key = self.user_key(&memory.agent, &memory.user).await?;
        let slot = match memory.status {
            MemoryStatus::Approved => {
                slot(&key, &memory.kind, memory.name.as_deref(), &memory.content)
            }
            MemoryStatus::Retired => None,
        };
        self.insert_memory(&memory, slot).await?;
        self.index_memory(&memory).await?;
        for revision in revisions {
            let (then, note) = came_to(revision, first.at)?;
            let made = Made {
                id: &revision.id,
                action: revision.action,
                by: &revision.by,
                candidate: revision.candidate.as_ref(),
                decision: revision.decision.as_ref(),
                note: note.as_deref(),
                at: revision.at,
                salt: &revision.proof.salt,
            };
            self.insert_revision(&then, &made).await?;
        }
        Ok(())
    }

    async fn since(&mut self, memory: &Memory) -> Result<Since> {
        const SQL: &str = "
            select body
            from events
            where agent = $1 and subject = $2
            order by seq";
        let bodies: Vec<(String,)> = sql(SQL)
            .bind(&memory.agent)
            .bind(&memory.id)
            .all(&mut self.conn)
            .await?;
        let mut since = Since::default();
        for (body,) in bodies {
            let event: EventBody = json(&body)?;
            match event.r#type {
                EventType::MemoryRetired => {
                    let why = event.data.get("reason").and_then(Value::as_str);
                    since = Since {
                        retired: parsed_opt(why)?,
                        renewed: None,
                    };
                }
                EventType::MemoryCreated
                | EventType::MemoryUpdated
                | EventType::MemoryMerged
                | EventType::MemoryRestored => since = Since::default(),
                EventType::CandidateSeenAgain => {
                    let end = event.data.get("expires_at").and_then(Value::as_i64);
                    since.renewed = end.map(at).transpose()?.or(since.renewed);
                }
                _ => {}
            }
        }
        Ok(since)
    }
}

/// The memory as it was with a revision, and the note of who wrote that by hand.
fn came_to(revision: &ImportedRevision, created_at: Timestamp) -> Result<(Memory, Option<String>)> {
    let values: Values = text(&revision.proof)?;
    let committed = Committed {
        kind: &values.kind,
        name: values.name.as_deref(),
        content: &values.content,
        metadata: &values.metadata,
        tags: &values.tags,
        language: &values.language,
        note: values.note.as_deref(),
    };
    same(&revision.proof, &committed.text())?;
    let memory = Memory {
        agent: revision.agent.clone(),
        id: revision.memory.clone(),
        user: revision.user.clone(),
        kind: values.kind,
        name: values.name,
        content: values.content,
        metadata: values.metadata,
        tags: values.tags,
        confidence: revision.confidence,
        importance: revision.importance,
        language: values.language,
        status: MemoryStatus::Approved,
        reason: None,
        revision: revision.number,
        conversation: revision.conversation.clone(),
        said_at: revision.said_at,
        expires_at: revision.expires_at,
        created_at,
        updated_at: revision.at,
        serve_from: None,
    };
    Ok((memory, values.note))
}
