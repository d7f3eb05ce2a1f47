//! `GET /agents/{name}/kinds/{kind}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::agent::AgentName;
use engine::KindView;

use crate::{
    api::{conditional::versioned, path::Within},
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// One kind, with how many approved memories do not fit its metadata schema any more. Its `ETag` is the agent's version.
#[utoipa::path(
    get, path = "/agents/{name}/kinds/{kind}", tag = "agents", params(("name" = AgentName, Path), ("kind" = String, Path)),
    responses((status = 200, body = KindView, headers(("ETag"))))
)]
pub async fn get_kind(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Within(agent, kind): Within<AgentName, String>,
) -> Result<Response, Problem> {
    let kind = app.engine.kind(&caller.permit, &agent, &kind).await?;
    Ok(versioned(StatusCode::OK, kind.version, &kind))
}
