//! `DELETE /webhooks/{id}`

use axum::{extract::State, http::StatusCode};
use domain::id::WebhookId;

use crate::{
    api::path::Named,
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Removes a webhook: nothing more is sent to it, what waits neither.
#[utoipa::path(
    delete, path = "/webhooks/{id}", tag = "webhooks", params(("id" = WebhookId, Path)),
    responses((status = 204, description = "Removed"))
)]
pub async fn remove_webhook(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<WebhookId>,
) -> Result<StatusCode, Problem> {
    app.engine.remove_webhook(&caller.permit, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
