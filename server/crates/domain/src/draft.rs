//! What an extractor proposes, before the gate has looked at it.

use crate::{candidate::Action, id::MemoryId};

/// Words that an extractor names as the support of a draft.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Quote {
    /// The words as the extractor gave them.
    pub text: String,
    /// The position of the message in the window (from 0), where the extractor named one.
    pub turn: Option<usize>,
    /// Where the words begin in that message, in code points, where the extractor knows it.
    pub start: Option<usize>,
}

/// A number that an extractor gave, or something else in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Score {
    /// A number from 0 to 1.
    Given(f64),
    /// Not a number, or out of range: kept as 0.0 and flagged `bad_number`.
    Bad,
}

impl Score {
    /// Takes any number; what is not from 0 to 1 is [`Score::Bad`].
    pub fn new(number: f64) -> Self {
        if (0.0..=1.0).contains(&number) {
            Self::Given(number)
        } else {
            Self::Bad
        }
    }

    /// The number to keep, in thousandths: what an event can write, and more than a reviewer can tell apart.
    pub fn value(self) -> f64 {
        match self {
            Self::Given(number) => (number * 1000.0).round() / 1000.0,
            Self::Bad => 0.0,
        }
    }
}

/// One proposal of an extractor.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What it wants done.
    pub action: Action,
    /// The memory it is about, already resolved; a made-up target becomes `None` and the draft a create.
    pub targets: Vec<MemoryId>,
    /// The name of a kind.
    pub kind: String,
    /// What identifies the thing within its kind: `favourite player`, a campaign, a metric.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Metadata; an object.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// How sure the extractor is.
    pub confidence: Score,
    /// How much it matters (B3).
    pub importance: Score,
    /// The words that support it.
    pub evidence: Vec<Quote>,
    /// The extractor's one sentence on why.
    pub explanation: Option<String>,
    /// Free tags.
    pub tags: Vec<String>,
    /// Whether the extractor itself saw that it is about somebody else.
    pub third_party: bool,
}
