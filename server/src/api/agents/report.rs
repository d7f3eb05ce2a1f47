//! `GET /agents/{name}/report`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::Report;

use crate::{
    api::path::Named,
    auth::{Caller, need::ReadHistory},
    problem::Problem,
    state::AppState,
};

/// Memories that are served often and never reported as helpful: at least 20 servings of the present revision, at least three reports
/// of no help, none of help. A daily schedule proposes to retire them.
#[utoipa::path(
    get, path = "/agents/{name}/report", tag = "agents", params(("name" = AgentName, Path)),
    responses((status = 200, body = Report))
)]
pub async fn get_agent_report(
    caller: Caller<ReadHistory>,
    State(app): State<AppState>,
    Named(name): Named<AgentName>,
) -> Result<Json<Report>, Problem> {
    Ok(Json(app.engine.report(&caller.permit, &name).await?))
}
