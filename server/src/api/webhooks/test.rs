//! `POST /webhooks/{id}/test`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::id::WebhookId;
use engine::TestedView;

use crate::{
    api::path::Named,
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Sends `webhook.test` at once and answers whether it arrived, also where the webhook is switched off. It is not tried again.
#[utoipa::path(
    post, path = "/webhooks/{id}/test", tag = "webhooks", params(("id" = WebhookId, Path), OnceHeader),
    responses((status = 200, body = TestedView))
)]
pub async fn test_webhook(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<WebhookId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let tested = app.engine.test_webhook(permit, &id).await?;
        Ok(Json(tested).into_response())
    };
    once.run(permit, b"", work).await
}
