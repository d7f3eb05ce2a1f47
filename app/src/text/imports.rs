//! What is said about memories that come from elsewhere (G13).

use domain::import::{ImportFormat, ImportState, RowState};

use super::{Count, With};

#[expect(
    missing_docs,
    reason = "the English constant beside each name says what it is"
)]
pub struct Imports {
    pub title: &'static str,
    pub lead: &'static str,
    pub upload: &'static str,
    pub upload_how: &'static str,
    pub file: &'static str,
    pub file_how: &'static str,
    pub format: &'static str,
    pub as_it_looks: &'static str,
    pub formats: fn(ImportFormat) -> &'static str,
    pub submit: &'static str,
    /// What is wrong with the file, by its code, and in which line or column.
    pub file_fault: fn(&str, &str) -> String,
    pub list: &'static str,
    pub none: &'static str,
    pub none_how: &'static str,
    pub uploaded: &'static str,
    pub command_line: &'static str,
    pub standing: &'static str,
    pub rows: Count,
    pub state: fn(ImportState) -> &'static str,
    pub row_state: fn(RowState) -> &'static str,
    pub error: fn(&str) -> &'static str,
    pub no_name: &'static str,
    pub of_file: With,
    pub look_again: &'static str,
    /// Rows tried, and how many there are.
    pub progress: fn(u64, u64) -> String,
    pub run: fn(u64) -> String,
    pub run_how: &'static str,
    pub stop: &'static str,
    pub stop_how: &'static str,
    pub withdraw: &'static str,
    pub withdraw_how: &'static str,
    pub forget: &'static str,
    pub forget_how: &'static str,
    /// The names of the columns where none was taken for the statement.
    pub no_content: With,
    pub in_queue: &'static str,
    pub mapping: &'static str,
    pub mapping_how: &'static str,
    pub column: &'static str,
    pub becomes: &'static str,
    pub not_taken: &'static str,
    pub as_metadata: With,
    /// A pair that names the user beside the user id.
    pub as_pair: With,
    /// What a part of a memory is called, by its word.
    pub field: fn(&str) -> &'static str,
    pub for_all: &'static str,
    pub for_all_how: &'static str,
    pub check_again: &'static str,
    /// What is wrong with the mapping, by its code.
    pub mapping_fault: fn(&str) -> &'static str,
    pub preview: &'static str,
    pub preview_how: &'static str,
    pub number: &'static str,
    pub line: &'static str,
    pub faults: &'static str,
    pub faults_how: &'static str,
    pub download: &'static str,
    pub what_to_do: &'static str,
    /// What to do about a row, by the part that does not fit and why.
    pub fault: fn(&str, &str) -> &'static str,
    pub all: &'static str,
    pub from_file: fn(u64) -> String,
    pub flash_uploaded: &'static str,
    pub flash_mapped: &'static str,
    pub flash_running: &'static str,
    pub flash_stopped: &'static str,
    pub flash_withdrawn: &'static str,
    pub flash_forgotten: &'static str,
    pub flash_not_now: &'static str,
}
