//! `memory_propose`: `POST /candidates` as a tool.

use domain::{agent::AgentName, permission::Permit};
use engine::ProposeAnswer;
use rmcp::model::ToolAnnotations;

use super::tool::Tool;
use crate::{
    api::{body::Body, candidates::CandidatePost},
    auth::need::Propose,
    problem::Problem,
    state::AppState,
};

pub struct MemoryPropose;

impl Tool for MemoryPropose {
    const NAME: &'static str = "memory_propose";
    const TITLE: &'static str = "Propose a memory";
    const DESCRIPTION: &'static str = "Proposes that something be remembered about a person; a person decides, and until then it is in no context. \
        `content` is one sentence about them that will still be true in a month, such as \"User prefers code examples in Python\". `kind` is mostly \
        `preference`, `fact` or `context`; where the agent does not keep a kind, the error lists those it does. To correct a memory, or to have it \
        forgotten, send `action` update or retire and the memory's id as `target`. The outcome is `proposed` (it waits), `seen_again` (the same \
        waits or is stored), `suppressed` (a person rejected the same lately: do not insist) or `skipped` (this agent does not learn, or not \
        about this person).";
    type Need = Propose;
    type Input = CandidatePost;
    type Output = ProposeAnswer;

    fn hints() -> ToolAnnotations {
        ToolAnnotations::with_title(Self::TITLE)
            .read_only(false)
            .destructive(false)
            .idempotent(false)
            .open_world(false)
    }

    async fn call(
        app: &AppState,
        permit: &Permit,
        agent: &AgentName,
        input: Body<CandidatePost>,
    ) -> Result<ProposeAnswer, Problem> {
        let proposed = input.value.parse()?;
        Ok(app.engine.propose(permit, agent, proposed).await?)
    }

    fn words(answer: &ProposeAnswer) -> Option<String> {
        Some(match answer {
            ProposeAnswer::Proposed { candidate } => format!(
                "proposed: {} waits for a person; until it is approved it is in no context.",
                candidate.id
            ),
            ProposeAnswer::SeenAgain {
                memory: Some(memory),
                ..
            } => format!("seen_again: {memory} says this already."),
            ProposeAnswer::SeenAgain { .. } => {
                "seen_again: the same waits for a person already.".to_owned()
            }
            ProposeAnswer::Suppressed { .. } => {
                "suppressed: a person rejected the same lately; do not propose it again.".to_owned()
            }
            ProposeAnswer::Skipped { skipped } => format!("skipped: nothing was kept ({skipped})."),
        })
    }
}
