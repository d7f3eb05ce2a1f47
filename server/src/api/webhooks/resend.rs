//! `POST /webhooks/{id}/deliveries/{delivery}/resend`

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::id::{DeliveryId, WebhookId};
use engine::DeliveryView;

use crate::{
    api::path::Within,
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Has a delivery sent again, whatever became of it, with all its tries and the same `webhook-id`.
#[utoipa::path(
    post, path = "/webhooks/{id}/deliveries/{delivery}/resend", tag = "webhooks",
    params(("id" = WebhookId, Path), ("delivery" = DeliveryId, Path), OnceHeader),
    responses((status = 202, body = DeliveryView))
)]
pub async fn resend_delivery(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Within(id, delivery): Within<WebhookId, DeliveryId>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let delivery = app.engine.resend_delivery(permit, &id, &delivery).await?;
        Ok((StatusCode::ACCEPTED, Json(delivery)).into_response())
    };
    once.run(permit, b"", work).await
}
