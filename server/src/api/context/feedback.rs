//! `POST /context/feedback`

use axum::{extract::State, http::StatusCode};
use domain::{
    agent::AgentName,
    id::{MemoryId, ServingId},
    permission::Permit,
};
use engine::Feedback;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        query::{AgentQuery, Query},
    },
    auth::{Caller, need::ReadContext},
    problem::Problem,
    state::AppState,
};

/// Whether a memory that was served helped. Fields that are not known are ignored.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FeedbackPost {
    /// The `serving` of the context.
    serving: ServingId,
    /// One of its items' `memory`.
    memory: MemoryId,
    /// Whether it helped.
    helped: bool,
}

/// Tells whether a memory that was served helped. Another report about the same memory of the same serving takes the place of the
/// first one. What is served often and never helps is listed in the agent's report and proposed for retirement.
#[utoipa::path(
    post, path = "/context/feedback", tag = "context", params(AgentQuery), request_body = FeedbackPost,
    responses((status = 204, description = "Taken"))
)]
pub async fn report_feedback(
    caller: Caller<ReadContext>,
    State(app): State<AppState>,
    Query(asked): Query<AgentQuery>,
    body: Body<FeedbackPost>,
) -> Result<StatusCode, Problem> {
    let agent = caller.agent(asked.agent.as_ref())?;
    report(&app, &caller.permit, &agent, body).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a report, whichever way it came.
///
/// # Errors
/// The agent had no such serving, or the memory was not in it.
pub async fn report(
    app: &AppState,
    permit: &Permit,
    agent: &AgentName,
    body: Body<FeedbackPost>,
) -> Result<(), Problem> {
    let FeedbackPost {
        serving,
        memory,
        helped,
    } = body.value;
    let feedback = Feedback {
        serving,
        memory,
        helped,
    };
    Ok(app.engine.feedback(permit, agent, &feedback).await?)
}
