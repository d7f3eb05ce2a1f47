//! What is said about erasing a person, legal holds, and what retention removed (F9).

use domain::erasure::ErasureReason;

use super::{Two, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Erasure {
    pub title: &'static str,
    pub lead: &'static str,
    /// What goes, by the name of its count.
    pub count: fn(&str) -> &'static str,
    pub why: &'static str,
    pub reason: fn(ErasureReason) -> &'static str,
    pub confirm: &'static str,
    pub confirm_how: With,
    pub button: &'static str,
    pub kept: &'static str,
    pub flash_done: &'static str,
    pub flash_changed: &'static str,
    /// Who keeps them, and why.
    pub flash_held: Two,
    pub gone: &'static str,
    pub gone_how: &'static str,
    pub gone_at: &'static str,
    pub gone_by: &'static str,
    pub known_since: &'static str,
    pub audit: &'static str,
    pub conversation_removed: With,
    pub candidate_removed: With,
    pub words_only: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Holds {
    pub title: &'static str,
    pub lead: &'static str,
    pub none: &'static str,
    pub none_how: &'static str,
    pub section: &'static str,
    pub section_none: &'static str,
    pub place: &'static str,
    pub place_agent: &'static str,
    pub reason: &'static str,
    pub reason_how: &'static str,
    pub until: &'static str,
    pub until_how: &'static str,
    pub everywhere: &'static str,
    pub everywhere_how: &'static str,
    pub all: &'static str,
    pub what: &'static str,
    pub placed: &'static str,
    pub standing: &'static str,
    pub release: &'static str,
    pub release_how: &'static str,
    pub release_sure: &'static str,
    pub of_agent: With,
    pub of_name: With,
    pub keeps: &'static str,
    pub keeps_until: With,
    pub over: With,
    /// By whom, and when.
    pub released: Two,
    pub flash_placed: &'static str,
    pub flash_released: &'static str,
}
