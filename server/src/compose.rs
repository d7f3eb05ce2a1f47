//! The composition root: settings in, a working engine out.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use engine::{
    Engine, Extractors, OsEntropy, Outgoing, Retention, Settings, SystemClock,
    extractor::model::{self, ModelConfig},
    outside::Allowed,
};
use store::{Db, Options};

use crate::config::{Config, ExtractorConfig, JobsConfig, MasterKey, PublicUrl, make_data_dir};

/// Opens the database of this configuration, without looking at its tables.
///
/// # Errors
/// There is no master key, or the database does not answer.
pub async fn open(config: &Config) -> Result<Db> {
    if !config.is_postgres() {
        make_data_dir(&config.data_dir)
            .with_context(|| format!("make {}", config.data_dir.display()))?;
    }
    let key = MasterKey::find(config, &OsEntropy)?;
    Db::open(Options {
        url: config.database(),
        master_key: store::MasterKey::new(*key.bytes()),
        entropy: Arc::new(OsEntropy),
        max_connections: config.database_connections,
    })
    .await
    .context("open the database")
}

/// Opens and migrates the database, and puts the engine together.
///
/// # Errors
/// As [`open`]; the migrations fail; the extractor cannot be made.
pub async fn engine(config: &Config) -> Result<Engine> {
    let extractors = extractors(config).context("extractor")?;
    if let Some(variable) = missing_key(config) {
        tracing::warn!(
            model = %config.extractor.model,
            "nothing can be extracted: the model's provider wants a key; set KEEPSAKE_EXTRACTOR_API_KEY, or {variable}"
        );
    }
    let outgoing = outgoing(config)?;
    let db = open(config).await?;
    db.migrate().await.map_err(|error| match error {
        store::Error::WrongMasterKey => anyhow!(
            "{error}: it was made with another one; put that one back where it is looked for, {}",
            MasterKey::place(config)
        ),
        error => anyhow!(error).context("bring the tables up to date"),
    })?;
    Ok(Engine::new(
        db,
        Arc::new(SystemClock),
        Arc::new(OsEntropy),
        extractors,
        Settings {
            outgoing,
            checkpoints: Some(config.checkpoints()),
            exports: Some(config.exports()),
            exports_keep: config.exports.keep.0,
            imports_wait: config.imports.wait.0,
            request_deadline: config.requests.deadline.0,
            retention: Retention {
                conversations: config.retention.conversations.0,
                rejected: config.retention.rejected.0,
                servings: config.retention.servings.0,
                exports: config.retention.exports.0,
            },
            ..timers(&config.jobs)
        },
    ))
}

/// The extractor of the installation.
///
/// # Errors
/// The model is not named as `genai` takes it.
pub fn extractors(config: &Config) -> Result<Extractors> {
    Ok(model::extractors(&wanted(config))?.in_environment(is_set))
}

/// The variable in which the key of the model's provider is looked for, where none was given and that one is not set either.
pub fn missing_key(config: &Config) -> Option<&'static str> {
    let variable = model::key_variable(&wanted(config))?;
    (!is_set(variable)).then_some(variable)
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn wanted(config: &Config) -> ModelConfig {
    let ExtractorConfig {
        model,
        base_url,
        api_key,
    } = &config.extractor;
    ModelConfig {
        model: model.clone(),
        base_url: (!base_url.is_empty()).then(|| base_url.clone()),
        api_key: api_key.given(),
        timeout: config.jobs.model_timeout.0,
    }
}

/// How the installation reaches the outside by itself.
///
/// # Errors
/// A network or an address is not written as one.
pub fn outgoing(config: &Config) -> Result<Outgoing> {
    let allowed = Allowed::parse(&config.allowed_private_addresses);
    let allowed_private = allowed.map_err(|part| {
        anyhow!(
            "allowed_private_addresses: \"{part}\" is neither a network like 10.1.0.0/16 nor the name of a host"
        )
    })?;
    let public_url = PublicUrl::new(&config.public_url, config.listen)?;
    let public_url = public_url.origin().trim_end_matches('/').to_owned();
    Ok(Outgoing {
        public_url,
        smtp_url: config.smtp_url.given(),
        mail_from: config.mail_from.clone(),
        allowed_private,
    })
}

/// The timers of the engine.
pub fn timers(jobs: &JobsConfig) -> Settings {
    Settings {
        workers: jobs.workers,
        lease: jobs.lease.0,
        heartbeat: jobs.heartbeat.0,
        model_timeout: jobs.model_timeout.0,
        attempts: jobs.attempts.into(),
        backoff: jobs.backoff.0,
        poll: jobs.poll.0,
        expiry_tick: jobs.expiry_tick.0,
        checkpoints_tick: jobs.checkpoints_tick.0,
        verification_tick: jobs.verification_tick.0,
        servings_flush: jobs.servings_flush.0,
        ..Settings::default()
    }
}
