//! `memory_feedback`: `POST /context/feedback` as a tool.

use domain::{agent::AgentName, permission::Permit};
use rmcp::model::ToolAnnotations;
use serde::Serialize;
use utoipa::ToSchema;

use super::tool::Tool;
use crate::{
    api::{
        body::Body,
        context::{FeedbackPost, report},
    },
    auth::need::ReadContext,
    problem::Problem,
    state::AppState,
};

pub struct MemoryFeedback;

/// That a report was taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reported {
    /// Always true.
    reported: bool,
}

impl Tool for MemoryFeedback {
    const NAME: &'static str = "memory_feedback";
    const TITLE: &'static str = "Report whether a memory helped";
    const DESCRIPTION: &'static str = "Reports whether a memory of a block helped. `serving` and `memory` are what memory_context answered. Say \
        `helped: true` where the answer rests on the memory, `helped: false` where it was wrong or of no use; a later report takes the place of an \
        earlier one. What is told often and never helps is proposed for retirement.";
    type Need = ReadContext;
    type Input = FeedbackPost;
    type Output = Reported;

    fn hints() -> ToolAnnotations {
        ToolAnnotations::with_title(Self::TITLE)
            .read_only(false)
            .destructive(false)
            .idempotent(true)
            .open_world(false)
    }

    async fn call(
        app: &AppState,
        permit: &Permit,
        agent: &AgentName,
        input: Body<FeedbackPost>,
    ) -> Result<Reported, Problem> {
        report(app, permit, agent, input).await?;
        Ok(Reported { reported: true })
    }

    fn words(_: &Reported) -> Option<String> {
        Some("Taken.".to_owned())
    }
}
