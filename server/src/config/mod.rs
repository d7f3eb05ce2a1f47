//! The settings: the embedded default file, then the file `KEEPSAKE_CONFIG` names, then the environment.
//!
//! The default file names every setting once, with its reason; the names of the variables are worked out of it, so that file,
//! environment and documentation cannot drift apart. Secrets never reach `Debug`.

mod callers;
mod duration;
mod layers;
mod master_key;
mod public_url;
mod secret;

use std::{net::SocketAddr, path::PathBuf};

use serde::Deserialize;

pub use callers::{Hosts, Origins};
pub use duration::{Kept, Period};
pub use layers::{ConfigError, DEFAULTS, load};
pub use master_key::MasterKey;
pub use public_url::PublicUrl;
pub use secret::Secret;
/// Makes the data folder, for its owner alone.
pub use store::private::make_folder as make_data_dir;

/// Every setting, checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The address people see; empty: that of `listen`.
    pub public_url: String,
    /// Where files are kept.
    pub data_dir: PathBuf,
    /// Where checkpoints of the audit are written; empty: a folder in `data_dir`.
    pub checkpoints: PathBuf,
    /// The database; empty: a SQLite file in `data_dir`.
    pub database_url: Secret,
    /// The most connections.
    pub database_connections: u32,
    /// The master key; empty: the file in `data_dir`.
    pub master_key: Secret,
    /// The mail server; empty: no e-mail is sent.
    pub smtp_url: Secret,
    /// Whom e-mail comes from.
    pub mail_from: String,
    /// Private networks, and hosts by name, that webhooks may reach, with commas between them.
    pub allowed_private_addresses: String,
    /// What extracts.
    pub extractor: ExtractorConfig,
    /// Background work.
    pub jobs: JobsConfig,
    /// Exports.
    pub exports: ExportsConfig,
    /// Memories from elsewhere.
    pub imports: ImportsConfig,
    /// Requests of people.
    pub requests: RequestsConfig,
    /// How long things are kept.
    pub retention: RetentionConfig,
    /// Limits for each key.
    pub limits: LimitsConfig,
    /// MCP.
    pub mcp: McpConfig,
    /// The log.
    pub log: LogConfig,
    /// Prometheus.
    pub metrics: MetricsConfig,
}

/// `[extractor]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractorConfig {
    /// `builtin`, or a model.
    pub model: String,
    /// Another address of the provider; empty: its own.
    pub base_url: String,
    /// The provider's key.
    pub api_key: Secret,
}

/// `[jobs]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobsConfig {
    /// Jobs at once.
    pub workers: usize,
    /// How long a claim holds.
    pub lease: Period,
    /// How often a claim is renewed.
    pub heartbeat: Period,
    /// How long a model may take.
    pub model_timeout: Period,
    /// Tries in all.
    pub attempts: u32,
    /// The first wait between two tries.
    pub backoff: Period,
    /// The longest time between two looks for jobs.
    pub poll: Period,
    /// Time between two rounds of expiry.
    pub expiry_tick: Period,
    /// Time between two checkpoints of the audit.
    pub checkpoints_tick: Period,
    /// Time between two verifications of the audit.
    pub verification_tick: Period,
    /// The longest time a serving stays unwritten.
    pub servings_flush: Period,
}

/// `[exports]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportsConfig {
    /// How long a file stays.
    pub keep: Period,
}

/// `[imports]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportsConfig {
    /// How long what was imported waits for a decision.
    pub wait: Period,
}

/// `[retention]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionConfig {
    /// Conversations.
    pub conversations: Kept,
    /// Rejected candidates.
    pub rejected: Kept,
    /// Records of what agents were told.
    pub servings: Kept,
    /// Records of exports.
    pub exports: Kept,
}

/// `[requests]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestsConfig {
    /// How long one may take.
    pub deadline: Period,
}

/// `[limits]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// Requests a second.
    pub requests_per_second: std::num::NonZeroU32,
    /// Requests at once.
    pub burst: std::num::NonZeroU32,
}

/// `[mcp]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpConfig {
    /// Hosts under which it is served, besides our own.
    pub allowed_hosts: Hosts,
    /// Origins to which it is served, besides our own.
    pub allowed_origins: Origins,
}

/// `[log]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    /// The filter of `tracing`.
    pub filter: String,
    /// One line for people, or JSON for machines.
    pub format: LogFormat,
}

/// How a log line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// `[metrics]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricsConfig {
    /// Where; empty: nowhere.
    pub listen: String,
}

impl Config {
    /// The database's address: the one given, or the SQLite file of `data_dir`.
    pub fn database(&self) -> String {
        match self.database_url.reveal() {
            "" => format!("sqlite:{}", self.data_dir.join("keepsake.db").display()),
            url => url.to_owned(),
        }
    }

    /// The file of a SQLite database.
    pub fn database_file(&self) -> Option<PathBuf> {
        let url = self.database();
        let path = url.strip_prefix("sqlite:")?;
        let path = path.strip_prefix("//").unwrap_or(path);
        let path = path.split('?').next().unwrap_or_default();
        (!path.is_empty() && path != ":memory:").then(|| PathBuf::from(path))
    }

    /// The folder of the checkpoints: the one given, or that of `data_dir`.
    pub fn checkpoints(&self) -> PathBuf {
        if self.checkpoints.as_os_str().is_empty() {
            self.data_dir.join("checkpoints")
        } else {
            self.checkpoints.clone()
        }
    }

    /// The folder of the exports' files.
    pub fn exports(&self) -> PathBuf {
        self.data_dir.join("exports")
    }

    /// Whether the database is PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        let url = self.database_url.reveal();
        url.starts_with("postgres://") || url.starts_with("postgresql://")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_database_is_read_out_of_its_address() {
        let mut config = load(None, &Default::default()).unwrap();
        config.data_dir = "/d".into();
        assert_eq!(config.database_file(), Some("/d/keepsake.db".into()));
        config.database_url = "sqlite:///x/k.db?mode=rwc".to_owned().into();
        assert_eq!(config.database_file(), Some("/x/k.db".into()));
    }
}
