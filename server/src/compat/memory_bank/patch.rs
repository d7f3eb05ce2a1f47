//! `PATCH …/memories/{memory}`

use axum::{Json, extract::State};
use serde::Deserialize;

use super::{
    memory::Memory,
    name::{MemoryName, Of},
    operation::{Keepsake, Operation},
    written::{Mask, MemoryPost, NAMES},
};
use crate::{
    api::{body::Body, query::Query, subject::fault},
    auth::{Caller, need::Propose},
    compat::{
        change::{self, Changed},
        place::placed,
    },
    problem::Problem,
    state::AppState,
};

const CALL: &str = "UpdateMemory";

/// What is to change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchQuery {
    #[serde(rename = "updateMask", alias = "update_mask")]
    update_mask: Option<String>,
}

/// Edits a memory, where the key is that of a person who decides; else proposes it, and answers with the memory as it stays meanwhile.
pub async fn patch(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    Of { bank, id }: Of<MemoryName>,
    Query(asked): Query<PatchQuery>,
    body: Body<MemoryPost>,
) -> Result<Json<Operation<Memory>>, Problem> {
    let memory = bank.approved(&app, &caller, &id).await?;
    let mask = Mask::parse(asked.update_mask.as_deref()).map_err(fault)?;
    let now = app.engine.now();
    let mut warnings = body.ignored;
    let edit = body.value.edit(&mask, &memory, now, &mut warnings);
    let changed = change::update(&app, &caller, &memory.id, edit.map_err(fault)?).await;
    let changed = changed.map_err(|error| placed(error, NAMES))?;
    Ok(Json(match changed {
        Changed::Done(memory) => {
            let memory = Memory::remembered(&bank, *memory);
            Operation::done(CALL, now, Keepsake::done(warnings), memory)
        }
        Changed::Proposed(outcome) => {
            let memory = Memory::remembered(&bank, memory);
            Operation::proposed(CALL, now, &outcome, warnings, memory)
        }
    }))
}
