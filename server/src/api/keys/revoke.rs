//! `DELETE /keys/{id}`

use axum::{extract::State, http::StatusCode};
use domain::id::KeyId;

use crate::{
    api::path::Named,
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Revokes a key: from now on it opens nothing.
#[utoipa::path(
    delete, path = "/keys/{id}", tag = "keys", params(("id" = KeyId, Path)),
    responses((status = 204, description = "Revoked"))
)]
pub async fn revoke_key(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<KeyId>,
) -> Result<StatusCode, Problem> {
    app.engine.revoke_key(&caller.permit, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
