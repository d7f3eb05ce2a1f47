//! The audit chain: what an event is, how it is written and hashed.
//!
//! A body is canonical JSON (RFC 8785), kept exactly as it was hashed. It holds ids, words of closed sets and integers, never a
//! person's text; where an event speaks of text it carries a commitment to it. The hash is the leaf hash of RFC 9162,
//! `SHA-256(0x00 ‖ body)`, and each body names the hash before it, so the chain's link is also the leaf of a Merkle tree.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Timestamp, conversation::words};

/// The name of the chain that tells of agents, people and sign-ins.
pub const SYSTEM_CHAIN: &str = "system";

/// The hash a chain's first event names as its predecessor.
pub const GENESIS: [u8; 32] = [0; 32];

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// Everything an event can tell of. One closed list names the lines of the chain, the timeline and live updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EventType {
    /// An agent was made.
    #[serde(rename = "agent.created")]
    AgentCreated,
    /// Its settings changed.
    #[serde(rename = "agent.changed")]
    AgentChanged,
    /// A key was made.
    #[serde(rename = "key.created")]
    KeyCreated,
    /// A key was revoked.
    #[serde(rename = "key.revoked")]
    KeyRevoked,
    /// A person can sign in.
    #[serde(rename = "person.created")]
    PersonCreated,
    /// A person was given a link to choose their first password.
    #[serde(rename = "person.invited")]
    PersonInvited,
    /// A person has another name or other roles.
    #[serde(rename = "person.changed")]
    PersonChanged,
    /// A person was shut out.
    #[serde(rename = "person.deactivated")]
    PersonDeactivated,
    /// A person was let in again.
    #[serde(rename = "person.reactivated")]
    PersonReactivated,
    /// A person was given a link to choose another password.
    #[serde(rename = "person.password_reset")]
    PersonPasswordReset,
    /// A person chose a password.
    #[serde(rename = "person.password_changed")]
    PersonPasswordChanged,
    /// A person signed in.
    #[serde(rename = "person.signed_in")]
    PersonSignedIn,
    /// A person signed out.
    #[serde(rename = "person.signed_out")]
    PersonSignedOut,
    /// A person set where and when their digest of waiting work goes (G8).
    #[serde(rename = "person.digest_changed")]
    PersonDigestChanged,
    /// A user was heard of for the first time.
    #[serde(rename = "user.created")]
    UserCreated,
    /// Messages came in.
    #[serde(rename = "conversation.received")]
    ConversationReceived,
    /// An extraction ended well.
    #[serde(rename = "extraction.succeeded")]
    ExtractionSucceeded,
    /// An extraction kept what was whole of an answer that was cut off.
    #[serde(rename = "extraction.truncated")]
    ExtractionTruncated,
    /// An extraction failed for good; it can be retried.
    #[serde(rename = "extraction.failed")]
    ExtractionFailed,
    /// A candidate waits.
    #[serde(rename = "candidate.proposed")]
    CandidateProposed,
    /// Something waiting or stored was said again.
    #[serde(rename = "candidate.seen_again")]
    CandidateSeenAgain,
    /// A person's rejection kept a statement out (F4).
    #[serde(rename = "candidate.suppressed")]
    CandidateSuppressed,
    /// A candidate was approved.
    #[serde(rename = "candidate.approved")]
    CandidateApproved,
    /// A candidate was rejected by a person.
    #[serde(rename = "candidate.rejected")]
    CandidateRejected,
    /// Nobody decided in time.
    #[serde(rename = "candidate.expired")]
    CandidateExpired,
    /// A newer statement took its place.
    #[serde(rename = "candidate.superseded")]
    CandidateSuperseded,
    /// A decided candidate waits again.
    #[serde(rename = "candidate.reopened")]
    CandidateReopened,
    /// Waiting candidates got the time back in which Keepsake was down.
    #[serde(rename = "candidate.extended")]
    CandidateExtended,
    /// A person claimed a candidate to decide on it.
    #[serde(rename = "candidate.claimed")]
    CandidateClaimed,
    /// A claim was given up.
    #[serde(rename = "candidate.released")]
    CandidateReleased,
    /// An administrator took over what somebody else had claimed.
    #[serde(rename = "candidate.taken_over")]
    CandidateTakenOver,
    /// A candidate was handed to somebody else (G10).
    #[serde(rename = "candidate.handed_over")]
    CandidateHandedOver,
    /// A hand-over was taken back.
    #[serde(rename = "candidate.taken_back")]
    CandidateTakenBack,
    /// The first of two people agreed to a candidate (G9).
    #[serde(rename = "candidate.agreed")]
    CandidateAgreed,
    /// They took that back.
    #[serde(rename = "candidate.agreement_withdrawn")]
    CandidateAgreementWithdrawn,
    /// A memory was made.
    #[serde(rename = "memory.created")]
    MemoryCreated,
    /// A memory has another value.
    #[serde(rename = "memory.updated")]
    MemoryUpdated,
    /// Memories became one.
    #[serde(rename = "memory.merged")]
    MemoryMerged,
    /// An earlier value came back.
    #[serde(rename = "memory.restored")]
    MemoryRestored,
    /// A memory is no longer served.
    #[serde(rename = "memory.retired")]
    MemoryRetired,
    /// A memory was found to be wrong after it was told: it is retired, and who was told is known (G4).
    #[serde(rename = "memory.recalled")]
    MemoryRecalled,
    /// Memories were given to an agent.
    #[serde(rename = "context.served")]
    ContextServed,
    /// An agent told whether a served memory helped (C9).
    #[serde(rename = "context.feedback")]
    ContextFeedback,
    /// Many decisions were asked for at once (F7).
    #[serde(rename = "bulk.started")]
    BulkStarted,
    /// Each of them was tried, or none can be any more.
    #[serde(rename = "bulk.ended")]
    BulkEnded,
    /// A person stopped them; what was not decided yet stays as it is.
    #[serde(rename = "bulk.stopped")]
    BulkStopped,
    /// A person is no longer learnt from nor served (G2).
    #[serde(rename = "user.opted_out")]
    UserOptedOut,
    /// A person may be learnt from and served again.
    #[serde(rename = "user.opted_in")]
    UserOptedIn,
    /// What a kind should and should not hold was written anew (G10).
    #[serde(rename = "kind.guideline_changed")]
    KindGuidelineChanged,
    /// An agent with made-up people was removed with all that it held.
    #[serde(rename = "agent.removed")]
    AgentRemoved,
}

words!(EventType {
    AgentCreated = "agent.created",
    AgentChanged = "agent.changed",
    KeyCreated = "key.created",
    KeyRevoked = "key.revoked",
    PersonCreated = "person.created",
    PersonInvited = "person.invited",
    PersonChanged = "person.changed",
    PersonDeactivated = "person.deactivated",
    PersonReactivated = "person.reactivated",
    PersonPasswordReset = "person.password_reset",
    PersonPasswordChanged = "person.password_changed",
    PersonSignedIn = "person.signed_in",
    PersonSignedOut = "person.signed_out",
    PersonDigestChanged = "person.digest_changed",
    UserCreated = "user.created",
    ConversationReceived = "conversation.received",
    ExtractionSucceeded = "extraction.succeeded",
    ExtractionTruncated = "extraction.truncated",
    ExtractionFailed = "extraction.failed",
    CandidateProposed = "candidate.proposed",
    CandidateSeenAgain = "candidate.seen_again",
    CandidateSuppressed = "candidate.suppressed",
    CandidateApproved = "candidate.approved",
    CandidateRejected = "candidate.rejected",
    CandidateExpired = "candidate.expired",
    CandidateSuperseded = "candidate.superseded",
    CandidateReopened = "candidate.reopened",
    CandidateExtended = "candidate.extended",
    CandidateClaimed = "candidate.claimed",
    CandidateReleased = "candidate.released",
    CandidateTakenOver = "candidate.taken_over",
    CandidateHandedOver = "candidate.handed_over",
    CandidateTakenBack = "candidate.taken_back",
    CandidateAgreed = "candidate.agreed",
    CandidateAgreementWithdrawn = "candidate.agreement_withdrawn",
    MemoryCreated = "memory.created",
    MemoryUpdated = "memory.updated",
    MemoryMerged = "memory.merged",
    MemoryRestored = "memory.restored",
    MemoryRetired = "memory.retired",
    MemoryRecalled = "memory.recalled",
    ContextServed = "context.served",
    ContextFeedback = "context.feedback",
    BulkStarted = "bulk.started",
    BulkEnded = "bulk.ended",
    BulkStopped = "bulk.stopped",
    UserOptedOut = "user.opted_out",
    UserOptedIn = "user.opted_in",
    KindGuidelineChanged = "kind.guideline_changed",
    AgentRemoved = "agent.removed",
});

impl EventType {
    /// Whether it tells what became of a candidate, and so what a desk shows.
    pub fn is_about_a_candidate(self) -> bool {
        self.as_str().starts_with("candidate.")
    }
}

/// Who did what an event tells of: a person, a key, a policy, or the system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventActor {
    /// `person`, `key`, `policy` or `system`.
    pub r#type: String,
    /// Which, a policy by its name; `None` for the system.
    pub id: Option<String>,
}

impl From<&crate::permission::Actor> for EventActor {
    fn from(actor: &crate::permission::Actor) -> Self {
        use crate::permission::Actor;
        let (r#type, id) = match actor {
            Actor::Person { id, .. } => ("person", Some(id.to_string())),
            Actor::PersonKey { person, .. } => ("person", Some(person.to_string())),
            Actor::Key { id, .. } => ("key", Some(id.to_string())),
            Actor::System => ("system", None),
        };
        Self {
            r#type: r#type.to_owned(),
            id,
        }
    }
}

/// The body of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventBody {
    /// The version of this form: 1.
    pub v: u8,
    /// The chain: an agent's name, or `system`.
    pub agent: String,
    /// From 1, without gaps within the chain.
    pub seq: i64,
    /// The hash of the event before, as lower-case hex.
    pub prev_hash: String,
    /// Microseconds since 1970 in UTC.
    pub at_us: i64,
    /// What happened.
    pub r#type: EventType,
    /// Who did it.
    pub actor: EventActor,
    /// The user it is about, `usr_…`.
    pub user: Option<String>,
    /// The id of the thing it is about.
    pub subject: String,
    /// Ids, closed words and integers; confidence in thousandths.
    pub data: serde_json::Map<String, serde_json::Value>,
    /// The commitment to a text, as lower-case hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
}

impl EventBody {
    /// The body as it is hashed and stored: RFC 8785.
    pub fn canonical(&self) -> String {
        serde_json_canonicalizer::to_string(self)
            .expect("an event holds no number that JSON cannot write")
    }
}

/// The leaf hash of a body (RFC 9162, section 2.1.1).
pub fn leaf_hash(canonical_body: &str) -> Hash {
    Sha256::new()
        .chain_update([0_u8])
        .chain_update(canonical_body)
        .finalize()
        .into()
}

/// The commitment to a text: `SHA-256(salt ‖ text)`. Who has salt and text can check it; who lacks them learns nothing.
pub fn commitment(salt: &[u8; 32], canonical_text: &str) -> Hash {
    Sha256::new()
        .chain_update(salt)
        .chain_update(canonical_text)
        .finalize()
        .into()
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line of a chain as it is stored: the body, and the columns worked out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// The column `agent`.
    pub agent: String,
    /// The column `seq`.
    pub seq: i64,
    /// The column `prev_hash`.
    pub prev_hash: Vec<u8>,
    /// The column `hash`.
    pub hash: Vec<u8>,
    /// The column `type`.
    pub r#type: String,
    /// The column `user_id`.
    pub user: Option<String>,
    /// The column `subject`.
    pub subject: String,
    /// The column `at`.
    pub at: Timestamp,
    /// The column `body`, canonical JSON.
    pub body: String,
}

/// What is wrong with a chain. The words are outward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// A number is missing.
    Gap,
    /// A body names another predecessor than the line before.
    Link,
    /// The hash is not that of the body.
    Hash,
    /// The first event does not begin a chain.
    Genesis,
    /// A column says otherwise than the body.
    Column,
    /// The chain ends before, or elsewhere than, its head says.
    Truncated,
    /// The body cannot be read.
    Body,
}

/// A fault, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fault {
    /// The chain.
    pub agent: String,
    /// The number of the event where it shows.
    pub seq: i64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// Walks one chain, event by event in the order of `seq`.
#[derive(Debug, Clone)]
pub struct Verifier {
    agent: String,
    seq: i64,
    head: Hash,
    faults: Vec<Fault>,
}

impl Verifier {
    /// Begins at the genesis of `agent`'s chain.
    pub fn new(agent: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            seq: 0,
            head: GENESIS,
            faults: Vec::new(),
        }
    }

    /// Takes the next event.
    pub fn next(&mut self, event: &StoredEvent) {
        let expected = self.seq + 1;
        if event.seq != expected {
            self.fault(
                if expected == 1 {
                    FaultKind::Genesis
                } else {
                    FaultKind::Gap
                },
                event.seq.min(expected),
            );
        }
        let hash = leaf_hash(&event.body);
        if event.hash != hash {
            self.fault(FaultKind::Hash, event.seq);
        }
        match serde_json::from_str::<EventBody>(&event.body) {
            Err(_) => self.fault(FaultKind::Body, event.seq),
            Ok(body) => {
                let same = body.agent == event.agent
                    && body.agent == self.agent
                    && body.seq == event.seq
                    && body.prev_hash == hex(&event.prev_hash)
                    && body.r#type.as_str() == event.r#type
                    && body.user == event.user
                    && body.subject == event.subject
                    && body.at_us == event.at.timestamp_micros()
                    && body.canonical() == event.body;
                if !same {
                    self.fault(FaultKind::Column, event.seq);
                }
                if body.prev_hash != hex(&self.head) {
                    self.fault(
                        if expected == 1 {
                            FaultKind::Genesis
                        } else {
                            FaultKind::Link
                        },
                        event.seq,
                    );
                }
            }
        }
        self.seq = event.seq;
        self.head = hash;
    }

    /// Ends the walk against the head that the database keeps (`None`: it keeps none).
    pub fn finish(mut self, head: Option<(i64, &[u8])>) -> (i64, Hash, Vec<Fault>) {
        let agrees = match head {
            Some((seq, hash)) => seq == self.seq && hash == self.head,
            None => self.seq == 0,
        };
        if !agrees {
            self.fault(FaultKind::Truncated, self.seq);
        }
        (self.seq, self.head, self.faults)
    }

    fn fault(&mut self, kind: FaultKind, seq: i64) {
        self.faults.push(Fault {
            agent: self.agent.clone(),
            seq,
            kind,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(length: i64) -> Vec<StoredEvent> {
        let mut prev = GENESIS;
        (1..=length)
            .map(|seq| {
                let at = Timestamp::UNIX_EPOCH + chrono::TimeDelta::microseconds(seq);
                let body = EventBody {
                    v: 1,
                    agent: "support".into(),
                    seq,
                    prev_hash: hex(&prev),
                    at_us: seq,
                    r#type: EventType::CandidateProposed,
                    actor: EventActor {
                        r#type: "system".into(),
                        id: None,
                    },
                    user: None,
                    subject: format!("cand_{seq}"),
                    data: Default::default(),
                    commitment: None,
                }
                .canonical();
                let event = StoredEvent {
                    agent: "support".into(),
                    seq,
                    prev_hash: prev.to_vec(),
                    hash: leaf_hash(&body).to_vec(),
                    r#type: "candidate.proposed".into(),
                    user: None,
                    subject: format!("cand_{seq}"),
                    at,
                    body,
                };
                prev = leaf_hash(&event.body);
                event
            })
            .collect()
    }

    fn faults(events: &[StoredEvent], head: &StoredEvent) -> Vec<FaultKind> {
        let mut verifier = Verifier::new("support");
        events.iter().for_each(|event| verifier.next(event));
        verifier
            .finish(Some((head.seq, &head.hash)))
            .2
            .iter()
            .map(|fault| fault.kind)
            .collect()
    }

    #[test]
    fn a_true_chain_has_no_fault_and_each_damage_is_named() {
        let good = chain(5);
        let head = good[4].clone();
        assert_eq!(faults(&good, &head), []);

        let mut dropped = good.clone();
        dropped.remove(2);
        assert!(faults(&dropped, &head).contains(&FaultKind::Gap));

        let mut flipped = good.clone();
        flipped[1].body = flipped[1].body.replace("cand_2", "cand_9");
        assert!(faults(&flipped, &head).contains(&FaultKind::Hash));

        let mut column = good.clone();
        column[3].r#type = "candidate.approved".into();
        assert_eq!(faults(&column, &head), [FaultKind::Column]);

        let mut about = good.clone();
        about[3].user = Some("usr_somebody".into());
        assert_eq!(faults(&about, &head), [FaultKind::Column]);

        assert_eq!(faults(&good[..4], &head), [FaultKind::Truncated]);
        assert!(faults(&good[1..], &head).contains(&FaultKind::Genesis));

        // Rewritten and linked anew: only the head, kept apart, still tells.
        let mut rewritten = chain(4);
        rewritten.extend(chain(5).into_iter().skip(4));
        rewritten[4].body = rewritten[4].body.replace("cand_5", "cand_6");
        rewritten[4].subject = "cand_6".into();
        rewritten[4].hash = leaf_hash(&rewritten[4].body).to_vec();
        assert_eq!(faults(&rewritten, &head), [FaultKind::Truncated]);
    }

    #[test]
    fn the_body_is_canonical_json_with_sorted_names() {
        let body = &chain(1)[0].body;
        assert!(
            body.starts_with(
                r#"{"actor":{"id":null,"type":"system"},"agent":"support","at_us":1,"#
            ),
            "{body}"
        );
    }
}
