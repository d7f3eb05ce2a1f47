//! The matcher: what a proposal is to what is stored, waiting or was rejected (A3, B4, B5, F4).
//!
//! It runs before a reviewer sees anything, inside one user of one agent. It never merges on its own: what is the same is a
//! sighting, what is close is only flagged, and what changes something is a proposal against the **approved** value.

mod family;
mod judge;
mod likeness;
mod slot;

pub use judge::{
    Judgement, Rejected, Seen, Stored, StoredMemory, Waiting, judge, meant, overtaken,
};
pub use likeness::{near, same};
pub use slot::slot;

/// What identifies a statement within a user: its kind and its normal form. The store keeps a keyed hash of it.
pub fn fingerprint(kind: &str, content: &str) -> String {
    format!("{kind}\u{1f}{}", crate::text::normal_form(content))
}

#[cfg(test)]
mod tests;
