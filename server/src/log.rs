//! The log: lines on stderr that read alone, without bodies, keys or texts of people.

use anyhow::{Context, Result};
use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// Starts it for this process.
///
/// # Errors
/// The filter cannot be read, or a log was started before.
pub fn start(config: &LogConfig) -> Result<()> {
    let filter = EnvFilter::try_new(&config.filter).context("log.filter")?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    let started = match config.format {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("start the log: {error}"))
}
