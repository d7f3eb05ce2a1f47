//! `PATCH /webhooks/{id}`

use axum::{Json, extract::State};
use domain::{audit::EventType, id::WebhookId};
use engine::{WebhookPatch, WebhookView};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{body::Body, path::Named},
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// What is to change; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookChanges {
    /// Another address. What waits goes there.
    url: Option<String>,
    /// Other types of events, from those on that were not looked at yet.
    events: Option<Vec<EventType>>,
    /// On or off. Switched on again, it is told of what happened meanwhile.
    enabled: Option<bool>,
}

/// Changes a webhook.
#[utoipa::path(
    patch, path = "/webhooks/{id}", tag = "webhooks", params(("id" = WebhookId, Path)), request_body = WebhookChanges,
    responses((status = 200, body = WebhookView))
)]
pub async fn change_webhook(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<WebhookId>,
    body: Body<WebhookChanges>,
) -> Result<Json<WebhookView>, Problem> {
    let patch = WebhookPatch {
        url: body.value.url,
        events: body.value.events,
        enabled: body.value.enabled,
    };
    let webhook = app
        .engine
        .change_webhook(&caller.permit, &id, &patch)
        .await?;
    Ok(Json(webhook))
}
