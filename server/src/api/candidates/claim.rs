//! `POST` and `DELETE /candidates/{id}/claim`, `POST /candidates/{id}/take-over`

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::id::CandidateId;
use engine::ClaimView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Claims a candidate for five minutes, or renews the claim: meanwhile nobody else decides on it. A decision ends the claim.
#[utoipa::path(
    post, path = "/candidates/{id}/claim", tag = "candidates", params(("id" = CandidateId, Path), OnceHeader),
    responses((status = 200, body = ClaimView))
)]
pub async fn claim_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<CandidateId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let claim = app.engine.claim(permit, &id).await?;
        Ok(Json(claim).into_response())
    };
    once.run(permit, b"", work).await
}

/// Claims a candidate that somebody else has claimed, who is told so: for administrators of its agent.
#[utoipa::path(
    post, path = "/candidates/{id}/take-over", tag = "candidates", params(("id" = CandidateId, Path), OnceHeader),
    responses((status = 200, body = ClaimView))
)]
pub async fn take_over_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<CandidateId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let claim = app.engine.take_over(permit, &id).await?;
        Ok(Json(claim).into_response())
    };
    once.run(permit, b"", work).await
}

/// Gives the claim up; without one nothing happens.
#[utoipa::path(
    delete, path = "/candidates/{id}/claim", tag = "candidates", params(("id" = CandidateId, Path)),
    responses((status = 204, description = "Given up"))
)]
pub async fn release_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<CandidateId>,
) -> Result<StatusCode, Problem> {
    app.engine.release(&caller.permit, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
