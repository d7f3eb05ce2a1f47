//! `DELETE …/memories/{memory}`

use axum::{Json, extract::State};

use super::{
    name::{MemoryName, Of},
    operation::{Empty, Keepsake, Operation},
};
use crate::{
    auth::{Caller, need::Propose},
    compat::change::{self, Changed},
    problem::Problem,
    state::AppState,
};

const CALL: &str = "DeleteMemory";

/// Retires a memory, where the key is that of a person who decides; else proposes it. This is no erasure: what is retired is kept with
/// its history.
pub async fn delete(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    Of { bank, id }: Of<MemoryName>,
) -> Result<Json<Operation<Empty>>, Problem> {
    let memory = bank.approved(&app, &caller, &id).await?;
    let changed = change::retire(&app, &caller, &memory.id).await?;
    let now = app.engine.now();
    Ok(Json(match changed {
        Changed::Done(_) => Operation::done(CALL, now, Keepsake::done(Vec::new()), Empty {}),
        Changed::Proposed(outcome) => {
            Operation::proposed(CALL, now, &outcome, Vec::new(), Empty {})
        }
    }))
}
