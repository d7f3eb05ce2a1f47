//! `keepsake audit`

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, bail};
use domain::permission::Permission;

use super::permit;
use crate::config::Config;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Walk every chain, compare it with every checkpoint, and name each fault. Exit code 1 when there is one.
    #[command(
        after_help = "Examples:\n  keepsake audit verify\n  keepsake audit verify --checkpoints /mnt/elsewhere/checkpoints"
    )]
    Verify {
        /// A copy of the folder of the checkpoints that was kept elsewhere.
        #[arg(long, value_name = "FOLDER")]
        checkpoints: Option<PathBuf>,
    },
    /// Sign how far every chain reaches, and print the signed note.
    #[command(after_help = "Example:\n  keepsake audit checkpoint")]
    Checkpoint,
    /// Print the public key that checkpoints and exports are signed with, and its fingerprint, to be compared with the one noted down.
    #[command(after_help = "Example:\n  keepsake audit key")]
    Key,
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    match command {
        Command::Verify { checkpoints } => verify(checkpoints, config).await,
        Command::Checkpoint => checkpoint(config).await,
        Command::Key => key(config).await,
    }
}

async fn verify(folder: Option<PathBuf>, config: Config) -> Result<ExitCode> {
    // A folder that is not there would be one that nothing is compared with.
    if let Some(folder) = folder.as_deref().filter(|folder| !folder.is_dir()) {
        bail!("{}: no such folder", folder.display());
    }
    let engine = super::engine(&config).await?;
    let permit = permit(Permission::ReadAudit);
    let found = match folder {
        Some(folder) => engine.verify_against(&permit, Some(&folder)).await?,
        None => engine.verify(&permit).await?,
    };
    engine.db().close().await;
    println!("{}", serde_json::to_string_pretty(&found)?);
    Ok(if found.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn checkpoint(config: Config) -> Result<ExitCode> {
    let engine = super::engine(&config).await?;
    let signed = engine.checkpoint().await?;
    engine.db().close().await;
    print!("{}", signed.note);
    eprintln!("keepsake: also in {}", config.checkpoints().display());
    Ok(ExitCode::SUCCESS)
}

async fn key(config: Config) -> Result<ExitCode> {
    let engine = super::engine(&config).await?;
    let key = engine.audit_key(&permit(Permission::ReadAudit)).await?;
    engine.db().close().await;
    println!("{}", key.key);
    println!("SHA256 {}", key.fingerprint);
    Ok(ExitCode::SUCCESS)
}
