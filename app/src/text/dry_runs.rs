//! What is said about dry runs of another model or other words (G14).

use domain::dry_run::{Difference, DryRunState, TrialState};

use super::{Count, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct DryRuns {
    pub title: &'static str,
    pub lead: &'static str,
    pub to_agent: &'static str,
    pub form: &'static str,
    pub extractor_how: &'static str,
    pub conversations: &'static str,
    pub conversations_how: &'static str,
    pub prices_how: &'static str,
    pub kinds: &'static str,
    pub kinds_how: &'static str,
    pub look: &'static str,
    pub begin: &'static str,
    pub estimate: &'static str,
    /// Conversations, and windows.
    pub over: fn(u64, u64) -> String,
    pub tokens_in: &'static str,
    pub tokens_out: &'static str,
    pub cost: &'static str,
    pub not_known: &'static str,
    /// On what an estimate rests, by the engine's word.
    pub basis: fn(&str) -> &'static str,
    pub over_budget: &'static str,
    pub words_unread: &'static str,
    pub list: &'static str,
    pub none: &'static str,
    pub none_how: &'static str,
    pub what: &'static str,
    pub asked: &'static str,
    pub standing: &'static str,
    pub state: fn(DryRunState) -> &'static str,
    /// Why it waits or could not go on, by the engine's code.
    pub why: fn(&str) -> &'static str,
    pub waits_until: &'static str,
    /// Conversations read, and how many there are.
    pub progress: fn(u64, u64) -> String,
    /// Conversations of which no answer could be had.
    pub failed: Count,
    /// All of them were such: why, in a sentence.
    pub all_failed: With,
    pub look_again: &'static str,
    pub stop: &'static str,
    pub stop_how: &'static str,
    pub flash_started: &'static str,
    pub flash_stopped: &'static str,
    pub flash_over: &'static str,
    pub of: With,
    pub kept: &'static str,
    pub tried: &'static str,
    pub same_words: &'static str,
    pub result: &'static str,
    pub difference: fn(Difference) -> &'static str,
    pub decided: &'static str,
    pub decided_how: &'static str,
    pub decided_of: &'static str,
    pub today: &'static str,
    pub new: &'static str,
    pub approved: &'static str,
    pub rejected: &'static str,
    pub undecided: &'static str,
    pub junk: &'static str,
    pub seconds: &'static str,
    pub unreadable: &'static str,
    pub no_answer: &'static str,
    pub left_out: &'static str,
    pub sightings: Count,
    pub suppressed: Count,
    pub by_conversation: &'static str,
    pub item_state: fn(TrialState) -> &'static str,
    pub nothing: &'static str,
}
