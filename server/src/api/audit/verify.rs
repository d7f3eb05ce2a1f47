//! `GET /audit/verify`

use axum::{Json, extract::State};
use engine::Verified;

use crate::{
    auth::{Caller, need::ReadAudit},
    problem::Problem,
    state::AppState,
};

/// Walks the chains, compares them with every signed checkpoint, and names every fault.
#[utoipa::path(get, path = "/audit/verify", tag = "audit", responses((status = 200, body = Verified)))]
pub async fn verify_chain(
    caller: Caller<ReadAudit>,
    State(app): State<AppState>,
) -> Result<Json<Verified>, Problem> {
    Ok(Json(app.engine.verify(&caller.permit).await?))
}
