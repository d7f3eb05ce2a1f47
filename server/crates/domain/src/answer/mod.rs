//! What a model answered, read forgivingly and told honestly.
//!
//! The names of the format are fixed: `{"candidates": […], "fields": […], "summary": {…}}`. A model that found nothing says so with
//! an empty list and has succeeded; one that said nothing, refused, or wrote another shape has failed, visibly. Text inside the
//! JSON is never altered.

mod find;
mod item;
mod json;

use crate::{
    draft::{Draft, Quote, Score},
    id::MemoryId,
};

/// What could be read of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether it is all of it.
    pub state: AnswerState,
    /// The proposals, in their order.
    pub drafts: Vec<Draft>,
    /// Values of profile fields.
    pub fields: Vec<FieldDraft>,
    /// What the conversation was about, where that was asked.
    pub summary: Option<Summary>,
}

/// How far an answer could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerState {
    /// All of it; it may have found nothing.
    Parsed,
    /// It was cut off, or a part of it could not be read; the whole items are kept.
    Truncated,
    /// There is no answer in it.
    Failed {
        /// `empty`, `no_answer` (prose, a refusal, `null`), `not_json`, `other_schema` or `too_tangled`.
        why: &'static str,
    },
}

/// A value that an extractor proposes for a field of a profile schema.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDraft {
    /// The schema's id.
    pub schema: String,
    /// The field's name.
    pub field: String,
    /// The value; never null.
    pub value: serde_json::Value,
    /// How sure the extractor is.
    pub confidence: Score,
    /// How much it matters.
    pub importance: Score,
    /// The words that support it.
    pub evidence: Vec<Quote>,
    /// The extractor's one sentence on why.
    pub explanation: Option<String>,
}

/// A summary of an ended conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The text.
    pub content: String,
    /// How much it matters.
    pub importance: Score,
}

/// Reads an answer. `target` turns the short id of a memory in the prompt into the memory, `turn` the short id of a message into
/// its index in the window; what they do not know is as if it had not been named.
pub fn parse(
    raw: &str,
    target: &dyn Fn(&str) -> Option<MemoryId>,
    turn: &dyn Fn(&str) -> Option<usize>,
) -> Answer {
    let names = item::Names { target, turn };
    let found = find::find(raw);
    let mut drafts = Vec::new();
    for draft in found.candidates.iter().map(|item| item::draft(item, names)) {
        // A model that thinks aloud writes its answer twice.
        if !drafts.contains(&draft) {
            drafts.push(draft);
        }
    }
    let mut fields = Vec::new();
    for field in found
        .fields
        .iter()
        .filter_map(|item| item::field(item, names))
    {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    Answer {
        state: match (found.answered, found.incomplete) {
            (false, _) => AnswerState::Failed { why: found.why },
            (true, true) => AnswerState::Truncated,
            (true, false) => AnswerState::Parsed,
        },
        drafts,
        fields,
        summary: found.summary.as_ref().and_then(item::summary),
    }
}
