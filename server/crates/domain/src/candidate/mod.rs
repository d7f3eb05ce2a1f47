//! Candidates: proposals in the queue, and what may become of them.
//!
//! What a candidate proposes never changes. A person, a policy or the clock moves it from `pending` to `approved` or `rejected`;
//! reopening brings it back. Waiting means pending **and** not past its time, whether or not the expiry job has run.

mod lists;

use serde::{Deserialize, Serialize};

pub use lists::{Action, Cause, Dropped, Flag, Reason, SUPPRESSED_FOR, Status};

use crate::{
    Timestamp,
    agent::AgentName,
    id::{CandidateId, ConversationId, DecisionId, ExtractionId, MemoryId, MessageId, UserId},
    time::Span,
};

/// How long an undecided candidate waits (A6).
pub const WAITS_FOR: Span = Span::days(7);
/// How long a decision that was taken back can be taken again, however late it was.
pub const LEAST_AFTER_UNDO: Span = Span::days(1);

/// Words that support a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// Where they were said.
    pub conversation: ConversationId,
    /// In which message; `None` where the whole conversation is meant.
    pub message: Option<MessageId>,
    /// First code point of the message, on a grapheme border.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The original slice.
    pub quote: String,
}

/// A memory a candidate is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Target {
    /// Which.
    pub memory: MemoryId,
    /// The revision it was proposed against.
    pub revision: i64,
    /// Whether a merge retires it in favour of the first target.
    pub absorbed: bool,
}

/// What a candidate proposes; it never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// What it would do.
    pub action: Action,
    /// The memories it is about; empty for a create.
    pub targets: Vec<Target>,
    /// A kind of the agent's registry.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement, at most [`MAX_CONTENT`] characters.
    pub content: String,
    /// Metadata that fits the kind's schema.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How sure the extractor is, 0.0 to 1.0 (A4).
    pub confidence: f64,
    /// How much it matters, 0.0 to 1.0 (B3).
    pub importance: f64,
    /// BCP 47 language of the content: `en`, `ja`, `zh`, or `und`.
    pub language: String,
    /// Warnings, sorted, each once.
    pub flags: Vec<Flag>,
    /// The words that support it.
    pub evidence: Vec<Evidence>,
    /// The extractor's one sentence on why.
    pub explanation: Option<String>,
    /// Why Keepsake itself proposes it; `None` where a conversation or somebody's hand did.
    pub cause: Option<Cause>,
}

impl Proposal {
    /// Whether it stands before everything else in the queue: a user wished that something is forgotten (G1).
    pub fn is_urgent(&self) -> bool {
        self.action == Action::Retire && self.flags.contains(&Flag::AskedToForget)
    }
}

/// The longest content of a memory, in characters.
pub const MAX_CONTENT: usize = 2000;

/// What has become of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It waits until `expires_at`.
    Pending,
    /// It was approved, and made or changed this memory.
    Approved {
        /// The decision.
        decision: DecisionId,
        /// The memory.
        memory: MemoryId,
        /// When.
        at: Timestamp,
    },
    /// It was rejected.
    Rejected {
        /// The decision.
        decision: DecisionId,
        /// Why.
        reason: Reason,
        /// When.
        at: Timestamp,
    },
}

/// A candidate as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The agent it belongs to.
    pub agent: AgentName,
    /// Ours.
    pub id: CandidateId,
    /// Whom it is about.
    pub user: UserId,
    /// What it proposes.
    pub proposal: Proposal,
    /// What has become of it.
    pub state: State,
    /// Raised by one with every change of status, and when somebody agrees to it or takes that back (G9).
    pub version: i64,
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// The extraction that made it; `None` where it was proposed by hand.
    pub extraction: Option<ExtractionId>,
}

/// Why a candidate cannot be moved so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTransition {
    /// Its time has passed.
    #[error("this candidate expired at {}", crate::time::rfc3339(*at))]
    Expired {
        /// When.
        at: Timestamp,
    },
    /// Somebody decided before.
    #[error("this candidate is already decided")]
    AlreadyDecided,
    /// It waits already, so there is nothing to reopen.
    #[error("this candidate is still waiting")]
    StillWaiting,
    /// A reason that only the system gives.
    #[error("a person cannot reject with this reason")]
    NotAPersonsReason,
}

impl Candidate {
    /// The status word of the state.
    pub fn status(&self) -> Status {
        match self.state {
            State::Pending => Status::Pending,
            State::Approved { .. } => Status::Approved,
            State::Rejected { .. } => Status::Rejected,
        }
    }

    /// Whether it waits at `now`.
    pub fn waits(&self, now: Timestamp) -> bool {
        self.state == State::Pending && now < self.expires_at
    }

    /// Approves it.
    pub fn approve(
        self,
        decision: DecisionId,
        memory: MemoryId,
        now: Timestamp,
    ) -> Result<Self, InvalidTransition> {
        self.decidable(now)?;
        Ok(self.moved(State::Approved {
            decision,
            memory,
            at: now,
        }))
    }

    /// Notes that the first of two people agrees to it, or takes that back: it waits as before under another version, so that nobody
    /// decides without having seen it (G9).
    pub fn agreed(self, now: Timestamp) -> Result<Self, InvalidTransition> {
        self.decidable(now)?;
        Ok(self.moved(State::Pending))
    }

    /// Rejects it for a reason of a person's.
    pub fn reject(
        self,
        decision: DecisionId,
        reason: Reason,
        now: Timestamp,
    ) -> Result<Self, InvalidTransition> {
        if !Reason::OF_A_PERSON.contains(&reason) {
            return Err(InvalidTransition::NotAPersonsReason);
        }
        self.decidable(now)?;
        Ok(self.moved(State::Rejected {
            decision,
            reason,
            at: now,
        }))
    }

    /// Lets it expire (A6); only what is past its time.
    pub fn expire(self, decision: DecisionId, now: Timestamp) -> Result<Self, InvalidTransition> {
        match self.state {
            State::Pending if now >= self.expires_at => Ok(self.moved(State::Rejected {
                decision,
                reason: Reason::Expired,
                at: now,
            })),
            State::Pending => Err(InvalidTransition::StillWaiting),
            _ => Err(InvalidTransition::AlreadyDecided),
        }
    }

    /// Gives way to a newer statement about the same thing (A3).
    pub fn supersede(
        self,
        decision: DecisionId,
        now: Timestamp,
    ) -> Result<Self, InvalidTransition> {
        self.decidable(now)?;
        Ok(self.moved(State::Rejected {
            decision,
            reason: Reason::Superseded,
            at: now,
        }))
    }

    /// Brings a decided candidate back. What is taken back within its time keeps its end, and with it its place in the queue, but never
    /// less than [`LEAST_AFTER_UNDO`]; what is past its time waits anew.
    pub fn reopen(self, now: Timestamp) -> Result<Self, InvalidTransition> {
        if self.waits(now) {
            return Err(InvalidTransition::StillWaiting);
        }
        let mut reopened = self.moved(State::Pending);
        reopened.expires_at = if now < reopened.expires_at {
            reopened.expires_at.max(now + LEAST_AFTER_UNDO)
        } else {
            now + WAITS_FOR
        };
        Ok(reopened)
    }

    fn decidable(&self, now: Timestamp) -> Result<(), InvalidTransition> {
        match self.state {
            State::Pending if now < self.expires_at => Ok(()),
            State::Pending => Err(InvalidTransition::Expired {
                at: self.expires_at,
            }),
            _ => Err(InvalidTransition::AlreadyDecided),
        }
    }

    fn moved(mut self, state: State) -> Self {
        self.state = state;
        self.version += 1;
        self
    }
}

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// A person of the dashboard, or one whose key was used.
    Person(crate::id::PersonId),
    /// A policy that a person switched on.
    Policy {
        /// Its name.
        name: String,
        /// The person.
        by: crate::id::PersonId,
    },
    /// The system: the clock, the matcher.
    System,
}

impl DecidedBy {
    /// The person who decided, or who switched on what decided.
    pub fn person(&self) -> Option<&crate::id::PersonId> {
        match self {
            Self::Person(person) | Self::Policy { by: person, .. } => Some(person),
            Self::System => None,
        }
    }
}

/// What was done with a candidate: the edit and the note stay apart from the proposal for ever (F3).
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Ours.
    pub id: DecisionId,
    /// On which candidate.
    pub candidate: CandidateId,
    /// What was decided.
    pub verdict: Verdict,
    /// By whom.
    pub by: DecidedBy,
    /// Who had agreed before, where two people were needed (G9).
    pub agreed_by: Option<crate::id::PersonId>,
    /// The decider's note.
    pub note: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// A decision's word.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Approved, with what the approver changed.
    Approve(Edit),
    /// Rejected.
    Reject(Reason),
    /// Brought back to the queue.
    Reopen,
}

/// What an approver changed; `None` leaves the proposal's value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Edit {
    /// Another content.
    pub content: Option<String>,
    /// Another kind.
    pub kind: Option<String>,
    /// Another name.
    pub name: Option<String>,
    /// Other metadata.
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// Another importance.
    pub importance: Option<f64>,
}

impl Edit {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Zero;
    impl crate::Entropy for Zero {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn day(n: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + Span::days(n)
    }

    fn pending() -> Candidate {
        Candidate {
            agent: AgentName::parse("support").unwrap(),
            id: CandidateId::new(day(0), &Zero),
            user: UserId::new(day(0), &Zero),
            proposal: Proposal {
                action: Action::Create,
                targets: vec![],
                kind: "fact".into(),
                name: None,
                content: "User lives in Oslo".into(),
                metadata: Default::default(),
                tags: vec![],
                confidence: 0.9,
                importance: 0.7,
                language: "en".into(),
                flags: vec![],
                evidence: vec![],
                explanation: None,
                cause: None,
            },
            state: State::Pending,
            version: 1,
            expires_at: day(7),
            created_at: day(0),
            extraction: None,
        }
    }

    fn decision() -> DecisionId {
        DecisionId::new(day(0), &Zero)
    }

    // A6
    #[test]
    fn what_is_past_its_time_neither_waits_nor_can_be_decided() {
        assert!(pending().waits(day(6)));
        assert!(!pending().waits(day(7)));
        let late = pending().approve(decision(), MemoryId::new(day(0), &Zero), day(7));
        assert_eq!(late, Err(InvalidTransition::Expired { at: day(7) }));
        assert_eq!(
            pending().expire(decision(), day(6)),
            Err(InvalidTransition::StillWaiting)
        );
        let expired = pending().expire(decision(), day(8)).unwrap();
        assert_eq!(
            expired.state,
            State::Rejected {
                decision: decision(),
                reason: Reason::Expired,
                at: day(8)
            }
        );
    }

    // A7, A10
    #[test]
    fn a_decided_candidate_is_decided_once_and_reopens_with_a_new_week() {
        let rejected = pending().reject(decision(), Reason::Wrong, day(1)).unwrap();
        assert_eq!((rejected.status(), rejected.version), (Status::Rejected, 2));
        assert_eq!(
            rejected.clone().reject(decision(), Reason::Wrong, day(1)),
            Err(InvalidTransition::AlreadyDecided)
        );
        let reopened = rejected.reopen(day(30)).unwrap();
        assert_eq!(
            (reopened.status(), reopened.version, reopened.expires_at),
            (Status::Pending, 3, day(37))
        );
        assert_eq!(
            reopened.reopen(day(31)),
            Err(InvalidTransition::StillWaiting)
        );
    }

    // A6, F7
    #[test]
    fn what_is_taken_back_within_its_time_keeps_its_place_and_a_day_to_decide() {
        let rejected = pending().reject(decision(), Reason::Wrong, day(1)).unwrap();
        for (at, until) in [
            (day(2), day(7)),
            (day(6), day(7)),
            (day(7) - Span::hours(1), day(8) - Span::hours(1)),
            (day(7), day(14)),
        ] {
            assert_eq!(rejected.clone().reopen(at).unwrap().expires_at, until);
        }
    }

    // G9
    #[test]
    fn who_agrees_leaves_it_waiting_under_another_version() {
        let agreed = pending().agreed(day(1)).unwrap();
        assert_eq!((agreed.status(), agreed.version), (Status::Pending, 2));
        assert_eq!(agreed.expires_at, pending().expires_at);
        assert_eq!(
            pending().agreed(day(7)),
            Err(InvalidTransition::Expired { at: day(7) })
        );
    }

    // F4
    #[test]
    fn only_a_persons_reasons_can_be_given_and_not_all_suppress() {
        assert_eq!(
            pending().reject(decision(), Reason::Expired, day(1)),
            Err(InvalidTransition::NotAPersonsReason)
        );
        let keep_out: Vec<_> = Reason::ALL
            .iter()
            .filter(|reason| !reason.suppresses())
            .collect();
        assert_eq!(
            keep_out,
            [&Reason::Duplicate, &Reason::Expired, &Reason::Superseded]
        );
    }
}
