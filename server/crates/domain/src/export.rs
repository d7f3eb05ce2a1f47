//! Exports (E4): for whom one is made, and how far it is.

use serde::{Deserialize, Serialize};

use crate::conversation::words;

/// For whom an export is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportSort {
    /// For an auditor: everything of the filter.
    Audit,
    /// For the person themselves: what is kept about them, and nothing of others.
    Copy,
}

words!(ExportSort { Audit = "audit", Copy = "copy" });

/// How far an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportState {
    /// It waits for its turn.
    Queued,
    /// It is being written.
    Running,
    /// Its file can be fetched.
    Done,
    /// It was given up; a code says why.
    Failed,
    /// Its file is gone: past its time, or deleted.
    Expired,
}

words!(ExportState {
    Queued = "queued",
    Running = "running",
    Done = "done",
    Failed = "failed",
    Expired = "expired",
});

impl ExportState {
    /// Whether there is still something to do.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// The language that a report is written in; the words of people in it stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub enum ReportLanguage {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Japanese.
    #[serde(rename = "ja")]
    Japanese,
    /// Simplified Chinese.
    #[serde(rename = "zh")]
    Chinese,
}

words!(ReportLanguage { English = "en", Japanese = "ja", Chinese = "zh" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_stays_so() {
        let open: Vec<_> = ExportState::ALL
            .iter()
            .copied()
            .filter(|state| state.is_open())
            .collect();
        assert_eq!(open, [ExportState::Queued, ExportState::Running]);
    }
}
