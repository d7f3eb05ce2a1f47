//! `PATCH /memories/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::{Timestamp, candidate::Edit, id::MemoryId};
use engine::{MemoryEdit, MemoryView};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        conditional::{MustMatch, versioned},
        path::Named,
    },
    auth::{Caller, need::Decide},
    problem::Problem,
    state::AppState,
};

/// What changes; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryPatch {
    /// Another statement.
    content: Option<String>,
    /// Another kind.
    kind: Option<String>,
    /// Another name.
    name: Option<String>,
    /// Other metadata.
    metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// Another importance.
    importance: Option<f64>,
    /// When it stops being served; `null`: never. Left out: as its kind or the field of its profile says, counted from now.
    #[serde(default, deserialize_with = "engine::patch::given")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Option<Timestamp>>,
    /// For the history.
    note: Option<String>,
}

/// Edits a memory, or gives it another end: a new revision. Of a profile field the words make the value.
#[utoipa::path(
    patch, path = "/memories/{id}", tag = "memories", request_body = MemoryPatch,
    params(("id" = MemoryId, Path), ("If-Match" = String, Header, description = "The revision that was seen, or *")),
    responses((status = 200, body = MemoryView, headers(("ETag"))))
)]
pub async fn edit_memory(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
    MustMatch(seen): MustMatch,
    body: Body<MemoryPatch>,
) -> Result<Response, Problem> {
    let patch = body.value;
    let edit = MemoryEdit {
        edit: Edit {
            content: patch.content,
            kind: patch.kind,
            name: patch.name,
            metadata: patch.metadata,
            importance: patch.importance,
        },
        expires_at: patch.expires_at,
    };
    let memory = app
        .engine
        .edit_memory(&caller.permit, &id, seen, edit, patch.note)
        .await?;
    Ok(versioned(StatusCode::OK, memory.revision, &memory))
}
