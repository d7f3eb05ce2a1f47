//! `GET /agents/{name}/dry-runs/{id}`

use axum::{Json, extract::State};
use domain::{agent::AgentName, id::DryRunId};
use engine::DryRunDetail;

use crate::{
    api::path::Within,
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// A dry run beside what came of its conversations, as people have decided on it by now.
#[utoipa::path(
    get, path = "/agents/{name}/dry-runs/{id}", tag = "agents", params(("name" = AgentName, Path), ("id" = DryRunId, Path)),
    responses((status = 200, body = DryRunDetail))
)]
pub async fn get_dry_run(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Within(agent, id): Within<AgentName, DryRunId>,
) -> Result<Json<DryRunDetail>, Problem> {
    let run = app.engine.dry_run(&caller.permit, &agent, &id).await?;
    Ok(Json(run))
}
