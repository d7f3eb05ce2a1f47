//! `PUT /agents/{name}/kinds/{kind}/guidelines/{language}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::{agent::AgentName, guideline::GuidelineLanguage};
use engine::{GuidelineView, NewGuideline, Version};

use crate::{
    api::{
        body::Body,
        conditional::{IfMatch, IfMatchHeader, versioned},
        path::Deeper,
    },
    auth::{Caller, need::Administer},
    problem::Problem,
    state::AppState,
};

/// Writes what a kind should and should not hold, in one language; the versions before stay. `If-Match` is the version that was seen;
/// what the kind began with has none.
#[utoipa::path(
    put, path = "/agents/{name}/kinds/{kind}/guidelines/{language}", tag = "agents",
    params(("name" = AgentName, Path), ("kind" = String, Path), ("language" = GuidelineLanguage, Path), IfMatchHeader),
    request_body = NewGuideline, responses((status = 200, body = GuidelineView, headers(("ETag"))))
)]
pub async fn put_guideline(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    Deeper(agent, kind, language): Deeper<AgentName, String, GuidelineLanguage>,
    IfMatch(seen): IfMatch,
    body: Body<NewGuideline>,
) -> Result<Response, Problem> {
    let (seen, content) = (seen.unwrap_or(Version::Any), &body.value.content);
    let written = app
        .engine
        .write_guideline(&caller.permit, &agent, &kind, language, seen, content)
        .await?;
    Ok(versioned(StatusCode::OK, written.version, &written))
}
