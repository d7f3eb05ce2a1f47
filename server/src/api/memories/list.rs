//! `GET /memories`

use axum::{Json, extract::State};
use domain::{agent::AgentName, id::UserId, memory::MemoryStatus, permission::Permission};
use engine::{EngineError, MemoryFilter, MemoryView};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    api::{
        listing::{Listed, page},
        query::Query,
        subject::named,
    },
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// The filters; all must hold.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MemoryQuery {
    /// `retired` is for persons. Left out: `approved`.
    status: Option<MemoryStatus>,
    /// Of this agent.
    agent: Option<AgentName>,
    /// About this user, as the agent names them.
    user_id: Option<String>,
    /// About exactly the user these pairs name, as a JSON object.
    scope: Option<String>,
    /// About this user, `usr_…`.
    user: Option<UserId>,
    /// Of these kinds, separated by commas.
    kinds: Option<String>,
    /// From `next` of the page before.
    cursor: Option<String>,
    /// Rows, 1 to 200; left out: 50.
    limit: Option<u32>,
}

/// Approved memories.
#[utoipa::path(
    get, path = "/memories", tag = "memories", params(MemoryQuery),
    responses((status = 200, body = Listed<MemoryView>))
)]
pub async fn list_memories(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Query(asked): Query<MemoryQuery>,
) -> Result<Json<Listed<MemoryView>>, Problem> {
    let page = page(asked.cursor.clone(), asked.limit)?;
    // What is retired was taken from the agents' sight; only a person looks at it.
    let permit = match asked.status {
        Some(MemoryStatus::Retired) => caller
            .also(Permission::ReadHistory)
            .ok_or(EngineError::Forbidden)?,
        _ => caller.permit,
    };
    let list = app
        .engine
        .memories(&permit, &asked.filter()?, &page)
        .await?;
    Ok(Json(list.into()))
}

impl MemoryQuery {
    fn filter(self) -> Result<MemoryFilter, Problem> {
        let kinds = self.kinds.iter().flat_map(|all| all.split(','));
        Ok(MemoryFilter {
            retired: self.status == Some(MemoryStatus::Retired),
            agent: self.agent,
            user: self.user,
            scope: named(self.user_id.as_deref(), self.scope.as_deref())?,
            kinds: kinds.map(|kind| kind.trim().to_owned()).collect(),
            search: None,
        })
    }
}
