//! `POST /users/{id}/erase`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{erasure::ErasureReason, id::RequestId};
use engine::{Erase, ErasureView};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Person;
use crate::{
    api::{
        body::Body,
        path::Named,
        query::{AgentQuery, Query},
    },
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// That a person is to be erased. It cannot be taken back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasePost {
    /// Their name, as `confirm` of `GET /users/{id}/erasure` gives it.
    confirm: String,
    /// `version` of that answer: what happens about them in between is not erased unseen.
    version: i64,
    /// Why; `restored` is Keepsake's own.
    reason: ErasureReason,
    /// The request of that person that asks for it (`req_…`), if one does.
    request: Option<RequestId>,
}

/// Erases a person: everything about them, files of exports that hold them, and the key under which it was sealed. The audit chain still
/// verifies. 409 `held` where a legal hold keeps them; 412 `stale` with the counts as they are now; 410 `erased` for who was,
/// and `idempotency_gone` where the same request is repeated: its answer goes like all that were given before an erasure.
#[utoipa::path(
    post, path = "/users/{id}/erase", tag = "users",
    params(("id" = String, Path, description = "`usr_…`, or percent-encoded the `user_id` or the scope as a JSON object"), AgentQuery, OnceHeader),
    request_body = ErasePost,
    responses((status = 200, body = ErasureView))
)]
pub async fn erase_user(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(Person(user)): Named<Person>,
    Query(asked): Query<AgentQuery>,
    body: Body<ErasePost>,
) -> Result<Response, Problem> {
    let user = user.ok_or_else(Problem::not_found)?;
    let wanted = Erase {
        reason: body.value.reason,
        confirm: body.value.confirm,
        version: body.value.version,
        request: body.value.request,
    };
    let agent = asked.agent.as_ref();
    let permit = &caller.permit;
    let work = async {
        let erased = app.engine.erase(permit, &user, agent, &wanted).await?;
        Ok(Json(erased).into_response())
    };
    once.run(permit, &body.raw, work).await
}
