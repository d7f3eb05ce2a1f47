//! `GET /exports/{id}/file`

use axum::{
    extract::State,
    http::{HeaderMap, Method},
    response::Response,
};
use domain::id::ExportId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{path::Named, query::Query},
    auth::{Caller, need::Export},
    http::download::{fetch, fetch_part},
    problem::Problem,
    state::AppState,
};

/// What of the file is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// One of the files in it by its name, unpacked: `events.csv`. Left out: the zip.
    part: Option<String>,
}

/// The file of an export: a zip, whole or, by `Range`, a part of it. Its `ETag` is its SHA-256. With `part` one of the files in it, always
/// whole; 404 `no_such_part` where it holds none of that name. Each time it is told in the audit chain, but for what goes on with a download
/// of the last 24 hours.
#[utoipa::path(
    get, path = "/exports/{id}/file", tag = "exports", params(("id" = ExportId, Path), FileQuery),
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
    Query(asked): Query<FileQuery>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (engine, permit) = (&app.engine, &caller.permit);
    let file = match asked.part {
        None => fetch(engine, permit, &id, &method, &headers).await?,
        Some(part) => fetch_part(engine, permit, &id, part, &method, &headers).await?,
    };
    Ok(file)
}
