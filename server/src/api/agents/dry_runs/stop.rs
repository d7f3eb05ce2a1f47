//! `POST /agents/{name}/dry-runs/{id}/stop`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{agent::AgentName, id::DryRunId};
use engine::DryRunView;

use crate::{
    api::path::Within,
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Stops a dry run: what came of it so far stays to be looked at.
#[utoipa::path(
    post, path = "/agents/{name}/dry-runs/{id}/stop", tag = "agents",
    params(("name" = AgentName, Path), ("id" = DryRunId, Path), OnceHeader), responses((status = 200, body = DryRunView))
)]
pub async fn stop_dry_run(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Within(agent, id): Within<AgentName, DryRunId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let run = app.engine.stop_dry_run(permit, &agent, &id).await?;
        Ok(Json(run).into_response())
    };
    once.run(permit, b"", work).await
}
