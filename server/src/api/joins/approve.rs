//! `POST /joins/{id}/approve`

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

/// How the person who decides knows that the two are one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinApprovePost {
    /// At most 2,000 characters.
    reason: String,
}

/// Joins what was proposed: from then on, whichever of the two ids is asked about, agents are told what either has.
#[utoipa::path(
    post, path = "/joins/{id}/approve", tag = "joins", params(("id" = JoinId, Path), OnceHeader, IfMatchHeader),
    request_body = JoinApprovePost, responses((status = 200, body = JoinView, headers(("ETag"))))
)]
pub async fn approve_join(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<JoinId>,
    IfMatch(seen): IfMatch,
    body: Body<JoinApprovePost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let reason = Some(body.value.reason.as_str());
    let work = async {
        let join = app
            .engine
            .decide_join(permit, &id, seen, JoinVerdict::Join, reason)
            .await?;
        Ok(versioned(StatusCode::OK, join.version, &join))
    };
    once.run(permit, &body.raw, work).await
}
