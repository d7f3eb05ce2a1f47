//! The command line. What a command is asked for goes to stdout, everything else to stderr; exit codes: 0 done, 1 failed, 2 usage.

mod admin;
mod agent;
mod audit;
mod backup;
mod doctor;
mod export;
mod hook;
mod import;
mod key;
mod memories;
mod migrate;
mod restore;
mod serve;
mod verify;
mod worker;

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use domain::{
    agent::AgentName,
    permission::{Actor, Permission, Permit},
};

use crate::{
    compose,
    config::{self, Config},
};

/// Decides what AI agents may remember about people.
#[derive(Debug, Parser)]
#[command(name = "keepsake", version, arg_required_else_help = true)]
struct Cli {
    /// A configuration file; KEEPSAKE_CONFIG names one too.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer the dashboard and the REST API, and work on jobs.
    #[command(after_help = serve::EXAMPLE)]
    Serve(serve::Arguments),
    /// Only work on jobs, beside other processes on one PostgreSQL.
    #[command(after_help = worker::EXAMPLE)]
    Worker,
    /// Bring the tables up to date.
    #[command(after_help = migrate::EXAMPLE)]
    Migrate,
    /// People who administer.
    #[command(subcommand)]
    Admin(admin::Command),
    /// Agents.
    #[command(subcommand)]
    Agent(agent::Command),
    /// Keys of the REST API.
    #[command(subcommand)]
    Key(key::Command),
    /// Memories that come from elsewhere.
    #[command(subcommand)]
    Memories(memories::Command),
    /// The audit chain.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Write a backup of a SQLite installation, and the keys of people apart. It may run meanwhile.
    #[command(after_help = backup::EXAMPLE)]
    Backup(backup::Arguments),
    /// Put a backup into an empty data folder.
    #[command(after_help = restore::EXAMPLE)]
    Restore(restore::Arguments),
    /// Write an export: of everything, an agent, a user, a period, or what was known and served about a user at an instant.
    #[command(after_help = export::EXAMPLE)]
    Export(export::Arguments),
    /// Take in an export of another installation, all of it or nothing. Its agents must be new here.
    #[command(after_help = import::EXAMPLE)]
    Import(import::Arguments),
    /// Check an export: its signature, its proofs and its texts. Needs no installation.
    #[command(after_help = verify::EXAMPLE)]
    Verify(verify::Arguments),
    /// Hear the sessions of Claude Code, Cursor, Codex or Gemini CLI. Needs no installation here, only the address of one.
    #[command(after_help = hook::EXAMPLE)]
    Hook(hook::Arguments),
    /// Check the configuration, the master key, the database and the extractor, and say what to do.
    #[command(after_help = doctor::EXAMPLE)]
    Doctor(doctor::Arguments),
}

/// Runs the command of this process's arguments.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && hook::is_of_a_session(std::env::args_os()) => {
            return ExitCode::SUCCESS;
        }
        Err(error) => error.exit(),
    };
    let outcome = match cli.command {
        // A session waits for it, and it is nobody's installation.
        Command::Hook(arguments) => hook::run(arguments),
        command => {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => runtime.block_on(execute(cli.config, command)),
                Err(error) => Err(error).context("start the runtime"),
            }
        }
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("keepsake: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn execute(file: Option<PathBuf>, command: Command) -> Result<ExitCode> {
    // Whoever checks an export need not have an installation, nor settings for one.
    if let Command::Verify(arguments) = &command {
        return verify::run(arguments);
    }
    if let Command::Doctor(arguments) = &command {
        return doctor::run(arguments, settings(file.as_deref())).await;
    }
    let config = settings(file.as_deref())?;
    match command {
        Command::Serve(arguments) => serve::run(arguments, config).await,
        Command::Worker => worker::run(config).await,
        Command::Migrate => migrate::run(config).await,
        Command::Admin(command) => admin::run(command, config).await,
        Command::Agent(command) => agent::run(command, config).await,
        Command::Key(command) => key::run(command, config).await,
        Command::Memories(command) => memories::run(command, config).await,
        Command::Audit(command) => audit::run(command, config).await,
        Command::Backup(arguments) => backup::run(&arguments, config).await,
        Command::Restore(arguments) => restore::run(&arguments, config).await,
        Command::Export(arguments) => export::run(&arguments, config).await,
        Command::Doctor(_) | Command::Hook(_) | Command::Verify(_) => {
            unreachable!("answered above")
        }
        Command::Import(arguments) => import::run(&arguments, config).await,
    }
}

fn settings(named: Option<&std::path::Path>) -> Result<Config> {
    let environment: BTreeMap<_, _> = std::env::vars().collect();
    let file = named
        .map(PathBuf::from)
        .or_else(|| environment.get("KEEPSAKE_CONFIG").map(PathBuf::from));
    Ok(config::load(file.as_deref(), &environment)?)
}

/// The engine of this installation. One that a command makes is told of: it may have been run in the wrong folder.
async fn engine(config: &Config) -> Result<engine::Engine> {
    let there = config.is_postgres() || std::path::Path::new(&config.data_dir).exists();
    let engine = compose::engine(config).await?;
    if !there {
        let folder = std::path::absolute(&config.data_dir)?;
        eprintln!(
            "keepsake: a new installation was made in {}",
            folder.display()
        );
    }
    Ok(engine)
}

/// Says what did not fit by the name of the option instead of the place in a JSON body.
fn said(error: engine::EngineError) -> anyhow::Error {
    match error {
        engine::EngineError::Invalid(fields) => {
            let options = fields.iter().map(|field| {
                let option = field.pointer.trim_start_matches('/').replace('_', "-");
                format!("--{option}: {}", field.detail)
            });
            anyhow::anyhow!(options.collect::<Vec<_>>().join("; "))
        }
        other => other.into(),
    }
}

/// Makes sure that an agent is there, and names it where it is not.
async fn known(engine: &engine::Engine, agent: &AgentName) -> Result<()> {
    let agents = engine.agents(&permit(Permission::ReadAgents)).await?;
    if agents.iter().any(|there| there.name == *agent) {
        return Ok(());
    }
    bail!("--agent: there is no agent {agent}; `keepsake agent list` shows those there are")
}

/// What the command line may do: whoever can run it has the files anyway.
fn permit(permission: Permission) -> Permit {
    Permit::ask(Actor::System, permission).expect("the system may do everything")
}
