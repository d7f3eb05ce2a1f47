//! `DELETE /exports/{id}`

use axum::{extract::State, http::StatusCode};
use domain::id::ExportId;

use crate::{
    api::path::Named,
    auth::{Caller, need::Export},
    problem::Problem,
    state::AppState,
};

/// Stops an export that is not written yet, or removes the file of one. That it was asked for stays on record.
#[utoipa::path(
    delete, path = "/exports/{id}", tag = "exports", params(("id" = ExportId, Path)),
    responses((status = 204, description = "Stopped, or removed"))
)]
pub async fn remove_export(
    caller: Caller<Export>,
    State(app): State<AppState>,
    Named(id): Named<ExportId>,
) -> Result<StatusCode, Problem> {
    app.engine.remove_export(&caller.permit, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
