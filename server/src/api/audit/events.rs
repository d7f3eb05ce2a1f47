//! `GET /audit/events`

use axum::{Json, extract::State};
use domain::{audit::EventType, id::UserId};
use engine::{EventFilter, EventView};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
    },
    auth::{Caller, need::ReadAudit},
    problem::Problem,
    state::AppState,
};

/// Which lines; all must hold.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventQuery {
    /// Of this agent's chain, or `system`.
    agent: Option<String>,
    /// About this user, `usr_…`.
    user: Option<UserId>,
    /// Of this type.
    r#type: Option<EventType>,
    /// About this thing, by its id.
    subject: Option<String>,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// Lines of the chain, the newest first.
#[utoipa::path(
    get, path = "/audit/events", tag = "audit", params(EventQuery),
    responses((status = 200, body = Listed<EventView>))
)]
pub async fn list_events(
    caller: Caller<ReadAudit>,
    State(app): State<AppState>,
    Query(asked): Query<EventQuery>,
) -> Result<Json<Listed<EventView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let filter = EventFilter {
        agent: asked.agent,
        user: asked.user,
        subject: asked.subject,
        types: asked.r#type.into_iter().collect(),
        ..EventFilter::default()
    };
    let list = app.engine.events(&caller.permit, &filter, &page).await?;
    Ok(Json(list.into()))
}
