//! `DELETE /views/{id}`

use axum::{extract::State, http::StatusCode};
use domain::id::ViewId;

use crate::{
    api::path::Named,
    auth::{Caller, need::Decide},
    problem::Problem,
    state::AppState,
};

/// Removes a view of the key's person.
#[utoipa::path(
    delete, path = "/views/{id}", tag = "views", params(("id" = ViewId, Path)),
    responses((status = 204, description = "Removed"))
)]
pub async fn remove_view(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<ViewId>,
) -> Result<StatusCode, Problem> {
    app.engine.remove_view(&caller.permit, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
