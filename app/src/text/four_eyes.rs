//! What is said about two people who must agree (G9).

use super::{Two, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct FourEyes {
    pub title: &'static str,
    pub lead: &'static str,
    pub all: &'static str,
    pub all_how: &'static str,
    pub kinds: &'static str,
    pub flags: &'static str,
    pub by_hand: &'static str,
    pub save: &'static str,
    /// On a row: who agreed.
    pub one_of_two: With,
    /// Who agreed, and how long ago.
    pub agreed: Two,
    pub same: &'static str,
    pub own: &'static str,
    pub withdraw: &'static str,
    pub changes: &'static str,
    pub merges: &'static str,
    pub before: With,
    /// What was agreed to.
    pub flash: With,
    pub flash_withdrawn: With,
}
