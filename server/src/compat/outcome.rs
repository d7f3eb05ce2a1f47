//! What became of a proposal.

use domain::id::{CandidateId, MemoryId};
use engine::ProposeAnswer;

/// In what a client can be told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It waits for a person, or the same did before.
    Waits(CandidateId),
    /// It is remembered already.
    Known(MemoryId),
    /// A person rejected this one, which is the same.
    Rejected(CandidateId),
    /// Nothing is kept, and why: `memory_off`, `opted_out`, `shared_id`; of a change also `said_elsewhere`, `metadata_alone`.
    Skipped(&'static str),
}

impl From<ProposeAnswer> for Outcome {
    fn from(answer: ProposeAnswer) -> Self {
        match answer {
            ProposeAnswer::Proposed { candidate } => Self::Waits(candidate.id),
            ProposeAnswer::SeenAgain {
                candidate: Some(candidate),
                ..
            } => Self::Waits(candidate),
            ProposeAnswer::SeenAgain {
                memory: Some(memory),
                ..
            } => Self::Known(memory),
            ProposeAnswer::SeenAgain { .. } => Self::Skipped("known"),
            ProposeAnswer::Suppressed { candidate } => Self::Rejected(candidate),
            ProposeAnswer::Skipped { skipped } => Self::Skipped(skipped),
        }
    }
}

impl Outcome {
    /// Why it does not wait: `known`, `rejected_before`, or why nothing is kept.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Waits(_) => None,
            Self::Known(_) => Some("known"),
            Self::Rejected(_) => Some("rejected_before"),
            Self::Skipped(why) => Some(why),
        }
    }

    /// The same where what was asked for is not so already either: that is no success.
    pub fn refusal(&self) -> Option<&'static str> {
        self.reason().filter(|_| !matches!(self, Self::Known(_)))
    }
}

/// A reason for a person.
pub fn sentence(reason: &str) -> &'static str {
    match reason {
        "known" => "this is known already",
        "said_elsewhere" => "another memory says this already",
        "metadata_alone" => {
            "it says this already, and metadata alone is changed by a person who decides"
        }
        "memory_off" => "nothing is remembered: the agent does not learn",
        "opted_out" => "nothing is remembered: this person opted out",
        "shared_id" => "nothing is remembered of an id that many share",
        "rejected_before" => "a person rejected the same within the last 90 days",
        "language_not_yours" => "it is in a language that this person does not decide about",
        _ => "what there is does not allow it",
    }
}

/// Several reasons with their numbers, for a person: `2: why; 1: why else`.
pub fn sentences<'a>(skipped: impl IntoIterator<Item = (&'a &'static str, &'a usize)>) -> String {
    let each = skipped.into_iter();
    let each: Vec<String> = each
        .map(|(reason, count)| format!("{count}: {}", sentence(reason)))
        .collect();
    each.join("; ")
}
