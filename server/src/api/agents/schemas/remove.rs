//! `DELETE /agents/{name}/schemas/{id}`

use axum::{extract::State, http::StatusCode};
use domain::agent::AgentName;

use crate::{
    api::{
        conditional::{IfMatch, IfMatchHeader},
        path::Within,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Removes a profile schema. Its profiles are no longer given out; each field that was filled is proposed for retirement.
#[utoipa::path(
    delete, path = "/agents/{name}/schemas/{id}", tag = "agents",
    params(("name" = AgentName, Path), ("id" = String, Path), IfMatchHeader),
    responses((status = 204, description = "Removed"))
)]
pub async fn remove_schema(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Within(agent, id): Within<AgentName, String>,
    IfMatch(seen): IfMatch,
) -> Result<StatusCode, Problem> {
    app.engine
        .remove_schema(&caller.permit, &agent, &id, seen)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
