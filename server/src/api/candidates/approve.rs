//! `POST /candidates/{id}/approve`

use std::collections::BTreeMap;

use axum::{extract::State, http::StatusCode, response::Response};
use domain::{
    candidate::Edit,
    id::{CandidateId, MemoryId},
};
use engine::{Approval, CandidateView};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::OptionalBody,
        conditional::{IfMatch, IfMatchHeader, versioned},
        path::Named,
    },
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// What the approver changes; what is left out stays as proposed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovePost {
    /// Another statement.
    content: Option<String>,
    /// Another kind.
    kind: Option<String>,
    /// Another name.
    name: Option<String>,
    /// Other metadata.
    metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// Another importance, 0.0 to 1.0.
    importance: Option<f64>,
    /// The memory that takes this in.
    merge_into: Option<MemoryId>,
    /// The revision of the memory to be changed that was seen; left out: the one it was proposed against. Naming the revision that
    /// retired it brings it back with the new value.
    target_revision: Option<i64>,
    /// Of a merge, the revisions of the memories to be retired that were seen; left out: those it was proposed against.
    #[serde(default)]
    absorbed_revisions: BTreeMap<MemoryId, i64>,
    /// Why, for the history.
    note: Option<String>,
}

impl From<ApprovePost> for Approval {
    fn from(post: ApprovePost) -> Self {
        Self {
            edit: Edit {
                content: post.content,
                kind: post.kind,
                name: post.name,
                metadata: post.metadata,
                importance: post.importance,
            },
            merge_into: post.merge_into,
            seen_target: post.target_revision,
            seen_absorbed: post.absorbed_revisions,
            note: post.note,
            took_ms: None,
        }
    }
}

/// Approves a candidate, as it is or edited: it becomes a memory, or a revision of one.
#[utoipa::path(
    post, path = "/candidates/{id}/approve", tag = "candidates", params(("id" = CandidateId, Path), OnceHeader, IfMatchHeader),
    request_body = Option<ApprovePost>, responses((status = 200, body = CandidateView, headers(("ETag"))))
)]
pub async fn approve_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<CandidateId>,
    IfMatch(seen): IfMatch,
    OptionalBody(body): OptionalBody<ApprovePost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let approval = body.value.into();
        let candidate = app.engine.approve(permit, &id, seen, approval).await?;
        Ok(versioned(StatusCode::OK, candidate.version, &candidate))
    };
    once.run(permit, &body.raw, work).await
}
