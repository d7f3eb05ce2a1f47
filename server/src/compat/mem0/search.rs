//! `POST /v3/memories/search/`, `/v2/…`, `/v1/…`, `POST /search`

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{filter::Filter, subject::Ids, view::Memory};
use crate::{
    api::{body::Body, subject::fault},
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// The most rows of one answer.
const MOST: u32 = 200;
/// How many there are unless told otherwise.
const USUAL: u32 = 10;

/// What to look for. Fields that are not known are named in `warnings`.
#[derive(Debug, Deserialize)]
pub struct SearchPost {
    query: String,
    filters: Option<Map<String, Value>>,
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    /// Of one of these tags.
    categories: Option<Value>,
    /// With these values in its metadata.
    metadata: Option<Map<String, Value>>,
    /// Rows, 1 to 200; left out: 10.
    #[serde(alias = "limit")]
    top_k: Option<u32>,
    /// The least score.
    threshold: Option<f64>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct FoundMemories {
    results: Vec<Memory>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Approved memories of a user that fit a query, the best first.
pub async fn search(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    body: Body<SearchPost>,
) -> Result<Json<FoundMemories>, Problem> {
    let post = body.value;
    let limit = post.top_k.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::invalid("/top_k", "range", format!("1 to {MOST}")));
    }
    if post.query.trim().is_empty() {
        let detail = "say what to look for";
        return Err(Problem::invalid("/query", "required", detail));
    }
    let mut filter = Filter::parse(&post.filters.unwrap_or_default()).map_err(fault)?;
    filter
        .and("/categories", "categories", "in", post.categories)
        .map_err(fault)?;
    if let Some(metadata) = post.metadata {
        filter.and_metadata(&metadata).map_err(fault)?;
    }
    let given = Ids {
        user_id: post.user_id,
        agent_id: post.agent_id,
        app_id: post.app_id,
        run_id: post.run_id,
    };
    let about = given.with(filter.ids()).map_err(fault)?.about(&caller)?;
    let permit = &caller.permit;
    let run = about.run(&app, permit).await?;
    // What the filter takes out makes room for what comes after it.
    let found = app
        .engine
        .search(permit, about.filter(), &post.query, MOST)
        .await?;
    let results = found
        .data
        .into_iter()
        .filter(|found| post.threshold.is_none_or(|least| found.score >= least))
        .filter(|found| run.holds(&found.memory) && filter.holds(&found.memory))
        .take(limit as usize)
        .map(|found| Memory::found(found.memory, found.score));
    Ok(Json(FoundMemories {
        results: results.collect(),
        warnings: body.ignored,
    }))
}
