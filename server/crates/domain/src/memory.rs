//! Memories and their revisions: what is approved.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    agent::AgentName,
    candidate::{DecidedBy, Evidence},
    conversation::words,
    id::{CandidateId, ConversationId, DecisionId, MemoryId, RevisionId, UserId},
};

/// Whether a memory is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryStatus {
    /// Served while unexpired.
    Approved,
    /// Kept, no longer served.
    Retired,
}

words!(MemoryStatus { Approved = "approved", Retired = "retired" });

/// Why a memory was retired. A closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetiredFor {
    /// A person deleted it, or approved a retire proposal.
    Deleted,
    /// Its time to live ended.
    Expired,
    /// Another memory absorbed it.
    Merged,
    /// The approval that made it was undone.
    Undone,
    /// It was recalled (G4).
    Recalled,
}

words!(RetiredFor {
    Deleted = "deleted",
    Expired = "expired",
    Merged = "merged",
    Undone = "undone",
    Recalled = "recalled",
});

/// What made a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevisionAction {
    /// The first one.
    Create,
    /// Another value.
    Update,
    /// Several memories became one.
    Merge,
    /// An earlier value came back.
    Restore,
    /// It is no longer served.
    Retire,
}

words!(RevisionAction {
    Create = "create",
    Update = "update",
    Merge = "merge",
    Restore = "restore",
    Retire = "retire",
});

/// A memory, with the values of its newest revision.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The agent it belongs to.
    pub agent: AgentName,
    /// Ours.
    pub id: MemoryId,
    /// Whom it is about.
    pub user: UserId,
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
    /// How sure the extractor was.
    pub confidence: f64,
    /// How much it matters.
    pub importance: f64,
    /// BCP 47 language of the content.
    pub language: String,
    /// Whether it is served.
    pub status: MemoryStatus,
    /// Why not, where it is retired.
    pub reason: Option<RetiredFor>,
    /// The number of its newest revision, from 1 without gaps.
    pub revision: i64,
    /// The conversation it was said in.
    pub conversation: Option<ConversationId>,
    /// When the words were said (G12).
    pub said_at: Timestamp,
    /// When it stops being served.
    pub expires_at: Option<Timestamp>,
    /// When it was first approved (B1: kept over updates).
    pub created_at: Timestamp,
    /// When its newest revision was made.
    pub updated_at: Timestamp,
    /// From when on agents are told of its newest revision; `None`: at once.
    pub serve_from: Option<Timestamp>,
}

impl Memory {
    /// Whether it stands at `now`: approved, and not past its time.
    pub fn served(&self, now: Timestamp) -> bool {
        self.status == MemoryStatus::Approved && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether agents are told of it at `now`.
    pub fn told(&self, now: Timestamp) -> bool {
        self.served(now) && !self.has_grace(now)
    }

    /// Whether its newest revision still has the grace of its approval: it stands, and no agent is told of it.
    pub fn has_grace(&self, now: Timestamp) -> bool {
        self.serve_from.is_some_and(|from| now < from)
    }
}

/// One version of a memory; append-only.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// Ours.
    pub id: RevisionId,
    /// Of which memory.
    pub memory: MemoryId,
    /// From 1, without gaps.
    pub number: i64,
    /// What made it.
    pub action: RevisionAction,
    /// The kind it had.
    pub kind: String,
    /// The name it had.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// The metadata.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// The tags it had.
    pub tags: Vec<String>,
    /// How sure the extractor was of it.
    pub confidence: f64,
    /// The importance.
    pub importance: f64,
    /// The conversation it was said in.
    pub conversation: Option<ConversationId>,
    /// When the words were said.
    pub said_at: Timestamp,
    /// The candidate it came from.
    pub candidate: Option<CandidateId>,
    /// The decision that made it.
    pub decision: Option<DecisionId>,
    /// Who made it.
    pub by: DecidedBy,
    /// What the candidate had proposed, where the approver changed it (F3).
    pub proposed: Option<String>,
    /// The approver's note.
    pub note: Option<String>,
    /// The words that support it.
    pub evidence: Vec<Evidence>,
    /// The extractor's one sentence on why.
    pub explanation: Option<String>,
    /// When this revision stops being served, if ever.
    pub expires_at: Option<Timestamp>,
    /// When.
    pub at: Timestamp,
}
