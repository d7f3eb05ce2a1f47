//! `GET /operations/{id}`

use axum::{Json, extract::State};
use domain::id::OperationId;
use engine::OperationView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Ingest},
    problem::Problem,
    state::AppState,
};

/// State of an operation, what came of it, why it failed.
#[utoipa::path(
    get, path = "/operations/{id}", tag = "operations", params(("id" = OperationId, Path)),
    responses((status = 200, body = OperationView))
)]
pub async fn get_operation(
    caller: Caller<Ingest>,
    State(app): State<AppState>,
    Named(id): Named<OperationId>,
) -> Result<Json<OperationView>, Problem> {
    Ok(Json(app.engine.operation(&caller.permit, &id).await?))
}
