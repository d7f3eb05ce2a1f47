//! API keys: their form, and what they may be used for.
//!
//! `keep_live_` + 30 characters of base 62 + 6 of a checksum, so that a scanner recognises a leaked one and a typing error is
//! refused without a look into the database.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Entropy, conversation::words};

/// What every key begins with.
pub const PREFIX: &str = "keep_live_";
const RANDOM: usize = 30;
const CHECKSUM: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A key in the clear: shown once, never stored, absent from `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

impl ApiKey {
    /// A new one.
    pub fn new(entropy: &dyn Entropy) -> Self {
        let mut random = String::with_capacity(RANDOM);
        let mut byte = [0_u8];
        while random.len() < RANDOM {
            entropy.fill(&mut byte);
            // Bytes from 248 on would make the first letters likelier than the last.
            if byte[0] < 248 {
                random.push(char::from(BASE62[usize::from(byte[0] % 62)]));
            }
        }
        Self(format!("{PREFIX}{random}{}", checksum(&random)))
    }

    /// Reads one; a wrong length, letter or checksum is refused.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(PREFIX)?;
        if rest.len() != RANDOM + CHECKSUM || !rest.bytes().all(|byte| BASE62.contains(&byte)) {
            return None;
        }
        let (random, given) = rest.split_at(RANDOM);
        (checksum(random) == given).then(|| Self(text.to_owned()))
    }

    /// SHA-256 of the whole key: what is stored.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The key itself, to show it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What a list shows of it.
    pub fn hint(&self) -> String {
        format!("{PREFIX}{}…", &self.0[PREFIX.len()..PREFIX.len() + 4])
    }
}

fn checksum(random: &str) -> String {
    let digest = Sha256::digest(random.as_bytes());
    let mut number = u64::from_be_bytes(digest[..8].try_into().expect("eight bytes"));
    (0..CHECKSUM)
        .map(|_| {
            let letter = BASE62[(number % 62) as usize];
            number /= 62;
            char::from(letter)
        })
        .collect()
}

/// What a key may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum KeyScope {
    /// Send conversations, read what came of them.
    #[serde(rename = "conversations:write")]
    ConversationsWrite,
    /// Ask for a context.
    #[serde(rename = "context:read")]
    ContextRead,
    /// Propose by hand.
    #[serde(rename = "candidates:write")]
    CandidatesWrite,
    /// Read the queue (person).
    #[serde(rename = "candidates:read")]
    CandidatesRead,
    /// Decide (person).
    #[serde(rename = "review:write")]
    ReviewWrite,
    /// Read approved memories.
    #[serde(rename = "memories:read")]
    MemoriesRead,
    /// Read the audit chain (person).
    #[serde(rename = "audit:read")]
    AuditRead,
    /// Read exports (person).
    #[serde(rename = "exports:read")]
    ExportsRead,
    /// Everything an administrator does (person).
    #[serde(rename = "admin")]
    Admin,
}

words!(KeyScope {
    ConversationsWrite = "conversations:write",
    ContextRead = "context:read",
    CandidatesWrite = "candidates:write",
    CandidatesRead = "candidates:read",
    ReviewWrite = "review:write",
    MemoriesRead = "memories:read",
    AuditRead = "audit:read",
    ExportsRead = "exports:read",
    Admin = "admin",
});

impl KeyScope {
    /// Whether only a key bound to a person may have it: an agent neither approves nor reads what was not approved.
    pub fn needs_a_person(self) -> bool {
        matches!(
            self,
            Self::CandidatesRead
                | Self::ReviewWrite
                | Self::AuditRead
                | Self::ExportsRead
                | Self::Admin
        )
    }

    /// What a new key of an agent gets unless told otherwise.
    pub const OF_AN_AGENT: &[Self] = &[
        Self::ConversationsWrite,
        Self::ContextRead,
        Self::CandidatesWrite,
        Self::MemoriesRead,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(std::sync::atomic::AtomicU8);
    impl Entropy for Counter {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(7, std::sync::atomic::Ordering::Relaxed));
        }
    }

    #[test]
    fn a_mistyped_key_is_refused_by_its_checksum() {
        let key = ApiKey::new(&Counter(Default::default()));
        assert_eq!(key.reveal().len(), 46);
        assert_eq!(ApiKey::parse(key.reveal()), Some(key.clone()));
        let mut typo = key.reveal().to_owned().into_bytes();
        typo[15] = if typo[15] == b'a' { b'b' } else { b'a' };
        assert_eq!(ApiKey::parse(std::str::from_utf8(&typo).unwrap()), None);
        assert_eq!(ApiKey::parse(&"é".repeat(5000)), None);
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
    }
}
