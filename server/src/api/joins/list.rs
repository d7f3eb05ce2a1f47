//! `GET /joins`

use axum::{Json, extract::State};
use domain::agent::AgentName;
use engine::{JoinFilter, JoinView};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
        users::person,
    },
    auth::{Caller, need::ReadUsers},
    problem::Problem,
    state::AppState,
};

/// The filters; all must hold.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JoinsQuery {
    /// Of this agent.
    agent: Option<AgentName>,
    /// Of this user, whichever of the two they are: `usr_…`, the `user_id` (with `agent`), or the scope as a JSON object.
    user: Option<String>,
    /// Only those that wait for a person.
    #[serde(default)]
    waiting: bool,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// Ids that are one person, or were, or may be; newest first.
#[utoipa::path(
    get, path = "/joins", tag = "joins", params(JoinsQuery),
    responses((status = 200, body = Listed<JoinView>))
)]
pub async fn list_joins(
    caller: Caller<ReadUsers>,
    State(app): State<AppState>,
    Query(asked): Query<JoinsQuery>,
) -> Result<Json<Listed<JoinView>>, Problem> {
    let page = page(asked.cursor, asked.limit)?;
    let user = match asked.user {
        Some(text) => Some(person(&text).ok_or_else(Problem::not_found)?),
        None => None,
    };
    let filter = JoinFilter {
        agent: asked.agent,
        user,
        waiting: asked.waiting,
    };
    let list = app.engine.joins(&caller.permit, &filter, &page).await?;
    Ok(Json(list.into()))
}
