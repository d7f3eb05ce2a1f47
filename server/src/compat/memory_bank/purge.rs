//! `POST …/memories:purge`

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{Timestamp, permission::Permit, profile, user::Scope};
use engine::{EngineError, MemoryFilter, MemoryView};
use serde::{Deserialize, Serialize};

use super::{
    filter::{Filter, Group},
    name::Bank,
    operation::{Answer, Keepsake, Operation, Skipped},
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
    compat::{
        change::{self, Retired},
        memories,
    },
    http::idempotency::Once,
    problem::Problem,
    state::AppState,
};

const CALL: &str = "PurgeMemories";

/// Which memories go.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurgePost {
    filter: Option<String>,
    #[serde(default, alias = "filter_groups")]
    filter_groups: Vec<Group>,
    /// Without it they are only counted.
    #[serde(default)]
    force: bool,
}

/// How many went or, where nothing was to go yet, would.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Purged {
    purge_count: usize,
}

impl Answer for Purged {
    const TYPE: &'static str =
        "type.googleapis.com/google.cloud.aiplatform.v1beta1.PurgeMemoriesResponse";
}

/// Retires each memory of a user that a filter lets through, fields of profiles too, where the key is that of a person who decides;
/// else proposes it, and counts what waits and what stays apart from what is gone.
pub async fn purge(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    bank: Bank,
    once: Once,
    body: Body<PurgePost>,
) -> Result<Response, Problem> {
    let PurgePost {
        filter,
        filter_groups,
        force,
    } = body.value;
    let filter = Filter::parse(filter.as_deref(), filter_groups).map_err(fault)?;
    let Some(scope) = filter.scope() else {
        let detail = "say whose memories: scope.user_id=\"…\"";
        return Err(fault(field("/filter", "required", detail)).into());
    };
    let reads = bank.permit_to::<ReadMemories, Propose>(&caller)?;
    let permit = bank.permit(&caller)?;
    let work = async {
        let mut memories = all_of(&app, &reads, &bank, scope).await?;
        memories.retain(|memory| filter.holds(memory));
        let operation = if force {
            let retired = change::retire_all(&app, &caller, &memories).await?;
            Operation::purged(app.engine.now(), retired)
        } else {
            let purge_count = memories.len();
            let counted = Keepsake::waiting(Vec::new(), Skipped::new(), Vec::new());
            Operation::done(CALL, app.engine.now(), counted, Purged { purge_count })
        };
        Ok(Json(operation).into_response())
    };
    once.run(&permit, &body.raw, work).await
}

impl Operation<Purged> {
    fn purged(now: Timestamp, retired: Retired) -> Self {
        let Retired {
            done,
            waiting,
            skipped,
        } = retired;
        let nothing = done == 0 && waiting.is_empty() && !skipped.is_empty();
        let keepsake = Keepsake::done_or_waiting(done > 0, waiting, skipped);
        if nothing {
            return Self::refused(CALL, now, keepsake);
        }
        Self::done(CALL, now, keepsake, Purged { purge_count: done })
    }
}

/// Every memory of a user that is served, of all kinds. There are at most as many as the agent allows.
async fn all_of(
    app: &AppState,
    reads: &Permit,
    bank: &Bank,
    scope: &Scope,
) -> Result<Vec<MemoryView>, EngineError> {
    let mut all = Vec::new();
    for kinds in [Vec::new(), vec![profile::KIND.to_owned()]] {
        let wanted = MemoryFilter {
            agent: Some(bank.agent.clone()),
            scope: Some(scope.clone()),
            kinds,
            ..MemoryFilter::default()
        };
        all.extend(memories::all(app, reads, &wanted).await?);
    }
    Ok(all)
}
