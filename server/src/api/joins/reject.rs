//! `POST /joins/{id}/reject`

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

/// Why not.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinRejectPost {
    /// For the history; at most 2,000 characters.
    reason: Option<String>,
}

/// Declines what was proposed. The same stays out for 90 days.
#[utoipa::path(
    post, path = "/joins/{id}/reject", tag = "joins", params(("id" = JoinId, Path), OnceHeader, IfMatchHeader),
    request_body = Option<JoinRejectPost>, responses((status = 200, body = JoinView, headers(("ETag"))))
)]
pub async fn reject_join(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<JoinId>,
    IfMatch(seen): IfMatch,
    OptionalBody(body): OptionalBody<JoinRejectPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let reason = body.value.reason.as_deref();
    let work = async {
        let join = app
            .engine
            .decide_join(permit, &id, seen, JoinVerdict::Decline, reason)
            .await?;
        Ok(versioned(StatusCode::OK, join.version, &join))
    };
    once.run(permit, &body.raw, work).await
}
