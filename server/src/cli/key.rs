//! `keepsake key`

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use domain::{
    Timestamp,
    agent::AgentName,
    id::KeyId,
    key::KeyScope,
    permission::Permission,
    time::{Span, rfc3339},
};
use engine::{Engine, EngineError, KeyView, NewKey};

use super::{known, permit, said};
use crate::config::{Config, Period};

const EXAMPLE: &str = "Examples:
  keepsake key create --agent support
  keepsake key create --agent '*' --scopes candidates:read,review:write --person mia@example.com

The key alone is printed, once. The scope admin opens everything that the person may do, also what other scopes are for: a key that is only
to decide or to read needs scopes without it.";

const LIST: &str = "Examples:
  keepsake key list
  keepsake key list --agent support

A line has, with tabs between: the id, the agent or * for all, the first letters, the scopes, the person whose it is, what it is for, when it
was last used, and how it stands. What is not there is a dash.";

const REVOKE: &str = "Example:
  keepsake key revoke key_01jd3v8q6x4t2r9m7k5h3g1f0a

`keepsake key list` shows the ids. Whoever has the key is refused from the next call on.";

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Make a key and print it.
    #[command(after_help = EXAMPLE)]
    Create(Create),
    /// List the keys, newest first; never the keys themselves.
    #[command(after_help = LIST)]
    List {
        /// Only those that name this agent. Left out: all.
        #[arg(long)]
        agent: Option<AgentName>,
    },
    /// End a key at once.
    #[command(after_help = REVOKE)]
    Revoke {
        /// The id of the key, key_….
        id: KeyId,
    },
}

#[derive(Debug, clap::Args)]
pub struct Create {
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
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    match command {
        Command::Create(create) => create.run(&config).await,
        Command::List { agent } => list(agent.as_ref(), &config).await,
        Command::Revoke { id } => revoke(&id, &config).await,
    }
}

impl Create {
    async fn run(self, config: &Config) -> Result<ExitCode> {
        let agent = match self.agent.as_str() {
            "*" => None,
            name => Some(AgentName::parse(name)?),
        };
        let engine = super::engine(config).await?;
        if let Some(name) = &agent {
            known(&engine, name).await?;
        }
        let (permit, finds) = (
            permit(Permission::Administer),
            permit(Permission::ManagePeople),
        );
        let person = match self.person {
            None => None,
            Some(email) => match engine.person_by_email(&finds, &email).await? {
                Some(person) => Some(person.id),
                None => bail!("nobody has the e-mail address {email}"),
            },
        };
        let expires = self.expires;
        let expires = expires.map(|period| Span::from_std(period.0).context("that is too long"));
        let expires_at = expires.transpose()?.map(|span| engine.now() + span);
        let scopes = if self.scopes.is_empty() {
            KeyScope::OF_AN_AGENT.to_vec()
        } else {
            self.scopes
        };
        let new = NewKey {
            agent,
            scopes,
            person,
            name: self.name,
            expires_at,
        };
        let (key, _) = engine.create_key(&permit, new).await.map_err(said)?;
        engine.db().close().await;
        println!("{}", key.reveal());
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(agent: Option<&AgentName>, config: &Config) -> Result<ExitCode> {
    let engine = super::engine(config).await?;
    let listed = listed(&engine, agent).await;
    engine.db().close().await;
    let now = engine.now();
    for key in listed? {
        println!("{}", line(&key, now));
    }
    Ok(ExitCode::SUCCESS)
}

async fn listed(engine: &Engine, agent: Option<&AgentName>) -> Result<Vec<KeyView>> {
    if let Some(name) = agent {
        known(engine, name).await?;
    }
    Ok(engine.keys(&permit(Permission::Administer), agent).await?)
}

fn line(key: &KeyView, now: Timestamp) -> String {
    let plain = |text: &str| text.replace(char::is_control, " ");
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    let person = key
        .person
        .as_ref()
        .and_then(|person| person.name.as_deref());
    let what_for = key.name.as_deref();
    let used = key.last_used_at.map(|at| format!("used {}", rfc3339(at)));
    let stands = match (key.revoked_at, key.expires_at) {
        (Some(at), _) => format!("revoked {}", rfc3339(at)),
        (None, Some(end)) if end <= now => format!("expired {}", rfc3339(end)),
        (None, Some(end)) => format!("valid until {}", rfc3339(end)),
        (None, None) => "valid".to_owned(),
    };
    [
        key.id.as_str(),
        key.agent.as_ref().map_or("*", AgentName::as_str),
        &key.hint,
        &scopes.join(","),
        &plain(person.unwrap_or("-")),
        &plain(what_for.unwrap_or("-")),
        used.as_deref().unwrap_or("-"),
        &stands,
    ]
    .join("\t")
}

async fn revoke(id: &KeyId, config: &Config) -> Result<ExitCode> {
    let engine = super::engine(config).await?;
    let revoked = engine.revoke_key(&permit(Permission::Administer), id).await;
    engine.db().close().await;
    match revoked {
        Err(EngineError::NotFound) => bail!("there is no key {id} that could be revoked"),
        revoked => revoked?,
    }
    println!("{id}");
    Ok(ExitCode::SUCCESS)
}
