//! `GET /webhooks/{id}`

use axum::{Json, extract::State};
use domain::id::WebhookId;
use engine::WebhookView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// One webhook, without its secret.
#[utoipa::path(
    get, path = "/webhooks/{id}", tag = "webhooks", params(("id" = WebhookId, Path)),
    responses((status = 200, body = WebhookView))
)]
pub async fn get_webhook(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<WebhookId>,
) -> Result<Json<WebhookView>, Problem> {
    let webhook = app.engine.webhook(&caller.permit, &id).await?;
    Ok(Json(webhook))
}
