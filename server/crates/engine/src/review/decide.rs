//! Many decisions at once, a result for each (F7). Each is its own transaction, so one refusal leaves the others done.

use domain::{
    candidate::{Reason, Status},
    id::{CandidateId, MemoryId},
    permission::{Permission, Permit},
};
use serde::Serialize;

use super::{Approval, Version};
use crate::{
    Engine,
    error::{EngineError, Result},
    need,
};

/// One of many decisions.
#[derive(Debug, Clone)]
pub struct OneDecision {
    /// On which candidate.
    pub id: CandidateId,
    /// The version that was seen.
    pub version: Option<i64>,
    /// What to do.
    pub choice: Choice,
}

/// What to do with a candidate.
#[derive(Debug, Clone)]
pub enum Choice {
    /// Approve it.
    Approve(Box<Approval>),
    /// Reject it.
    Reject {
        /// Why.
        reason: Reason,
        /// A note.
        note: Option<String>,
    },
    /// Bring it back.
    Reopen {
        /// A note.
        note: Option<String>,
    },
}

/// What came of one of many decisions.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct DecisionResult {
    /// On which candidate.
    pub id: CandidateId,
    /// `done` or `failed`.
    pub status: &'static str,
    /// Why it failed, for programs; `agreed` where it is done and waits for the second of two people.
    pub code: Option<&'static str>,
    /// Why it failed, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The memory that was made or changed.
    pub memory: Option<MemoryId>,
}

impl Engine {
    /// Decides up to 200 candidates.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for more; what goes wrong with one is in its result.
    pub async fn decide(
        &self,
        permit: &Permit,
        decisions: Vec<OneDecision>,
    ) -> Result<Vec<DecisionResult>> {
        need(permit, &[Permission::Decide])?;
        if decisions.is_empty() || decisions.len() > 200 {
            return Err(EngineError::invalid(
                "/decisions",
                "length",
                "1 to 200 decisions at once",
            ));
        }
        let mut results = Vec::with_capacity(decisions.len());
        for OneDecision {
            id,
            version,
            choice,
        } in decisions
        {
            let version = version.map(Version::Is);
            let done = match choice {
                Choice::Approve(approval) => self.approve(permit, &id, version, *approval).await,
                Choice::Reject { reason, note } => {
                    self.reject(permit, &id, version, reason, note).await
                }
                Choice::Reopen { note } => self
                    .reopen(permit, &id, version, note)
                    .await
                    .map(|reopened| reopened.candidate),
            };
            results.push(match done {
                Ok(view) => DecisionResult {
                    id,
                    status: "done",
                    // The first of two people who must agree (G9).
                    code: (view.agreed_by.is_some() && view.status == Status::Pending)
                        .then_some("agreed"),
                    detail: None,
                    memory: view.memory,
                },
                Err(
                    error @ (EngineError::Internal(_)
                    | EngineError::Unavailable
                    | EngineError::Busy),
                ) if results.is_empty() => return Err(error),
                Err(error) => DecisionResult {
                    id,
                    status: "failed",
                    code: Some(error.code()),
                    detail: Some(error.to_string()),
                    memory: None,
                },
            });
        }
        Ok(results)
    }
}
