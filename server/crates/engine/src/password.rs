//! Passwords: which are taken, and how they are kept. Argon2id with m = 47,104 KiB, t = 1, p = 1, never more at once than there
//! are cores, so that a storm of sign-ins costs time and not memory.

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use domain::Entropy;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Semaphore;

use crate::error::{EngineError, FieldError, Result};

/// Fewest and most characters.
pub const LENGTH: std::ops::RangeInclusive<usize> = 12..=128;

const COMMON: &str = include_str!("../data/common_passwords.txt");

/// A hash of no password at all: what is compared for a person who is unknown, so that both answers take the same time.
const NOBODY: &str = "$argon2id$v=19$m=47104,t=1,p=1$bm9ib2R5IGlzIGhlcmU$Gb3nMPz0RyC1bC4T9lIP4cKl3D0kDqyEtRvQdQk0mDo";

fn argon2() -> Argon2<'static> {
    let params =
        Params::new(47_104, 1, 1, None).expect("the parameters are within argon2's bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Whether a hash was made with other parameters than today's.
pub fn outdated(hash: &str) -> bool {
    !hash.starts_with("$argon2id$v=19$m=47104,t=1,p=1$")
}

/// What is wrong with a password, if anything: its length, or that it is one of the common ones, a repetition or a row of keys.
pub fn weakness(password: &SecretString, about: &[&str]) -> Option<FieldError> {
    let password = password.expose_secret();
    let length = password.chars().count();
    if length < *LENGTH.start() {
        return Some(FieldError::new(
            "/password",
            "too_short",
            "a password has at least 12 characters",
        ));
    }
    if length > *LENGTH.end() {
        return Some(FieldError::new(
            "/password",
            "too_long",
            "a password has at most 128 characters",
        ));
    }
    let folded = password.to_lowercase();
    let personal = about.iter().any(|word| {
        word.chars().count() >= 4
            && folded.contains(&word.to_lowercase())
            && length < word.chars().count() + 8
    });
    (personal || COMMON.lines().any(|line| line == folded) || repeats(&folded) || runs(&folded))
        .then(|| {
            FieldError::new(
                "/password",
                "common",
                "this password is easy to guess; four unrelated words make a good one",
            )
        })
}

/// `abcabcabcabc`: one block of at most four characters over and over.
fn repeats(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    (1..=4).any(|block| {
        letters
            .iter()
            .enumerate()
            .all(|(at, letter)| *letter == letters[at % block])
    })
}

/// `123456789012`, `lkjihgfedcba`: each character next to the one before.
fn runs(text: &str) -> bool {
    let steps: Vec<i64> = text
        .chars()
        .zip(text.chars().skip(1))
        .map(|(a, b)| match (a.to_digit(10), b.to_digit(10)) {
            (Some(9), Some(0)) => 1,
            (Some(0), Some(9)) => -1,
            _ => i64::from(u32::from(b)) - i64::from(u32::from(a)),
        })
        .collect();
    steps.iter().all(|step| *step == 1) || steps.iter().all(|step| *step == -1)
}

/// Hashes and compares, a few at a time.
#[derive(Debug)]
pub struct Passwords {
    cores: Semaphore,
}

impl Passwords {
    /// As many at once as the machine has cores.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            cores: Semaphore::new(cores),
        }
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// Only when the runtime is going down.
    pub async fn hash(&self, password: SecretString, entropy: &dyn Entropy) -> Result<String> {
        let mut salt = [0_u8; 16];
        entropy.fill(&mut salt);
        self.apart(move || {
            argon2()
                .hash_password_with_salt(password.expose_secret().as_bytes(), &salt)
                .expect("a salt of 16 bytes is taken")
                .to_string()
        })
        .await
    }

    /// Whether `password` is the one of `hash`; `None` takes the time of a comparison and is never it.
    ///
    /// # Errors
    /// Only when the runtime is going down.
    pub async fn fits(&self, password: SecretString, hash: Option<String>) -> Result<bool> {
        self.apart(move || {
            let known = hash.is_some();
            let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
            let fits = PasswordHash::new(&hash).is_ok_and(|hash| {
                argon2()
                    .verify_password(password.expose_secret().as_bytes(), &hash)
                    .is_ok()
            });
            known && fits
        })
        .await
    }

    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let internal =
            |error: Box<dyn std::error::Error + Send + Sync>| EngineError::Internal(error);
        let _one = self
            .cores
            .acquire()
            .await
            .map_err(|error| internal(error.into()))?;
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| internal(error.into()))
    }
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(password: &str) -> Option<&'static str> {
        weakness(
            &SecretString::from(password.to_owned()),
            &["mia@example.com", "Mia Sato"],
        )
        .map(|weakness| weakness.code)
    }

    #[test]
    fn guessable_passwords_are_refused_and_odd_ones_are_not() {
        assert_eq!(code("short"), Some("too_short"));
        assert_eq!(code(&"x9".repeat(65)), Some("too_long"));
        for common in [
            "Password1234",
            "aaaaaaaaaaaa",
            "abcabcabcabc",
            "123456789012",
            "lkjihgfedcba",
            "qwertyuiop12",
            "mia sato1234",
        ] {
            assert_eq!(code(common), Some("common"), "{common}");
        }
        for fine in [
            "tangle orbit melon nine",
            "ひらがなでもよいことばじゅうに",
            "            x",
        ] {
            assert_eq!(code(fine), None, "{fine}");
        }
    }

    #[tokio::test]
    async fn a_hash_says_its_parameters_and_fits_only_its_password() {
        let passwords = Passwords::new();
        let secret = || SecretString::from("tangle orbit melon".to_owned());
        let hash = passwords
            .hash(secret(), &crate::clock::OsEntropy)
            .await
            .unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"),
            "{hash}"
        );
        assert!(passwords.fits(secret(), Some(hash.clone())).await.unwrap());
        assert!(
            !passwords
                .fits(SecretString::from("another one here"), Some(hash))
                .await
                .unwrap()
        );
        assert!(!passwords.fits(secret(), None).await.unwrap());
        assert!(
            PasswordHash::new(NOBODY).is_ok(),
            "the comparison for an unknown person is a real one"
        );
    }
}
