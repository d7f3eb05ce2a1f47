//! The built-in extractor: `domain::builtin` over each user turn. No key, no network.

use domain::{
    builtin,
    candidate::Action,
    conversation::Role,
    draft::{Draft, Quote, Score},
};

use super::{Extracted, ExtractedState, Provenance, Window};

/// What it is.
pub fn provenance() -> Provenance {
    Provenance {
        name: "builtin".to_owned(),
        version: builtin::VERSION.to_owned(),
        model: None,
        prompt_version: None,
        schema_version: None,
    }
}

/// Reads the user turns of a window that were not read before.
pub fn extract(window: &Window) -> Extracted {
    let drafts = window
        .turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| turn.role == Role::User && !turn.reference)
        .flat_map(|(position, turn)| {
            builtin::extract(&turn.text)
                .into_iter()
                .map(move |found| Draft {
                    action: Action::Create,
                    targets: Vec::new(),
                    kind: found.kind.to_owned(),
                    name: found.name,
                    content: found.content,
                    metadata: Default::default(),
                    confidence: Score::new(found.confidence),
                    importance: Score::new(found.importance),
                    evidence: vec![Quote {
                        text: found.quote,
                        turn: Some(position),
                        start: Some(found.start),
                    }],
                    explanation: None,
                    tags: Vec::new(),
                    third_party: found.third_party,
                })
        })
        .collect();
    Extracted {
        drafts,
        state: ExtractedState::Parsed,
        provenance: provenance(),
        raw: None,
        tokens_in: None,
        tokens_out: None,
    }
}
