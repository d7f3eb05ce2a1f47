//! The summary of a conversation at the gate (C4). It rests on the conversation as a whole, so no words are looked for; what the user
//! asked not to remember must not come in by it (G1).

use std::collections::BTreeSet;

use super::evidence::Said;
use crate::{
    answer::Summary,
    candidate::Action,
    conversation::Role,
    draft::{Draft, Score},
    id::ConversationId,
    text,
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

/// Whether a summary repeats a word that only stands in messages which the user asked not to remember.
pub(super) fn tells(summary: &str, said: &[Said<'_>]) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        text::tokens(text)
            .into_iter()
            .filter(|token| !text::is_function_word(token))
            .collect()
    };
    let (asked, open): (Vec<_>, Vec<_>) = said
        .iter()
        .filter(|said| said.turn.role != Role::System)
        .partition(|said| said.asked_for_silence());
    if asked.is_empty() {
        return false;
    }
    let open: BTreeSet<String> = open
        .iter()
        .flat_map(|said| words(&said.turn.content))
        .collect();
    let told = words(summary);
    asked
        .iter()
        .flat_map(|said| words(&said.turn.content))
        .any(|word| !open.contains(&word) && told.contains(&word))
}
