//! A candidate as a reviewer sees it: the proposal, what it would change, and the words it rests on.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Cause, Edit, Evidence, Flag, Reason, Status},
    conversation::{Role, Source},
    diff::Part,
    id::{CandidateId, ConversationId, DecisionId, MemoryId, MessageId, ServingId, UserId},
    user::Scope,
    values::{ValueChange, Values},
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    claim::ClaimView, extractor::Provenance, handover::HandoverView, import::ImportedFrom,
    memory::MemoryView, page::By, recall::Recalled,
};

/// A candidate, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct CandidateView {
    /// Ours.
    pub id: CandidateId,
    /// The agent it belongs to.
    pub agent: AgentName,
    /// Whom it is about, by the agent's own name.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What it would do.
    pub action: Action,
    /// The memory it is about.
    pub target: Option<MemoryId>,
    /// The revision of that memory it was proposed against.
    pub target_revision: Option<i64>,
    /// The memories a merge would retire.
    pub absorbed: Vec<MemoryId>,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// BCP 47 language of the content.
    pub language: String,
    /// The statement.
    pub content: String,
    /// Metadata that fits the kind's schema.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How sure the extractor is, 0.0 to 1.0.
    pub confidence: f64,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// `pending` also where its time has passed and the expiry has not run; `reason` is then `expired`.
    pub status: Status,
    /// Why it was rejected.
    pub reason: Option<Reason>,
    /// Warnings.
    pub flags: Vec<Flag>,
    /// The words that support it.
    pub evidence: Vec<Evidence>,
    /// The extractor's one sentence on why.
    pub explanation: Option<String>,
    /// Why Keepsake itself proposes it; absent where a conversation or somebody's hand did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Where it comes from, where that is a file (G13).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportedFrom>,
    /// When it stops waiting.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// When it was proposed.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was decided.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub decided_at: Option<Timestamp>,
    /// By whom.
    pub decided_by: Option<By>,
    /// Who agreed to it as the first of two people: while it waits for the second, and beside who decided (G9).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed_by: Option<AgreedBy>,
    /// The memory it made or changed.
    pub memory: Option<MemoryId>,
    /// What made it; `None`: a person or an agent, by hand.
    pub extractor: Option<Provenance>,
    /// Who has claimed it to decide on it; absent where nobody has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimView>,
    /// For whom it waits, where somebody handed it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handover: Option<HandoverView>,
    /// Raised by one with every change of status.
    pub version: i64,
    /// Whom it is about, by our name.
    #[serde(skip)]
    pub user: UserId,
    /// What a person reads as the user's name.
    #[serde(skip)]
    pub who: String,
}

/// The first of two people who must agree, and to what.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct AgreedBy {
    /// Who.
    #[serde(flatten)]
    pub by: By,
    /// When; of what is decided the history tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub at: Option<Timestamp>,
    /// What they change of the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
    /// The memory that takes the statement in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_into: Option<MemoryId>,
    /// Their note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A candidate with everything a decision needs in view.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct CandidateDetail {
    /// Itself.
    #[serde(flatten)]
    pub candidate: CandidateView,
    /// What is stored now.
    pub base: Option<MemoryView>,
    /// What was stored when this was proposed, where that has changed since (`target_moved`).
    pub was: Option<Was>,
    /// The memories a merge would retire.
    pub absorbed_memories: Vec<MemoryView>,
    /// From what is stored to what is proposed; empty for a create.
    pub diff: Vec<Part>,
    /// The values beside the statement that an approval as it stands would change, each from what is stored to what would be; empty for a
    /// create and a retirement.
    pub changes: Vec<ValueChange>,
    /// What other ids of the person say of the same thing, while it waits (G15).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<MemoryView>,
    /// The candidates it took the place of (A3).
    pub supersedes: Vec<CandidateView>,
    /// The candidate that took its place.
    pub superseded_by: Option<CandidateId>,
    /// The words it rests on, three turns around each.
    pub transcripts: Vec<Transcript>,
    /// What was decided about it, oldest first.
    pub decisions: Vec<DecisionView>,
    /// Which sessions were told what it made.
    pub told: Vec<Told>,
    /// That the memory it made or changed was recalled since (G4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Recalled>,
}

/// A memory at the revision a change was proposed against.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Was {
    /// The revision.
    pub revision: i64,
    /// Its kind then.
    pub kind: String,
    /// Its name then.
    pub name: Option<String>,
    /// The statement then.
    pub content: String,
    /// Its metadata then.
    pub metadata: Map<String, Value>,
    /// Its tags then.
    pub tags: Vec<String>,
    /// How much it mattered then.
    pub importance: f64,
}

impl From<&Was> for Values {
    fn from(was: &Was) -> Self {
        Self {
            kind: was.kind.clone(),
            name: was.name.clone(),
            importance: was.importance,
            tags: was.tags.clone(),
            metadata: was.metadata.clone(),
        }
    }
}

impl From<&CandidateView> for Values {
    fn from(view: &CandidateView) -> Self {
        Self {
            kind: view.kind.clone(),
            name: view.name.clone(),
            importance: view.importance,
            tags: view.tags.clone(),
            metadata: view.metadata.clone(),
        }
    }
}

/// A stretch of a conversation.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Transcript {
    /// Ours.
    pub conversation: ConversationId,
    /// The agent's own id of it.
    pub external_id: Option<String>,
    /// The turns, oldest first; where positions jump, turns are left out.
    pub turns: Vec<Turn>,
    /// How many turns come before the first.
    pub before: i64,
    /// How many come after the last.
    pub after: i64,
    /// The words themselves, where the turns around them are gone: retention removed the conversation (A14).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
}

/// A turn of a transcript.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Turn {
    /// The message.
    pub message: MessageId,
    /// From 1.
    pub position: i64,
    /// Who speaks.
    pub role: Role,
    /// Who made the words.
    pub source: Source,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What was said; secrets masked one for one, so that marks stay.
    pub content: String,
    /// The words that support candidates.
    pub marks: Vec<Mark>,
}

/// Words that support a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Mark {
    /// First code point.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Which candidate.
    pub candidate: Option<CandidateId>,
}

/// A decision, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct DecisionView {
    /// Ours.
    pub id: DecisionId,
    /// `approve`, `reject` or `reopen`.
    pub decision: &'static str,
    /// Why, of a rejection.
    pub reason: Option<Reason>,
    /// What the approver changed.
    pub edit: Option<Edit>,
    /// By whom.
    pub by: By,
    /// Who had agreed before, where two people were needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed_by: Option<By>,
    /// The note.
    pub note: Option<String>,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// A session that was told a memory.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Told {
    /// The answer that told it.
    pub serving: ServingId,
    /// The agent's own id of the conversation.
    pub conversation: Option<String>,
    /// The same conversation here, where it was sent to us.
    #[serde(skip)]
    pub stored: Option<ConversationId>,
    /// Which revision.
    pub revision: i64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}
