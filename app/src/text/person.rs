//! What the page of a person's context preview says, how people are found, and what to do where a page cannot go on.

use domain::{
    candidate::Dropped,
    render::{CutFor, Layout, Why},
};

use super::{Count, Two, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Preview {
    pub title: &'static str,
    pub lead: &'static str,
    pub see: &'static str,
    pub see_how: &'static str,
    pub query: &'static str,
    pub tokens: &'static str,
    pub layout: &'static str,
    pub layouts: fn(Layout) -> &'static str,
    pub show: &'static str,
    /// How much of the budget is used.
    pub used: Two,
    pub block: &'static str,
    pub block_empty: &'static str,
    /// Why nothing is told at all.
    pub reason: fn(&str) -> &'static str,
    pub told: &'static str,
    pub left_out: &'static str,
    pub none: &'static str,
    pub memory: &'static str,
    pub because: &'static str,
    pub score: &'static str,
    pub sessions: &'static str,
    pub session: &'static str,
    pub sessions_none: &'static str,
    pub when: &'static str,
    pub why: fn(Why) -> &'static str,
    pub cut: fn(CutFor) -> &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Search {
    pub part: &'static str,
    pub exact_why: &'static str,
    /// Only so many were looked at.
    pub cut: Count,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Failures {
    /// The roles that would do.
    pub needs: With,
    /// Who can give them.
    pub ask: With,
    pub what_to_do: fn(u16) -> &'static str,
    pub extraction: fn(&str) -> &'static str,
    pub extraction_stuck: &'static str,
    pub extraction_stuck_how: &'static str,
    pub dropped_why: fn(Dropped) -> &'static str,
    pub session_over: &'static str,
    pub kept: &'static str,
    pub kept_lead: &'static str,
    pub kept_send: &'static str,
    pub kept_gone: &'static str,
    pub kept_gone_how: &'static str,
}
