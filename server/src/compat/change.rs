//! Changes to a memory by whoever holds a key: done where it is that of a person who decides, proposed where it is not.

use std::collections::BTreeMap;

use domain::{
    id::{CandidateId, MemoryId},
    permission::Permission,
};
use engine::{EngineError, MemoryChange, MemoryEdit, MemoryView, Version};

use super::outcome::Outcome;
use crate::{
    auth::{Caller, need::Propose},
    state::AppState,
};

/// What became of a change.
pub enum Changed {
    /// It is done.
    Done(Box<MemoryView>),
    /// It was proposed.
    Proposed(Outcome),
}

/// Gives a memory another value.
///
/// # Errors
/// As [`Engine::edit_memory`](engine::Engine::edit_memory) and [`Engine::propose_change`](engine::Engine::propose_change); `invalid`
/// for what only a person sets.
pub async fn update(
    app: &AppState,
    caller: &Caller<Propose>,
    id: &MemoryId,
    edit: MemoryEdit,
) -> Result<Changed, EngineError> {
    if let Some(permit) = caller.also(Permission::Decide) {
        let done = app
            .engine
            .edit_memory(&permit, id, Version::Any, edit, None);
        return Ok(Changed::Done(Box::new(done.await?)));
    }
    if edit.expires_at.is_some() {
        let detail = "when a memory ends is set by a person who decides, not proposed";
        return Err(EngineError::invalid("/expires_at", "person", detail));
    }
    let Some(content) = edit.edit.content else {
        let detail =
            "a proposal says what the memory shall say, also where only its metadata changes";
        return Err(EngineError::invalid("/content", "required", detail));
    };
    let metadata = edit.edit.metadata;
    let change = MemoryChange::Update {
        kind: None,
        content,
        metadata,
    };
    let answer = app
        .engine
        .propose_change(&caller.permit, id, change)
        .await?;
    Ok(Changed::Proposed(answer.into()))
}

/// Retires a memory.
///
/// # Errors
/// As [`Engine::retire_memory`](engine::Engine::retire_memory) and
/// [`Engine::propose_change`](engine::Engine::propose_change).
pub async fn retire(
    app: &AppState,
    caller: &Caller<Propose>,
    id: &MemoryId,
) -> Result<Changed, EngineError> {
    if let Some(permit) = caller.also(Permission::Decide) {
        let done = app.engine.retire_memory(&permit, id, Version::Any, None);
        return Ok(Changed::Done(Box::new(done.await?)));
    }
    let permit = &caller.permit;
    let answer = app.engine.propose_change(permit, id, MemoryChange::Retire);
    Ok(Changed::Proposed(answer.await?.into()))
}

/// What became of memories that were to be retired.
#[derive(Debug, Default)]
pub struct Retired {
    /// How many are.
    pub done: usize,
    /// What waits for a person.
    pub waiting: Vec<CandidateId>,
    /// How many stay and do not wait, by the reason.
    pub skipped: BTreeMap<&'static str, usize>,
}

/// Retires memories, each for itself: one that cannot go keeps none of the others.
///
/// # Errors
/// Only what is wrong with the server; what was done or proposed before stays.
pub async fn retire_all(
    app: &AppState,
    caller: &Caller<Propose>,
    memories: &[MemoryView],
) -> Result<Retired, EngineError> {
    let mut retired = Retired::default();
    for memory in memories {
        let skipped = match retire(app, caller, &memory.id).await {
            Ok(Changed::Done(_)) => {
                retired.done += 1;
                None
            }
            Ok(Changed::Proposed(outcome)) => {
                let reason = outcome.reason();
                if let Outcome::Waits(candidate) = outcome {
                    retired.waiting.push(candidate);
                }
                reason
            }
            // Somebody retired it meanwhile.
            Err(EngineError::NotFound | EngineError::MovedOn { .. }) => None,
            Err(error) if error.status() < 500 => Some(error.code()),
            Err(error) => return Err(error),
        };
        if let Some(reason) = skipped {
            *retired.skipped.entry(reason).or_default() += 1;
        }
    }
    Ok(retired)
}
