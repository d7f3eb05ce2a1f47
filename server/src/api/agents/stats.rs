//! `GET /agents/{name}/stats`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::Figures;

use crate::{
    api::path::Named,
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// How much an agent keeps.
#[utoipa::path(
    get, path = "/agents/{name}/stats", tag = "agents", params(("name" = AgentName, Path)),
    responses((status = 200, body = Figures))
)]
pub async fn get_agent_stats(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Named(name): Named<AgentName>,
) -> Result<Json<Figures>, Problem> {
    Ok(Json(app.engine.agent_figures(&caller.permit, &name).await?))
}
