//! `DELETE /memories/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::id::MemoryId;
use engine::MemoryView;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::OptionalBody,
        conditional::{MustMatch, versioned},
        path::Named,
    },
    auth::{Caller, need::Decide},
    problem::Problem,
    state::AppState,
};

/// Why.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetireBody {
    /// For the history.
    note: Option<String>,
}

/// Retires a memory: kept with its history, no longer served.
#[utoipa::path(
    delete, path = "/memories/{id}", tag = "memories", request_body = Option<RetireBody>,
    params(("id" = MemoryId, Path), ("If-Match" = String, Header, description = "The revision that was seen, or *")),
    responses((status = 200, body = MemoryView, headers(("ETag"))))
)]
pub async fn retire_memory(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
    MustMatch(seen): MustMatch,
    OptionalBody(body): OptionalBody<RetireBody>,
) -> Result<Response, Problem> {
    let memory = app
        .engine
        .retire_memory(&caller.permit, &id, seen, body.value.note)
        .await?;
    Ok(versioned(StatusCode::OK, memory.revision, &memory))
}
