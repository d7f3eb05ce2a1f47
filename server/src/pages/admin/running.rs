//! How the installation runs: its configuration, and what is counted beside it.

use std::time::Duration;

use app::pages::admin::{Asks, Kept, Running};
use domain::{permission::Permission, time::Span};

use crate::{auth::Manager, page_error::PageError, pages::look::Look};

/// What the cards of `/admin` say.
pub async fn running(look: &Look, manager: &Manager) -> Result<Running, PageError> {
    let (engine, config) = (look.engine(), &look.app.config);
    let standing = engine.installation_standing(&manager.permit).await?;
    let audits = manager.ask(Permission::ReadAudit)?;
    let verified = engine.last_verification(&audits).await?;
    let settings = engine.settings();
    let (outgoing, retention) = (&settings.outgoing, &settings.retention);
    Ok(Running {
        sessions: (standing.sessions, standing.signed_in),
        address: look
            .app
            .public_url()
            .origin()
            .trim_end_matches('/')
            .to_owned(),
        limits: (
            config.limits.requests_per_second.get(),
            config.limits.burst.get(),
        ),
        private: config.allowed_private_addresses.trim().to_owned(),
        verified: verified.map(|last| (last.finished_at, last.found.unsigned_abs())),
        kept: Kept {
            conversations: retention.conversations.map(span),
            rejected: retention.rejected.map(span),
            servings: retention.servings.map(span),
            export_records: retention.exports.map(span),
            export_files: span(settings.exports_keep),
        },
        mail_from: outgoing
            .smtp_url
            .is_some()
            .then(|| outgoing.mail_from.clone()),
        extractor: config.extractor.model.clone(),
        extractor_address: config.extractor.base_url.clone(),
        agents: agents(look, manager).await?,
        holds: standing.holds,
        postgres: config.is_postgres(),
    })
}

/// What each agent asks, may ask, and has used today.
async fn agents(look: &Look, manager: &Manager) -> Result<Vec<Asks>, PageError> {
    let (engine, reads) = (look.engine(), manager.ask(Permission::ReadAgents)?);
    let mut agents = Vec::new();
    for agent in engine.agents(&reads).await? {
        let today = engine.agent_figures(&reads, &agent.name).await?.today;
        agents.push(Asks {
            agent: agent.name.to_string(),
            extractor: agent.settings.extractor,
            allowed: agent.settings.allowed_extractors,
            tokens: today.tokens_in + today.tokens_out,
            cost: today.cost,
        });
    }
    Ok(agents)
}

fn span(duration: Duration) -> Span {
    Span::from_std(duration).unwrap_or(Span::MAX)
}
