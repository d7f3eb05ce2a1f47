//! `POST /context`

use std::collections::BTreeMap;

use axum::{Json, extract::State};
use domain::{agent::AgentName, permission::Permit, render::Layout};
use engine::{ContextAnswer, ContextRequest};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        query::{AgentQuery, Query},
        subject::{external_id, fault, scope},
    },
    auth::{Caller, need::ReadContext},
    problem::Problem,
    state::AppState,
};

/// For whom, and for what. Fields that are not known are named in `warnings`.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ContextPost {
    /// Who the agent talks to, by its own id of them, the same in every call; this or `scope`. At most 256 characters.
    user_id: Option<String>,
    /// At most five pairs that name the user where one id does not; this or `user_id`.
    scope: Option<BTreeMap<String, String>>,
    /// The agent's own id of the conversation it is for.
    conversation_id: Option<String>,
    /// What the user wants now, in their own words; ranks what is not always in.
    query: Option<String>,
    /// The most tokens of the block. Left out: 4,000.
    max_tokens: Option<u32>,
    /// The size of the caller's model window in tokens: the block takes at most a tenth of it.
    model_window: Option<u32>,
    /// The form of the block: `by_kind`, `prior_knowledge` or `profile`. Left out: `by_kind`.
    #[schema(value_type = Option<String>, example = "by_kind")]
    layout: Option<Layout>,
    /// The `etag` of the block the caller has: while it holds, nothing is sent again.
    if_changed: Option<String>,
}

/// The approved memories of a user, ranked, within the budget, ready for a system prompt.
#[utoipa::path(
    post, path = "/context", tag = "context", params(AgentQuery), request_body = ContextPost,
    responses((status = 200, body = ContextAnswer))
)]
pub async fn ask_context(
    caller: Caller<ReadContext>,
    State(app): State<AppState>,
    Query(asked): Query<AgentQuery>,
    body: Body<ContextPost>,
) -> Result<Json<ContextAnswer>, Problem> {
    let agent = caller.agent(asked.agent.as_ref())?;
    ask(&app, &caller.permit, &agent, body).await.map(Json)
}

/// The answer to a question, whichever way it came.
///
/// # Errors
/// It does not fit, or the engine refuses it.
pub async fn ask(
    app: &AppState,
    permit: &Permit,
    agent: &AgentName,
    body: Body<ContextPost>,
) -> Result<ContextAnswer, Problem> {
    let post = body.value;
    let request = ContextRequest {
        scope: scope(post.user_id.as_deref(), post.scope).map_err(fault)?,
        conversation_id: external_id("/conversation_id", post.conversation_id).map_err(fault)?,
        query: post.query,
        max_tokens: post.max_tokens,
        model_window: post.model_window,
        layout: post.layout.unwrap_or_default(),
        if_changed: post.if_changed,
    };
    let mut answer = app.engine.context(permit, agent, request).await?;
    if let ContextAnswer::Block(context) = &mut answer {
        context.warnings.extend(body.ignored);
    }
    Ok(answer)
}
