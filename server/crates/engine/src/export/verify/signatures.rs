//! Who signed a bundle: the key in it, and the two notes that must be signed with it.

use std::io;

use domain::audit::{Checkpoint, Hash, PublicKey, sums::SignedSums};

use super::{BundleFaultKind, Findings, archive::Archive, read_text};
use crate::export::bundle::{self, Part};

/// What could be read of it.
pub(super) struct Signed {
    /// The key in the bundle.
    pub(super) key: Option<PublicKey>,
    /// The checkpoint, where its signature holds.
    pub(super) checkpoint: Option<Checkpoint>,
}

/// Reads the key, compares it with the one that was given, and checks what it signed.
pub(super) fn check(
    archive: &mut Archive,
    instance: &str,
    sums: &Hash,
    given: Option<&PublicKey>,
    found: &mut Findings,
) -> io::Result<Signed> {
    let Some(key) = read_key(archive)? else {
        let detail = "it is no public key in the form of one";
        found.of(Part::PublicKey, BundleFaultKind::Key, detail);
        return Ok(Signed {
            key: None,
            checkpoint: None,
        });
    };
    if given.is_some_and(|given| *given != key) {
        let detail = "it is another key than the one that was given";
        found.of(Part::PublicKey, BundleFaultKind::Key, detail);
    }
    let note = read_text(archive, Part::Checkpoint)?.unwrap_or_default();
    let checkpoint = match key.open(&note) {
        Ok(checkpoint) => {
            if checkpoint.origin != Checkpoint::origin_of(instance) {
                let detail = "it is of another installation than the manifest says";
                found.of(Part::Checkpoint, BundleFaultKind::Signature, detail);
            }
            Some(checkpoint)
        }
        Err(error) => {
            found.of(
                Part::Checkpoint,
                BundleFaultKind::Signature,
                error.to_string(),
            );
            None
        }
    };
    let note = read_text(archive, Part::Signature)?.unwrap_or_default();
    let signed = SignedSums {
        instance: instance.to_owned(),
        sums: *sums,
    };
    if let Err(error) = signed.check(&key, &note) {
        found.of(
            Part::Signature,
            BundleFaultKind::Signature,
            error.to_string(),
        );
    }
    Ok(Signed {
        key: Some(key),
        checkpoint,
    })
}

fn read_key(archive: &mut Archive) -> io::Result<Option<PublicKey>> {
    let text = read_text(archive, Part::PublicKey)?.unwrap_or_default();
    let key: Option<PublicKey> = text.parse().ok();
    // What people compare is the hash of the file, so the file has one spelling.
    Ok(key.filter(|key| bundle::public_key(key) == text))
}
