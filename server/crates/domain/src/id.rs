//! Identifiers: a type for each thing, a visible prefix, ordered by the time they were made.

use std::fmt;

use crate::Timestamp;

/// Where randomness comes from. The binary gives the operating system's; a test gives a counter.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with unpredictable values.
    fn fill(&self, bytes: &mut [u8]);
}

/// Crockford's alphabet in lower case: no `i l o u`, sorts like the number it writes.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A UUID of version 7 (RFC 9562) in 26 letters of Crockford's base 32.
fn encode(at: Timestamp, entropy: &dyn Entropy) -> String {
    let mut random = [0_u8; 10];
    entropy.fill(&mut random);
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
    let mut number = uuid::Builder::from_unix_timestamp_millis(millis, &random)
        .into_uuid()
        .as_u128();
    let mut letters = [0_u8; 26];
    for letter in letters.iter_mut().rev() {
        *letter = ALPHABET[(number & 31) as usize];
        number >>= 5;
    }
    letters.iter().map(|&letter| char::from(letter)).collect()
}

/// Text that is no identifier of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an identifier that begins with \"{prefix}\"")]
pub struct InvalidId {
    /// What it should begin with.
    pub prefix: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// What every identifier of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// A new one, later than every one made a millisecond before.
            pub fn new(at: Timestamp, entropy: &dyn Entropy) -> Self {
                Self(format!(concat!($prefix, "{}"), encode(at, entropy)))
            }

            /// Reads one back; text of another shape is refused.
            pub fn parse(text: &str) -> Result<Self, InvalidId> {
                let letters = text.strip_prefix($prefix).unwrap_or_default();
                let well_formed = letters.len() == 26
                    && letters.bytes().all(|byte| ALPHABET.contains(&byte));
                well_formed
                    .then(|| Self(text.to_owned()))
                    .ok_or(InvalidId { prefix: $prefix })
            }

            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::parse(&text)
            }
        }

        #[cfg(feature = "openapi")]
        crate::openapi::text!($name, concat!("^", $prefix, "[0-9a-hjkmnp-tv-z]{26}$"));

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// A user: the person an agent talks to.
    UserId = "usr_";
    /// A conversation.
    ConversationId = "conv_";
    /// A message of a conversation.
    MessageId = "msg_";
    /// An operation, which is the job that does it.
    OperationId = "op_";
    /// One extraction over a stretch of messages.
    ExtractionId = "ext_";
    /// A candidate in the queue.
    CandidateId = "cand_";
    /// A decision on a candidate.
    DecisionId = "dec_";
    /// A memory.
    MemoryId = "mem_";
    /// A revision of a memory.
    RevisionId = "rev_";
    /// An answer to `POST /context`.
    ServingId = "srv_";
    /// An API key.
    KeyId = "key_";
    /// A person who signs in to the dashboard.
    PersonId = "per_";
    /// Many decisions as one job.
    BulkId = "bulk_";
    /// A filter of the queue that a person saved.
    ViewId = "view_";
    /// An export.
    ExportId = "exp_";
    /// A request of a person about what is kept of them.
    RequestId = "req_";
    /// A legal hold.
    HoldId = "hold_";
    /// Two ids that are one person.
    JoinId = "join_";
    /// Memories that come from elsewhere, in one file.
    ImportId = "imp_";
    /// A webhook.
    WebhookId = "hook_";
    /// Telling a webhook of one event.
    DeliveryId = "dlv_";
    /// Another extractor over conversations, to compare.
    DryRunId = "dry_";
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(std::sync::atomic::AtomicU8);

    impl Entropy for Counter {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        }
    }

    #[test]
    fn ids_carry_their_prefix_sort_by_time_and_read_back() {
        let entropy = Counter(Default::default());
        let early = MemoryId::new(Timestamp::UNIX_EPOCH, &entropy);
        let later = MemoryId::new(
            Timestamp::UNIX_EPOCH + chrono::TimeDelta::milliseconds(1),
            &entropy,
        );
        assert!(early < later);
        assert_eq!(MemoryId::parse(early.as_str()), Ok(early.clone()));
        assert!(UserId::parse(early.as_str()).is_err());
        assert!(MemoryId::parse(&format!("mem_{}", "0".repeat(10_000))).is_err());
        assert!(MemoryId::parse("mem_ILOU").is_err());
    }
}
