//! The summary of a conversation at the gate (C4). It rests on the conversation as a whole, so no words are looked for; what the user
//! asked not to remember must not come in by it (G1).

use std::collections::BTreeSet;

use super::{evidence::Said, silence::words};
use crate::{
    answer::Summary,
    candidate::Action,
    conversation::Role,
    draft::{Draft, Score},
    id::ConversationId,
};

/// The kind of a summary.
pub const SUMMARY: &str = "session_summary";

/// How sure a summary is: told in the extractor's own words, like what is clearly implied. Extractors give none.
const CONFIDENCE: f64 = 0.8;

/// A summary as a draft of the kind [`SUMMARY`], named after its conversation, so that a later one of the same conversation is a
/// change of it.
pub fn summary_draft(summary: Summary, conversation: &ConversationId) -> Draft {
    Draft {
        action: Action::Create,
        targets: Vec::new(),
        kind: SUMMARY.to_owned(),
        name: Some(conversation.to_string()),
        content: summary.content,
        metadata: Default::default(),
        confidence: Score::Given(CONFIDENCE),
        importance: summary.importance,
        evidence: Vec::new(),
        explanation: None,
        tags: Vec::new(),
        third_party: false,
    }
}

/// Whether a summary repeats a word that only stands in what the user asked not to remember.
pub(super) fn tells(summary: &str, said: &[Said<'_>]) -> bool {
    let (asked, open): (Vec<_>, Vec<_>) = said
        .iter()
        .filter(|said| said.turn.role != Role::System)
        .flat_map(|said| said.parts())
        .partition(|(_, asked)| *asked);
    if asked.is_empty() {
        return false;
    }
    let words_of = |parts: &[(&str, bool)]| -> BTreeSet<String> {
        parts.iter().flat_map(|(part, _)| words(part)).collect()
    };
    let (open, told) = (words_of(&open), words(summary));
    words_of(&asked)
        .iter()
        .any(|word| !open.contains(word) && told.contains(word))
}
