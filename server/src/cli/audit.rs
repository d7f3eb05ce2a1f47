//! `keepsake audit`

use std::process::ExitCode;

use anyhow::Result;
use domain::permission::Permission;

use super::permit;
use crate::config::Config;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Walk every chain and name each fault. Exit code 1 when there is one.
    #[command(after_help = "Example:\n  keepsake audit verify")]
    Verify,
}

pub async fn run(Command::Verify: &Command, config: Config) -> Result<ExitCode> {
    let engine = super::engine(&config).await?;
    let found = engine.verify(&permit(Permission::ReadAudit)).await?;
    engine.db().close().await;
    println!("{}", serde_json::to_string_pretty(&found)?);
    Ok(if found.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
