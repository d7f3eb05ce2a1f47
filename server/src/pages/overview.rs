//! `/`.

use app::{
    pages::overview::{AgentFigures, Overview, overview},
    shell::Place,
};
use axum::response::Response;
use domain::permission::Permission;
use engine::{AgentView, Figures};

use super::look::Look;
use crate::{
    auth::{Need, Signed, Viewer},
    page_error::PageError,
};

/// The front page.
pub async fn show(viewer: Viewer, look: Look) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Overview).await?;
    let now = look.engine().overview(&viewer.permit).await?;
    let figures = Overview {
        waiting: now.waiting,
        expiring: now.expiring_soon,
        oldest: now.oldest,
        decided_today: now.decided_today,
        memories: now.memories,
        users: now.users,
        failed: now.failed_extractions,
        agents: all_figures(&look, &viewer).await?,
    };
    look.draw(move || overview(&frame, &figures)).await
}

/// The agents in reach, each with its figures (A12).
pub async fn all_figures<P: Need>(
    look: &Look,
    signed: &Signed<P>,
) -> Result<Vec<AgentFigures>, PageError> {
    let reads = signed.ask(Permission::ReadAgents)?;
    let mut all = Vec::new();
    for agent in look.engine().agents(&reads).await? {
        all.push(figures(look, signed, &agent).await?);
    }
    Ok(all)
}

/// The figures of one agent.
pub async fn figures<P: Need>(
    look: &Look,
    signed: &Signed<P>,
    agent: &AgentView,
) -> Result<AgentFigures, PageError> {
    let reads = signed.ask(Permission::ReadAgents)?;
    let now = look.engine().agent_figures(&reads, &agent.name).await?;
    Ok(of_agent(agent, &now))
}

/// An agent with its figures.
pub fn of_agent(agent: &AgentView, now: &Figures) -> AgentFigures {
    AgentFigures {
        name: agent.name.to_string(),
        learn: agent.settings.learn,
        serve: agent.settings.serve,
        approved: now.approved,
        pending: now.pending,
        users: now.users,
        total: now.total,
    }
}
