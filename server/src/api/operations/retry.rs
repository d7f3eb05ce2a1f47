//! `POST /operations/{id}/retry`

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::id::OperationId;
use engine::OperationView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Ingest},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Tries a failed or truncated extraction again: a new operation over the same messages.
#[utoipa::path(
    post, path = "/operations/{id}/retry", tag = "operations", params(("id" = OperationId, Path), OnceHeader),
    responses((status = 202, body = OperationView, description = "The new operation", headers(("Location"))))
)]
pub async fn retry_operation(
    caller: Caller<Ingest>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<OperationId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let operation = app.engine.retry(permit, &id).await?;
        let location = format!("/api/v1/operations/{}", operation.id);
        let headers = [(header::LOCATION, location)];
        Ok((StatusCode::ACCEPTED, headers, Json(operation)).into_response())
    };
    once.run(permit, b"", work).await
}
