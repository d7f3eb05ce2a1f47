//! `GET /audit/checkpoints`

use axum::{Json, extract::State};
use engine::CheckpointView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
    },
    auth::{Caller, need::ReadAudit},
    problem::Problem,
    state::AppState,
};

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CheckpointsQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// What was signed of the chains, the newest first.
#[utoipa::path(
    get, path = "/audit/checkpoints", tag = "audit", params(CheckpointsQuery),
    responses((status = 200, body = Listed<CheckpointView>))
)]
pub async fn list_checkpoints(
    caller: Caller<ReadAudit>,
    State(app): State<AppState>,
    Query(asked): Query<CheckpointsQuery>,
) -> Result<Json<Listed<CheckpointView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let list = app.engine.checkpoints(&caller.permit, &page).await?;
    Ok(Json(list.into()))
}
