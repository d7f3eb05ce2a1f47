//! `POST /webhooks/{id}/deliveries/{delivery}/resend`

use axum::{Json, extract::State, http::StatusCode};
use domain::id::{DeliveryId, WebhookId};
use engine::DeliveryView;

use crate::{
    api::path::Within,
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Has a delivery sent again, whatever became of it, with all its tries and the same `webhook-id`.
#[utoipa::path(
    post, path = "/webhooks/{id}/deliveries/{delivery}/resend", tag = "webhooks",
    params(("id" = WebhookId, Path), ("delivery" = DeliveryId, Path)),
    responses((status = 202, body = DeliveryView))
)]
pub async fn resend_delivery(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Within(id, delivery): Within<WebhookId, DeliveryId>,
) -> Result<(StatusCode, Json<DeliveryView>), Problem> {
    let delivery = app
        .engine
        .resend_delivery(&caller.permit, &id, &delivery)
        .await?;
    Ok((StatusCode::ACCEPTED, Json(delivery)))
}
