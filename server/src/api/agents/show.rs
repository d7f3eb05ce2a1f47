//! `GET /agents/{name}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::agent::AgentName;
use engine::AgentView;

use crate::{
    api::{conditional::versioned, path::Named},
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// One agent with its settings.
#[utoipa::path(
    get, path = "/agents/{name}", tag = "agents", params(("name" = AgentName, Path)),
    responses((status = 200, body = AgentView, headers(("ETag"))))
)]
pub async fn get_agent(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Named(name): Named<AgentName>,
) -> Result<Response, Problem> {
    let agent = app.engine.agent(&caller.permit, &name).await?;
    Ok(versioned(StatusCode::OK, agent.version, &agent))
}
