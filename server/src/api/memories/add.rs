//! `POST /memories`

use std::collections::BTreeMap;

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::Response,
};
use engine::{MemoryView, NewMemory};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        conditional::versioned,
        query::{AgentQuery, Query},
        subject::{fault, scope},
    },
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// A memory that a person writes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryPost {
    /// Whom it is about; this or `scope`.
    user_id: Option<String>,
    /// The pairs that name the user; this or `user_id`.
    scope: Option<BTreeMap<String, String>>,
    /// A kind of the agent.
    kind: String,
    /// What identifies the thing within its kind.
    name: Option<String>,
    /// The statement, at most 2,000 characters.
    content: String,
    /// Metadata that fits the kind.
    #[serde(default)]
    metadata: serde_json::Map<String, serde_json::Value>,
    /// Free tags.
    #[serde(default)]
    tags: Vec<String>,
    /// How much it matters, 0.0 to 1.0.
    importance: Option<f64>,
    /// For the history.
    note: Option<String>,
}

/// Writes a memory by hand, straight to approved.
#[utoipa::path(
    post, path = "/memories", tag = "memories", params(AgentQuery, OnceHeader), request_body = MemoryPost,
    responses((status = 201, body = MemoryView, headers(("ETag"), ("Location"))))
)]
pub async fn add_memory(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Query(asked): Query<AgentQuery>,
    body: Body<MemoryPost>,
) -> Result<Response, Problem> {
    let agent = caller.agent(asked.agent.as_ref())?;
    let memory = body.value.parse()?;
    let permit = &caller.permit;
    let work = async {
        let memory = app.engine.add_memory(permit, &agent, memory).await?;
        let mut response = versioned(StatusCode::CREATED, memory.revision, &memory);
        if let Ok(location) = format!("/api/v1/memories/{}", memory.id).parse() {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    };
    once.run(permit, &body.raw, work).await
}

impl MemoryPost {
    fn parse(self) -> Result<NewMemory, Problem> {
        Ok(NewMemory {
            scope: scope(self.user_id.as_deref(), self.scope).map_err(fault)?,
            kind: self.kind,
            name: self.name,
            content: self.content,
            metadata: self.metadata,
            tags: self.tags,
            importance: self.importance,
            note: self.note,
        })
    }
}
