//! `POST …/memories:retrieve`

use std::collections::BTreeMap;

use axum::{Json, extract::State};
use domain::profile;
use engine::{FieldError, MemoryFilter};
use serde::{Deserialize, Serialize};

use super::{
    filter::{Filter, Group},
    memory::{Memory, MemoryType, scope_of},
    name::Bank,
    page,
    written::about,
};
use crate::{
    api::{
        body::Body,
        subject::{fault, field},
    },
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// How many there are unless told otherwise.
const USUAL: u32 = 3;
/// The most of one answer.
const MOST: u32 = 100;
/// The most that a search looks at.
const FOUND: u32 = 200;

/// Whose memories, and which.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetrievePost {
    scope: Option<BTreeMap<String, String>>,
    #[serde(alias = "similarity_search_params")]
    similarity_search_params: Option<Similar>,
    #[serde(alias = "simple_retrieval_params")]
    simple_retrieval_params: Option<Simple>,
    filter: Option<String>,
    #[serde(default, alias = "filter_groups")]
    filter_groups: Vec<Group>,
    #[serde(default, alias = "memory_types")]
    memory_types: Vec<MemoryType>,
}

/// The memories that fit a query.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Similar {
    #[serde(default, alias = "search_query")]
    search_query: String,
    #[serde(alias = "top_k")]
    top_k: Option<i64>,
}

/// All memories, page by page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Simple {
    #[serde(alias = "page_size")]
    page_size: Option<i64>,
    #[serde(alias = "page_token")]
    page_token: Option<String>,
}

/// What there is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retrieved {
    retrieved_memories: Vec<RetrievedMemory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// A memory, and how far it is from the query: 0.0 (the nearest) to 1.0.
#[derive(Debug, Serialize)]
struct RetrievedMemory {
    memory: Memory,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
}

/// Approved memories of exactly one scope: the best for a query, or all of them.
pub async fn retrieve(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    bank: Bank,
    body: Body<RetrievePost>,
) -> Result<Json<Retrieved>, Problem> {
    let reads = bank.permit(&caller)?;
    let post = body.value;
    let scope = about(post.scope).map_err(fault)?;
    let filter = Filter::parse(post.filter.as_deref(), post.filter_groups).map_err(fault)?;
    if filter.scope().is_some_and(|other| *other != scope) {
        let detail = "scope says whose memories are looked at; a filter cannot name another";
        return Err(fault(field("/filter", "both", detail)).into());
    }
    let wanted = MemoryFilter {
        agent: Some(bank.agent.clone()),
        scope: Some(scope.clone()),
        kinds: kinds(&post.memory_types).map_err(fault)?,
        ..MemoryFilter::default()
    };
    match (post.similarity_search_params, post.simple_retrieval_params) {
        (Some(_), Some(_)) => {
            let detail = "give similaritySearchParams or simpleRetrievalParams, not both";
            Err(fault(field("/simpleRetrievalParams", "both", detail)).into())
        }
        (Some(similar), None) => {
            let (query, most) = similar.parse().map_err(fault)?;
            let found = app.engine.search(&reads, wanted, &query, FOUND).await?;
            // A person may have several ids that are joined; here only the one that was asked for counts.
            let found = found.data.into_iter().filter(|found| {
                scope_of(&found.memory).as_ref() == Some(&scope) && filter.holds(&found.memory)
            });
            let memories = found.take(most as usize).map(|found| RetrievedMemory {
                memory: Memory::remembered(&bank, found.memory),
                distance: Some(1.0 - found.score),
            });
            Ok(Json(Retrieved {
                retrieved_memories: memories.collect(),
                next_page_token: None,
            }))
        }
        (None, simple) => {
            let begins = begins(simple).map_err(fault)?;
            let at = "/simpleRetrievalParams/pageToken";
            let list = page::next(&app, &reads, &wanted, begins, &filter, at).await?;
            let memories = list.data.into_iter().map(|memory| RetrievedMemory {
                memory: Memory::remembered(&bank, memory),
                distance: None,
            });
            Ok(Json(Retrieved {
                retrieved_memories: memories.collect(),
                next_page_token: list.next,
            }))
        }
    }
}

impl Similar {
    fn parse(self) -> Result<(String, u32), FieldError> {
        if self.search_query.trim().is_empty() {
            let at = "/similaritySearchParams/searchQuery";
            return Err(field(at, "required", "say what to look for"));
        }
        let most = page::size(self.top_k, USUAL, MOST, "/similaritySearchParams/topK")?;
        Ok((self.search_query, most))
    }
}

/// Where a page begins and how long it is. Who asks for no page gets one as long as can be: the clients that ask so cannot ask for
/// a second one.
fn begins(simple: Option<Simple>) -> Result<(Option<String>, u32), FieldError> {
    let Some(simple) = simple else {
        return Ok((None, MOST));
    };
    let at = "/simpleRetrievalParams/pageSize";
    let size = page::size(simple.page_size, USUAL, MOST, at)?;
    Ok((simple.page_token, size))
}

/// The kinds of a type: none stands for all that are sentences (D6).
fn kinds(types: &[MemoryType]) -> Result<Vec<String>, FieldError> {
    match types {
        [] | [MemoryType::NaturalLanguageCollection] => Ok(Vec::new()),
        [MemoryType::StructuredProfile] => Ok(vec![profile::KIND.to_owned()]),
        _ => Err(field("/memoryTypes", "too_long", "one type at a time")),
    }
}
