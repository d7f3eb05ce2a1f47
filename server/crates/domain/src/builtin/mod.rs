//! The built-in extractor: English, Japanese and Chinese, with no model key and no network.
//!
//! A message is cut into sentences and clauses (`sentence`); a linear classifier over hashed character n-grams
//! (`model`) tells preference, fact, context and nothing apart; what a linear model sees badly (questions, hypotheses,
//! remarks about the task at hand, other people) is found by small word lists (`signal`), which are inputs of the
//! classifier and modify the confidence (`judge`). What does not speak of the user at all, and text pasted to be worked on, is left out by rule
//! (`about`): no training text covers everything that people paste. The content is the user's own words in the third person (`person`);
//! the evidence is the span it was read from, so it is exact by construction.
//!
//! Metrics, decisions and pain points (`typed`), fields of profiles (`field`) and the summary of a session (`summary`) are read
//! where the words make them sure; the rest is a model's work.
//!
//! The weights are trained on text of this repository (`data/builtin`) by [`train`], deterministically, and embedded.

mod about;
pub mod apart;
mod feature;
mod field;
mod judge;
mod language;
mod model;
mod person;
mod sentence;
mod signal;
mod slot;
mod summary;
mod template;
pub mod train;
mod typed;
mod words;

use chrono::NaiveDate;
use serde_json::{Map, Value};

pub use field::{FoundField, fields};
pub use language::Language;
pub use model::Model;
pub use summary::{Summary, SummaryTurn, picked_before, summary};

/// Version of the built-in extractor: rules and weights together. Part of the provenance of what it proposes.
pub const VERSION: &str = "4";

/// One thing worth remembering, found in one user message.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// `preference`, `fact`, `context`, `metric`, `decision` or `pain_point`.
    pub kind: &'static str,
    /// The slot it fills, where that is sure, in lower-case English whatever the language: `name`, `employer`,
    /// `lives in`, `favourite player`, ….
    pub name: Option<String>,
    /// The user's words in the third person and in the user's language; quoted where no rule fits.
    pub content: String,
    /// First code point of the evidence in the message; on a grapheme border.
    pub start: usize,
    /// Code point after the evidence; on a grapheme border.
    pub end: usize,
    /// The evidence: code points `start..end` of the message.
    pub quote: String,
    /// 0.0 to 1.0; never under the [`floor`] of its language.
    pub confidence: f64,
    /// 0.0 to 1.0, by emphasis and actionability. Novelty is not known here.
    pub importance: f64,
    /// It tells of somebody else than the user.
    pub third_party: bool,
    /// What the kind's schema asks for; of a context its `date` (`YYYY-MM-DD` or `YYYY-MM`), where it names one that lies ahead.
    pub metadata: Map<String, Value>,
}

/// What is worth remembering in one user message, in the order of the text.
///
/// Pure, deterministic, and well under a millisecond a sentence. The caller has taken out what must not be read: served
/// blocks, machine-made turns, messages that ask not to be remembered.
///
/// Only kinds among `kinds` come out. What would be a metric, a decision or a pain point is judged like any other sentence where
/// that kind is not among them. `today` is the day on which the message was written, where it was written.
#[must_use]
pub fn extract(message: &str, kinds: &[&str], today: NaiveDate) -> Vec<Found> {
    judge::extract(model::embedded(), message, kinds, today)
}

/// The confidence under which nothing is proposed, set on the held-out sentences so that precision comes first.
#[must_use]
pub fn floor(language: Language) -> f64 {
    model::embedded().floor(language)
}
