//! `GET /exports/{id}/file`

use axum::{
    extract::State,
    http::{HeaderMap, Method},
    response::Response,
};
use domain::id::ExportId;

use crate::{
    api::path::Named,
    auth::{Caller, need::Export},
    http::download::fetch,
    problem::Problem,
    state::AppState,
};

/// The file of an export: a zip, whole or, by `Range`, a part of it. Its `ETag` is its SHA-256.
#[utoipa::path(
    get, path = "/exports/{id}/file", tag = "exports", params(("id" = ExportId, Path)),
    responses(
        (status = 200, description = "The file"),
        (status = 206, description = "The part that was asked for"),
        (status = 304, description = "The same file as the one that `If-None-Match` names")
    )
)]
pub async fn get_export_file(
    caller: Caller<Export>,
    State(app): State<AppState>,
    Named(id): Named<ExportId>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Ok(fetch(&app.engine, &caller.permit, &id, &method, &headers).await?)
}
