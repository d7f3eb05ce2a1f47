//! What is said about an earlier instant (G6), and about one answer that an agent got (F8).

use super::{Count, Two, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct AsOf {
    pub title: &'static str,
    pub lead: &'static str,
    pub link: &'static str,
    pub link_how: &'static str,
    pub at: With,
    pub at_how: &'static str,
    pub show: &'static str,
    /// The instant where the reader is, and in UTC.
    pub then: Two,
    pub same: &'static str,
    pub export: &'static str,
    pub export_how: &'static str,
    pub known: &'static str,
    pub known_none: &'static str,
    pub memory: &'static str,
    pub approved: &'static str,
    pub by: &'static str,
    pub agreed: With,
    pub ends: &'static str,
    pub waiting: &'static str,
    pub waiting_none: &'static str,
    pub since: &'static str,
    pub until: &'static str,
    pub served: &'static str,
    pub served_none: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Served {
    pub title: &'static str,
    pub lead: &'static str,
    pub told: Count,
    pub in_session: With,
    pub in_no_session: &'static str,
    pub session: &'static str,
    pub tokens: Count,
    pub cut: Count,
    pub nothing: &'static str,
    pub gone: &'static str,
    pub see: &'static str,
}
