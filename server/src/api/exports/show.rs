//! `GET /exports/{id}`

use axum::{Json, extract::State};
use domain::id::ExportId;
use engine::ExportView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Export},
    problem::Problem,
    state::AppState,
};

/// How far an export is, and the sum of its file.
#[utoipa::path(
    get, path = "/exports/{id}", tag = "exports", params(("id" = ExportId, Path)),
    responses((status = 200, body = ExportView))
)]
pub async fn get_export(
    caller: Caller<Export>,
    State(app): State<AppState>,
    Named(id): Named<ExportId>,
) -> Result<Json<ExportView>, Problem> {
    Ok(Json(app.engine.export(&caller.permit, &id).await?))
}
