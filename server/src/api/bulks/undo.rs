//! `POST /bulks/{id}/undo`

use axum::{extract::State, response::Response};
use domain::id::BulkId;
use engine::BulkView;

use super::start::begun;
use crate::{
    api::path::Named,
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Takes back all that a bulk decided: a bulk of its own, which says what had been served meanwhile.
#[utoipa::path(
    post, path = "/bulks/{id}/undo", tag = "bulks", params(("id" = BulkId, Path), OnceHeader),
    responses(
        (status = 201, body = BulkView, description = "It was taken back", headers(("Location"))),
        (status = 202, body = BulkView, description = "It is taken back in the background", headers(("Location")))
    )
)]
pub async fn undo_bulk(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<BulkId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async { Ok(begun(&app.engine.undo_bulk(permit, &id).await?)) };
    once.run(permit, b"", work).await
}
