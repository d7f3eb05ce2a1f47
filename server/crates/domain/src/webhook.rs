//! Webhooks: who is told of events at an address of theirs, and how often that is tried.
//!
//! The form is that of Standard Webhooks (<https://www.standardwebhooks.com>), so that the libraries of that specification can check what
//! arrives. Which events there are is the closed list of the audit chain, [`crate::audit::EventType`].

use serde::{Deserialize, Serialize};

use crate::{conversation::words, time::Span};

/// Whether a webhook is told anything, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookState {
    /// It is told.
    Enabled,
    /// A person switched it off.
    Disabled,
    /// Keepsake switched it off: one event was tried to the end of [`wait_after`], and nothing else arrived in all that time.
    Failing,
    /// Keepsake switched it off: the peer answered 410 Gone.
    Gone,
    /// Keepsake switched it off: its address and its secret cannot be read any more.
    Unreadable,
}

words!(WebhookState {
    Enabled = "enabled",
    Disabled = "disabled",
    Failing = "failing",
    Gone = "gone",
    Unreadable = "unreadable",
});

impl WebhookState {
    /// Whether it is told anything.
    pub fn is_enabled(self) -> bool {
        self == Self::Enabled
    }

    /// Whether Keepsake switched it off, so that a person has to look at it.
    pub fn needs_a_look(self) -> bool {
        matches!(self, Self::Failing | Self::Gone | Self::Unreadable)
    }
}

/// What became of telling a webhook of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It waits, for the first time or for another try.
    Waiting,
    /// The peer took it.
    Delivered,
    /// Given up; a person can have it sent again.
    Failed,
}

words!(DeliveryState { Waiting = "waiting", Delivered = "delivered", Failed = "failed" });

/// How long the secret before still signs beside the new one.
pub const OVERLAP: Span = Span::hours(24);

/// The waits between tries, as the specification proposes them: with the first try, ten over three days.
const WAITS: [Span; 9] = [
    Span::seconds(5),
    Span::minutes(5),
    Span::minutes(30),
    Span::hours(2),
    Span::hours(5),
    Span::hours(10),
    Span::hours(14),
    Span::hours(20),
    Span::hours(24),
];

/// How long to wait after so many tries that failed, before any jitter; `None`: it was tried often enough.
pub fn wait_after(tries: i64) -> Option<Span> {
    let past = usize::try_from(tries).ok()?.checked_sub(1)?;
    WAITS.get(past).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    // G4
    #[test]
    fn it_is_tried_ten_times_over_three_days() {
        let waits: Vec<Span> = (1..).map_while(wait_after).collect();
        assert_eq!(waits.len() + 1, 10);
        assert_eq!(
            waits[..3],
            [Span::seconds(5), Span::minutes(5), Span::minutes(30)]
        );
        let all = waits.iter().fold(Span::zero(), |all, wait| all + *wait);
        assert_eq!(all, Span::hours(75) + Span::minutes(35) + Span::seconds(5));
        assert_eq!(
            (wait_after(0), wait_after(10), wait_after(-1)),
            (None, None, None)
        );
    }

    #[test]
    fn what_a_person_switched_off_needs_no_look() {
        let need: Vec<_> = WebhookState::ALL
            .iter()
            .filter(|state| state.needs_a_look())
            .collect();
        assert_eq!(need.len(), 3);
        assert!(!WebhookState::Disabled.needs_a_look() && !WebhookState::Disabled.is_enabled());
    }
}
