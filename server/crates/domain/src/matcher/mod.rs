//! The matcher: what a proposal is to what is stored, waiting or was rejected (A3, B4, B5, F4).
//!
//! It runs before a reviewer sees anything, inside one user of one agent. It never merges on its own: what is the same is a
//! sighting, what is close is only flagged, and what changes something is a proposal against the **approved** value.

mod decision;
mod denial;
mod family;
mod judge;
mod likeness;
mod measured;
mod named;
mod slot;

pub use judge::{
    Judgement, Met, Rejected, Seen, Stored, StoredMemory, Waiting, judge, meant, meant_waiting,
    met, overtaken,
};
pub use likeness::{near, same};
pub use named::to_forget;
pub use slot::{by_name, slot};

/// What identifies a statement within a user: its kind and its normal form, and its name where [`by_name`] says so. The store keeps a
/// keyed hash of it.
pub fn fingerprint(kind: &str, name: Option<&str>, content: &str) -> String {
    if by_name(kind) {
        let name = name.unwrap_or_default().trim();
        return format!("{kind}\u{1f}{name}\u{1f}{}", named::plain(content));
    }
    format!("{kind}\u{1f}{}", crate::text::normal_form(content))
}

#[cfg(test)]
mod tests;
