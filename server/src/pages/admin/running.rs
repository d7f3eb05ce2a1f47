//! How the installation runs: its configuration, and what is counted beside it.

use std::time::Duration;

use app::pages::admin::{Asks, Kept, Running};
use domain::{permission::Permission, time::Span};
use url::{Position, Url};

use crate::{auth::Manager, page_error::PageError, pages::look::Look};

/// The most agents whose figures the page shows.
const MOST: usize = 50;

/// What the cards of `/admin` say.
pub async fn running(look: &Look, manager: &Manager) -> Result<Running, PageError> {
    let (engine, config) = (look.engine(), &look.app.config);
    let standing = engine.installation_standing(&manager.permit).await?;
    let audits = manager.ask(Permission::ReadAudit)?;
    let verified = engine.last_verification(&audits).await?;
    let settings = engine.settings();
    let (outgoing, retention) = (&settings.outgoing, &settings.retention);
    let (agents, more_agents) = agents(look, manager).await?;
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
        extractor_address: bare(&config.extractor.base_url),
        agents,
        more_agents,
        holds: standing.holds,
        postgres: config.is_postgres(),
    })
}

/// What each agent asks, may ask, and has used today, and how many more agents there are.
async fn agents(look: &Look, manager: &Manager) -> Result<(Vec<Asks>, u64), PageError> {
    let (engine, reads) = (look.engine(), manager.ask(Permission::ReadAgents)?);
    let all = engine.agents(&reads).await?;
    let more = all.len().saturating_sub(MOST);
    let mut agents = Vec::new();
    for agent in all.into_iter().take(MOST) {
        let today = engine.agent_today(&reads, &agent.name).await?;
        agents.push(Asks {
            agent: agent.name.to_string(),
            extractor: agent.settings.extractor,
            allowed: agent.settings.allowed_extractors,
            tokens: today.tokens_in + today.tokens_out,
            cost: today.cost,
        });
    }
    Ok((agents, more as u64))
}

/// An address without what may be secret in it: no name, password, query or fragment.
fn bare(address: &str) -> String {
    let address = address.trim();
    match Url::parse(address) {
        Ok(url) if url.has_host() => format!(
            "{}{}",
            &url[..Position::BeforeUsername],
            &url[Position::BeforeHost..Position::AfterPath]
        ),
        _ if address.is_empty() => String::new(),
        // What is no address is not taken apart.
        _ => "…".to_owned(),
    }
}

fn span(duration: Duration) -> Span {
    Span::from_std(duration).unwrap_or(Span::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_credentials() {
        for (address, shown) in [
            (
                "https://me:s3cret@models.example:8443/v1/?key=s3cret#s3cret",
                "https://models.example:8443/v1/",
            ),
            ("http://s3cret@[::1]:11434/", "http://[::1]:11434/"),
            ("https://gateway.example/v1/", "https://gateway.example/v1/"),
            ("me:s3cret@models example", "…"),
            ("https://me:s3cret@", "…"),
            ("", ""),
        ] {
            assert_eq!(bare(address), shown);
        }
    }
}
