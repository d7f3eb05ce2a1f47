//! `GET /bulks`

use axum::{Json, extract::State};
use engine::BulkView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
    },
    auth::{Caller, need::Decide},
    problem::Problem,
    state::AppState,
};

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BulksQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// One's own bulks, newest first; an administrator of all agents sees everybody's.
#[utoipa::path(
    get, path = "/bulks", tag = "bulks", params(BulksQuery),
    responses((status = 200, body = Listed<BulkView>))
)]
pub async fn list_bulks(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Query(asked): Query<BulksQuery>,
) -> Result<Json<Listed<BulkView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    Ok(Json(app.engine.bulks(&caller.permit, &page).await?.into()))
}
