//! `POST /agents/{name}/kinds`

use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use domain::agent::AgentName;
use engine::{KindView, NewKind};

use crate::{
    api::{body::Body, conditional::versioned, path::Named},
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Adds a kind of the agent's own.
#[utoipa::path(
    post, path = "/agents/{name}/kinds", tag = "agents", params(("name" = AgentName, Path), OnceHeader), request_body = NewKind,
    responses((status = 201, body = KindView, headers(("ETag"), ("Location"))))
)]
pub async fn create_kind(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(agent): Named<AgentName>,
    body: Body<NewKind>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let new = body.value;
    let work = async {
        let kind = app.engine.create_kind(permit, &agent, new).await?;
        let location = format!("/api/v1/agents/{agent}/kinds/{}", kind.name);
        let mut made = versioned(StatusCode::CREATED, kind.version, &kind);
        let location = HeaderValue::from_str(&location).expect("names are ASCII");
        made.headers_mut().insert(header::LOCATION, location);
        Ok(made)
    };
    once.run(permit, &body.raw, work).await
}
