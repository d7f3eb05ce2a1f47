//! `GET /exports`

use axum::{Json, extract::State};
use engine::ExportView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
    },
    auth::{Caller, need::Export},
    problem::Problem,
    state::AppState,
};

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportsQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// The exports, newest first.
#[utoipa::path(
    get, path = "/exports", tag = "exports", params(ExportsQuery),
    responses((status = 200, body = Listed<ExportView>))
)]
pub async fn list_exports(
    caller: Caller<Export>,
    State(app): State<AppState>,
    Query(asked): Query<ExportsQuery>,
) -> Result<Json<Listed<ExportView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let list = app.engine.exports(&caller.permit, &page).await?;
    Ok(Json(list.into()))
}
