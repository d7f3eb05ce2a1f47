//! `about-you.json` and the lines of `conversations.ndjson`: the form of a person's copy, as `docs/EXPORTS.md` tells it.

use std::collections::{BTreeSet, HashMap};

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, DecidedBy, Flag, Reason, Status},
    conversation::Role,
    export::ReportLanguage,
    id::{CandidateId, ConversationId, MemoryId, UserId},
    memory::{RetiredFor, RevisionAction},
    user::Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::export::bundle::Served;

/// The form that is described here.
pub(super) const FORMAT: &str = "keepsake-copy/1";

/// All of `about-you.json`.
#[derive(Debug, Serialize)]
pub(super) struct AboutYou {
    /// [`FORMAT`].
    pub format: &'static str,
    /// The program that wrote it, with its version.
    pub software: String,
    /// The installation that it is of.
    pub instance: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// The language of what is beside it.
    pub language: ReportLanguage,
    /// Who you are to each agent.
    pub you: Vec<You>,
    /// What is or was remembered.
    pub memories: Vec<Memory>,
    /// What agents were told.
    pub told: Vec<Told>,
    /// What was proposed.
    pub proposals: Vec<Proposal>,
    /// How many there are of each.
    pub counts: Counts,
}

impl AboutYou {
    /// Counts what was gathered, and how often each memory was told.
    pub(super) fn count(&mut self) {
        let mut told: HashMap<&MemoryId, u64> = HashMap::new();
        for item in self.told.iter().flat_map(|told| &told.memories) {
            *told.entry(&item.memory).or_default() += 1;
        }
        for memory in &mut self.memories {
            memory.told = told.get(&memory.id).copied().unwrap_or_default();
        }
        self.counts.memories = self.memories.len();
        self.counts.told = self.told.len();
        self.counts.proposals = self.proposals.len();
    }
}

/// Who the person is to an agent.
#[derive(Debug, Serialize)]
pub(super) struct You {
    /// The agent.
    pub agent: AgentName,
    /// Our id of them there.
    pub id: UserId,
    /// What the agent calls them, where that is one word.
    pub user_id: Option<String>,
    /// What the agent calls them, in pairs.
    pub scope: Scope,
    /// When first heard of.
    pub known_since: Timestamp,
    /// Whether they asked not to be remembered.
    pub opted_out: bool,
}

/// What something says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Text {
    /// The kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// What belongs to it.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// BCP 47 language of the statement.
    pub language: String,
}

/// A memory.
#[derive(Debug, Serialize)]
pub(super) struct Memory {
    /// The agent that remembers it.
    pub agent: AgentName,
    /// Ours.
    pub id: MemoryId,
    /// Whether agents are told it now.
    pub remembered: bool,
    /// Why not.
    pub ended: Option<RetiredFor>,
    /// What it says.
    pub text: Text,
    /// How sure the extractor was, 0 to 1.
    pub confidence: f64,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// The conversation it was said in.
    pub conversation: Option<ConversationId>,
    /// When it was said.
    pub said_at: Timestamp,
    /// Since when it was remembered.
    pub created_at: Timestamp,
    /// When it last changed, or ended.
    pub updated_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// How often agents were told it.
    pub told: u64,
    /// Its versions, the newest last.
    pub revisions: Vec<Version>,
}

impl Memory {
    pub(super) fn of(
        memory: domain::memory::Memory,
        revisions: Vec<Version>,
        now: Timestamp,
    ) -> Self {
        let remembered = memory.served(now);
        // What is past its time is told no more, also where nobody has retired it yet.
        let ended = (!remembered).then(|| memory.reason.unwrap_or(RetiredFor::Expired));
        Self {
            agent: memory.agent,
            id: memory.id,
            remembered,
            ended,
            text: Text {
                kind: memory.kind,
                name: memory.name,
                content: memory.content,
                metadata: memory.metadata,
                tags: memory.tags,
                language: memory.language,
            },
            confidence: memory.confidence,
            importance: memory.importance,
            conversation: memory.conversation,
            said_at: memory.said_at,
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            expires_at: memory.expires_at,
            told: 0,
            revisions,
        }
    }
}

/// A version of a memory.
#[derive(Debug, Serialize)]
pub(super) struct Version {
    /// Its number, from 1.
    pub revision: i64,
    /// What was done.
    pub action: RevisionAction,
    /// By whom.
    pub by: Who,
    /// When.
    pub at: Timestamp,
    /// What it said.
    pub text: Text,
}

/// Who did something, without a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Who {
    /// A person who looks over proposals.
    Person,
    /// A rule that such a person switched on.
    Policy,
    /// Keepsake by itself.
    System,
}

impl Who {
    pub(super) fn of(by: &DecidedBy) -> Self {
        match by {
            DecidedBy::Person(_) => Self::Person,
            DecidedBy::Policy { .. } => Self::Policy,
            DecidedBy::System => Self::System,
        }
    }
}

/// An answer to an agent that asked what is remembered.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Which agent was told.
    pub agent: AgentName,
    /// When.
    pub at: Timestamp,
    /// The agent's own id of the conversation it asked for.
    pub conversation: Option<String>,
    /// What it was told.
    pub memories: Vec<Served>,
}

/// Something that was proposed to be remembered, changed or forgotten.
#[derive(Debug, Serialize)]
pub(super) struct Proposal {
    /// The agent that it is for.
    pub agent: AgentName,
    /// Ours.
    pub id: CandidateId,
    /// What it would do.
    pub action: Action,
    /// How it stands.
    pub status: Status,
    /// Why, of a rejected one.
    pub reason: Option<Reason>,
    /// Whether its words are left out, because they speak of somebody else and did not become a memory.
    pub withheld: bool,
    /// What it says; `None`: withheld.
    pub text: Option<Text>,
    /// The extractor's one sentence on why.
    pub explanation: Option<String>,
    /// How sure the extractor was, 0 to 1.
    pub confidence: f64,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// Warnings that were shown to who decides.
    pub flags: Vec<Flag>,
    /// The conversations that it rests on.
    pub conversations: BTreeSet<ConversationId>,
    /// When it was proposed.
    pub proposed_at: Timestamp,
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// What was decided, the newest last.
    pub decisions: Vec<Decision>,
}

/// A decision on a proposal.
#[derive(Debug, Serialize)]
pub(super) struct Decision {
    /// `approve`, `reject`, `reopen`.
    pub verdict: String,
    /// Why, of a rejection.
    pub reason: Option<Reason>,
    /// By whom.
    pub by: Who,
    /// Whether a second person had agreed before.
    pub agreed: bool,
    /// The memory that was made or changed.
    pub memory: Option<MemoryId>,
    /// When.
    pub at: Timestamp,
}

/// How many there are of what.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counts {
    /// Memories.
    pub memories: usize,
    /// Their versions.
    pub revisions: usize,
    /// Answers to agents.
    pub told: usize,
    /// Proposals.
    pub proposals: usize,
    /// Decisions on them.
    pub decisions: usize,
    /// Lines of `conversations.ndjson`.
    pub messages: usize,
    /// Messages that are not there: of tools, of systems, and what programs wrote in the person's place.
    pub messages_left_out: usize,
}

/// A line of `conversations.ndjson`.
#[derive(Debug, Serialize)]
pub(super) struct Said {
    /// The agent that they talked to.
    pub agent: AgentName,
    /// The conversation.
    pub conversation: ConversationId,
    /// When.
    pub at: Timestamp,
    /// Who spoke: `user` or `assistant`.
    pub role: Role,
    /// What was said, with secrets masked.
    pub content: String,
}
