//! What `/admin` says of the installation as it runs: beside the people, each card with where it is set.

use super::{Count, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Running {
    pub title: &'static str,
    pub lead: &'static str,
    /// Before the names of settings.
    pub set_by: &'static str,
    pub docs: &'static str,
    pub sessions: &'static str,
    /// Sign-ins, and the people whose they are.
    pub open: fn(u64, u64) -> String,
    pub open_label: &'static str,
    pub ends: &'static str,
    pub security: &'static str,
    pub address: &'static str,
    /// How many of how many people.
    pub of_people: fn(u64, u64) -> String,
    pub limits: &'static str,
    /// Requests a second, and how many at once.
    pub a_second: fn(u64, u64) -> String,
    pub private: &'static str,
    pub private_none: &'static str,
    pub verified: &'static str,
    pub verified_never: &'static str,
    pub verified_well: &'static str,
    pub retention: &'static str,
    pub conversations: &'static str,
    pub rejected: &'static str,
    pub servings: &'static str,
    pub export_records: &'static str,
    pub export_files: &'static str,
    pub kept_for_good: &'static str,
    pub digests: &'static str,
    pub mail: &'static str,
    pub mail_off: &'static str,
    pub providers: &'static str,
    pub own_address: &'static str,
    pub by_default: With,
    pub allowed_any: &'static str,
    pub more_agents: Count,
    pub holds: Count,
    pub holds_label: &'static str,
    pub backups: &'static str,
    pub backup_how: &'static str,
    pub backup_last: &'static str,
    pub backup_unknown: &'static str,
}
