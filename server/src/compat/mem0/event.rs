//! `GET /v1/event/{id}/`: how far an `add` is.

use axum::{Json, extract::State};
use domain::{Timestamp, id::OperationId};
use engine::OperationError;
use serde::Serialize;
use serde_json::{Value, json};

use super::outcome::{PENDING, SUCCEEDED};
use crate::{
    api::path::Named,
    auth::{Caller, need::Ingest},
    problem::Problem,
    state::AppState,
};

/// An operation.
#[derive(Debug, Serialize)]
pub struct Event {
    id: OperationId,
    event_type: &'static str,
    status: &'static str,
    /// The candidates that it made: they wait, so that only their ids are told.
    results: Vec<Value>,
    error: Option<OperationError>,
    created_at: Timestamp,
    completed_at: Option<Timestamp>,
}

/// What came of an `add`. That it has succeeded says that the messages are read, not that something was approved.
pub async fn show(
    caller: Caller<Ingest>,
    State(app): State<AppState>,
    Named(id): Named<OperationId>,
) -> Result<Json<Event>, Problem> {
    let operation = app.engine.operation(&caller.permit, &id).await?;
    let candidates = operation.candidates.into_iter();
    Ok(Json(Event {
        id: operation.id,
        event_type: "ADD",
        status: match operation.state {
            "queued" => PENDING,
            "running" => "RUNNING",
            "succeeded" => SUCCEEDED,
            _ => "FAILED",
        },
        results: candidates
            .map(|id| json!({"id": id, "event": PENDING}))
            .collect(),
        error: operation.error,
        created_at: operation.created_at,
        completed_at: operation.finished_at,
    }))
}
