//! Memory Bank of Google's Agent Engine, at `/v1beta1/…/reasoningEngines/{agent}/memories`: what its REST API takes and what the
//! clients `vertexai.Client` and `agentplatform.Client` send.
//!
//! Names of fields are taken in both spellings of JSON for protocol buffers (`pageSize`, `page_size`): the clients mix them.

mod contents;
mod create;
mod delete;
mod filter;
mod generate;
mod ingest;
mod list;
mod memory;
mod metadata;
mod name;
mod operation;
mod page;
mod patch;
mod profiles;
mod purge;
mod refusal;
mod retrieve;
mod revisions;
mod rollback;
mod show;
mod topic;
mod written;

use axum::{
    Router,
    http::{HeaderMap, Method, header},
    middleware,
};

use super::{Route, table::Table, way_in};
use crate::state::AppState;

const PREFIX: &str = "/v1beta1";
const NOT_OFFERED: &str = "Keepsake does not offer this call of the API; docs/COMPAT.md lists those of Memory Bank that it does.";

/// Where an agent is: by its whole name, and by the short one of clients that have nothing but a key.
const ENGINES: [&str; 2] = [
    "/projects/{project}/locations/{location}/reasoningEngines/{engine}",
    "/reasoningEngines/{engine}",
];

/// Every call, a line each. What is asked of one memory by a verb (`memories/{memory}:rollback`) has the path of a memory: the router
/// knows no verbs.
fn table() -> Table {
    let at = |path: &str| ENGINES.map(|engine| format!("{engine}{path}"));
    let memories = at("/memories");
    let memory = at("/memories/{memory}");
    let verbs = [
        "generate",
        "ingestEvents",
        "retrieve",
        "retrieveProfiles",
        "purge",
    ];
    let [generate, ingest, retrieve, profiles, purge] =
        verbs.map(|verb| at(&format!("/memories:{verb}")));
    let revisions = at("/memories/{memory}/revisions");
    let revision = at("/memories/{memory}/revisions/{revision}");
    let operation = at("/operations/{operation}");
    Table::under(PREFIX)
        .on(Method::POST, &both(&memories), create::create)
        .on(Method::GET, &both(&memories), list::list)
        .on(Method::GET, &both(&memory), show::show)
        .on(Method::PATCH, &both(&memory), patch::patch)
        .on(Method::DELETE, &both(&memory), delete::delete)
        .on(Method::POST, &both(&memory), rollback::roll_back)
        .on(Method::POST, &both(&generate), generate::generate)
        .on(Method::POST, &both(&ingest), ingest::ingest)
        .on(Method::POST, &both(&retrieve), retrieve::retrieve)
        .on(Method::POST, &both(&profiles), profiles::retrieve)
        .on(Method::POST, &both(&purge), purge::purge)
        .on(Method::GET, &both(&revisions), revisions::list)
        .on(Method::GET, &both(&revision), revisions::show)
        .on(Method::GET, &both(&operation), operation::show)
}

fn both(paths: &[String; 2]) -> [&str; 2] {
    paths.each_ref().map(String::as_str)
}

pub fn routes() -> Vec<Route> {
    table().routes()
}

pub fn router(app: &AppState) -> Router<AppState> {
    let calls = way_in::of_callers(table().router(), app, key, NOT_OFFERED)
        .layer(middleware::from_fn(refusal::in_googles_words));
    Router::new().nest(PREFIX, calls)
}

/// A client that was given an `api_key` and no credentials sends it by a header of its own.
fn key(headers: &HeaderMap) -> Option<&str> {
    if headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    headers.get("x-goog-api-key")?.to_str().ok()
}
