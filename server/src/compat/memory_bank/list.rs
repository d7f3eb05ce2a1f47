//! `GET …/memories`

use axum::{Json, extract::State};
use engine::MemoryFilter;
use serde::{Deserialize, Serialize};

use super::{filter::Filter, memory::Memory, name::Bank, page};
use crate::{
    api::{
        query::Query,
        subject::{fault, field},
    },
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

const USUAL: u32 = 50;
const MOST: u32 = 200;

/// Which memories, and which page of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    filter: Option<String>,
    #[serde(rename = "pageSize", alias = "page_size")]
    page_size: Option<i64>,
    #[serde(rename = "pageToken", alias = "page_token")]
    page_token: Option<String>,
    #[serde(rename = "orderBy", alias = "order_by")]
    order_by: Option<String>,
}

/// A page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Memories {
    memories: Vec<Memory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Approved memories of the agent, newest first; fields of profiles are not among them.
pub async fn list(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    bank: Bank,
    Query(asked): Query<ListQuery>,
) -> Result<Json<Memories>, Problem> {
    let reads = bank.permit(&caller)?;
    let filter = Filter::parse(asked.filter.as_deref(), Vec::new()).map_err(fault)?;
    newest_first(asked.order_by.as_deref())?;
    let size = page::size(asked.page_size, USUAL, MOST, "/pageSize").map_err(fault)?;
    let wanted = MemoryFilter {
        agent: Some(bank.agent.clone()),
        scope: filter.scope().cloned(),
        ..MemoryFilter::default()
    };
    let begins = (asked.page_token, size);
    let list = page::next(&app, &reads, &wanted, begins, &filter, "/pageToken").await?;
    let memories = list.data.into_iter();
    Ok(Json(Memories {
        memories: memories
            .map(|memory| Memory::remembered(&bank, memory))
            .collect(),
        next_page_token: list.next,
    }))
}

fn newest_first(order: Option<&str>) -> Result<(), Problem> {
    match order.map(str::trim) {
        None | Some("" | "create_time desc" | "createTime desc") => Ok(()),
        Some(_) => {
            let detail = "memories come newest first: create_time desc";
            Err(fault(field("/orderBy", "not_supported", detail)).into())
        }
    }
}
