//! `GET /users/{id}`

use axum::{Json, extract::State};
use engine::UserDetail;

use super::Person;
use crate::{
    api::{
        path::Named,
        query::{AgentQuery, Query},
    },
    auth::{Caller, need::ReadUsers},
    problem::Problem,
    state::AppState,
};

/// One user: what is stored, what waits, their conversations.
#[utoipa::path(
    get, path = "/users/{id}", tag = "users",
    params(("id" = String, Path, description = "`usr_…`, or percent-encoded the `user_id` or the scope as a JSON object"), AgentQuery),
    responses((status = 200, body = UserDetail))
)]
pub async fn get_user(
    caller: Caller<ReadUsers>,
    State(app): State<AppState>,
    Named(Person(user)): Named<Person>,
    Query(asked): Query<AgentQuery>,
) -> Result<Json<UserDetail>, Problem> {
    let user = user.ok_or_else(Problem::not_found)?;
    let agent = asked.agent.as_ref();
    Ok(Json(app.engine.user(&caller.permit, &user, agent).await?))
}
