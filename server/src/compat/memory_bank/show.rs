//! `GET …/memories/{memory}`

use axum::{Json, extract::State};
use engine::CameOf;

use super::{
    memory::Memory,
    name::{MemoryName, Of},
};
use crate::{
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// One approved memory, by its name or that of the candidate that it came from. Of a candidate that waits nothing is told but that;
/// what was rejected, has expired or is retired is 404 for everybody.
pub async fn show(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Of { bank, id }: Of<MemoryName>,
) -> Result<Json<Memory>, Problem> {
    let reads = bank.permit(&caller)?;
    let memory = match bank.find(&app, &reads, &id).await? {
        CameOf::Memory(memory) => Memory::remembered(&bank, *memory),
        CameOf::Waits { scope, since } => Memory::waiting(&bank, &id, scope, since),
    };
    Ok(Json(memory))
}
