//! `PATCH /agents/{name}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::agent::AgentName;
use engine::{AgentPatch, AgentView};

use crate::{
    api::{
        body::Body,
        conditional::{IfMatch, IfMatchHeader, versioned},
        path::Named,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Changes settings; what is left out stays.
#[utoipa::path(
    patch, path = "/agents/{name}", tag = "agents", params(("name" = AgentName, Path), IfMatchHeader), request_body = AgentPatch,
    responses((status = 200, body = AgentView, headers(("ETag"))))
)]
pub async fn change_agent(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Named(name): Named<AgentName>,
    IfMatch(seen): IfMatch,
    body: Body<AgentPatch>,
) -> Result<Response, Problem> {
    let agent = app
        .engine
        .change_agent(&caller.permit, &name, seen, body.value)
        .await?;
    Ok(versioned(StatusCode::OK, agent.version, &agent))
}
