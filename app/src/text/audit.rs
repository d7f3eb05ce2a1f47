//! What is said about the audit chains: what happened, whether they hold, and what is signed of them.

use domain::audit::FaultKind;

use super::{Count, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Audit {
    pub title: &'static str,
    pub lead: &'static str,
    pub events: &'static str,
    pub chain: &'static str,
    pub any_chain: &'static str,
    /// The chain of agents, people and sign-ins.
    pub system: &'static str,
    pub user: &'static str,
    pub any_event: &'static str,
    pub actor: &'static str,
    pub any_actor: &'static str,
    /// A sort of actor, by its word.
    pub actors: fn(&str) -> &'static str,
    pub from: &'static str,
    pub until: &'static str,
    pub show: &'static str,
    pub at: &'static str,
    pub number: &'static str,
    pub what: &'static str,
    pub who: &'static str,
    pub about: &'static str,
    pub empty: &'static str,
    pub empty_how: &'static str,
    pub not_found: &'static str,
    pub not_found_how: &'static str,
    pub verification: &'static str,
    pub verification_how: &'static str,
    pub verification_none: &'static str,
    /// How many events were read, and with how many checkpoints they were compared.
    pub read: fn(u64, u64) -> String,
    pub well: &'static str,
    pub found: Count,
    /// A chain and the number of an event.
    pub place: fn(&str, i64) -> String,
    pub fault: fn(FaultKind) -> &'static str,
    /// [`FaultKind::Missing`] at an event that tells of a checkpoint.
    pub fault_checkpoint: &'static str,
    pub more_faults: Count,
    pub verify: &'static str,
    pub checkpoints: &'static str,
    pub checkpoints_how: &'static str,
    pub checkpoints_none: &'static str,
    pub folder: With,
    pub signed: &'static str,
    pub size: &'static str,
    pub agents: &'static str,
    pub root: &'static str,
    pub key: &'static str,
    pub fingerprint: &'static str,
    pub key_how: &'static str,
    pub check: &'static str,
    /// Steps, with commands between backticks.
    pub check_steps: [&'static str; 3],
    /// Over every page.
    pub alarm: Count,
    pub alarm_see: &'static str,
    pub flash_well: Count,
    pub flash_found: Count,
}
