//! Signed notes (c2sp.org/signed-note): a text, a blank line, and lines of signatures under it. Any tool that knows the form can check
//! one; of the algorithms it allows, this is Ed25519.

use std::{fmt, str::FromStr};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};

use super::{Checkpoint, hex, is_hex};

/// The byte that stands for Ed25519.
const ED25519: u8 = 1;

/// What a line of a signature begins with: a dash as long as an m, and a space.
const SIGNATURE_LINE: &str = "— ";

/// Others may sign a note as well, and the form asks for room for this many. A longer list would only cost time.
const MOST_SIGNATURES: usize = 16;

/// What is wrong with a note, a checkpoint in it, or a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Of a signer.
    #[error(
        "{0:?} cannot be a key's name: it is empty, or holds a space, a plus or a control character"
    )]
    KeyName(String),
    /// Of a public key.
    #[error("a public key reads `<name>+<hash in 8 hex digits>+<base64 of a byte 1 and 32 bytes>`")]
    KeyForm,
    /// A letter of its name or bytes was changed.
    #[error("the hash in the public key is not that of its name and bytes")]
    KeyHash,
    /// They were never a key.
    #[error("the bytes of the public key are no point of the curve")]
    KeyPoint,
    /// Writing it broke off.
    #[error("the note ends before its signature does")]
    Cut,
    /// Only line feeds are allowed.
    #[error("the note holds a control character")]
    Control,
    /// More than 16.
    #[error("the note has too many signatures")]
    TooMany,
    /// From 1.
    #[error("line {0} of the signatures does not read `— <key's name> <base64>`")]
    SignatureLine(usize),
    /// Others may have signed it.
    #[error("the note is not signed by {0}")]
    Unsigned(String),
    /// The text, or the signature, was changed.
    #[error("the signature by {0} is not one of this text")]
    Signature(String),
    /// The first line of a checkpoint.
    #[error("the origin {0:?} does not read `keepsake/<instance>/system`")]
    Origin(String),
    /// A checkpoint has at least four lines.
    #[error("the checkpoint has no {0}")]
    Lacks(&'static str),
    /// A number without sign and without a zero in front.
    #[error("{0:?} is no size of a tree")]
    Size(String),
    /// As the standard alphabet writes it, with padding.
    #[error("{0:?} is not the base64 of a root of 32 bytes")]
    Root(String),
    /// A line, or a name, of an agent's chain.
    #[error("{0:?} does not read `<agent> <size> <root>`")]
    Agent(String),
    /// Each agent has one line, and there is one order of them.
    #[error("the line of the agent {0:?} is not in the order of names")]
    Order(String),
    /// The last line.
    #[error("{0:?} does not read `time <microseconds since 1970>`")]
    Time(String),
}

/// A private key, with the name it signs by.
#[derive(Clone)]
pub struct Signer {
    name: String,
    key: SigningKey,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Signer {
    /// The key that grows out of a seed: 32 random bytes, to be kept as secret as a password.
    ///
    /// # Errors
    /// [`NoteError::KeyName`].
    pub fn from_seed(seed: &[u8; 32], name: &str) -> Result<Self, NoteError> {
        if !is_key_name(name) {
            return Err(NoteError::KeyName(name.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            key: SigningKey::from_bytes(seed),
        })
    }

    /// What others check its signatures with.
    pub fn public_key(&self) -> PublicKey {
        PublicKey::new(&self.name, self.key.verifying_key())
    }

    /// The note of a text that ends with a line feed and holds no other control character.
    pub(super) fn note(&self, text: &str) -> String {
        let signature: Signature = self.key.sign(text.as_bytes());
        let mut bytes = self.public_key().hash.to_vec();
        bytes.extend(signature.to_bytes());
        let signature = BASE64_STANDARD.encode(bytes);
        format!("{text}\n{SIGNATURE_LINE}{} {signature}\n", self.name)
    }
}

/// A public key. Its text, `<name>+<hash>+<key>`, is what `pubkey.txt` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    name: String,
    /// Tells keys of one name apart; it proves nothing.
    hash: [u8; 4],
    key: VerifyingKey,
}

impl PublicKey {
    fn new(name: &str, key: VerifyingKey) -> Self {
        let hash = Sha256::new()
            .chain_update(name)
            .chain_update([b'\n', ED25519])
            .chain_update(key.as_bytes())
            .finalize();
        Self {
            name: name.to_owned(),
            hash: [hash[0], hash[1], hash[2], hash[3]],
            key,
        }
    }

    /// The name it signs by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What people compare keys by: the SHA-256 of the 32 bytes of the key, as hex.
    pub fn fingerprint(&self) -> String {
        hex(&Sha256::digest(self.key.as_bytes()))
    }

    /// Reads a checkpoint that was signed with this key. Signatures of others are passed over.
    ///
    /// # Errors
    /// What is wrong with the note, its signature or the checkpoint.
    pub fn open(&self, note: &str) -> Result<Checkpoint, NoteError> {
        Checkpoint::read(self.signed_text(note)?)
    }

    /// The text of a note, with the line feed at its end, if this key signed it.
    pub(super) fn signed_text<'n>(&self, note: &'n str) -> Result<&'n str, NoteError> {
        if note.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
            return Err(NoteError::Control);
        }
        // The text may have blank lines of its own; the last one in the note parts it from the signatures.
        let end = note.rfind("\n\n").ok_or(NoteError::Cut)?;
        let text = &note[..=end];
        let signatures = note[end + 2..].strip_suffix('\n').ok_or(NoteError::Cut)?;
        let mut signed = false;
        for (line, number) in signatures.split('\n').zip(1..) {
            if number > MOST_SIGNATURES {
                return Err(NoteError::TooMany);
            }
            let (name, hash, signature) =
                signature_line(line).ok_or(NoteError::SignatureLine(number))?;
            if name == self.name && hash == self.hash {
                let refused = || NoteError::Signature(name.to_owned());
                let signature: [u8; 64] = signature.try_into().map_err(|_| refused())?;
                self.key
                    .verify_strict(text.as_bytes(), &Signature::from_bytes(&signature))
                    .map_err(|_| refused())?;
                signed = true;
            }
        }
        if signed {
            Ok(text)
        } else {
            Err(NoteError::Unsigned(self.name.clone()))
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut key = vec![ED25519];
        key.extend(self.key.as_bytes());
        let key = BASE64_STANDARD.encode(key);
        write!(f, "{}+{}+{key}", self.name, hex(&self.hash))
    }
}

impl FromStr for PublicKey {
    type Err = NoteError;

    /// Reads the text of a key, with or without the end of a line after it.
    fn from_str(text: &str) -> Result<Self, NoteError> {
        let (name, rest) = text.trim_end().split_once('+').ok_or(NoteError::KeyForm)?;
        let (hash, key) = rest.split_once('+').ok_or(NoteError::KeyForm)?;
        if !is_key_name(name) {
            return Err(NoteError::KeyName(name.to_owned()));
        }
        let bytes = BASE64_STANDARD
            .decode(key)
            .map_err(|_| NoteError::KeyForm)?;
        let Some((&ED25519, key)) = bytes.split_first() else {
            return Err(NoteError::KeyForm);
        };
        let key: &[u8; 32] = key.try_into().map_err(|_| NoteError::KeyForm)?;
        let key = VerifyingKey::from_bytes(key).map_err(|_| NoteError::KeyPoint)?;
        let key = Self::new(name, key);
        if is_hex(hash, &key.hash) {
            Ok(key)
        } else {
            Err(NoteError::KeyHash)
        }
    }
}

fn is_key_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '+')
}

/// The name, the hash and the signature of a line.
fn signature_line(line: &str) -> Option<(&str, [u8; 4], Vec<u8>)> {
    let (name, signature) = line.strip_prefix(SIGNATURE_LINE)?.split_once(' ')?;
    let mut hash = BASE64_STANDARD.decode(signature).ok()?;
    let signature = (hash.len() > 4).then(|| hash.split_off(4))?;
    is_key_name(name).then_some((name, hash.try_into().ok()?, signature))
}

/// The notes of a file, which lie one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notes<'a> {
    /// Those that end with a line of a signature.
    pub whole: Vec<&'a str>,
    /// What follows them: a note whose writing broke off. Whoever appends to the file must take it off first, or the next note would be
    /// read as its continuation.
    pub cut: Option<&'a str>,
}

impl<'a> Notes<'a> {
    /// Parts a file. Whether a note is well-formed, and who signed it, shows when it is opened.
    pub fn split(file: &'a str) -> Self {
        let mut whole = Vec::new();
        let (mut start, mut at) = (0, 0);
        // After a blank line signatures may come; after one of them the note is whole.
        let (mut blank, mut signed) = (false, false);
        for line in file.split_inclusive('\n') {
            let is_signature = line.starts_with(SIGNATURE_LINE);
            if signed && !is_signature {
                whole.push(&file[start..at]);
                start = at;
                (blank, signed) = (false, false);
            }
            if blank && is_signature {
                signed = line.ends_with('\n');
            } else {
                blank = line == "\n";
            }
            at += line.len();
        }
        let rest = &file[start..];
        if signed {
            whole.push(rest);
        }
        Self {
            whole,
            cut: (!signed && !rest.is_empty()).then_some(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Key and note are the example of golang.org/x/mod/sumdb/note, where the form comes from.
    const SEED: [u8; 32] = [
        129, 10, 20, 2, 213, 20, 108, 141, 132, 242, 68, 51, 48, 245, 64, 128, 235, 249, 142, 225,
        125, 156, 116, 246, 37, 47, 197, 213, 199, 40, 49, 115,
    ];
    const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const TEXT: &str = "If you think cryptography is the answer to your problem,\n\
        then you don't know what your problem is.\n";
    const SIGNATURE: &str = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    fn signer() -> Signer {
        Signer::from_seed(&SEED, "PeterNeumann").unwrap()
    }

    #[test]
    fn a_note_is_the_one_that_other_tools_write() {
        assert_eq!(signer().public_key().to_string(), KEY);
        assert_eq!(signer().note(TEXT), format!("{TEXT}\n{SIGNATURE}"));
        let key: PublicKey = KEY.parse().unwrap();
        assert_eq!(key, signer().public_key());
        assert_eq!(key, format!("{KEY}\n").parse::<PublicKey>().unwrap());
        assert_eq!(key.signed_text(&format!("{TEXT}\n{SIGNATURE}")), Ok(TEXT));
    }

    #[test]
    fn people_compare_the_hash_of_the_bytes_of_a_key_whatever_its_name() {
        let key: PublicKey = KEY.parse().unwrap();
        // cut -d + -f 3- pubkey.txt | base64 -d | tail -c 32 | sha256sum
        let hash = "c7a9d541f116ae828b693ee8c89482bbe3ec786faa1df159677bd65150394f0f";
        assert_eq!(key.fingerprint(), hash);
        let renamed = Signer::from_seed(&SEED, "other").unwrap();
        assert_eq!(renamed.public_key().fingerprint(), hash);
    }

    #[test]
    fn a_key_that_was_changed_or_is_none_is_refused() {
        let refused = |text: &str| text.parse::<PublicKey>().unwrap_err();
        assert_eq!(refused(""), NoteError::KeyForm);
        assert_eq!(refused("PeterNeumann"), NoteError::KeyForm);
        assert_eq!(refused("PeterNeumann+c74f20a3"), NoteError::KeyForm);
        assert_eq!(refused(&KEY[1..]), NoteError::KeyHash);
        assert_eq!(refused(&KEY.replace("c74f", "C74F")), NoteError::KeyHash);
        assert_eq!(refused(&KEY.replace("+ARpc", "+AhpC")), NoteError::KeyForm);
        assert_eq!(refused(&KEY[..KEY.len() - 4]), NoteError::KeyForm);
        assert_eq!(
            refused(&KEY.replace('P', " ")),
            NoteError::KeyName(" eterNeumann".into())
        );
        // About half of all byte strings are no key.
        let none = (0..=u8::MAX)
            .map(|last| {
                let mut bytes = [7_u8; 33];
                (bytes[0], bytes[32]) = (ED25519, last % 128);
                format!("a+00000000+{}", BASE64_STANDARD.encode(bytes))
            })
            .filter(|text| refused(text) == NoteError::KeyPoint);
        assert!(none.count() > 0);
    }

    #[test]
    fn a_signer_keeps_its_key_to_itself_and_has_a_name() {
        assert_eq!(
            format!("{:?}", signer()),
            r#"Signer { name: "PeterNeumann", .. }"#
        );
        for name in ["", "a b", "a+b", "a\nb", "a\u{3000}b", "a\u{7f}b"] {
            assert_eq!(
                Signer::from_seed(&SEED, name).unwrap_err(),
                NoteError::KeyName(name.into())
            );
        }
    }

    #[test]
    fn every_changed_letter_of_a_note_is_found() {
        let key = signer().public_key();
        let note = signer().note(TEXT);
        for (at, letter) in note.char_indices() {
            for other in ['a', 'B', '\n', ' ', '\t', '+', '—'] {
                if letter != other {
                    let (before, after) = (&note[..at], &note[at + letter.len_utf8()..]);
                    assert!(
                        key.signed_text(&format!("{before}{other}{after}")).is_err(),
                        "{other:?} at {at}"
                    );
                }
            }
            assert!(key.signed_text(&note[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_note_is_said() {
        let key = signer().public_key();
        let refused = |note: String| key.signed_text(&note).unwrap_err();
        assert_eq!(refused(String::new()), NoteError::Cut);
        assert_eq!(refused(TEXT.into()), NoteError::Cut);
        assert_eq!(refused(format!("{TEXT}\n")), NoteError::Cut);
        assert_eq!(
            refused(format!("{TEXT}\n{}", SIGNATURE.trim_end())),
            NoteError::Cut
        );
        assert_eq!(
            refused(format!("{TEXT}\r\n\n{SIGNATURE}")),
            NoteError::Control
        );
        assert_eq!(
            refused(format!("{TEXT}\n- PeterNeumann AAAA\n")),
            NoteError::SignatureLine(1)
        );
        assert_eq!(
            refused(format!("{TEXT}\n{SIGNATURE}— PeterNeumann x08goB==\n")),
            NoteError::SignatureLine(2)
        );
        assert_eq!(
            refused(format!("{TEXT}\n— PeterNeumann x08go/ZJkuA=\n")),
            NoteError::Signature("PeterNeumann".into())
        );
        assert_eq!(
            refused(format!("I {TEXT}\n{SIGNATURE}")),
            NoteError::Signature("PeterNeumann".into())
        );
        assert_eq!(
            refused(format!("{TEXT}\n{}", SIGNATURE.repeat(17))),
            NoteError::TooMany
        );
    }

    #[test]
    fn signatures_of_others_are_passed_over_and_do_not_count() {
        let key = signer().public_key();
        let other = Signer::from_seed(&[1; 32], "PeterNeumann").unwrap();
        let note = other.note(TEXT);
        let foreign = note.strip_prefix(TEXT).unwrap().trim_start();
        assert_eq!(
            key.signed_text(&note),
            Err(NoteError::Unsigned("PeterNeumann".into()))
        );
        for both in [[SIGNATURE, foreign], [foreign, SIGNATURE]] {
            let note = format!("{TEXT}\n{}", both.concat());
            assert_eq!(key.signed_text(&note), Ok(TEXT));
            assert_eq!(other.public_key().signed_text(&note), Ok(TEXT));
        }
    }

    #[test]
    fn a_file_of_notes_is_parted_and_what_was_not_written_to_its_end_is_told() {
        let first = signer().note("one\n");
        let second = signer().note("two\n\nlines and\n— a dash\n") + SIGNATURE;
        let third = signer().note("three\n");
        let file = format!("{first}{second}{third}");
        let notes = Notes::split(&file);
        assert_eq!(
            (notes.whole, notes.cut),
            (vec![&*first, &*second, &*third], None)
        );

        let none = Notes::split("");
        assert_eq!((none.whole.len(), none.cut), (0, None));

        for end in first.len() + second.len() + 1..file.len() {
            if file.is_char_boundary(end) {
                let notes = Notes::split(&file[..end]);
                assert_eq!(notes.whole, [&*first, &*second], "cut at {end}");
                assert_eq!(notes.cut, Some(&file[first.len() + second.len()..end]));
            }
        }
    }
}
