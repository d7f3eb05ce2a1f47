//! `POST /agents/{name}/schemas`

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::Response,
};
use domain::agent::AgentName;
use engine::SchemaView;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    api::{body::Body, conditional::versioned, path::Named},
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// A new profile schema.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaPost {
    /// Its id, unique in the agent: 1 to 64 letters, digits, `_`, `-` or `.`.
    id: String,
    /// A JSON Schema of an object with 1 to 100 properties: the fields. `x-consolidate` (`join` or `replace`) says how a new value meets
    /// the old one, `x-ttl-days` how long a value lives.
    #[schema(value_type = Object)]
    schema: Value,
}

/// Makes a profile schema. A fault is told with its place in the schema.
#[utoipa::path(
    post, path = "/agents/{name}/schemas", tag = "agents", params(("name" = AgentName, Path), OnceHeader), request_body = SchemaPost,
    responses((status = 201, body = SchemaView, headers(("ETag"), ("Location"))))
)]
pub async fn create_schema(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    Named(agent): Named<AgentName>,
    body: Body<SchemaPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let SchemaPost { id, schema } = body.value;
    let work = async {
        let made = app
            .engine
            .create_schema(permit, &agent, &id, schema)
            .await?;
        let mut response = versioned(StatusCode::CREATED, made.version, &made);
        if let Ok(location) = format!("/api/v1/agents/{agent}/schemas/{}", made.id).parse() {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    };
    once.run(permit, &body.raw, work).await
}
