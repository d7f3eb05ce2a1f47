//! `GET /agents/{name}/schemas`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::SchemaView;

use crate::{
    api::{listing::Listed, path::Named},
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// The profile schemas of an agent.
#[utoipa::path(
    get, path = "/agents/{name}/schemas", tag = "agents", params(("name" = AgentName, Path)),
    responses((status = 200, body = Listed<SchemaView>))
)]
pub async fn list_schemas(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Named(agent): Named<AgentName>,
) -> Result<Json<Listed<SchemaView>>, Problem> {
    let schemas = app.engine.schemas(&caller.permit, &agent).await?;
    Ok(Json(schemas.into()))
}
