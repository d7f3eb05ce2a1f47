//! `GET /v1/memories/{id}/`, `GET /memories/{id}`

use axum::{Json, extract::State};
use domain::id::MemoryId;

use super::view::Memory;
use crate::{
    api::path::Named,
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// One approved memory; what is retired is 404 for everybody.
pub async fn show(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
) -> Result<Json<Memory>, Problem> {
    let memory = app.engine.memory(&caller.permit, &id).await?;
    if !memory.served(app.engine.now()) {
        return Err(Problem::not_found());
    }
    Ok(Json(memory.into()))
}
