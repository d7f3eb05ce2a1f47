//! `POST /joins/{id}/undo`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::{id::JoinId, join::JoinVerdict};
use engine::JoinView;
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

/// Why that was wrong.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinUndoPost {
    /// For the history; at most 2,000 characters.
    reason: Option<String>,
}

/// Takes the last decision back: a join is split, a split is joined again, and what was declined waits again.
#[utoipa::path(
    post, path = "/joins/{id}/undo", tag = "joins", params(("id" = JoinId, Path), OnceHeader, IfMatchHeader),
    request_body = Option<JoinUndoPost>, responses((status = 200, body = JoinView, headers(("ETag"))))
)]
pub async fn undo_join(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<JoinId>,
    IfMatch(seen): IfMatch,
    OptionalBody(body): OptionalBody<JoinUndoPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let reason = body.value.reason.as_deref();
    let work = async {
        let join = app
            .engine
            .decide_join(permit, &id, seen, JoinVerdict::Undo, reason)
            .await?;
        Ok(versioned(StatusCode::OK, join.version, &join))
    };
    once.run(permit, &body.raw, work).await
}
