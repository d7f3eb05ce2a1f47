//! `POST /webhooks/{id}/test`

use axum::{Json, extract::State};
use domain::id::WebhookId;
use engine::TestedView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Sends `webhook.test` at once and answers whether it arrived, also where the webhook is switched off. It is not tried again.
#[utoipa::path(
    post, path = "/webhooks/{id}/test", tag = "webhooks", params(("id" = WebhookId, Path)),
    responses((status = 200, body = TestedView))
)]
pub async fn test_webhook(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<WebhookId>,
) -> Result<Json<TestedView>, Problem> {
    let tested = app.engine.test_webhook(&caller.permit, &id).await?;
    Ok(Json(tested))
}
