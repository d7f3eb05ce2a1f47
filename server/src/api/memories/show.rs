//! `GET /memories/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::{id::MemoryId, permission::Permission};
use engine::MemoryView;

use crate::{
    api::{conditional::versioned, path::Named},
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// One memory; for an agent's key a retired one is 404.
#[utoipa::path(
    get, path = "/memories/{id}", tag = "memories", params(("id" = MemoryId, Path)),
    responses((status = 200, body = MemoryView, headers(("ETag"))))
)]
pub async fn get_memory(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
) -> Result<Response, Problem> {
    let history = caller.also(Permission::ReadHistory);
    let memory = app
        .engine
        .memory(&history.unwrap_or(caller.permit), &id)
        .await?;
    Ok(versioned(StatusCode::OK, memory.revision, &memory))
}
