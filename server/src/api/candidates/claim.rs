//! `POST` and `DELETE /candidates/{id}/claim`

use axum::{Json, extract::State, http::StatusCode};
use domain::id::CandidateId;
use engine::ClaimView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Decide},
    problem::Problem,
    state::AppState,
};

/// Claims a candidate for five minutes, or renews the claim: meanwhile nobody else decides on it. A decision ends the claim.
#[utoipa::path(
    post, path = "/candidates/{id}/claim", tag = "candidates", params(("id" = CandidateId, Path)),
    responses((status = 200, body = ClaimView))
)]
pub async fn claim_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<CandidateId>,
) -> Result<Json<ClaimView>, Problem> {
    Ok(Json(app.engine.claim(&caller.permit, &id).await?))
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
