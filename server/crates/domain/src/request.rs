//! Requests of people about what is kept of them (G5): what they ask for, how a request ends, and how somebody was found.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, conversation::words};

/// What somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestSort {
    /// A copy of what is kept.
    Copy,
    /// That it is erased.
    Erase,
    /// A copy first, then that it is erased.
    Both,
}

words!(RequestSort { Copy = "copy", Erase = "erase", Both = "both" });

impl RequestSort {
    /// Whether a copy is asked for.
    pub fn wants_copy(self) -> bool {
        matches!(self, Self::Copy | Self::Both)
    }

    /// Whether erasure is asked for.
    pub fn wants_erasure(self) -> bool {
        matches!(self, Self::Erase | Self::Both)
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestOutcome {
    /// What was asked for was done.
    Done,
    /// A part of it was; the note says which, and why not the rest.
    Partly,
    /// Nothing is kept of them.
    NothingFound,
    /// It was refused; the note says why.
    Refused,
    /// They took it back.
    Withdrawn,
}

words!(RequestOutcome {
    Done = "done",
    Partly = "partly",
    NothingFound = "nothing_found",
    Refused = "refused",
    Withdrawn = "withdrawn",
});

impl RequestOutcome {
    /// Whether it has to be said why.
    pub fn needs_a_note(self) -> bool {
        matches!(self, Self::Partly | Self::Refused)
    }
}

/// By what something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// A user of exactly this name.
    Name,
    /// A user of another name that holds one of its values.
    Value,
    /// Words about the person, in what is kept of somebody else.
    Words,
}

words!(FoundBy { Name = "name", Value = "value", Words = "words" });

/// Whether an open request is past its deadline.
pub fn is_overdue(due_at: Timestamp, now: Timestamp) -> bool {
    now > due_at
}

#[cfg(test)]
mod tests {
    use super::*;

    // G5
    #[test]
    fn who_asks_for_both_gets_a_copy_and_is_erased_and_a_refusal_says_why() {
        let both = RequestSort::Both;
        assert!(both.wants_copy() && both.wants_erasure());
        assert!(!RequestSort::Copy.wants_erasure() && !RequestSort::Erase.wants_copy());
        let silent: Vec<_> = RequestOutcome::ALL
            .iter()
            .filter(|outcome| !outcome.needs_a_note())
            .collect();
        assert_eq!(
            silent,
            [
                &RequestOutcome::Done,
                &RequestOutcome::NothingFound,
                &RequestOutcome::Withdrawn
            ]
        );
    }
}
