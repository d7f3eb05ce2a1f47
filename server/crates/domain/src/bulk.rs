//! Decisions by the hundred (F7): what a reviewer may decide in one press, and what must be looked at one by one.

use serde::{Deserialize, Serialize};

use crate::{candidate::Flag, conversation::words};

/// The most candidates that are picked one by one.
pub const MOST_PICKED: usize = 200;

/// Approving more than this asks for the number, typed.
pub const CONFIRMED_ABOVE: i64 = 20;

/// What is to become of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BulkVerdict {
    /// They become memories.
    Approve,
    /// They are rejected, all for one reason.
    Reject,
    /// They wait again.
    Reopen,
}

words!(BulkVerdict { Approve = "approve", Reject = "reject", Reopen = "reopen" });

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BulkState {
    /// What matches is being gathered.
    Collecting,
    /// They are being decided.
    Running,
    /// Each was tried.
    Done,
    /// It could not go on: whoever asked for it may not decide any more.
    Failed,
    /// A person stopped it.
    Stopped,
}

words!(BulkState {
    Collecting = "collecting",
    Running = "running",
    Done = "done",
    Failed = "failed",
    Stopped = "stopped",
});

impl BulkState {
    /// Whether there is still something to do.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Collecting | Self::Running)
    }
}

/// What a bulk did with one candidate, or has still to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Not tried yet.
    Waits,
    /// Decided.
    Done,
    /// Refused; a code says why.
    Failed,
}

words!(ItemState { Waits = "waits", Done = "done", Failed = "failed" });

/// Whether a candidate with these flags is approved only by somebody who looks at it: what instructs, contradicts, is about somebody
/// else, is of a special category or holds what could be a secret, and a change of a memory that has moved on since.
pub fn is_risky(flags: &[Flag]) -> bool {
    flags.iter().any(|flag| {
        matches!(
            flag,
            Flag::Instruction
                | Flag::Contradiction
                | Flag::ThirdParty
                | Flag::SpecialCategory
                | Flag::PersonalData
                | Flag::TargetMoved
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // F7
    #[test]
    fn what_could_harm_is_not_approved_by_the_hundred() {
        let harmless: Vec<_> = Flag::ALL
            .iter()
            .copied()
            .filter(|&flag| !is_risky(&[Flag::BadNumber, flag]))
            .collect();
        assert_eq!(
            harmless,
            [
                Flag::PossibleDuplicate,
                Flag::HiddenCharacters,
                Flag::BadNumber,
                Flag::NoEvidence,
                Flag::NotSaidByUser,
                Flag::Imported,
                Flag::AskedToForget,
                Flag::DatePassed,
                Flag::OptedOut,
            ]
        );
        assert!(!is_risky(&[]));
    }

    #[test]
    fn what_has_ended_stays_so() {
        let open: Vec<_> = BulkState::ALL
            .iter()
            .copied()
            .filter(|state| state.is_open())
            .collect();
        assert_eq!(open, [BulkState::Collecting, BulkState::Running]);
    }
}
