//! `POST /memories/search`

use std::collections::BTreeMap;

use axum::{Json, extract::State};
use domain::{agent::AgentName, id::UserId, permission::Permit};
use engine::{Found, MemoryFilter};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        listing::Listed,
        query::{AgentQuery, Query},
        subject::{fault, scope},
    },
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// The most rows of one answer.
const MOST: u32 = 200;

/// What to look for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchPost {
    /// Words to look for, in any language.
    query: String,
    /// About this user, by the agent's own id of them; this or `scope`.
    user_id: Option<String>,
    /// About the user these pairs name; this or `user_id`.
    scope: Option<BTreeMap<String, String>>,
    /// About this user, `usr_…`.
    user: Option<UserId>,
    /// Of these kinds; left out: of all.
    kinds: Option<Vec<String>>,
    /// Rows, 1 to 200; left out: 20.
    limit: Option<u32>,
}

/// Approved memories that hold the words, the best first.
#[utoipa::path(
    post, path = "/memories/search", tag = "memories", params(AgentQuery), request_body = SearchPost,
    responses((status = 200, body = Listed<Found>))
)]
pub async fn search_memories(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Query(asked): Query<AgentQuery>,
    body: Body<SearchPost>,
) -> Result<Json<Listed<Found>>, Problem> {
    let agent = caller.agent(asked.agent.as_ref())?;
    search(&app, &caller.permit, &agent, body).await.map(Json)
}

/// What fits, whichever way it was asked for.
///
/// # Errors
/// The question does not fit.
pub async fn search(
    app: &AppState,
    permit: &Permit,
    agent: &AgentName,
    body: Body<SearchPost>,
) -> Result<Listed<Found>, Problem> {
    let post = body.value;
    let limit = post.limit.unwrap_or(20);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::invalid("/limit", "range", format!("1 to {MOST}")));
    }
    let named = match (&post.user_id, post.scope) {
        (None, None) => None,
        (id, pairs) => Some(scope(id.as_deref(), pairs).map_err(fault)?),
    };
    let filter = MemoryFilter {
        retired: false,
        agent: Some(agent.clone()),
        user: post.user,
        scope: named,
        kinds: post.kinds.unwrap_or_default(),
        search: None,
    };
    let found = app
        .engine
        .search(permit, filter, &post.query, limit)
        .await?;
    Ok(found.into())
}
