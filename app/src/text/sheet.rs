//! What is said on the sheet that explains a decision (G6).

use super::{Count, Two, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Sheet {
    pub title: &'static str,
    pub link: &'static str,
    pub lead: &'static str,
    pub drawn: With,
    pub proposal: &'static str,
    pub words: &'static str,
    pub words_kept: &'static str,
    pub proposer: &'static str,
    pub by_hand: &'static str,
    pub by_keepsake: &'static str,
    pub extractor: &'static str,
    pub model: &'static str,
    pub prompt: &'static str,
    pub schema: &'static str,
    pub run: &'static str,
    pub decisions: &'static str,
    pub decided_none: &'static str,
    /// `approve`, `reject` or `reopen`.
    pub verdict: fn(&str) -> &'static str,
    /// Who, and when.
    pub by: Two,
    pub agreed: With,
    pub as_proposed: &'static str,
    pub note: &'static str,
    pub memory: &'static str,
    pub memory_none: &'static str,
    pub stands: &'static str,
    pub came_of_it: &'static str,
    pub served: &'static str,
    pub served_none: &'static str,
    pub served_times: Count,
    pub events: &'static str,
    pub events_how: &'static str,
    pub event: &'static str,
    pub number: &'static str,
    pub hash: &'static str,
    /// How many events, and when.
    pub signed: fn(u64, &str) -> String,
    pub signed_none: &'static str,
    pub root: &'static str,
    pub verify: &'static str,
    pub verify_steps: [&'static str; 3],
}
