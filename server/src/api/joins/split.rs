//! `POST /joins/{id}/split`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::{id::JoinId, join::JoinVerdict};
use engine::JoinView;
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

/// Why the two are not one person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinSplitPost {
    /// At most 2,000 characters.
    reason: String,
}

/// Ends a join: each id has again exactly what it had.
#[utoipa::path(
    post, path = "/joins/{id}/split", tag = "joins", params(("id" = JoinId, Path), OnceHeader, IfMatchHeader),
    request_body = JoinSplitPost, responses((status = 200, body = JoinView, headers(("ETag"))))
)]
pub async fn split_join(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<JoinId>,
    IfMatch(seen): IfMatch,
    body: Body<JoinSplitPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let reason = Some(body.value.reason.as_str());
    let work = async {
        let join = app
            .engine
            .decide_join(permit, &id, seen, JoinVerdict::Split, reason)
            .await?;
        Ok(versioned(StatusCode::OK, join.version, &join))
    };
    once.run(permit, &body.raw, work).await
}
