//! `keepsake admin`

use std::{io::Read, process::ExitCode};

use anyhow::{Context, Result, bail};
use domain::permission::{Grant, Permission, Permit, RoleName};
use engine::{Engine, EngineError, NewPerson, PersonView};

use super::permit;
use crate::config::{Config, PublicUrl};

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
    /// Print a one-time link with which a person chooses another password, for whoever is locked out.
    #[command(after_help = "Example:\n  keepsake admin reset --person mia@example.com")]
    Reset {
        /// The e-mail address they sign in with.
        #[arg(long, value_name = "EMAIL")]
        person: String,
    },
    /// Take a person's second factor away, for whoever has lost app and recovery codes. They are signed out everywhere.
    #[command(
        after_help = "Example:\n  keepsake admin reset-second-factor --person mia@example.com"
    )]
    ResetSecondFactor {
        /// The e-mail address they sign in with.
        #[arg(long, value_name = "EMAIL")]
        person: String,
    },
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    match command {
        Command::Create { email, name, .. } => create(email, name, config).await,
        Command::Reset { person } => reset(&person, config).await,
        Command::ResetSecondFactor { person } => reset_second_factor(&person, config).await,
    }
}

async fn create(email: String, name: String, config: Config) -> Result<ExitCode> {
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
    let everything = Grant::everywhere(RoleName::Admin);
    let permit = permit(Permission::ManagePeople);
    let person = engine
        .create_person(&permit, person, vec![everything])
        .await?;
    engine.db().close().await;
    println!("{}", person.id);
    Ok(ExitCode::SUCCESS)
}

async fn reset(email: &str, config: Config) -> Result<ExitCode> {
    let public_url = PublicUrl::new(&config.public_url, config.listen)?;
    let engine = super::engine(&config).await?;
    let permit = permit(Permission::ManagePeople);
    let person = person_of(&engine, &permit, email).await?;
    let made = engine.password_link(&permit, &person.id).await?;
    engine.db().close().await;
    eprintln!(
        "keepsake: the link holds until {}",
        domain::time::rfc3339(made.expires_at)
    );
    println!(
        "{}",
        public_url.at(&format!("/join?token={}", made.link.reveal()))
    );
    Ok(ExitCode::SUCCESS)
}

async fn reset_second_factor(email: &str, config: Config) -> Result<ExitCode> {
    let engine = super::engine(&config).await?;
    let permit = permit(Permission::ManagePeople);
    let person = person_of(&engine, &permit, email).await?;
    match engine.reset_second_factor(&permit, &person.id).await {
        Ok(_) => {}
        Err(EngineError::NoSecondFactor) => bail!("{email} has no second factor"),
        Err(error) => return Err(error.into()),
    }
    engine.db().close().await;
    eprintln!(
        "keepsake: {email} signs in with the password alone now, and is signed out everywhere"
    );
    println!("{}", person.id);
    Ok(ExitCode::SUCCESS)
}

async fn person_of(engine: &Engine, permit: &Permit, email: &str) -> Result<PersonView> {
    let found = engine.person_by_email(permit, email).await?;
    found.with_context(|| format!("nobody has the e-mail address {email}"))
}
