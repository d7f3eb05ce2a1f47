//! `GET` and `POST /memories/{id}/recall`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::id::MemoryId;
use engine::{RecallView, Version};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        conditional::{IfMatch, IfMatchHeader, versioned},
        path::Named,
    },
    auth::{
        Caller,
        need::{Decide, ReadHistory},
    },
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Why.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallPost {
    /// For the history; at most 2,000 characters.
    reason: String,
}

/// Recalls a memory that should never have been approved: it is in no context from now on, and the answer tells every session that
/// was told it, and what was made from it. Restoring it undoes this.
#[utoipa::path(
    post, path = "/memories/{id}/recall", tag = "memories", request_body = RecallPost,
    params(("id" = MemoryId, Path), OnceHeader, IfMatchHeader),
    responses((status = 200, body = RecallView, headers(("ETag"))))
)]
pub async fn recall_memory(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<MemoryId>,
    IfMatch(seen): IfMatch,
    body: Body<RecallPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let work = async {
        let seen = seen.unwrap_or(Version::Any);
        let recall = app
            .engine
            .recall(permit, &id, seen, &body.value.reason)
            .await?;
        Ok(versioned(StatusCode::OK, recall.memory.revision, &recall))
    };
    once.run(permit, &body.raw, work).await
}

/// How far a memory has got: the sessions that were told it, and what was made from it, whether or not it was recalled.
#[utoipa::path(
    get, path = "/memories/{id}/recall", tag = "memories", params(("id" = MemoryId, Path)),
    responses((status = 200, body = RecallView, headers(("ETag"))))
)]
pub async fn get_recall(
    caller: Caller<ReadHistory>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
) -> Result<Response, Problem> {
    let reach = app.engine.recall_of(&caller.permit, &id).await?;
    Ok(versioned(StatusCode::OK, reach.memory.revision, &reach))
}
