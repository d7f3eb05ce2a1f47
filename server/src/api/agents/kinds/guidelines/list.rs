//! `GET /agents/{name}/kinds/{kind}/guidelines`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::GuidelineView;

use crate::{
    api::{listing::Listed, path::Within},
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// The guidelines of a kind: each language with all its versions, newest first, down to what the kind began with.
#[utoipa::path(
    get, path = "/agents/{name}/kinds/{kind}/guidelines", tag = "agents", params(("name" = AgentName, Path), ("kind" = String, Path)),
    responses((status = 200, body = Listed<GuidelineView>))
)]
pub async fn list_guidelines(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Within(agent, kind): Within<AgentName, String>,
) -> Result<Json<Listed<GuidelineView>>, Problem> {
    let guidelines = app.engine.guidelines(&caller.permit, &agent, &kind).await?;
    Ok(Json(guidelines.into()))
}
