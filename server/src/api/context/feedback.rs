//! `POST /context/feedback`

use axum::{extract::State, http::StatusCode};
use domain::id::{MemoryId, ServingId};
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
    app.engine
        .feedback(&caller.permit, &agent, &feedback)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
