//! `GET /agents`

use axum::{Json, extract::State};
use engine::AgentView;

use crate::{
    api::listing::Listed,
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// Every agent.
#[utoipa::path(get, path = "/agents", tag = "agents", responses((status = 200, body = Listed<AgentView>)))]
pub async fn list_agents(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
) -> Result<Json<Listed<AgentView>>, Problem> {
    Ok(Json(app.engine.agents(&caller.permit).await?.into()))
}
