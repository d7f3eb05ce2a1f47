//! `GET /imports`

use axum::{Json, extract::State};
use engine::ImportView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportsQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// The imports, newest first.
#[utoipa::path(
    get, path = "/imports", tag = "imports", params(ImportsQuery),
    responses((status = 200, body = Listed<ImportView>))
)]
pub async fn list_imports(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Query(asked): Query<ImportsQuery>,
) -> Result<Json<Listed<ImportView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let imports = app.engine.imports(&caller.permit, &page).await?;
    Ok(Json(imports.into()))
}
