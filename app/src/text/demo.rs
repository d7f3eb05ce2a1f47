//! What the demo and the first steps say.

use super::With;

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Demo {
    pub banner: &'static str,
    pub remove: &'static str,
    pub offer: &'static str,
    pub offer_how: &'static str,
    pub fill: &'static str,
    pub filled: &'static str,
    pub filling: &'static str,
    pub half: &'static str,
    pub removed: &'static str,
    pub name_taken: &'static str,
    pub with_setup: &'static str,
    pub with_setup_how: &'static str,
}

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct FirstSteps {
    pub title: &'static str,
    pub lead: &'static str,
    pub done: &'static str,
    pub open: &'static str,
    pub agent: &'static str,
    pub agent_how: &'static str,
    pub agent_go: &'static str,
    pub key: &'static str,
    pub key_how: &'static str,
    pub key_go: With,
    pub send: &'static str,
    pub send_how: &'static str,
    pub review: &'static str,
    pub review_how: &'static str,
    pub review_go: &'static str,
    pub context: &'static str,
    pub context_how: &'static str,
    /// In which language a snippet is written.
    pub snippet: With,
    pub hooks: &'static str,
}
