//! `GET /agents/{name}/schemas/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::agent::AgentName;
use engine::SchemaView;

use crate::{
    api::{conditional::versioned, path::Within},
    auth::{Caller, need::ReadAgents},
    problem::Problem,
    state::AppState,
};

/// One profile schema, with its fields as Keepsake reads them and how many approved values do not fit any more.
#[utoipa::path(
    get, path = "/agents/{name}/schemas/{id}", tag = "agents", params(("name" = AgentName, Path), ("id" = String, Path)),
    responses((status = 200, body = SchemaView, headers(("ETag"))))
)]
pub async fn get_schema(
    caller: Caller<ReadAgents>,
    State(app): State<AppState>,
    Within(agent, id): Within<AgentName, String>,
) -> Result<Response, Problem> {
    let schema = app.engine.schema(&caller.permit, &agent, &id).await?;
    Ok(versioned(StatusCode::OK, schema.version, &schema))
}
