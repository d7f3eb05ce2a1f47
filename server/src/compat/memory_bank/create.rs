//! `POST …/memories`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::permission::Permit;
use engine::Proposed;
use serde::Deserialize;

use super::{
    memory::Memory,
    name::Bank,
    operation::{Keepsake, Operation},
    written::{MemoryPost, NAMES, not_supported},
};
use crate::{
    api::{body::Body, query::Query, subject::fault},
    auth::{Caller, need::Propose},
    compat::{outcome::Outcome, place::placed},
    http::idempotency::Once,
    problem::Problem,
    state::AppState,
};

const CALL: &str = "CreateMemory";

/// What stands beside the memory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateQuery {
    #[serde(rename = "memoryId", alias = "memory_id")]
    memory_id: Option<String>,
}

/// Proposes a memory. The operation is done at once and answers with the name of what waits, which is that of the memory as soon as a
/// person has approved it.
pub async fn create(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    bank: Bank,
    once: Once,
    Query(asked): Query<CreateQuery>,
    body: Body<MemoryPost>,
) -> Result<Response, Problem> {
    let permit = bank.permit(&caller)?;
    let mut warnings = body.ignored;
    let proposed = body.value.proposed(&mut warnings).map_err(fault)?;
    if asked.memory_id.is_some() {
        let detail = "Keepsake gives a memory its name";
        return Err(fault(not_supported("memoryId", detail)).into());
    }
    let work = async {
        let operation = propose(&app, &permit, &bank, proposed, warnings).await?;
        Ok(Json(operation).into_response())
    };
    once.run(&permit, &body.raw, work).await
}

async fn propose(
    app: &AppState,
    permit: &Permit,
    bank: &Bank,
    proposed: Proposed,
    warnings: Vec<String>,
) -> Result<Operation<Memory>, Problem> {
    let scope = proposed.scope.clone();
    let answer = app.engine.propose(permit, &bank.agent, proposed).await;
    let outcome = Outcome::from(answer.map_err(|error| placed(error, NAMES))?);
    let now = app.engine.now();
    let keepsake = Keepsake::of(&outcome, warnings);
    let memory = match &outcome {
        Outcome::Waits(candidate) => Memory::waiting(bank, candidate, scope, now),
        Outcome::Known(memory) => Memory::named(bank, memory),
        // Clients look the memory up by its name as soon as they have one, and there is none to give.
        Outcome::Rejected(_) | Outcome::Skipped(_) => {
            return Ok(Operation::refused(CALL, now, keepsake));
        }
    };
    Ok(Operation::done(CALL, now, keepsake, memory))
}
