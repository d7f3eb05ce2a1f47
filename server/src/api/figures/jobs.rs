//! `GET /jobs`

use axum::{Json, extract::State};
use engine::Jobs;

use crate::{
    api::query::{AgentQuery, Query},
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// What works in the background: what waits and for how long, what failed and why, what the clock does.
#[utoipa::path(get, path = "/jobs", tag = "agents", params(AgentQuery), responses((status = 200, body = Jobs)))]
pub async fn get_jobs(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Query(asked): Query<AgentQuery>,
) -> Result<Json<Jobs>, Problem> {
    Ok(Json(
        app.engine
            .jobs(&caller.permit, asked.agent.as_ref())
            .await?,
    ))
}
