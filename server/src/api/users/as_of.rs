//! `GET /users/{id}/as-of`

use axum::{Json, extract::State};
use domain::{Timestamp, agent::AgentName};
use engine::AsOf;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Person;
use crate::{
    api::{listing::page, path::Named, query::Query},
    auth::{Caller, need::ReadUsers},
    problem::Problem,
    state::AppState,
};

/// Which instant, and which page of what had been served up to then.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AsOfQuery {
    /// The instant; not in the future.
    #[param(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Of this agent.
    agent: Option<AgentName>,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Servings, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// What was known and served about a user at an instant: the memories that were approved and unexpired, each in the revision that stood
/// then, what waited, and what the agent had been told up to then.
#[utoipa::path(
    get, path = "/users/{id}/as-of", tag = "users",
    params(("id" = String, Path, description = "`usr_…`, or percent-encoded the `user_id` or the scope as a JSON object"), AsOfQuery),
    responses((status = 200, body = AsOf))
)]
pub async fn get_user_as_of(
    caller: Caller<ReadUsers>,
    State(app): State<AppState>,
    Named(Person(user)): Named<Person>,
    Query(asked): Query<AsOfQuery>,
) -> Result<Json<AsOf>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let user = user.ok_or_else(Problem::not_found)?;
    let held = app
        .engine
        .as_of(&caller.permit, &user, asked.agent.as_ref(), asked.at, &page)
        .await?;
    Ok(Json(held))
}
