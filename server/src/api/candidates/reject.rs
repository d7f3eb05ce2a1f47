//! `POST /candidates/{id}/reject`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::{candidate::Reason, id::CandidateId};
use engine::CandidateView;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        conditional::{IfMatch, IfMatchHeader, versioned},
        path::Named,
    },
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Why not.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectPost {
    /// `expired` and `superseded` are the system's own.
    reason: Reason,
    /// More, for the history.
    note: Option<String>,
}

/// Rejects a candidate. For most reasons the same statement stays out for 90 days.
#[utoipa::path(
    post, path = "/candidates/{id}/reject", tag = "candidates", params(("id" = CandidateId, Path), OnceHeader, IfMatchHeader),
    request_body = RejectPost, responses((status = 200, body = CandidateView, headers(("ETag"))))
)]
pub async fn reject_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<CandidateId>,
    IfMatch(seen): IfMatch,
    body: Body<RejectPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let RejectPost { reason, note } = body.value;
    let work = async {
        let candidate = app.engine.reject(permit, &id, seen, reason, note).await?;
        Ok(versioned(StatusCode::OK, candidate.version, &candidate))
    };
    once.run(permit, &body.raw, work).await
}
