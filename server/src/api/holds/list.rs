//! `GET /holds`

use axum::{Json, extract::State};
use engine::HoldView;
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
pub struct HoldsQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// The holds, newest first, also those that were released or have run out.
#[utoipa::path(
    get, path = "/holds", tag = "holds", params(HoldsQuery),
    responses((status = 200, body = Listed<HoldView>))
)]
pub async fn list_holds(
    caller: Caller<ReadAudit>,
    State(app): State<AppState>,
    Query(asked): Query<HoldsQuery>,
) -> Result<Json<Listed<HoldView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let list = app.engine.holds(&caller.permit, &page).await?;
    Ok(Json(list.into()))
}
