//! `DELETE /holds/{id}`

use axum::{Json, extract::State};
use domain::id::HoldId;
use engine::HoldView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Releases a hold. That it was there stays on record.
#[utoipa::path(
    delete, path = "/holds/{id}", tag = "holds", params(("id" = HoldId, Path)),
    responses((status = 200, body = HoldView))
)]
pub async fn release_hold(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<HoldId>,
) -> Result<Json<HoldView>, Problem> {
    let hold = app.engine.release_hold(&caller.permit, &id).await?;
    Ok(Json(hold))
}
