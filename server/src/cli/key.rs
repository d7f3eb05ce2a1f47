//! `keepsake key`

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use domain::{agent::AgentName, key::KeyScope, permission::Permission, time::Span};
use engine::NewKey;

use super::{permit, said};
use crate::config::{Config, Period};

const EXAMPLE: &str = "Examples:
  keepsake key create --agent support
  keepsake key create --agent '*' --scopes candidates:read,review:write --person mia@example.com

The key alone is printed, once.";

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Make a key and print it.
    #[command(after_help = EXAMPLE)]
    Create {
        /// The agent it names, or * for all of them (only for a person's key).
        #[arg(long)]
        agent: String,
        /// What it may be used for, separated by commas. Left out: what an agent needs.
        #[arg(long, value_delimiter = ',')]
        scopes: Vec<KeyScope>,
        /// The e-mail address of the person whose key it is. Scopes that decide or read what was not approved need one.
        #[arg(long, value_name = "EMAIL")]
        person: Option<String>,
        /// What it is for.
        #[arg(long)]
        name: Option<String>,
        /// When it ends, from now: 90d.
        #[arg(long, value_name = "DURATION")]
        expires: Option<Period>,
    },
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    let Command::Create {
        agent,
        scopes,
        person,
        name,
        expires,
    } = command;
    let agent = match agent.as_str() {
        "*" => None,
        name => Some(AgentName::parse(name)?),
    };
    let engine = super::engine(&config).await?;
    let (permit, finds) = (
        permit(Permission::Administer),
        permit(Permission::ManagePeople),
    );
    let person = match person {
        None => None,
        Some(email) => match engine.person_by_email(&finds, &email).await? {
            Some(person) => Some(person.id),
            None => bail!("nobody has the e-mail address {email}"),
        },
    };
    let expires = expires.map(|period| Span::from_std(period.0).context("that is too long"));
    let expires_at = expires.transpose()?.map(|span| engine.now() + span);
    let scopes = if scopes.is_empty() {
        KeyScope::OF_AN_AGENT.to_vec()
    } else {
        scopes
    };
    let new = NewKey {
        agent,
        scopes,
        person,
        name,
        expires_at,
    };
    let (key, _) = engine.create_key(&permit, new).await.map_err(said)?;
    engine.db().close().await;
    println!("{}", key.reveal());
    Ok(ExitCode::SUCCESS)
}
