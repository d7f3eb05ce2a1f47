//! What is said about decisions by the hundred.

use domain::bulk::{BulkState, BulkVerdict};

use super::{Count, With};

/// A verdict on so many.
type Many = fn(BulkVerdict, u64) -> String;
/// Two figures.
type Figures = fn(u64, u64) -> String;

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Bulk {
    pub title: &'static str,
    pub lead: &'static str,
    pub none: &'static str,
    pub none_how: &'static str,
    /// What is said above the list, while nothing is ticked.
    pub how: &'static str,
    pub bar: &'static str,
    /// Behind the number of ticked rows.
    pub selected: &'static str,
    pub verdict: fn(BulkVerdict) -> &'static str,
    /// The button over the ticked rows.
    pub selected_button: fn(BulkVerdict) -> &'static str,
    /// The button that hands the ticked rows over.
    pub hand_over: &'static str,
    /// The link to the page for all that match.
    pub all: Many,
    pub note: &'static str,
    pub note_how: &'static str,
    pub insist: &'static str,
    pub insist_how: &'static str,
    pub confirm: Count,
    pub confirm_how: Count,
    pub still_selected: Count,
    pub not_done: &'static str,
    /// Why one was refused, by its code.
    pub why: fn(&str) -> Option<&'static str>,
    pub why_else: With,
    pub matching: Many,
    pub frozen: With,
    pub count: Count,
    pub by_kind: &'static str,
    pub by_flag: &'static str,
    pub flags_none: &'static str,
    pub risky: Count,
    pub start: Many,
    pub nothing: &'static str,
    pub nothing_how: &'static str,
    pub back: &'static str,
    pub one: Many,
    pub state: fn(BulkState) -> &'static str,
    pub error: With,
    pub by: &'static str,
    pub progress: Figures,
    pub result: Figures,
    pub look_again: &'static str,
    pub stop: &'static str,
    pub stop_how: &'static str,
    pub undo: &'static str,
    pub undo_how: &'static str,
    pub undone: &'static str,
    pub undo_of: &'static str,
    pub told: &'static str,
    pub told_lead: Figures,
    pub told_none: &'static str,
    pub sessions: Count,
    pub candidate: &'static str,
    pub reason: &'static str,
    pub decided: &'static str,
    pub asked: &'static str,
    pub all_recent: &'static str,
    /// After ticked rows were decided: what, how many, how many were refused.
    pub flash_done: fn(BulkVerdict, u64, u64) -> String,
    pub flash_undone: Figures,
    /// How many were handed over, how many were not.
    pub flash_handed_over: Figures,
    pub flash_told: Count,
    pub flash_started: &'static str,
    pub flash_stopped: &'static str,
    pub flash_none: &'static str,
    pub see: &'static str,
}
