//! `POST /bulks/{id}/stop`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::id::BulkId;
use engine::BulkView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Stops a bulk: what was decided stays so, the rest is left as it is.
#[utoipa::path(
    post, path = "/bulks/{id}/stop", tag = "bulks", params(("id" = BulkId, Path), OnceHeader),
    responses((status = 200, body = BulkView))
)]
pub async fn stop_bulk(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<BulkId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let bulk = app.engine.stop_bulk(permit, &id).await?;
        Ok(Json(bulk).into_response())
    };
    once.run(permit, b"", work).await
}
