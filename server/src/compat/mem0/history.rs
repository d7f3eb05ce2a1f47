//! `GET /v1/memories/{id}/history/`, `GET /memories/{id}/history`

use axum::{Json, extract::State};
use domain::{Timestamp, id::MemoryId, memory::RevisionAction, permission::Permission};
use engine::RevisionView;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    api::path::Named,
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// A revision.
#[derive(Debug, Serialize)]
pub struct Step {
    id: String,
    memory_id: MemoryId,
    old_memory: Option<String>,
    new_memory: Option<String>,
    event: &'static str,
    metadata: Map<String, Value>,
    is_deleted: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The revisions of a memory as the key may see them, the oldest first; proposals are none.
pub async fn list(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
) -> Result<Json<Vec<Step>>, Problem> {
    let history = caller.also(Permission::ReadHistory);
    let permit = history.unwrap_or(caller.permit);
    let revisions = app.engine.revisions(&permit, &id).await?;
    let steps = revisions.data.into_iter().rev();
    Ok(Json(steps.map(|one| step(&id, one)).collect()))
}

fn step(id: &MemoryId, revision: RevisionView) -> Step {
    let retired = revision.action == RevisionAction::Retire;
    Step {
        id: format!("{id}.{}", revision.revision),
        memory_id: id.clone(),
        old_memory: revision.before,
        new_memory: (!retired).then_some(revision.content),
        event: match revision.action {
            RevisionAction::Create => "ADD",
            RevisionAction::Update | RevisionAction::Merge | RevisionAction::Restore => "UPDATE",
            RevisionAction::Retire => "DELETE",
        },
        metadata: revision.metadata,
        is_deleted: retired,
        created_at: revision.at,
        updated_at: revision.at,
    }
}
