//! `PATCH /views/{id}`

use axum::{Json, extract::State};
use domain::id::ViewId;
use serde::Deserialize;
use utoipa::ToSchema;

use super::SavedView;
use crate::{
    api::{body::Body, path::Named},
    auth::{Caller, need::Decide},
    problem::Problem,
    state::AppState,
};

/// What it is called from now on.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewPatch {
    /// 1 to 60 characters.
    name: String,
}

/// Gives a view of the key's person another name.
#[utoipa::path(
    patch, path = "/views/{id}", tag = "views", params(("id" = ViewId, Path)), request_body = ViewPatch,
    responses((status = 200, body = SavedView))
)]
pub async fn rename_view(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<ViewId>,
    body: Body<ViewPatch>,
) -> Result<Json<SavedView>, Problem> {
    let name = &body.value.name;
    let view = app.engine.rename_view(&caller.permit, &id, name).await?;
    Ok(Json(view.into()))
}
