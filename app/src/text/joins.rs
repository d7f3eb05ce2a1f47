//! What is said about ids that are one person (G15).

use domain::join::JoinState;

use super::{Count, Two, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Joins {
    pub section: &'static str,
    pub lead: &'static str,
    pub none: &'static str,
    pub title: &'static str,
    pub waits_lead: &'static str,
    pub waits_none: &'static str,
    pub waits_none_how: &'static str,
    pub state: fn(JoinState) -> &'static str,
    pub guest: &'static str,
    pub main: &'static str,
    pub this_id: &'static str,
    /// By whom, and when.
    pub made: Two,
    /// By whom, and when.
    pub decided: Two,
    pub why_proposed: &'static str,
    pub why_joined: &'static str,
    pub why_ended: &'static str,
    pub join: &'static str,
    pub decline: &'static str,
    pub split: &'static str,
    pub split_how: &'static str,
    pub undo: &'static str,
    pub reason: &'static str,
    pub reason_how: &'static str,
    pub add: &'static str,
    pub add_how: &'static str,
    pub other: &'static str,
    pub other_how: &'static str,
    pub role: &'static str,
    pub other_is_guest: &'static str,
    pub this_is_guest: &'static str,
    pub submit: &'static str,
    pub conflicts: &'static str,
    pub conflicts_how: &'static str,
    pub told: &'static str,
    pub silent: &'static str,
    pub elsewhere: &'static str,
    pub erased_with: &'static str,
    pub stays: With,
    pub overview: Count,
    pub flash_joined: &'static str,
    pub flash_split: &'static str,
    pub flash_declined: &'static str,
    pub flash_waits: &'static str,
    pub flash_moved: &'static str,
}
