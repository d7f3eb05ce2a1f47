//! `POST /candidates/decide`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{
    candidate::{Edit, Reason},
    id::{CandidateId, MemoryId},
};
use engine::{Approval, Choice, DecisionResult, OneDecision};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    api::body::Body,
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// The most decisions of one call.
const MOST: usize = 200;

/// Several decisions.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecidePost {
    /// At most 200.
    decisions: Vec<DecisionPost>,
}

/// One of them.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionPost {
    /// On which candidate.
    id: CandidateId,
    /// The version that was seen; left out: whichever there is.
    version: Option<i64>,
    /// What.
    decision: Word,
    /// With `reject`: why.
    reason: Option<Reason>,
    /// For the history.
    note: Option<String>,
    /// With `approve`: another statement.
    content: Option<String>,
    /// With `approve`: another kind.
    kind: Option<String>,
    /// With `approve`: another name.
    name: Option<String>,
    /// With `approve`: other metadata.
    metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// With `approve`: another importance.
    importance: Option<f64>,
    /// With `approve`: the memory that takes this in.
    merge_into: Option<MemoryId>,
    /// With `approve`: the revision of the memory to be changed that was seen; left out: the one it was proposed against.
    target_revision: Option<i64>,
    /// With `approve` of a merge: the revisions of the memories to be retired that were seen.
    #[serde(default)]
    absorbed_revisions: BTreeMap<MemoryId, i64>,
}

/// What can be decided.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Reject,
    Reopen,
}

/// What came of each, in the order asked.
#[derive(Debug, Serialize, ToSchema)]
pub struct Decided {
    results: Vec<DecisionResult>,
}

/// Decides on several candidates; each stands or falls alone.
#[utoipa::path(
    post, path = "/candidates/decide", tag = "candidates", params(OnceHeader), request_body = DecidePost,
    responses((status = 200, body = Decided))
)]
pub async fn decide_candidates(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    body: Body<DecidePost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let decisions = body.value.parse()?;
    let work = async {
        let results = app.engine.decide(permit, decisions).await?;
        Ok(Json(Decided { results }).into_response())
    };
    once.run(permit, &body.raw, work).await
}

impl DecidePost {
    fn parse(self) -> Result<Vec<OneDecision>, Problem> {
        if self.decisions.len() > MOST {
            return Err(Problem::invalid(
                "/decisions",
                "too_many",
                format!("at most {MOST}"),
            ));
        }
        let parsed = self.decisions.into_iter().enumerate();
        parsed.map(|(index, post)| post.parse(index)).collect()
    }
}

impl DecisionPost {
    fn parse(self, index: usize) -> Result<OneDecision, Problem> {
        let choice = match (self.decision, self.reason) {
            (Word::Approve, None) => Choice::Approve(Box::new(Approval {
                edit: Edit {
                    content: self.content,
                    kind: self.kind,
                    name: self.name,
                    metadata: self.metadata,
                    importance: self.importance,
                },
                merge_into: self.merge_into,
                seen_target: self.target_revision,
                seen_absorbed: self.absorbed_revisions,
                note: self.note,
                took_ms: None,
            })),
            (Word::Reject, Some(reason)) => Choice::Reject {
                reason,
                note: self.note,
            },
            (Word::Reopen, None) => Choice::Reopen { note: self.note },
            (Word::Reject, None) => {
                let pointer = format!("/decisions/{index}/reason");
                return Err(Problem::invalid(
                    pointer,
                    "required",
                    "a rejection has a reason",
                ));
            }
            (Word::Approve | Word::Reopen, Some(_)) => {
                let pointer = format!("/decisions/{index}/reason");
                return Err(Problem::invalid(
                    pointer,
                    "not_allowed",
                    "only a rejection has a reason",
                ));
            }
        };
        Ok(OneDecision {
            id: self.id,
            version: self.version,
            choice,
        })
    }
}
