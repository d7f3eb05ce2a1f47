//! `GET /users/{id}/erasure`

use axum::{Json, extract::State};
use engine::ErasurePreview;

use super::Person;
use crate::{
    api::{
        path::Named,
        query::{AgentQuery, Query},
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// What would go with a person, and what keeps them; nothing is erased yet. 410 for who was erased.
#[utoipa::path(
    get, path = "/users/{id}/erasure", tag = "users",
    params(("id" = String, Path, description = "`usr_…`, or percent-encoded the `user_id` or the scope as a JSON object"), AgentQuery),
    responses((status = 200, body = ErasurePreview))
)]
pub async fn get_erasure(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(Person(user)): Named<Person>,
    Query(asked): Query<AgentQuery>,
) -> Result<Json<ErasurePreview>, Problem> {
    let user = user.ok_or_else(Problem::not_found)?;
    let agent = asked.agent.as_ref();
    let preview = app
        .engine
        .preview_erasure(&caller.permit, &user, agent)
        .await?;
    Ok(Json(preview))
}
