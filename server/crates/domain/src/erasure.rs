//! Erasing a person (F9): why, and how much goes with them. Neither holds a text.

use serde::{Deserialize, Serialize};

use crate::conversation::words;

/// Why somebody is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureReason {
    /// The person asked for it.
    AskedFor,
    /// The person took their consent back.
    ConsentWithdrawn,
    /// The person objected.
    Objected,
    /// What was kept is no longer needed.
    NoLongerNeeded,
    /// It should never have been kept.
    Unlawful,
    /// Another reason, which is kept elsewhere.
    Other,
    /// A backup that was restored held somebody who had been erased since it was made.
    Restored,
}

words!(ErasureReason {
    AskedFor = "asked_for",
    ConsentWithdrawn = "consent_withdrawn",
    Objected = "objected",
    NoLongerNeeded = "no_longer_needed",
    Unlawful = "unlawful",
    Other = "other",
    Restored = "restored",
});

impl ErasureReason {
    /// Those that a person gives.
    pub const GIVEN: [Self; 6] = [
        Self::AskedFor,
        Self::ConsentWithdrawn,
        Self::Objected,
        Self::NoLongerNeeded,
        Self::Unlawful,
        Self::Other,
    ];
}

/// How much goes with a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ErasureCounts {
    /// Conversations.
    pub conversations: i64,
    /// Their messages.
    pub messages: i64,
    /// Extractions, with the answers of models.
    pub extractions: i64,
    /// Candidates.
    pub candidates: i64,
    /// Decisions, with notes and edits.
    pub decisions: i64,
    /// Memories.
    pub memories: i64,
    /// Their revisions.
    pub revisions: i64,
    /// Records of what agents were told.
    pub servings: i64,
    /// Jobs.
    pub jobs: i64,
    /// Files of exports that hold them.
    pub exports: i64,
}

impl ErasureCounts {
    /// Each by its name, in the order in which they are shown.
    pub fn each(&self) -> [(&'static str, i64); 10] {
        [
            ("conversations", self.conversations),
            ("messages", self.messages),
            ("extractions", self.extractions),
            ("candidates", self.candidates),
            ("decisions", self.decisions),
            ("memories", self.memories),
            ("revisions", self.revisions),
            ("servings", self.servings),
            ("jobs", self.jobs),
            ("exports", self.exports),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_shown_and_keepsakes_own_reason_is_given_by_nobody() {
        let counts = ErasureCounts {
            messages: 31,
            ..ErasureCounts::default()
        };
        let written = serde_json::to_value(counts).unwrap();
        let shown: serde_json::Map<_, _> = counts
            .each()
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count.into()))
            .collect();
        assert_eq!(written, serde_json::Value::Object(shown));
        assert!(!ErasureReason::GIVEN.contains(&ErasureReason::Restored));
        assert_eq!(ErasureReason::GIVEN.len() + 1, ErasureReason::ALL.len());
    }
}
