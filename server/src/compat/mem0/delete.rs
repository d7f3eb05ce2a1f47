//! `DELETE /v1/memories/{id}/`, `DELETE /memories/{id}`; `DELETE /v1/memories/`, `DELETE /memories`

use std::collections::BTreeMap;

use axum::{Json, extract::State};
use domain::id::MemoryId;
use serde::{Deserialize, Serialize};

use super::{
    outcome::{FAILED, PENDING, SUCCEEDED, Told},
    subject::Ids,
    truth::truth,
};
use crate::{
    api::{path::Named, query::Query},
    auth::{
        self, Caller,
        need::{Propose, ReadMemories},
    },
    compat::{
        change::{self, Changed, Retired},
        outcome::sentences,
    },
    problem::Problem,
    state::AppState,
};

/// What stands beside one memory. What is not known is refused, as for all of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneQuery {
    #[serde(default, deserialize_with = "truth")]
    delete_linked: bool,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    org_id: Option<String>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    project_id: Option<String>,
}

/// Retires a memory, where the key is that of a person who decides; else proposes it.
pub async fn one(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    Named(id): Named<MemoryId>,
    Query(asked): Query<OneQuery>,
) -> Result<Json<Told>, Problem> {
    if asked.delete_linked {
        let detail = "memories are not linked here: a memory keeps what it said before as its history, which goes with it; \
                      delete each memory by its id";
        return Err(Problem::invalid("/delete_linked", "not_supported", detail));
    }
    let told = match change::retire(&app, &caller, &id).await? {
        Changed::Done(_) => Told::deleted(id),
        Changed::Proposed(outcome) => {
            let waits = "The deletion waits for a person; until then the memory stays.";
            Told::new(id, &outcome, waits)
        }
    };
    Ok(Json(told))
}

/// Whose memories. What is not known is refused: a filter that is not looked at would delete more than was meant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeleteQuery {
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    org_id: Option<String>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    project_id: Option<String>,
}

/// What became of all of them.
#[derive(Debug, Serialize)]
pub struct Deleted {
    message: String,
    status: &'static str,
    /// How many are deleted.
    deleted: usize,
    /// How many deletions wait for a person.
    waiting: usize,
    /// How many memories stay, by the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    skipped: BTreeMap<&'static str, usize>,
}

/// Each approved memory of a user, or of one conversation with them, as [`one`]. This is no erasure: what is retired is kept with its
/// history.
pub async fn all(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    Query(asked): Query<DeleteQuery>,
) -> Result<Json<Deleted>, Problem> {
    let ids = Ids {
        user_id: asked.user_id,
        agent_id: asked.agent_id,
        app_id: asked.app_id,
        run_id: asked.run_id,
    };
    let about = ids.about(&caller)?;
    let reads = auth::permit::<ReadMemories>(caller.permit.actor())?;
    let memories = about.memories(&app, &reads).await?;
    let retired = change::retire_all(&app, &caller, &memories).await?;
    Ok(Json(retired.into()))
}

impl From<Retired> for Deleted {
    fn from(retired: Retired) -> Self {
        let Retired {
            done: deleted,
            waiting,
            skipped,
        } = retired;
        let waiting = waiting.len();
        let told = [
            (deleted > 0).then(|| format!("Deleted: {deleted}.")),
            (waiting > 0).then(|| format!("Deletions that wait for a person: {waiting}.")),
            (!skipped.is_empty()).then(|| format!("Not deleted: {}.", sentences(&skipped))),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        Self {
            message: if told.is_empty() {
                "There was nothing to delete.".to_owned()
            } else {
                told.join(" ")
            },
            status: match (waiting, skipped.is_empty()) {
                (1.., _) => PENDING,
                (0, true) => SUCCEEDED,
                (0, false) => FAILED,
            },
            deleted,
            waiting,
            skipped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_no_success() {
        let told = |done, skipped: &[(&'static str, usize)]| {
            Deleted::from(Retired {
                done,
                waiting: Vec::new(),
                skipped: skipped.iter().copied().collect(),
            })
        };
        let nothing = told(0, &[]);
        assert_eq!(
            (nothing.status, nothing.message.as_str()),
            (SUCCEEDED, "There was nothing to delete.")
        );
        for done in [0, 1] {
            let some = told(done, &[("rejected_before", 2)]);
            assert_eq!((some.status, some.deleted), (FAILED, done));
            let why = "Not deleted: 2: a person rejected the same within the last 90 days.";
            assert!(some.message.ends_with(why), "{}", some.message);
        }
    }
}
