//! `POST /agents`

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::Response,
};
use domain::agent::{AgentName, AgentSettings};
use engine::AgentView;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{body::Body, conditional::versioned},
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// A new agent; it starts with the default settings and the kinds of the set `assistant`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentPost {
    /// Its name.
    name: AgentName,
}

/// Makes an agent.
#[utoipa::path(
    post, path = "/agents", tag = "agents", params(OnceHeader), request_body = AgentPost,
    responses((status = 201, body = AgentView, headers(("ETag"), ("Location"))))
)]
pub async fn create_agent(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    body: Body<AgentPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let name = body.value.name;
    let work = async {
        let agent = app
            .engine
            .create_agent(permit, name, AgentSettings::default())
            .await?;
        let mut response = versioned(StatusCode::CREATED, agent.version, &agent);
        if let Ok(location) = format!("/api/v1/agents/{}", agent.name).parse() {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    };
    once.run(permit, &body.raw, work).await
}
