//! `PATCH /agents/{name}/kinds/{kind}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::agent::AgentName;
use engine::{KindPatch, KindView};

use crate::{
    api::{
        body::Body,
        conditional::{IfMatch, IfMatchHeader, versioned},
        path::Within,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Changes a kind; what is left out stays. After another metadata schema the answer counts the approved memories that no longer fit,
/// and what has to change is proposed in the queue. `If-Match` is the agent's version, as the `ETag` of a kind or of the agent gave it.
#[utoipa::path(
    patch, path = "/agents/{name}/kinds/{kind}", tag = "agents", params(("name" = AgentName, Path), ("kind" = String, Path), IfMatchHeader),
    request_body = KindPatch, responses((status = 200, body = KindView, headers(("ETag"))))
)]
pub async fn change_kind(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Within(agent, kind): Within<AgentName, String>,
    IfMatch(seen): IfMatch,
    body: Body<KindPatch>,
) -> Result<Response, Problem> {
    let changed = app
        .engine
        .change_kind(&caller.permit, &agent, &kind, seen, body.value)
        .await?;
    Ok(versioned(StatusCode::OK, changed.version, &changed))
}
