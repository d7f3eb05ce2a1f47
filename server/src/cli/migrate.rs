//! `keepsake migrate`

use std::process::ExitCode;

use anyhow::Result;

use crate::config::Config;

pub const EXAMPLE: &str =
    "Example:\n  keepsake migrate\n\n`serve` and `worker` do the same when they start.";

pub async fn run(config: Config) -> Result<ExitCode> {
    let engine = super::engine(&config).await?;
    engine.db().close().await;
    eprintln!("The tables are up to date.");
    Ok(ExitCode::SUCCESS)
}
