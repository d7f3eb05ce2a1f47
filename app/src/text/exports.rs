//! What is said about exports (E4).

use domain::export::{ExportSort, ExportState};

use super::{Count, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Exports {
    pub title: &'static str,
    pub lead: &'static str,
    pub ask: &'static str,
    pub ask_how: &'static str,
    pub for_whom: &'static str,
    pub for_whom_how: &'static str,
    pub sort: fn(ExportSort) -> &'static str,
    pub copy: &'static str,
    pub language: &'static str,
    pub language_how: &'static str,
    pub all_agents: &'static str,
    pub user: &'static str,
    pub user_how: &'static str,
    pub from: &'static str,
    pub to: &'static str,
    pub to_how: &'static str,
    pub bom: &'static str,
    pub bom_how: &'static str,
    pub submit: &'static str,
    pub another: &'static str,
    pub list: &'static str,
    pub none: &'static str,
    pub none_how: &'static str,
    pub what: &'static str,
    pub asked: &'static str,
    pub standing: &'static str,
    pub file: &'static str,
    pub everything: &'static str,
    pub of_user: With,
    pub of_erased: &'static str,
    pub since: With,
    pub until: With,
    pub state: fn(ExportState) -> &'static str,
    pub error: fn(&str) -> &'static str,
    /// Lines written, and of about how many.
    pub progress: fn(u64, u64) -> String,
    pub look_again: &'static str,
    pub refreshes: &'static str,
    pub download: &'static str,
    pub bytes: Count,
    pub sum: &'static str,
    pub expires: With,
    pub fetched: Count,
    pub stop: &'static str,
    pub remove: &'static str,
    pub check: &'static str,
    pub check_how: &'static str,
    pub key: &'static str,
    pub fingerprint: &'static str,
    pub key_how: &'static str,
    pub flash_asked: &'static str,
    pub flash_removed: &'static str,
}
