//! What became of a proposal, in mem0's words: `PENDING` where it waits for a person, `NONE` where nothing came of it.

use domain::id::MemoryId;
use serde::Serialize;

use crate::compat::outcome::{Outcome, sentence};

/// mem0's word for what is under way.
pub const PENDING: &str = "PENDING";
/// mem0's word for what is done.
pub const SUCCEEDED: &str = "SUCCEEDED";
/// mem0's word for what was not done.
pub const FAILED: &str = "FAILED";

/// mem0's word for an outcome.
pub fn event(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Waits(_) => PENDING,
        Outcome::Known(_) | Outcome::Rejected(_) | Outcome::Skipped(_) => "NONE",
    }
}

/// The candidate or the memory that an outcome is about.
pub fn about(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Waits(candidate) | Outcome::Rejected(candidate) => Some(candidate.to_string()),
        Outcome::Known(memory) => Some(memory.to_string()),
        Outcome::Skipped(_) => None,
    }
}

/// The answer to a change of a memory.
#[derive(Debug, Serialize)]
pub struct Told {
    message: String,
    status: &'static str,
    event: &'static str,
    id: MemoryId,
    /// What waits, `cand_…`.
    candidate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl Told {
    /// One that was not done at once; `waits` is the sentence where a person must decide.
    pub fn new(id: MemoryId, outcome: &Outcome, waits: &str) -> Self {
        let reason = outcome.reason();
        let message = match reason {
            None => waits.to_owned(),
            Some(reason) => format!("Nothing was proposed: {}.", sentence(reason)),
        };
        Self {
            message,
            status: match reason {
                None => PENDING,
                Some(_) if outcome.refusal().is_some() => FAILED,
                Some(_) => SUCCEEDED,
            },
            event: event(outcome),
            id,
            candidate: about(outcome).filter(|_| reason.is_none()),
            reason,
        }
    }

    /// A retirement that is done.
    pub fn deleted(id: MemoryId) -> Self {
        Self {
            message: "Memory deleted successfully!".to_owned(),
            status: SUCCEEDED,
            event: "DELETE",
            id,
            candidate: None,
            reason: None,
        }
    }
}
