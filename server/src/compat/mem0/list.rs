//! `POST /v3/memories/`, `POST /v2/memories/`, `GET /v1/memories/`, `GET /memories`

use axum::{
    Json,
    extract::{OriginalUri, State},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    filter::Filter,
    page::{MOST, Paged},
    subject::Ids,
    truth::truth,
    view::Memory,
};
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
    page_size: Option<usize>,
    /// The self-hosted server's word for it, from 0 to 1000 there: here as near to it as a page can be.
    #[serde(alias = "limit")]
    top_k: Option<usize>,
    #[serde(default, deserialize_with = "truth")]
    show_expired: bool,
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
    if asked.show_expired {
        let detail = "what has expired is read by nobody here; a person finds it among what the user's memories were";
        return Err(Problem::invalid("/show_expired", "not_supported", detail));
    }
    let (size, warnings) = size(asked.page_size, asked.top_k);
    let ids = Ids {
        user_id: asked.user_id,
        agent_id: asked.agent_id,
        app_id: asked.app_id,
        run_id: asked.run_id,
    };
    let all = ids.about(&caller)?.memories(&app, &caller.permit).await?;
    let all = all.into_iter().map(Memory::from).collect();
    Paged::cut(all, (asked.page, size), &uri, warnings).map(Json)
}

/// How long a page is, and what is to be said of it.
fn size(page_size: Option<usize>, top_k: Option<usize>) -> (Option<usize>, Vec<String>) {
    let Some(most) = top_k.filter(|_| page_size.is_none()) else {
        return (page_size, Vec::new());
    };
    let warning = format!("at most {MOST} at a time, next leads to the rest: top_k");
    let warnings = (most > MOST).then_some(warning);
    (Some(most.clamp(1, MOST)), warnings.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_a_page_holds_are_given_of_more() {
        for (asked, given, warned) in [
            ((None, None), None, false),
            ((Some(500), None), Some(500), false),
            ((Some(5), Some(1000)), Some(5), false),
            ((None, Some(0)), Some(1), false),
            ((None, Some(200)), Some(200), false),
            ((None, Some(1000)), Some(200), true),
        ] {
            let (size, warnings) = size(asked.0, asked.1);
            assert_eq!((size, !warnings.is_empty()), (given, warned), "{asked:?}");
        }
    }
}
