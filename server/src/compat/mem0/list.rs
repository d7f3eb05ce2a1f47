//! `POST /v3/memories/`, `POST /v2/memories/`, `GET /v1/memories/`, `GET /memories`

use axum::{
    Json,
    extract::{OriginalUri, State},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{filter::Filter, page::Paged, subject::Ids, view::Memory};
use crate::{
    api::{body::Body, query::Query, subject::fault},
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// Which page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    page: Option<usize>,
    page_size: Option<usize>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    org_id: Option<String>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    project_id: Option<String>,
}

/// Which memories; all must hold. Fields that are not known are named in `warnings`.
#[derive(Debug, Deserialize)]
pub struct ListPost {
    filters: Option<Map<String, Value>>,
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    /// Of one of these tags.
    categories: Option<Value>,
    /// Approved at this time or later.
    start_date: Option<Value>,
    /// Approved at this time or earlier.
    end_date: Option<Value>,
}

/// Approved memories of a user that a filter lets through, newest first.
pub async fn filtered(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    OriginalUri(uri): OriginalUri,
    Query(asked): Query<PageQuery>,
    body: Body<ListPost>,
) -> Result<Json<Paged<Memory>>, Problem> {
    let post = body.value;
    let mut filter = Filter::parse(&post.filters.unwrap_or_default()).map_err(fault)?;
    for (at, name, operator, value) in [
        ("/categories", "categories", "in", post.categories),
        ("/start_date", "created_at", "gte", post.start_date),
        ("/end_date", "created_at", "lte", post.end_date),
    ] {
        filter.and(at, name, operator, value).map_err(fault)?;
    }
    let given = Ids {
        user_id: post.user_id,
        agent_id: post.agent_id,
        app_id: post.app_id,
        run_id: post.run_id,
    };
    let about = given.with(filter.ids()).map_err(fault)?.about(&caller)?;
    let mut all = about.memories(&app, &caller.permit).await?;
    all.retain(|memory| filter.holds(memory));
    let all = all.into_iter().map(Memory::from).collect();
    let page = (asked.page, asked.page_size);
    Paged::cut(all, page, &uri, body.ignored).map(Json)
}

/// Whose memories, by parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    page: Option<usize>,
    #[serde(alias = "top_k", alias = "limit")]
    page_size: Option<usize>,
    #[expect(dead_code, reason = "older clients send it; there is one form")]
    output_format: Option<String>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    org_id: Option<String>,
    #[expect(dead_code, reason = "older clients send it; a key says what it is for")]
    project_id: Option<String>,
}

/// Approved memories of a user, newest first.
pub async fn named(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    OriginalUri(uri): OriginalUri,
    Query(asked): Query<ListQuery>,
) -> Result<Json<Paged<Memory>>, Problem> {
    let ids = Ids {
        user_id: asked.user_id,
        agent_id: asked.agent_id,
        app_id: asked.app_id,
        run_id: asked.run_id,
    };
    let all = ids.about(&caller)?.memories(&app, &caller.permit).await?;
    let all = all.into_iter().map(Memory::from).collect();
    let page = (asked.page, asked.page_size);
    Paged::cut(all, page, &uri, Vec::new()).map(Json)
}
