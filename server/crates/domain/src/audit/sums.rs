//! What an installation signs of an export: the hash of the list of its files' hashes. The note stands beside the files, so that
//! nobody can change one and write the list anew.

use super::{Hash, NoteError, PublicKey, Signer, hex};

/// The hash of the list of an export's files, and whose export it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedSums {
    /// The installation.
    pub instance: String,
    /// The SHA-256 of `SHA256SUMS`.
    pub sums: Hash,
}

/// Why a note is not about this export.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSums {
    /// The note or its signature.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// It is signed, and says something else.
    #[error("the note is about other files, or another installation")]
    Other,
}

impl SignedSums {
    /// The signed note.
    pub fn sign(&self, signer: &Signer) -> String {
        signer.note(&self.text())
    }

    /// Whether a note is signed with this key and says exactly this.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, key: &PublicKey, note: &str) -> Result<(), InvalidSums> {
        if key.signed_text(note)? == self.text() {
            Ok(())
        } else {
            Err(InvalidSums::Other)
        }
    }

    fn text(&self) -> String {
        format!("keepsake/{}/export\n{}\n", self.instance, hex(&self.sums))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_holds_for_its_own_export_and_key_alone() {
        let signer = |seed: u8| Signer::from_seed(&[seed; 32], "keepsake/test/system").unwrap();
        let key = signer(7).public_key();
        let signed = SignedSums {
            instance: "test".into(),
            sums: [171; 32],
        };
        let note = signed.sign(&signer(7));
        let text = format!("keepsake/test/export\n{}\n", "ab".repeat(32));
        assert!(
            note.starts_with(&format!("{text}\n— keepsake/test/system ")),
            "{note}"
        );
        assert_eq!(signed.check(&key, &note), Ok(()));

        let elsewhere = SignedSums {
            instance: "live".into(),
            ..signed.clone()
        };
        let changed = SignedSums {
            sums: [172; 32],
            ..signed.clone()
        };
        for other in [elsewhere, changed] {
            assert_eq!(other.check(&key, &note), Err(InvalidSums::Other));
        }
        let refused = |note: &str| matches!(signed.check(&key, note), Err(InvalidSums::Note(_)));
        assert!(refused(&signed.sign(&signer(8))));
        assert!(refused(&note.replace("test/export", "live/export")));
        assert!(refused(&note[..note.len() - 1]));
    }
}
