//! `POST /candidates/{id}/reopen`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::id::CandidateId;
use engine::Reopened;
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

/// Why again.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReopenPost {
    /// For the history.
    note: Option<String>,
}

/// Takes a decision back: the candidate waits again for its whole time, and what the approval made is undone.
#[utoipa::path(
    post, path = "/candidates/{id}/reopen", tag = "candidates", params(("id" = CandidateId, Path), OnceHeader, IfMatchHeader),
    request_body = Option<ReopenPost>, responses((status = 200, body = Reopened, headers(("ETag"))))
)]
pub async fn reopen_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<CandidateId>,
    IfMatch(seen): IfMatch,
    OptionalBody(body): OptionalBody<ReopenPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let reopened = app
            .engine
            .reopen(permit, &id, seen, body.value.note)
            .await?;
        Ok(versioned(
            StatusCode::OK,
            reopened.candidate.version,
            &reopened,
        ))
    };
    once.run(permit, &body.raw, work).await
}
