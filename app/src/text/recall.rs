//! What is said about a memory that was found to be wrong (G4).

use super::{Count, Two};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Recall {
    pub title: &'static str,
    pub button: &'static str,
    pub lead: &'static str,
    pub reason: &'static str,
    pub reason_how: &'static str,
    /// In how many sessions it was told, how often, and how much was made from it.
    pub reach: fn(u64, u64, u64) -> String,
    /// By whom, and how long ago.
    pub recalled: Two,
    pub undo_how: &'static str,
    pub told: &'static str,
    pub told_none: &'static str,
    pub told_how: &'static str,
    pub conversation: &'static str,
    pub conversation_none: &'static str,
    pub revisions: &'static str,
    pub times: &'static str,
    pub last: &'static str,
    pub older: Count,
    pub made: &'static str,
    pub made_none: &'static str,
    pub made_means: &'static str,
    pub by_merge: &'static str,
    pub by_change: &'static str,
    pub by_pattern: &'static str,
    pub by_summary: &'static str,
    pub waits: &'static str,
    pub served_no_more: &'static str,
    /// Of a candidate: that its memory was recalled, by whom and how long ago.
    pub of_candidate: Two,
    pub flash: &'static str,
}
