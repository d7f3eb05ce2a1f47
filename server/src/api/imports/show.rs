//! `GET /imports/{id}`, `/errors`

use axum::{Json, extract::State};
use domain::{id::ImportId, import::RowState};
use engine::{ImportRowView, ImportView, Page, import::PREVIEWED};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    api::{
        listing::{Listed, page},
        path::Named,
        query::Query,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// An import, and its first rows as they would become.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportDetail {
    #[serde(flatten)]
    import: ImportView,
    /// The first 20 rows.
    preview: Vec<ImportRowView>,
}

/// How far an import is, and what would come of its first rows.
#[utoipa::path(
    get, path = "/imports/{id}", tag = "imports", params(("id" = ImportId, Path)),
    responses((status = 200, body = ImportDetail))
)]
pub async fn get_import(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<ImportId>,
) -> Result<Json<ImportDetail>, Problem> {
    let permit = &caller.permit;
    let first = Page {
        limit: PREVIEWED,
        ..Page::default()
    };
    let import = app.engine.import(permit, &id).await?;
    let rows = app.engine.import_rows(permit, &id, None, &first).await?;
    Ok(Json(ImportDetail {
        import,
        preview: rows.data,
    }))
}

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ErrorsQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// The rows that do not fit: which part, why, and what to do.
#[utoipa::path(
    get, path = "/imports/{id}/errors", tag = "imports", params(("id" = ImportId, Path), ErrorsQuery),
    responses((status = 200, body = Listed<ImportRowView>))
)]
pub async fn list_import_errors(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<ImportId>,
    Query(asked): Query<ErrorsQuery>,
) -> Result<Json<Listed<ImportRowView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let failed = Some(RowState::Failed);
    let rows = app
        .engine
        .import_rows(&caller.permit, &id, failed, &page)
        .await?;
    Ok(Json(rows.into()))
}
