//! `GET /memories/{id}/revisions`

use axum::{Json, extract::State};
use domain::{id::MemoryId, permission::Permission};
use engine::RevisionView;

use crate::{
    api::{listing::Listed, path::Named},
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// Every version of a memory, the newest first. For an agent's key without `proposed`, `note` and `by`.
#[utoipa::path(
    get, path = "/memories/{id}/revisions", tag = "memories", params(("id" = MemoryId, Path)),
    responses((status = 200, body = Listed<RevisionView>))
)]
pub async fn list_revisions(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
) -> Result<Json<Listed<RevisionView>>, Problem> {
    let history = caller.also(Permission::ReadHistory);
    let list = app
        .engine
        .revisions(&history.unwrap_or(caller.permit), &id)
        .await?;
    Ok(Json(list.into()))
}
