//! Memories as they go out: approved ones to agents, with their history to people.

mod read;
mod search;
mod write;

pub use read::{CameOf, MemoryFilter};
pub use write::{MemoryEdit, NewMemory};

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Evidence, Flag},
    diff::Part,
    id::{CandidateId, ConversationId, MemoryId, UserId},
    memory::{Memory, MemoryStatus, RetiredFor, RevisionAction},
    user::Scope,
    values::Values,
};
use serde::Serialize;
use serde_json::{Map, Value};
use store::Cursor;

use crate::{
    candidate::{Told, Transcript},
    extractor::Provenance,
    page::By,
};

/// A memory, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct MemoryView {
    /// Ours.
    pub id: MemoryId,
    /// The agent it belongs to.
    pub agent: AgentName,
    /// Whom it is about, by the agent's own name.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Metadata that fits the kind's schema.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// How sure the extractor was, 0.0 to 1.0.
    pub confidence: f64,
    /// Whether it is served.
    pub status: MemoryStatus,
    /// Why not.
    pub reason: Option<RetiredFor>,
    /// The number of its newest revision.
    pub revision: i64,
    /// The conversation it was said in.
    pub conversation: Option<ConversationId>,
    /// When it stops being served.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// When it was first approved.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When its newest revision was made.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Which extractor, prompt and schema made its newest value that was extracted; `null` where all of it was written by hand.
    pub made_by: Option<Provenance>,
    /// Warnings that depend on the day it is read: `date_passed` (G12).
    pub flags: Vec<Flag>,
    /// Whom it is about, by our name.
    #[serde(skip)]
    pub user: UserId,
    /// What a person reads as the user's name.
    #[serde(skip)]
    pub who: String,
    /// BCP 47 language of the content.
    #[serde(skip)]
    pub language: String,
    /// When the words were said.
    #[serde(skip)]
    pub said_at: Timestamp,
    /// From when on agents are told of it; `None`: since its newest revision was made.
    #[serde(skip)]
    pub serve_from: Option<Timestamp>,
}

impl From<&MemoryView> for Values {
    fn from(view: &MemoryView) -> Self {
        Self {
            kind: view.kind.clone(),
            name: view.name.clone(),
            importance: view.importance,
            tags: view.tags.clone(),
            metadata: view.metadata.clone(),
        }
    }
}

impl MemoryView {
    /// Whether it may be given to an agent at `now`.
    pub fn served(&self, now: Timestamp) -> bool {
        self.status == MemoryStatus::Approved && self.expires_at.is_none_or(|end| now < end)
    }

    /// Where [`Engine::memories`](crate::Engine::memories) goes on behind it.
    pub fn cursor(&self) -> String {
        Cursor::id(self.id.as_str()).to_string()
    }

    pub(crate) fn new(memory: Memory, scope: &Scope, made_by: Option<Provenance>) -> Self {
        Self {
            user_id: scope.as_user_id().map(str::to_owned),
            scope: scope.as_user_id().is_none().then(|| scope.clone()),
            who: scope.display(),
            id: memory.id,
            agent: memory.agent,
            kind: memory.kind,
            name: memory.name,
            content: memory.content,
            metadata: memory.metadata,
            tags: memory.tags,
            importance: memory.importance,
            confidence: memory.confidence,
            status: memory.status,
            reason: memory.reason,
            revision: memory.revision,
            conversation: memory.conversation,
            expires_at: memory.expires_at,
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            flags: Vec::new(),
            made_by,
            user: memory.user,
            language: memory.language,
            said_at: memory.said_at,
            serve_from: memory.serve_from,
        }
    }
}

/// A version of a memory, outward. An agent's key sees what was approved: not what was proposed, extracted and explained, nor the
/// note and who.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct RevisionView {
    /// Its number, from 1.
    pub revision: i64,
    /// What made it.
    pub action: RevisionAction,
    /// The kind it had.
    pub kind: String,
    /// The name it had.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// The metadata.
    pub metadata: Map<String, Value>,
    /// The importance.
    pub importance: f64,
    /// The candidate it came from.
    pub candidate: Option<CandidateId>,
    /// What the candidate had proposed, where the approver changed it (F3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// The note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The words that support it.
    pub evidence: Vec<Evidence>,
    /// The extractor's one sentence on why; `null` for an agent's key.
    pub explanation: Option<String>,
    /// Of a profile field what was extracted this time, before it joined what was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extracted: Option<Value>,
    /// Which extractor, prompt and schema made it; `null` where it was written by hand.
    pub made_by: Option<Provenance>,
    /// The statement before.
    pub before: Option<String>,
    /// When this revision stops being served.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// From the revision before to this one.
    #[serde(skip)]
    pub diff: Vec<Part>,
}

/// A memory with its whole history.
#[derive(Debug, Clone)]
pub struct MemoryDetail {
    /// Itself.
    pub memory: MemoryView,
    /// Its versions, newest first.
    pub revisions: Vec<RevisionView>,
    /// Which sessions were told of it.
    pub told: Vec<Told>,
    /// The words it rests on.
    pub transcripts: Vec<Transcript>,
}

/// A memory that a search found.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Found {
    /// Which.
    #[serde(flatten)]
    pub memory: MemoryView,
    /// How well it fits, 0.0 to 1.0.
    pub score: f64,
}
