//! `GET /views`

use axum::{Json, extract::State};

use super::SavedView;
use crate::{
    api::listing::Listed,
    auth::{Caller, need::ReadCandidates},
    problem::Problem,
    state::AppState,
};

/// The views of the key's person, as their dashboard has them; with a key of one agent those that show this agent.
#[utoipa::path(
    get, path = "/views", tag = "views",
    responses((status = 200, body = Listed<SavedView>))
)]
pub async fn list_views(
    caller: Caller<ReadCandidates>,
    State(app): State<AppState>,
) -> Result<Json<Listed<SavedView>>, Problem> {
    let views = app.engine.saved_views(&caller.permit).await?;
    let views: Vec<SavedView> = views.into_iter().map(SavedView::from).collect();
    Ok(Json(views.into()))
}
