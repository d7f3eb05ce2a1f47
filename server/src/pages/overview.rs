//! `/`.

use app::{
    components::first_steps::FirstSteps,
    pages::overview::{AgentFigures, KindFigures, Overview, overview},
    shell::Place,
};
use axum::response::Response;
use domain::permission::Permission;
use engine::{AgentView, Figures, overview::ACCEPTANCE_DAYS};

use super::look::Look;
use crate::{
    auth::{Need, Signed, Viewer},
    page_error::PageError,
};

/// The front page.
pub async fn show(viewer: Viewer, look: Look) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Overview).await?;
    let now = look
        .engine()
        .overview(&viewer.permit, look.midnight())
        .await?;
    let agents = all_figures(&look, &viewer).await?;
    let figures = Overview {
        waiting: now.waiting,
        expiring: now.expiring_soon,
        oldest: now.oldest,
        decided_today: now.decided_today,
        memories: agents.iter().map(|agent| agent.approved).sum(),
        users: agents.iter().map(|agent| agent.users).sum(),
        failed: now.extraction.given_up,
        late: now.extraction.oldest_due,
        not_allowed: now.extraction.not_allowed,
        joins: look.engine().joins_waiting(&viewer.permit).await?,
        requests: requests(&look, &viewer).await?,
        kinds: (
            ACCEPTANCE_DAYS.unsigned_abs(),
            now.by_kind.into_iter().map(of_kind).collect(),
        ),
        agents,
        first: first_steps(&look, &viewer).await?,
    };
    look.draw(move || overview(&frame, &figures)).await
}

/// Open requests of people, and how many of them are overdue, for who answers them.
async fn requests(look: &Look, viewer: &Viewer) -> Result<(i64, i64), PageError> {
    let Ok(answers) = viewer.ask(Permission::Export) else {
        return Ok((0, 0));
    };
    let standing = look.engine().requests_standing(&answers).await?;
    Ok((standing.open, standing.overdue))
}

/// How far the installation has come, for who can do something about it.
async fn first_steps(look: &Look, viewer: &Viewer) -> Result<Option<FirstSteps>, PageError> {
    let Ok(administers) = viewer.ask(Permission::Administer) else {
        return Ok(None);
    };
    let steps = look.engine().first_steps(&administers).await?;
    let url = look.app.public_url().origin();
    Ok(Some(FirstSteps {
        agent: steps.agent.map(|agent| agent.to_string()),
        key: steps.key,
        sent: steps.sent,
        decided: steps.decided,
        told: steps.told,
        url: url.trim_end_matches('/').to_owned(),
    }))
}

fn of_kind(kind: engine::KindFigures) -> KindFigures {
    KindFigures {
        kind: kind.kind,
        waiting: kind.waiting,
        approved: kind.rate.approved,
        rejected: kind.rate.rejected,
        acceptance: kind.rate.acceptance,
    }
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
        not_allowed: now.today.not_allowed,
    }
}
