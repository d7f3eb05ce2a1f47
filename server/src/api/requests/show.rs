//! `GET /requests/{id}`

use axum::{Json, extract::State};
use domain::id::RequestId;
use engine::RequestDetail;

use crate::{
    api::path::Named,
    auth::{Caller, need::Export},
    problem::Problem,
    state::AppState,
};

/// A request of a person with what was found, as that stands now.
#[utoipa::path(
    get, path = "/requests/{id}", tag = "requests", params(("id" = RequestId, Path)),
    responses((status = 200, body = RequestDetail))
)]
pub async fn get_request(
    caller: Caller<Export>,
    State(app): State<AppState>,
    Named(id): Named<RequestId>,
) -> Result<Json<RequestDetail>, Problem> {
    Ok(Json(app.engine.request(&caller.permit, &id).await?))
}
