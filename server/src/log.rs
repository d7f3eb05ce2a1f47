//! The log: lines on stderr that read alone, without bodies, keys or texts of people.

use anyhow::{Context, Result};
use tracing::Level;
use tracing_subscriber::{
    EnvFilter, Layer, filter::filter_fn, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::config::{LogConfig, LogFormat};

/// What these write below `info` holds bodies: what a provider was asked and what it answered.
const WORDY: &[&str] = &["genai", "reqwest", "hyper", "h2", "rustls", "sqlx"];

fn may_hold_bodies(target: &str, level: Level) -> bool {
    match target.split([':', '_']).next().unwrap_or_default() {
        // It tells of every message that it carries, with what is in it, up to `warn`.
        "rmcp" => level > Level::ERROR,
        source => level > Level::INFO && WORDY.contains(&source),
    }
}

/// Starts it for this process. No filter brings the bodies of requests to providers into the log.
///
/// # Errors
/// The filter cannot be read, or a log was started before.
pub fn start(config: &LogConfig) -> Result<()> {
    let filter = EnvFilter::try_new(&config.filter).context("log.filter")?;
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines = match config.format {
        LogFormat::Text => lines.with_ansi(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(filter)
        .with(filter_fn(|line| {
            !may_hold_bodies(line.target(), *line.level())
        }))
        .with(lines)
        .try_init()
        .context("start the log")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_filter_brings_what_a_provider_wrote_into_the_log() {
        assert!(may_hold_bodies("genai::webc::web_client", Level::TRACE));
        assert!(may_hold_bodies("hyper_util::client", Level::DEBUG));
        assert!(may_hold_bodies("rmcp::service", Level::WARN));
        assert!(!may_hold_bodies("rmcp::service", Level::ERROR));
        assert!(!may_hold_bodies("genai::client", Level::WARN));
        assert!(!may_hold_bodies("server::http", Level::DEBUG));
    }
}
