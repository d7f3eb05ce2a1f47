//! `GET /webhooks/{id}/deliveries`

use axum::{Json, extract::State};
use domain::id::WebhookId;
use engine::DeliveryView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        path::Named,
        query::Query,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// A page of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeliveriesQuery {
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// What a webhook was told and is to be told, newest first. What arrived or was given up stays for 30 days.
#[utoipa::path(
    get, path = "/webhooks/{id}/deliveries", tag = "webhooks", params(("id" = WebhookId, Path), DeliveriesQuery),
    responses((status = 200, body = Listed<DeliveryView>))
)]
pub async fn list_deliveries(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(id): Named<WebhookId>,
    Query(asked): Query<DeliveriesQuery>,
) -> Result<Json<Listed<DeliveryView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let list = app.engine.deliveries(&caller.permit, &id, &page).await?;
    Ok(Json(list.into()))
}
