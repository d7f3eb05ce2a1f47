//! `PATCH /requests/{id}`

use axum::{Json, extract::State};
use domain::{
    id::{ExportId, RequestId},
    request::RequestOutcome,
};
use engine::{EngineError, RequestDetail};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{body::Body, path::Named},
    auth::{Caller, need::Export},
    problem::Problem,
    state::AppState,
};

/// A step of a request; at least one. Several are taken in this order.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestPatch {
    /// Look for the person again, and go on with the names that were not looked through yet.
    #[serde(default)]
    look: bool,
    /// The export that was handed out, of the sort `copy`.
    export: Option<ExportId>,
    /// How it ended: this closes it. `done` is only taken where what was asked for was done.
    outcome: Option<RequestOutcome>,
    /// What there is to say about that; needed for `partly` and `refused`. It stays, so it should not name the person.
    note: Option<String>,
}

/// Takes a step: looks again, notes the copy that was handed out, closes the request.
#[utoipa::path(
    patch, path = "/requests/{id}", tag = "requests", params(("id" = RequestId, Path)), request_body = RequestPatch,
    responses((status = 200, body = RequestDetail))
)]
pub async fn change_request(
    caller: Caller<Export>,
    State(app): State<AppState>,
    Named(id): Named<RequestId>,
    body: Body<RequestPatch>,
) -> Result<Json<RequestDetail>, Problem> {
    let (engine, permit, step) = (&app.engine, &caller.permit, body.value);
    let mut taken = None;
    if step.look {
        taken = Some(engine.look_for_person(permit, &id).await?);
    }
    if let Some(export) = &step.export {
        taken = Some(engine.note_copy(permit, &id, export).await?);
    }
    if let Some(outcome) = step.outcome {
        let note = step.note.filter(|note| !note.trim().is_empty());
        taken = Some(engine.close_request(permit, &id, outcome, note).await?);
    }
    let nothing = || EngineError::invalid("", "required", "nothing to change");
    Ok(Json(taken.ok_or_else(nothing)?))
}
