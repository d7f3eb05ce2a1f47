//! `keepsake admin`

use std::{io::Read, process::ExitCode};

use anyhow::{Context, Result, bail};
use domain::permission::{Grant, Permission, RoleName};
use engine::NewPerson;

use super::permit;
use crate::config::Config;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Make an administrator. The password is read from stdin.
    #[command(
        after_help = "Example:\n  printf %s \"$PASSWORD\" | keepsake admin create --email mia@example.com --name Mia --password-stdin"
    )]
    Create {
        /// What they sign in with.
        #[arg(long)]
        email: String,
        /// What is shown beside what they did.
        #[arg(long)]
        name: String,
        /// Read the password from stdin: an argument would be seen in the list of processes.
        #[arg(long, required = true)]
        password_stdin: bool,
    },
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    let Command::Create { email, name, .. } = command;
    let mut password = String::new();
    std::io::stdin()
        .read_to_string(&mut password)
        .context("read the password from stdin")?;
    let password = password.trim_end_matches(['\r', '\n']).to_owned();
    if password.is_empty() {
        bail!("stdin holds no password");
    }
    let engine = super::engine(&config).await?;
    let person = NewPerson {
        name,
        email,
        password: password.into(),
    };
    let everything = Grant {
        agent: None,
        role: RoleName::Admin,
    };
    let permit = permit(Permission::Administer);
    let person = engine
        .create_person(&permit, person, vec![everything])
        .await?;
    engine.db().close().await;
    println!("{}", person.id);
    Ok(ExitCode::SUCCESS)
}
