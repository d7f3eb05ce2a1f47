//! `keepsake import`

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, bail};
use domain::permission::Permission;
use engine::export::{ImportError, Imported};

use super::{permit, verify};
use crate::config::Config;

pub const EXAMPLE: &str = "Examples:
  keepsake import export.zip --key 'keepsake-…+…+…'
  keepsake import export.zip

An export of everything, or of one agent, each for the whole time. It is checked whole first, then taken in whole or not at all. Agents
of these names must never have been here. What is in no export does not come: settings, keys, profile schemas, the kinds' own texts,
people who sign in, legal holds. docs/EXPORTS.md tells the whole.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The zip file of an export.
    bundle: PathBuf,
    /// The public key that it must be signed with, as `keepsake audit key` prints it there: a file that holds it, or its own line.
    #[arg(long, value_name = "PUBKEY")]
    key: Option<String>,
}

pub async fn run(arguments: &Arguments, config: Config) -> Result<ExitCode> {
    let key = arguments.key.as_deref().map(verify::read_key).transpose()?;
    let engine = super::engine(&config).await?;
    let administers = permit(Permission::Administer);
    let done = engine
        .import(&administers, &arguments.bundle, key.as_ref())
        .await;
    engine.db().close().await;
    match done {
        Ok(imported) => tell(&imported),
        Err(error) => {
            if let ImportError::Damaged(report) = &error {
                for fault in verify::faults(report) {
                    eprintln!("{fault}");
                }
            }
            bail!("{error}; nothing was imported");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(imported: &Imported) {
    let counts = &imported.counts;
    eprintln!(
        "keepsake: from {}: {} agents, {} events, {} users, {} posts, {} candidates, {} decisions, {} revisions, {} servings",
        imported.instance,
        counts.agents,
        counts.events,
        counts.users,
        counts.posts,
        counts.candidates,
        counts.decisions,
        counts.revisions,
        counts.servings
    );
    if let Some(key) = imported.key.as_ref().filter(|_| !imported.key_compared) {
        eprintln!(
            "keepsake: it is signed with the key {key}, which was compared with nothing: compare it with the one you were given"
        );
    }
    for agent in &imported.agents {
        if !agent.own_kinds.is_empty() {
            eprintln!(
                "keepsake: {}: write anew what these kinds hold: {}",
                agent.name,
                agent.own_kinds.join(", ")
            );
        }
        println!("{}", agent.name);
    }
    eprintln!(
        "keepsake: the agents serve and do not learn: look over their settings, legal holds and opt-outs, make their keys, then let them learn"
    );
}
