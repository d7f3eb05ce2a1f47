//! `GET …/memories/{memory}/revisions`, `GET …/memories/{memory}/revisions/{revision}`

use axum::{Json, extract::State};
use domain::{Timestamp, id::MemoryId, permission::Permit};
use engine::{CameOf, RevisionView};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    memory::field_of,
    name::{Bank, MemoryName, Of, RevisionOf},
    page,
    written::not_supported,
};
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

/// Which page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevisionsQuery {
    filter: Option<String>,
    #[serde(rename = "pageSize", alias = "page_size")]
    page_size: Option<i64>,
    #[serde(rename = "pageToken", alias = "page_token")]
    page_token: Option<String>,
}

/// A page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Revisions {
    memory_revisions: Vec<Revision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// What a memory said at a time.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    name: String,
    fact: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_data: Option<Map<String, Value>>,
    /// What had been proposed, where the approver changed it; only people are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    extracted_memories: Option<[Extracted; 1]>,
    create_time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    expire_time: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
struct Extracted {
    fact: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
}

/// The revisions of a memory, newest first; proposals are none.
pub async fn list(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    Of { bank, id }: Of<MemoryName>,
    Query(asked): Query<RevisionsQuery>,
) -> Result<Json<Revisions>, Problem> {
    let reads = bank.permit(&caller)?;
    if asked.filter.is_some_and(|filter| !filter.trim().is_empty()) {
        let detail = "revisions have no labels and are not filtered";
        return Err(fault(not_supported("filter", detail)).into());
    }
    let size = page::size(asked.page_size, USUAL, MOST, "/pageSize").map_err(fault)?;
    let before = match asked.page_token.as_deref() {
        None | Some("") => i64::MAX,
        Some(token) => token.parse().map_err(|_| {
            let detail = "this token is not one of ours";
            fault(field("/pageToken", "unknown", detail))
        })?,
    };
    let (memory, mut revisions) = of(&app, &reads, &bank, &id).await?;
    // New ones stand in front, so that a page begins after a number and not at a place.
    revisions.retain(|revision| revision.revision < before);
    let more = revisions.len() > size as usize;
    revisions.truncate(size as usize);
    let last = revisions
        .last()
        .map(|revision| revision.revision.to_string());
    let revisions = revisions.into_iter();
    Ok(Json(Revisions {
        memory_revisions: revisions.map(|one| outward(&bank, &memory, one)).collect(),
        next_page_token: last.filter(|_| more),
    }))
}

/// One revision.
pub async fn show(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    asked: RevisionOf,
) -> Result<Json<Revision>, Problem> {
    let RevisionOf {
        bank,
        memory,
        number,
    } = asked;
    let reads = bank.permit(&caller)?;
    let (memory, revisions) = of(&app, &reads, &bank, &memory).await?;
    let wanted = revisions
        .into_iter()
        .find(|revision| revision.revision == number);
    let wanted = wanted.ok_or_else(Problem::not_found)?;
    Ok(Json(outward(&bank, &memory, wanted)))
}

async fn of(
    app: &AppState,
    reads: &Permit,
    bank: &Bank,
    name: &MemoryName,
) -> Result<(MemoryId, Vec<RevisionView>), Problem> {
    let CameOf::Memory(memory) = bank.find(app, reads, name).await? else {
        return Err(Problem::not_found());
    };
    let revisions = app.engine.revisions(reads, &memory.id).await?;
    Ok((memory.id, revisions.data))
}

fn outward(bank: &Bank, memory: &MemoryId, revision: RevisionView) -> Revision {
    let name = revision.name.as_deref();
    Revision {
        name: format!("{}/revisions/{}", bank.memory(memory), revision.revision),
        structured_data: field_of(&revision.kind, name, &revision.metadata),
        fact: revision.content,
        extracted_memories: revision.proposed.map(|fact| {
            [Extracted {
                fact,
                context: revision.explanation,
            }]
        }),
        create_time: revision.at,
        expire_time: revision.expires_at,
    }
}
