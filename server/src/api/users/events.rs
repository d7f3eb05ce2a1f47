//! `GET /users/{id}/events`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::EventView;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Person;
use crate::{
    api::{
        listing::{Listed, page},
        path::Named,
        query::Query,
    },
    auth::{Caller, need::ReadUsers},
    problem::Problem,
    state::AppState,
};

/// Which page of the timeline.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TimelineQuery {
    /// Of this agent.
    agent: Option<AgentName>,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// What happened about a user, the newest first.
#[utoipa::path(
    get, path = "/users/{id}/events", tag = "users",
    params(("id" = String, Path, description = "`usr_…`, or percent-encoded the `user_id` or the scope as a JSON object"), TimelineQuery),
    responses((status = 200, body = Listed<EventView>))
)]
pub async fn list_user_events(
    caller: Caller<ReadUsers>,
    State(app): State<AppState>,
    Named(Person(user)): Named<Person>,
    Query(asked): Query<TimelineQuery>,
) -> Result<Json<Listed<EventView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let user = user.ok_or_else(Problem::not_found)?;
    let list = app
        .engine
        .timeline(&caller.permit, &user, asked.agent.as_ref(), &page)
        .await?;
    Ok(Json(list.into()))
}
