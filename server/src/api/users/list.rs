//! `GET /users`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::UserView;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
        subject::named,
    },
    auth::{Caller, need::ReadUsers},
    problem::Problem,
    state::AppState,
};

/// Which users.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UserQuery {
    /// Of this agent.
    agent: Option<AgentName>,
    /// This user, as the agents name them.
    user_id: Option<String>,
    /// Exactly the user these pairs name, as a JSON object.
    scope: Option<String>,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// Users, with what is stored and what waits.
#[utoipa::path(
    get, path = "/users", tag = "users", params(UserQuery),
    responses((status = 200, body = Listed<UserView>))
)]
pub async fn list_users(
    caller: Caller<ReadUsers>,
    State(app): State<AppState>,
    Query(asked): Query<UserQuery>,
) -> Result<Json<Listed<UserView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let named = named(asked.user_id.as_deref(), asked.scope.as_deref())?;
    let list = app
        .engine
        .users(&caller.permit, asked.agent.as_ref(), named.as_ref(), &page)
        .await?;
    Ok(Json(list.into()))
}
