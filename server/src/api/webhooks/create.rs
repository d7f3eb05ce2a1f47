//! `POST /webhooks`

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{agent::AgentName, audit::EventType};
use engine::NewWebhook;
use serde::Deserialize;
use utoipa::ToSchema;

use super::WebhookShown;
use crate::{
    api::body::Body,
    auth::{Caller, need::Administer},
    http::idempotency::ShownOnce,
    problem::Problem,
    state::AppState,
};

/// A new webhook.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookPost {
    /// The one agent it is told of, or `*`: every agent, and the installation.
    agent: String,
    /// Where to: https, and no private address unless the installation allows it; at most 2,048 characters.
    url: String,
    /// The types of the events that are sent.
    events: Vec<EventType>,
    /// Whether it is told anything from now on; left out: yes.
    enabled: Option<bool>,
}

/// Makes a webhook, which is told of what happens from now on. The answer is the only place where its secret is shown.
#[utoipa::path(
    post, path = "/webhooks", tag = "webhooks", request_body = WebhookPost,
    responses((status = 201, body = WebhookShown, headers(("Location"))))
)]
pub async fn create_webhook(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    _: ShownOnce,
    body: Body<WebhookPost>,
) -> Result<Response, Problem> {
    let new = body.value.parse()?;
    let (secret, webhook) = app.engine.create_webhook(&caller.permit, new).await?;
    let location = [(header::LOCATION, format!("/api/v1/webhooks/{}", webhook.id))];
    let shown = WebhookShown { secret, webhook };
    Ok((StatusCode::CREATED, location, Json(shown)).into_response())
}

impl WebhookPost {
    fn parse(self) -> Result<NewWebhook, Problem> {
        let agent = match self.agent.as_str() {
            "*" => None,
            name => Some(
                AgentName::parse(name)
                    .map_err(|error| Problem::invalid("/agent", "invalid", error.to_string()))?,
            ),
        };
        Ok(NewWebhook {
            agent,
            url: self.url,
            events: self.events,
            enabled: self.enabled.unwrap_or(true),
        })
    }
}
