//! `GET /agents/{name}/kinds/{kind}`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::KindView;

use crate::{
    api::path::Within,
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// One kind, with how many approved memories do not fit its metadata schema any more.
#[utoipa::path(
    get, path = "/agents/{name}/kinds/{kind}", tag = "agents", params(("name" = AgentName, Path), ("kind" = String, Path)),
    responses((status = 200, body = KindView))
)]
pub async fn get_kind(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Within(agent, kind): Within<AgentName, String>,
) -> Result<Json<KindView>, Problem> {
    Ok(Json(app.engine.kind(&caller.permit, &agent, &kind).await?))
}
