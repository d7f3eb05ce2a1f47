//! What the pages of webhooks say (G4).

use domain::webhook::{DeliveryState, WebhookState};

use super::{Count, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Webhooks {
    pub title: &'static str,
    pub one: &'static str,
    pub lead: &'static str,
    pub none: &'static str,
    pub none_how: &'static str,
    /// Stands over every page while Keepsake has switched some off.
    pub alarm: Count,
    pub alarm_see: &'static str,
    pub make: &'static str,
    pub all_agents: &'static str,
    pub url: &'static str,
    pub url_how: &'static str,
    pub events: &'static str,
    pub events_how: &'static str,
    /// A box for all events whose names begin with this word.
    pub all_of: With,
    pub create: &'static str,
    pub waiting: &'static str,
    pub arrived: &'static str,
    pub last_failure: &'static str,
    pub never: &'static str,
    pub made: &'static str,
    pub rotated: &'static str,
    pub state: fn(WebhookState) -> &'static str,
    /// What a state means, and what to do.
    pub state_how: fn(WebhookState) -> &'static str,
    pub unreadable: &'static str,
    pub secret: &'static str,
    pub secret_how: &'static str,
    /// Until when an old secret counts.
    pub overlaps: With,
    pub change: &'static str,
    pub save: &'static str,
    pub rotate: &'static str,
    pub rotate_how: &'static str,
    pub rotate_sure: &'static str,
    pub test: &'static str,
    pub test_how: &'static str,
    /// Why a test did not arrive.
    pub test_failed: With,
    pub enable: &'static str,
    pub disable: &'static str,
    pub disable_how: &'static str,
    pub remove: &'static str,
    pub remove_how: &'static str,
    pub remove_sure: &'static str,
    pub deliveries: &'static str,
    pub deliveries_none: &'static str,
    pub event: &'static str,
    pub number: &'static str,
    pub outcome: &'static str,
    pub tries: &'static str,
    pub took: &'static str,
    pub tried: &'static str,
    pub delivery: fn(DeliveryState) -> &'static str,
    /// What the peer answered.
    pub answered: With,
    /// When it is tried next.
    pub again: With,
    pub milliseconds: Count,
    pub resend: &'static str,
    pub flash_enabled: &'static str,
    pub flash_disabled: &'static str,
    pub flash_removed: &'static str,
    pub flash_resent: &'static str,
    pub flash_arrived: &'static str,
}
