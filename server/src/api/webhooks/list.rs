//! `GET /webhooks`

use axum::{Json, extract::State};
use engine::WebhookView;

use crate::{
    api::{
        listing::Listed,
        query::{AgentQuery, Query},
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// The webhooks, newest first, without their secrets.
#[utoipa::path(
    get, path = "/webhooks", tag = "webhooks", params(AgentQuery),
    responses((status = 200, body = Listed<WebhookView>))
)]
pub async fn list_webhooks(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Query(asked): Query<AgentQuery>,
) -> Result<Json<Listed<WebhookView>>, Problem> {
    let webhooks = app
        .engine
        .webhooks(&caller.permit, asked.agent.as_ref())
        .await?;
    Ok(Json(webhooks.into()))
}
