//! `keepsake worker`

use std::process::ExitCode;

use anyhow::Result;

use crate::{compose, config::Config, log, stop};

pub const EXAMPLE: &str = "Example:\n  KEEPSAKE_DATABASE_URL=postgres://keepsake@db/keepsake KEEPSAKE_MASTER_KEY_FILE=/run/secrets/master keepsake worker";

pub async fn run(config: Config) -> Result<ExitCode> {
    log::start(&config.log)?;
    let engine = compose::engine(&config).await?;
    engine.start().await?;
    tracing::info!(workers = config.jobs.workers, "works on jobs");
    engine.run(stop::signal()).await;
    engine.flush().await?;
    engine.db().close().await;
    Ok(ExitCode::SUCCESS)
}
