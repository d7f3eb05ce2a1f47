//! `POST …/memories/{memory}:rollback`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{memory::RevisionAction, permission::Permission};
use engine::{EngineError, FieldError, MemoryChange, MemoryView, RevisionView, Version};
use serde::Deserialize;

use super::{
    name::{Of, RolledBack},
    operation::{Empty, Keepsake, Operation},
};
use crate::{
    api::{
        body::Body,
        subject::{fault, field},
    },
    auth::{
        Caller,
        need::{Propose, ReadMemories},
    },
    compat::{change::Changed, place::all_at},
    http::idempotency::Once,
    problem::Problem,
    state::AppState,
};

const CALL: &str = "RollbackMemory";
/// What of the call is wrong where the revision cannot come back.
const AT: &str = "/targetRevisionId";

/// Which revision comes back.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RollbackPost {
    #[serde(alias = "target_revision_id")]
    target_revision_id: String,
}

/// Gives a memory what an earlier revision said, as a new one, where the key is that of a person who decides; else proposes it.
pub async fn roll_back(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    Of {
        bank,
        id: RolledBack(name),
    }: Of<RolledBack>,
    once: Once,
    body: Body<RollbackPost>,
) -> Result<Response, Problem> {
    let permit = bank.permit(&caller)?;
    let work = async {
        let memory = bank.approved(&app, &caller, &name).await?;
        let reads = bank.permit_to::<ReadMemories, Propose>(&caller)?;
        let revisions = app.engine.revisions(&reads, &memory.id).await?.data;
        let wanted = earlier(&memory, revisions, &body.value.target_revision_id).map_err(fault)?;
        let changed = bring_back(&app, &caller, &memory, wanted).await;
        let changed = changed.map_err(|error| all_at(error, AT))?;
        let now = app.engine.now();
        let operation = match changed {
            Changed::Done(_) => Operation::done(CALL, now, Keepsake::done(Vec::new()), Empty {}),
            Changed::Proposed(outcome) => {
                Operation::proposed(CALL, now, &outcome, Vec::new(), Empty {})
            }
        };
        Ok(Json(operation).into_response())
    };
    once.run(&permit, &body.raw, work).await
}

async fn bring_back(
    app: &AppState,
    caller: &Caller<Propose>,
    memory: &MemoryView,
    wanted: RevisionView,
) -> Result<Changed, EngineError> {
    let engine = &app.engine;
    if let Some(permit) = caller.also(Permission::Decide) {
        let number = Some(wanted.revision);
        let done = engine
            .restore_memory(&permit, &memory.id, Version::Any, number, None)
            .await?;
        return Ok(Changed::Done(Box::new(done)));
    }
    let change = MemoryChange::Update {
        kind: Some(wanted.kind),
        content: wanted.content,
        metadata: Some(wanted.metadata),
    };
    let answer = engine
        .propose_change(&caller.permit, &memory.id, change)
        .await?;
    Ok(Changed::Proposed(answer.into()))
}

/// The revision that was asked for: one that said something, and not what is there.
fn earlier(
    memory: &MemoryView,
    revisions: Vec<RevisionView>,
    asked: &str,
) -> Result<RevisionView, FieldError> {
    let number = asked.parse::<i64>().ok();
    let mut revisions = revisions.into_iter();
    let wanted = revisions.find(|revision| Some(revision.revision) == number);
    let wanted = wanted.filter(|revision| {
        revision.action != RevisionAction::Retire && revision.revision != memory.revision
    });
    let unknown = "there is no such earlier revision";
    wanted.ok_or_else(|| field(AT, "unknown", unknown))
}
