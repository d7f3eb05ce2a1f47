//! `keepsake doctor`

use std::{path::Path, process::ExitCode};

use anyhow::Result;
use engine::OsEntropy;

use crate::{
    compose,
    config::{Config, DEFAULTS, MasterKey, PublicUrl},
};

pub const EXAMPLE: &str =
    "Examples:\n  keepsake doctor\n  keepsake doctor --defaults > keepsake.toml";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Print every setting with its default and its reason, and do nothing else.
    #[arg(long)]
    defaults: bool,
}

/// What was looked at, and what to do where it is not well.
struct Report {
    healthy: bool,
}

impl Report {
    fn well(&self, what: &str) {
        println!("ok    {what}");
    }

    fn note(&self, what: &str) {
        println!("note  {what}");
    }

    fn fault(&mut self, what: &str, advice: &str) {
        self.healthy = false;
        println!("FAULT {what}\n      {advice}");
    }
}

pub async fn run(arguments: &Arguments, config: Result<Config>) -> Result<ExitCode> {
    if arguments.defaults {
        print!("{DEFAULTS}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report { healthy: true };
    match config {
        Err(error) => report.fault(
            &format!("configuration: {error:#}"),
            "`keepsake doctor --defaults` prints every setting.",
        ),
        Ok(config) => {
            outgoing(&mut report, &config);
            folder(&mut report, &config);
            address(&mut report, &config);
            extractor(&mut report, &config);
            if key(&mut report, &config) {
                database(&mut report, &config).await;
            }
        }
    }
    Ok(if report.healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What the configuration says that only is read when the engine is put together.
fn outgoing(report: &mut Report, config: &Config) {
    match compose::outgoing(config) {
        // What is wrong with the public address has a line of its own.
        Err(error) if PublicUrl::new(&config.public_url, config.listen).is_ok() => report.fault(
            &format!("configuration: {error:#}"),
            "KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES takes networks and names of hosts with commas between.",
        ),
        _ => report.well("configuration"),
    }
}

fn folder(report: &mut Report, config: &Config) {
    if config.is_postgres() {
        return;
    }
    let folder = std::path::absolute(&config.data_dir).unwrap_or_else(|_| config.data_dir.clone());
    if folder.exists() {
        report.well(&format!("data in {}", folder.display()));
        let database = config.database_file();
        for (path, mode) in [(Some(folder), "700"), (database, "600")] {
            if let Some(path) = path.filter(|path| others_can_read(path)) {
                let path = path.display();
                report.note(&format!(
                    "{path}: others can read it; `chmod {mode} {path}`"
                ));
            }
        }
    } else {
        report.note(&format!(
            "data: there is no installation in {} yet; KEEPSAKE_DATA_DIR names another folder",
            folder.display()
        ));
    }
}

#[cfg(unix)]
fn others_can_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}

fn address(report: &mut Report, config: &Config) {
    match PublicUrl::new(&config.public_url, config.listen) {
        Err(error) => report.fault("public address", &error.to_string()),
        Ok(url) if !url.takes_sign_in() => report.fault(
            &format!("public address {}: nobody can sign in", url.origin()),
            "Put a proxy with TLS in front and set KEEPSAKE_PUBLIC_URL to its https address.",
        ),
        Ok(url) => report.well(&format!("public address {}", url.origin())),
    }
}

fn extractor(report: &mut Report, config: &Config) {
    if config.extractor.model == "builtin" {
        report.note("extractor builtin: for trying out. Production wants a model: KEEPSAKE_EXTRACTOR_MODEL.");
    } else if let Err(error) = compose::extractors(config) {
        report.fault(
            &format!("extractor {}: {error:#}", config.extractor.model),
            "KEEPSAKE_EXTRACTOR_MODEL takes \"builtin\" or provider::model, KEEPSAKE_EXTRACTOR_BASE_URL an http or https address.",
        );
    } else if let Some(variable) = compose::missing_key(config) {
        report.fault(
            &format!("extractor {}: its provider wants a key", config.extractor.model),
            &format!("Set KEEPSAKE_EXTRACTOR_API_KEY or KEEPSAKE_EXTRACTOR_API_KEY_FILE; {variable} is not set either."),
        );
    } else {
        report.well(&format!("extractor {}", config.extractor.model));
    }
}

fn key(report: &mut Report, config: &Config) -> bool {
    let path = MasterKey::path(config);
    let made = config.database_file().is_some_and(|file| file.exists());
    if config.master_key.reveal().is_empty() && !config.is_postgres() && !path.exists() && !made {
        report.note(&format!(
            "master key: {} is made at the first start",
            path.display()
        ));
        return false;
    }
    match MasterKey::find(config, &OsEntropy) {
        Ok(_) => {
            report.well("master key");
            true
        }
        Err(error) => {
            report.fault("master key", &format!("{:#}", anyhow::Error::from(error)));
            false
        }
    }
}

async fn database(report: &mut Report, config: &Config) {
    let db = match compose::open(config).await {
        Ok(db) => db,
        Err(error) => {
            return report.fault(
                &format!("database: {error:#}"),
                "Check KEEPSAKE_DATABASE_URL, and that the server runs and takes this user.",
            );
        }
    };
    match db.pending_migrations().await {
        Ok(0) => report.well("database"),
        Ok(pending) => report.note(&format!(
            "database: {pending} migrations wait; `keepsake migrate` or the next start runs them"
        )),
        Err(error) => report.fault(
            &format!("database: {error}"),
            "Check the rights of this user on its tables.",
        ),
    }
    if matches!(db.pending_migrations().await, Ok(0))
        && let Err(error) = db.migrate().await
    {
        report.fault(
            &format!("master key: {error}"),
            &format!(
                "This database was made with another master key; put that one back where it is looked for, {}.",
                MasterKey::place(config)
            ),
        );
    }
    db.close().await;
}
