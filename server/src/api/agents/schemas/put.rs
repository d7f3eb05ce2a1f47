//! `PUT /agents/{name}/schemas/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::agent::AgentName;
use engine::SchemaView;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

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

/// The value of a profile schema.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaPut {
    /// As with `POST`.
    #[schema(value_type = Object)]
    schema: Value,
}

/// Gives a profile schema another value, or makes it. The answer counts the approved values that no longer fit; what has to change is
/// proposed in the queue.
#[utoipa::path(
    put, path = "/agents/{name}/schemas/{id}", tag = "agents",
    params(("name" = AgentName, Path), ("id" = String, Path), IfMatchHeader), request_body = SchemaPut,
    responses((status = 200, body = SchemaView, headers(("ETag"))))
)]
pub async fn put_schema(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Within(agent, id): Within<AgentName, String>,
    IfMatch(seen): IfMatch,
    body: Body<SchemaPut>,
) -> Result<Response, Problem> {
    let schema = app
        .engine
        .put_schema(&caller.permit, &agent, &id, body.value.schema, seen)
        .await?;
    Ok(versioned(StatusCode::OK, schema.version, &schema))
}
