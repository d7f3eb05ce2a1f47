//! `keepsake import`

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, bail};
use domain::permission::Permission;
use engine::export::{
    ImportError, Imported, SignedBy,
    verify::{Report, verify as check},
};

use super::{permit, verify};
use crate::config::Config;

pub const EXAMPLE: &str = "Examples:
  keepsake import export.zip --key 'keepsake-…+…+…'
  keepsake import export.zip --unverified 9c56…

What no event proves is as true as whoever signed it is honest, so one of the two must be given: the key that you got from there, or the
fingerprint of the key in the bundle, where nobody can vouch for it. Without either the fingerprint is printed, and nothing is imported.

An export of everything, or of one agent, each for the whole time. It is checked whole first, then taken in whole or not at all. Agents
of these names must never have been here. What is in no export does not come: settings, keys, profile schemas, the kinds' own texts,
people who sign in, holds on a name in every agent. Agents with made-up people are passed over. docs/EXPORTS.md tells the whole.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The zip file of an export.
    bundle: PathBuf,
    /// The public key that it must be signed with, as `keepsake audit key` prints it there: a file that holds it, or its own line.
    #[arg(long, value_name = "PUBKEY", conflicts_with = "unverified")]
    key: Option<String>,
    /// Take the word of whoever has the key with this fingerprint, which was compared with nothing.
    #[arg(long, value_name = "FINGERPRINT")]
    unverified: Option<String>,
}

pub async fn run(arguments: &Arguments, config: Config) -> Result<ExitCode> {
    let key = arguments.key.as_deref().map(verify::read_key).transpose()?;
    let signed_by = match (&key, &arguments.unverified) {
        (Some(key), _) => SignedBy::Key(key),
        (None, Some(fingerprint)) => SignedBy::Fingerprint(fingerprint),
        (None, None) => bail!("{}; nothing was imported", nobody_vouches(arguments)?),
    };
    let engine = super::engine(&config).await?;
    let administers = permit(Permission::Administer);
    let done = engine
        .import_bundle(&administers, &arguments.bundle, signed_by)
        .await;
    engine.db().close().await;
    match done {
        Ok(imported) => tell(&imported),
        Err(error) => {
            if let ImportError::Damaged(report) = &error {
                tell_faults(report);
            }
            bail!("{error}; nothing was imported");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What to do about a bundle that was compared with nothing.
fn nobody_vouches(arguments: &Arguments) -> Result<String> {
    let report = check(&arguments.bundle, None)?;
    tell_faults(&report);
    Ok(match report.key.filter(|_| report.ok) {
        Some(key) => format!(
            "it is signed with the key {key}, which was compared with nothing: give --key with the key that you got from there, or \
             --unverified {key} to take the word of whoever has that one"
        ),
        None => "this is no export that can be imported".to_owned(),
    })
}

fn tell_faults(report: &Report) {
    for fault in verify::faults(report) {
        eprintln!("{fault}");
    }
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
    for chain in &imported.passed_over {
        eprintln!("keepsake: {chain}: passed over, because its people are made up");
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
        "keepsake: the agents serve and do not learn: look over their settings, holds and opt-outs, make their keys, then let them learn"
    );
}
