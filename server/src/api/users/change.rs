//! `PATCH /users/{id}`

use axum::{Json, extract::State};
use engine::OptOutView;
use serde::Deserialize;
use utoipa::ToSchema;

use super::Person;
use crate::{
    api::{body::Body, path::Named},
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// What is changed about a person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPatch {
    /// Whether they are neither learnt from nor served, on any agent. It holds for the name, also before an agent has heard of it and
    /// after the person was erased.
    opted_out: bool,
}

/// Takes a person out of learning and serving on every agent, or back in.
#[utoipa::path(
    patch, path = "/users/{id}", tag = "users",
    params(("id" = String, Path, description = "`usr_…`, or percent-encoded the `user_id` or the scope as a JSON object")), request_body = UserPatch,
    responses((status = 200, body = OptOutView))
)]
pub async fn change_user(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(Person(user)): Named<Person>,
    body: Body<UserPatch>,
) -> Result<Json<OptOutView>, Problem> {
    let user = user.ok_or_else(Problem::not_found)?;
    let view = app
        .engine
        .set_opt_out(&caller.permit, &user, body.value.opted_out)
        .await?;
    Ok(Json(view))
}
