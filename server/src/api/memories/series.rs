//! `GET /memories/{id}/series`

use axum::{Json, extract::State};
use domain::{id::MemoryId, permission::Permission};
use engine::Series;

use crate::{
    api::path::Named,
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// How something went over time: the values of a metric in the order in which they were said, and how often it was said. An agent's
/// key sees the values of memories that are served; a person also those that ran out.
#[utoipa::path(
    get, path = "/memories/{id}/series", tag = "memories", params(("id" = MemoryId, Path)),
    responses((status = 200, body = Series))
)]
pub async fn get_series(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
) -> Result<Json<Series>, Problem> {
    let history = caller.also(Permission::ReadHistory);
    let permit = history.unwrap_or(caller.permit);
    Ok(Json(app.engine.series(&permit, &id).await?))
}
