//! What the guidelines of a kind say around themselves.

use super::{Two, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Guidelines {
    pub title: &'static str,
    pub lead: &'static str,
    /// In which language, by its own name.
    pub in_language: With,
    pub how: &'static str,
    pub save: &'static str,
    pub none: &'static str,
    pub history: &'static str,
    pub version: fn(i64) -> String,
    pub beginning: &'static str,
    pub by: Two,
    pub emptied: &'static str,
}
