//! `POST /webhooks/{id}/rotate`

use axum::{Json, extract::State};
use domain::id::WebhookId;

use super::WebhookShown;
use crate::{
    api::path::Named,
    auth::{Caller, need::Administer},
    http::idempotency::ShownOnce,
    problem::Problem,
    state::AppState,
};

/// Gives a webhook another secret, which is shown this once. For 24 hours the one before signs too, beside it.
#[utoipa::path(
    post, path = "/webhooks/{id}/rotate", tag = "webhooks", params(("id" = WebhookId, Path)),
    responses((status = 200, body = WebhookShown))
)]
pub async fn rotate_webhook(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    _: ShownOnce,
    Named(id): Named<WebhookId>,
) -> Result<Json<WebhookShown>, Problem> {
    let (secret, webhook) = app.engine.rotate_webhook(&caller.permit, &id).await?;
    Ok(Json(WebhookShown { secret, webhook }))
}
