//! `POST /imports/{id}/map`, `/run`, `/stop`, `/withdraw`

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::{id::ImportId, import::ImportMapping};
use engine::ImportView;

use crate::{
    api::{body::Body, path::Named},
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Looks at the rows again, with what the columns become now.
#[utoipa::path(
    post, path = "/imports/{id}/map", tag = "imports", params(("id" = ImportId, Path), OnceHeader), request_body = ImportMapping,
    responses((status = 200, body = ImportView))
)]
pub async fn map_import(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<ImportId>,
    body: Body<ImportMapping>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let mapping = body.value;
    let work = async {
        let import = app.engine.map_import(permit, &id, mapping).await?;
        Ok(Json(import).into_response())
    };
    once.run(permit, &body.raw, work).await
}

/// Proposes what fits, in the background, or goes on with it. Each row waits for a person.
#[utoipa::path(
    post, path = "/imports/{id}/run", tag = "imports", params(("id" = ImportId, Path), OnceHeader),
    responses((status = 202, body = ImportView))
)]
pub async fn run_import(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<ImportId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let import = app.engine.run_import(permit, &id).await?;
        Ok((StatusCode::ACCEPTED, Json(import)).into_response())
    };
    once.run(permit, b"", work).await
}

/// Stops an import: what was proposed waits, the rest is left as it is and can be run later.
#[utoipa::path(
    post, path = "/imports/{id}/stop", tag = "imports", params(("id" = ImportId, Path), OnceHeader),
    responses((status = 200, body = ImportView))
)]
pub async fn stop_import(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<ImportId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let import = app.engine.stop_import(permit, &id).await?;
        Ok(Json(import).into_response())
    };
    once.run(permit, b"", work).await
}

/// Takes out of the queue what nobody has decided yet. What was decided stays so, and the file can be imported again.
#[utoipa::path(
    post, path = "/imports/{id}/withdraw", tag = "imports", params(("id" = ImportId, Path), OnceHeader),
    responses((status = 202, body = ImportView))
)]
pub async fn withdraw_import(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<ImportId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let import = app.engine.withdraw_import(permit, &id).await?;
        Ok((StatusCode::ACCEPTED, Json(import)).into_response())
    };
    once.run(permit, b"", work).await
}
