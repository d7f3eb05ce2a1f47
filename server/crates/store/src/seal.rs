//! Sealing: what a person said is ciphertext in every table.
//!
//! XChaCha20-Poly1305 with a random nonce; the associated data names table, agent and row, so that a ciphertext moved elsewhere does
//! not open. A [`SecretKey`] has two halves, one that seals and one that makes keyed hashes, both derived from 32 secret bytes. Those
//! bytes are kept wrapped by the [`MasterKey`]: a person's in `user_keys`, the installation's own in `instance_keys`.

use chacha20poly1305::{AeadInOut, KeyInit, XChaCha20Poly1305, XNonce};
use domain::Entropy;
use hmac::{Hmac, Mac};
use serde::{Serialize, de::DeserializeOwned};
use sha2::Sha256;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::{Error, Result};

const NONCE: usize = 24;

/// The key that wraps every other key. Never in the database, never in a backup, absent from `Debug`.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct MasterKey([u8; 32]);

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

impl MasterKey {
    /// From its bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A new one.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// Reads 64 hex digits; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// As 64 hex digits, to write it into its file.
    pub fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(domain::audit::hex(&self.0))
    }

    /// Wraps the secret of a key for its row.
    pub(crate) fn wrap(
        &self,
        place: Place<'_>,
        secret: &[u8; 32],
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        seal(&self.0, place, secret, entropy)
    }

    /// Unwraps it.
    pub(crate) fn unwrap(&self, place: Place<'_>, wrapped: &[u8]) -> Result<SecretKey> {
        let secret = open(&self.0, place, wrapped)?;
        let secret: Zeroizing<[u8; 32]> = Zeroizing::new(
            secret
                .as_slice()
                .try_into()
                .map_err(|_| Error::Corrupt("key"))?,
        );
        Ok(SecretKey::derive(&secret))
    }
}

/// Where a ciphertext belongs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Table and column: `messages.sealed`.
    pub column: &'static str,
    /// The agent of the row; empty where it has none.
    pub agent: &'a str,
    /// The row.
    pub row: &'a str,
}

impl<'a> Place<'a> {
    pub(crate) fn new(column: &'static str, agent: &'a str, row: &'a str) -> Self {
        Self { column, agent, row }
    }

    fn bytes(self) -> Vec<u8> {
        // No part can hold a zero byte, so no two places are written alike.
        [self.column, self.agent, self.row].join("\0").into_bytes()
    }
}

/// A key that seals, and makes keyed hashes.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct SecretKey {
    seal: [u8; 32],
    index: [u8; 32],
}

impl SecretKey {
    /// Both halves out of one secret.
    pub(crate) fn derive(secret: &[u8; 32]) -> Self {
        Self {
            seal: mac(secret, &[b"seal"]),
            index: mac(secret, &[b"index"]),
        }
    }

    /// A key that only who knows `token` can make again: for what is kept for the holder of a cookie or an Idempotency-Key.
    pub(crate) fn of_token(&self, label: &'static str, token: &str) -> Self {
        Self::derive(&mac(
            &self.index,
            &[b"token", label.as_bytes(), token.as_bytes()],
        ))
    }

    /// 32 bytes for a key of another sort; who has them learns nothing of the other halves.
    pub(crate) fn seed(&self, label: &'static str) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(mac(&self.index, &[b"seed", label.as_bytes()]))
    }

    /// A hash of `parts` that says nothing to who lacks the key.
    pub(crate) fn hash(&self, label: &'static str, parts: &[&str]) -> Vec<u8> {
        let mut all: Vec<&[u8]> = vec![label.as_bytes()];
        all.extend(parts.iter().map(|part| part.as_bytes()));
        mac(&self.index, &all).to_vec()
    }

    pub(crate) fn seal(&self, place: Place<'_>, plain: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
        seal(&self.seal, place, plain, entropy)
    }

    pub(crate) fn open(&self, place: Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        open(&self.seal, place, sealed)
    }

    /// Seals a value as JSON.
    pub(crate) fn seal_json<T: Serialize>(
        &self,
        place: Place<'_>,
        value: &T,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        let plain = Zeroizing::new(serde_json::to_vec(value).expect("our own types are JSON"));
        self.seal(place, &plain, entropy)
    }

    /// Opens a value that was sealed as JSON.
    pub(crate) fn open_json<T: DeserializeOwned>(
        &self,
        place: Place<'_>,
        sealed: &[u8],
    ) -> Result<T> {
        let plain = self.open(place, sealed)?;
        serde_json::from_slice(&plain).map_err(|_| Error::Corrupt("sealed json"))
    }
}

/// HMAC-SHA-256 over parts, each with its length before it, so that no two lists of parts are written alike.
fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length will do");
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

fn seal(key: &[u8; 32], place: Place<'_>, plain: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
    let mut nonce = [0; NONCE];
    entropy.fill(&mut nonce);
    let mut buffer = Vec::with_capacity(plain.len() + 16);
    buffer.extend_from_slice(plain);
    cipher(key)
        .encrypt_in_place(&XNonce::from(nonce), &place.bytes(), &mut buffer)
        .expect("texts are far below the cipher's limit");
    let mut sealed = nonce.to_vec();
    sealed.append(&mut buffer);
    sealed
}

fn open(key: &[u8; 32], place: Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let (nonce, body) = sealed
        .split_at_checked(NONCE)
        .ok_or(Error::Corrupt("sealed length"))?;
    let nonce: [u8; NONCE] = nonce.try_into().expect("split at its length");
    let mut buffer = Zeroizing::new(body.to_vec());
    cipher(key)
        .decrypt_in_place(&XNonce::from(nonce), &place.bytes(), &mut *buffer)
        .map_err(|_| Error::Corrupt("seal"))?;
    Ok(buffer)
}

fn cipher(key: &[u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&(*key).into())
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
    fn a_seal_opens_only_in_its_own_place_and_only_whole() {
        let entropy = Counter(Default::default());
        let key = SecretKey::derive(&[7; 32]);
        let here = Place::new("messages.sealed", "support", "msg_1");
        let mut sealed = key.seal(here, "Ana lives in Oslo".as_bytes(), &entropy);
        assert_eq!(&**key.open(here, &sealed).unwrap(), b"Ana lives in Oslo");
        assert!(!sealed.windows(4).any(|window| window == b"Oslo"));
        for there in [
            Place::new("messages.sealed", "support", "msg_2"),
            Place::new("messages.sealed", "other", "msg_1"),
            Place::new("memories.sealed", "support", "msg_1"),
        ] {
            assert!(matches!(key.open(there, &sealed), Err(Error::Corrupt(_))));
        }
        *sealed.last_mut().unwrap() ^= 1;
        assert!(key.open(here, &sealed).is_err());
        assert!(key.open(here, &sealed[..10]).is_err());
        assert!(SecretKey::derive(&[8; 32]).open(here, &sealed).is_err());
    }

    #[test]
    fn a_keyed_hash_depends_on_key_label_and_the_cut_between_parts() {
        let key = SecretKey::derive(&[7; 32]);
        let hash = key.hash("slot", &["a", "bc"]);
        assert_eq!(hash, key.hash("slot", &["a", "bc"]));
        assert_ne!(hash, key.hash("slot", &["ab", "c"]));
        assert_ne!(hash, key.hash("lookup", &["a", "bc"]));
        assert_ne!(hash, SecretKey::derive(&[8; 32]).hash("slot", &["a", "bc"]));
    }

    #[test]
    fn a_master_key_reads_back_from_hex_and_hides_in_debug() {
        let key = MasterKey::new([0xab; 32]);
        let again = MasterKey::parse(&format!("{}\n", *key.to_hex())).unwrap();
        assert_eq!(again.0, key.0);
        assert_eq!(format!("{key:?}"), "MasterKey(…)");
        assert!(MasterKey::parse("abc").is_none());
        assert!(MasterKey::parse(&"é".repeat(32)).is_none());
    }
}
