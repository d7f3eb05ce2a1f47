//! `GET /agents/{name}/kinds`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::KindView;

use crate::{
    api::{listing::Listed, path::Named},
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// The kinds of memory an agent keeps.
#[utoipa::path(
    get, path = "/agents/{name}/kinds", tag = "agents", params(("name" = AgentName, Path)),
    responses((status = 200, body = Listed<KindView>))
)]
pub async fn list_kinds(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Named(name): Named<AgentName>,
) -> Result<Json<Listed<KindView>>, Problem> {
    Ok(Json(app.engine.kinds(&caller.permit, &name).await?.into()))
}
