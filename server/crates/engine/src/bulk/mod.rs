//! Decisions by the hundred (F7, G8): candidates that were picked, all that match a filter, or all that another bulk decided.
//!
//! A bulk goes the same way as a single decision, one transaction a candidate, so one refusal leaves the others done. What was
//! picked is decided at once; the rest is work in the background. Either way it is a row of `bulks`, so that a process that dies in the
//! middle leaves it to another, and undo knows what there is to take back.

mod read;
mod run;
mod start;

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    bulk::{BulkState, BulkVerdict},
    candidate::{Flag, Reason, Status},
    id::{BulkId, CandidateId},
};
use serde::Serialize;

use crate::{CandidateFilter, page::By};

/// Many decisions that are asked for.
#[derive(Debug, Clone)]
pub struct NewBulk {
    /// What is to become of each.
    pub verdict: BulkVerdict,
    /// Why, of rejections.
    pub reason: Option<Reason>,
    /// A note for each decision; why, where somebody insists.
    pub note: Option<String>,
    /// Whether risky ones are approved too; only an administrator may, and says why in the note.
    pub insist: bool,
    /// How many the person said there are. Approving more than 20 is refused where they are more than that.
    pub confirmed: Option<i64>,
    /// On what.
    pub of: Gathering,
}

/// On what a bulk decides.
#[derive(Debug, Clone)]
pub enum Gathering {
    /// These, at the versions that were seen; at most 200.
    Picked(Vec<(CandidateId, i64)>),
    /// All that match the filter and were proposed up to then; `None`: up to now.
    Matching(Box<CandidateFilter>, Option<Timestamp>),
}

/// What a bulk would be about.
#[derive(Debug, Clone)]
pub struct BulkPreview {
    /// How many.
    pub count: i64,
    /// How many of each kind, most first.
    pub kinds: Vec<(String, i64)>,
    /// How many with each flag, most first.
    pub flags: Vec<(Flag, i64)>,
    /// How many of them a bulk approves only where an administrator insists.
    pub risky: i64,
    /// Up to when they were proposed.
    pub frozen_at: Timestamp,
}

/// Many decisions as one job.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct BulkView {
    /// Ours.
    pub id: BulkId,
    /// What is to become of each.
    pub verdict: BulkVerdict,
    /// Why, of rejections.
    pub reason: Option<Reason>,
    /// The note of each decision.
    pub note: Option<String>,
    /// Whether risky ones are approved too.
    pub insist: bool,
    /// `collecting`, `running`, `done`, `failed`, `stopped`.
    pub state: BulkState,
    /// Why it could not go on: `deactivated`, `forbidden`, or `key_ended` where the key that asked for it was revoked or has expired.
    pub error: Option<String>,
    /// Who asked for it.
    pub by: By,
    /// The bulk that it takes back.
    pub undo_of: Option<BulkId>,
    /// The bulk that takes it back.
    pub undone_by: Option<BulkId>,
    /// What was proposed later is not in it.
    #[schema(value_type = String, format = DateTime)]
    pub frozen_at: Timestamp,
    /// How many there are; while they are gathered, how many matched when it was asked for.
    pub total: i64,
    /// How many were decided.
    pub done: i64,
    /// How many were refused.
    pub failed: i64,
    /// How many were refused, by the code of why.
    pub reasons: BTreeMap<String, i64>,
    /// Of how many of what was taken back sessions had been told.
    pub told: i64,
    /// How many sessions that were, counted for each of them.
    pub told_sessions: i64,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
}

impl BulkView {
    /// Whether it can be taken back: it has ended, something was decided, and deciding was not taking back already.
    pub fn can_be_undone(&self) -> bool {
        !self.state.is_open()
            && self.verdict != BulkVerdict::Reopen
            && self.undone_by.is_none()
            && self.done > 0
    }
}

/// A candidate of a bulk that is worth a look.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct BulkItemView {
    /// Which.
    pub id: CandidateId,
    /// Its agent.
    pub agent: AgentName,
    /// Why it was refused.
    pub code: Option<String>,
    /// How many sessions had been told what was taken back.
    pub told: i64,
    /// Its version now.
    pub version: i64,
    /// Its status now.
    pub status: Status,
    /// The statement.
    #[serde(skip)]
    pub content: String,
    /// Its language.
    #[serde(skip)]
    pub language: String,
    /// Whom it is about, as a person reads it.
    #[serde(skip)]
    pub who: String,
}

/// Which items are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// Those that were refused.
    Failed,
    /// Those that sessions had been told of.
    Told,
}
