//! `POST /imports/{id}/map`, `/run`, `/stop`, `/withdraw`

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::{id::ImportId, import::ImportMapping, permission::Permit};
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
    let mapped = app.engine.map_import(permit, &id, body.value);
    answer(once, permit, &body.raw, StatusCode::OK, mapped).await
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
    let running = app.engine.run_import(permit, &id);
    answer(once, permit, b"", StatusCode::ACCEPTED, running).await
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
    let stopped = app.engine.stop_import(permit, &id);
    answer(once, permit, b"", StatusCode::OK, stopped).await
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
    let withdrawn = app.engine.withdraw_import(permit, &id);
    answer(once, permit, b"", StatusCode::ACCEPTED, withdrawn).await
}

/// Does that once, and answers how the import is then.
async fn answer(
    once: Once,
    permit: &Permit,
    body: &[u8],
    status: StatusCode,
    moved: impl Future<Output = engine::Result<ImportView>>,
) -> Result<Response, Problem> {
    let work = async move {
        let import = moved.await?;
        Ok((status, Json(import)).into_response())
    };
    once.run(permit, body, work).await
}
