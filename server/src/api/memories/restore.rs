//! `POST /memories/{id}/restore`

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
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Which version comes back.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RestorePost {
    /// Left out: the one before the present one.
    revision: Option<i64>,
    /// For the history.
    note: Option<String>,
}

/// Brings an earlier version back, as a new revision.
#[utoipa::path(
    post, path = "/memories/{id}/restore", tag = "memories", request_body = Option<RestorePost>,
    params(("id" = MemoryId, Path), ("If-Match" = String, Header, description = "The revision that was seen, or *"), OnceHeader),
    responses((status = 200, body = MemoryView, headers(("ETag"))))
)]
pub async fn restore_memory(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<MemoryId>,
    MustMatch(seen): MustMatch,
    OptionalBody(body): OptionalBody<RestorePost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let RestorePost { revision, note } = body.value;
    let work = async {
        let memory = app
            .engine
            .restore_memory(permit, &id, seen, revision, note)
            .await?;
        Ok(versioned(StatusCode::OK, memory.revision, &memory))
    };
    once.run(permit, &body.raw, work).await
}
