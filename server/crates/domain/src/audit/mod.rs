//! The audit chain: what an event is, how it is written and hashed, and how a chain is proven not to have changed.
//!
//! A body is canonical JSON (RFC 8785), kept exactly as it was hashed. It holds ids, words of closed sets and integers, never a
//! person's text; where an event speaks of text it carries a commitment to it. The hash is the leaf hash of RFC 9162,
//! `SHA-256(0x00 ‖ body)`, and each body names the hash before it, so the chain's link is also the leaf of a Merkle tree.
//!
//! Links alone do not stop somebody who can write to the database: the rest of the chain can be linked anew. So the roots of the
//! trees are signed from time to time ([`Checkpoint`]) and kept elsewhere, and the [`Verifier`] holds a chain against them.

mod canonical;
mod chain;
mod checkpoint;
mod note;
pub mod pruned;
pub mod sums;
pub mod tree;

pub use canonical::PlainBody;
pub use chain::{Fault, FaultKind, StoredEvent, Verifier};
pub use checkpoint::Checkpoint;
pub use note::{NoteError, Notes, PublicKey, Signer};
pub use tree::Extent;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::conversation::words;

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
    /// A person set up a second factor: from now on their password alone opens nothing.
    #[serde(rename = "person.second_factor_enabled")]
    PersonSecondFactorEnabled,
    /// They switched it off.
    #[serde(rename = "person.second_factor_disabled")]
    PersonSecondFactorDisabled,
    /// Somebody else took it away, for who lost it.
    #[serde(rename = "person.second_factor_reset")]
    PersonSecondFactorReset,
    /// A person has new recovery codes; those from before hold no more.
    #[serde(rename = "person.recovery_codes_renewed")]
    PersonRecoveryCodesRenewed,
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
    /// An agent proposed that two ids are one person (G15). Told once of each of the two, as the next three are.
    #[serde(rename = "user.join_proposed")]
    UserJoinProposed,
    /// A person declined that.
    #[serde(rename = "user.join_declined")]
    UserJoinDeclined,
    /// Two ids were joined by a person's decision: from then on agents are told of both what either has.
    #[serde(rename = "user.joined")]
    UserJoined,
    /// A join ended by a person's decision: each id has again what it had.
    #[serde(rename = "user.split")]
    UserSplit,
    /// What a kind should and should not hold was written anew (G10).
    #[serde(rename = "kind.guideline_changed")]
    KindGuidelineChanged,
    /// An agent with made-up people was removed with all that it held.
    #[serde(rename = "agent.removed")]
    AgentRemoved,
    /// The heads of all chains were signed.
    #[serde(rename = "audit.checkpointed")]
    AuditCheckpointed,
    /// All chains were walked and compared with what was signed.
    #[serde(rename = "audit.verified")]
    AuditVerified,
    /// An export was asked for (E4).
    #[serde(rename = "export.requested")]
    ExportRequested,
    /// It was written, or given up.
    #[serde(rename = "export.finished")]
    ExportFinished,
    /// Somebody fetched its file.
    #[serde(rename = "export.downloaded")]
    ExportDownloaded,
    /// Its file was removed: past its time, or by a person.
    #[serde(rename = "export.expired")]
    ExportExpired,
    /// What an export of another installation holds was taken in.
    #[serde(rename = "bundle.imported")]
    BundleImported,
    /// A file of memories from elsewhere was uploaded and looked at (G13).
    #[serde(rename = "import.uploaded")]
    ImportUploaded,
    /// Its rows are being proposed.
    #[serde(rename = "import.started")]
    ImportStarted,
    /// Each of them was tried, or none can be any more.
    #[serde(rename = "import.ended")]
    ImportEnded,
    /// A person stopped it; what was not proposed yet stays where it is.
    #[serde(rename = "import.stopped")]
    ImportStopped,
    /// A person withdraws it: what nobody has decided yet is taken out of the queue.
    #[serde(rename = "import.withdrawn")]
    ImportWithdrawn,
    /// Nobody ran it in time, and what was uploaded is gone.
    #[serde(rename = "import.expired")]
    ImportExpired,
    /// Another extractor is tried over the last conversations (G14).
    #[serde(rename = "dry_run.started")]
    DryRunStarted,
    /// It was, or could not be, or a person stopped it.
    #[serde(rename = "dry_run.ended")]
    DryRunEnded,
    /// A person was erased, with every text about them (F9).
    #[serde(rename = "user.erased")]
    UserErased,
    /// Somebody asked for a copy of what is kept of them, or to be erased (G5).
    #[serde(rename = "request.opened")]
    RequestOpened,
    /// Such a request was answered.
    #[serde(rename = "request.closed")]
    RequestClosed,
    /// A legal hold was placed.
    #[serde(rename = "hold.placed")]
    HoldPlaced,
    /// A legal hold was released.
    #[serde(rename = "hold.released")]
    HoldReleased,
    /// Retention took the words out of a conversation.
    #[serde(rename = "conversation.removed")]
    ConversationRemoved,
    /// Retention removed a rejected candidate.
    #[serde(rename = "candidate.removed")]
    CandidateRemoved,
    /// What was past its time was removed.
    #[serde(rename = "retention.applied")]
    RetentionApplied,
    /// An address is told of events from now on.
    #[serde(rename = "webhook.created")]
    WebhookCreated,
    /// It has another address, is told of other events, or was switched on or off by a person.
    #[serde(rename = "webhook.changed")]
    WebhookChanged,
    /// Its secret was made anew.
    #[serde(rename = "webhook.rotated")]
    WebhookRotated,
    /// Keepsake switched it off.
    #[serde(rename = "webhook.disabled")]
    WebhookDisabled,
    /// It was removed.
    #[serde(rename = "webhook.removed")]
    WebhookRemoved,
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
    PersonSecondFactorEnabled = "person.second_factor_enabled",
    PersonSecondFactorDisabled = "person.second_factor_disabled",
    PersonSecondFactorReset = "person.second_factor_reset",
    PersonRecoveryCodesRenewed = "person.recovery_codes_renewed",
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
    UserJoinProposed = "user.join_proposed",
    UserJoinDeclined = "user.join_declined",
    UserJoined = "user.joined",
    UserSplit = "user.split",
    KindGuidelineChanged = "kind.guideline_changed",
    AgentRemoved = "agent.removed",
    AuditCheckpointed = "audit.checkpointed",
    AuditVerified = "audit.verified",
    ExportRequested = "export.requested",
    ExportFinished = "export.finished",
    ExportDownloaded = "export.downloaded",
    ExportExpired = "export.expired",
    BundleImported = "bundle.imported",
    ImportUploaded = "import.uploaded",
    ImportStarted = "import.started",
    ImportEnded = "import.ended",
    ImportStopped = "import.stopped",
    ImportWithdrawn = "import.withdrawn",
    ImportExpired = "import.expired",
    DryRunStarted = "dry_run.started",
    DryRunEnded = "dry_run.ended",
    UserErased = "user.erased",
    RequestOpened = "request.opened",
    RequestClosed = "request.closed",
    HoldPlaced = "hold.placed",
    HoldReleased = "hold.released",
    ConversationRemoved = "conversation.removed",
    CandidateRemoved = "candidate.removed",
    RetentionApplied = "retention.applied",
    WebhookCreated = "webhook.created",
    WebhookChanged = "webhook.changed",
    WebhookRotated = "webhook.rotated",
    WebhookDisabled = "webhook.disabled",
    WebhookRemoved = "webhook.removed",
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

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in hex_pair(*byte) {
            text.push(char::from(digit));
        }
    }
    text
}

/// Whether a text is the lower-case hex of these bytes. Unlike a comparison with [`hex`] it allocates nothing.
fn is_hex(text: &str, bytes: &[u8]) -> bool {
    text.len() == bytes.len() * 2
        && text
            .as_bytes()
            .chunks_exact(2)
            .zip(bytes)
            .all(|(pair, byte)| pair == hex_pair(*byte))
}

fn hex_pair(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15].map(|digit| HEX_DIGITS[usize::from(digit)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_of_two_lower_case_digits_a_byte() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = hex(&bytes);
        assert!(text.starts_with("000102") && text.contains("090a0b") && text.ends_with("fdfeff"));
        assert_eq!(text.len(), 512);
        assert!(is_hex(&text, &bytes) && is_hex("", &[]));
        assert!(!is_hex("0A", &[10]) && !is_hex("0a0b", &[10]) && !is_hex("0a", &[11]));
        assert!(!is_hex("é", &[10]));
    }
}
