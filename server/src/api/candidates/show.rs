//! `GET /candidates/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::id::CandidateId;
use engine::CandidateDetail;

use crate::{
    api::{conditional::versioned, path::Named},
    auth::{Caller, need::ReadCandidates},
    problem::Problem,
    state::AppState,
};

/// One candidate with its evidence, the turns around it, the diff against what is stored, and its decisions. 410 `removed` for one that
/// retention removed.
#[utoipa::path(
    get, path = "/candidates/{id}", tag = "candidates", params(("id" = CandidateId, Path)),
    responses((status = 200, body = CandidateDetail, headers(("ETag"))))
)]
pub async fn get_candidate(
    caller: Caller<ReadCandidates>,
    State(app): State<AppState>,
    Named(id): Named<CandidateId>,
) -> Result<Response, Problem> {
    let detail = app.engine.candidate(&caller.permit, &id).await?;
    Ok(versioned(StatusCode::OK, detail.candidate.version, &detail))
}
