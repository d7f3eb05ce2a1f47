//! `GET /users/{id}/profile`

use axum::{Json, extract::State};
use engine::ProfileView;

use super::Person;
use crate::{
    api::{
        path::Named,
        query::{AgentQuery, Query},
    },
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// The profiles of a user: approved values by schema and field. A name that the agent has not used yet has empty ones.
#[utoipa::path(
    get, path = "/users/{id}/profile", tag = "users",
    params(("id" = String, Path, description = "`usr_…`, or percent-encoded the `user_id` or the scope as a JSON object"), AgentQuery),
    responses((status = 200, body = ProfileView))
)]
pub async fn get_profile(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Named(Person(user)): Named<Person>,
    Query(asked): Query<AgentQuery>,
) -> Result<Json<ProfileView>, Problem> {
    let user = user.ok_or_else(Problem::not_found)?;
    let agent = asked.agent.as_ref();
    Ok(Json(
        app.engine.profile(&caller.permit, &user, agent).await?,
    ))
}
