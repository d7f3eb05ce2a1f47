//! How the layers of the configuration are put on one another.

use std::{collections::BTreeMap, fs, path::Path};

use toml::{Table, Value};

use super::Config;

/// The default file, commented.
pub const DEFAULTS: &str = include_str!("../../config.default.toml");

/// Settings whose variable has a `_FILE` twin.
const SECRETS: &[&str] = &[
    "database_url",
    "master_key",
    "smtp_url",
    "extractor.api_key",
];

/// Variables of whoever calls an installation, which have nothing to do with one: those of `keepsake hook`, and those that
/// `docs/API.md` keeps keys in.
const OF_CALLERS: &[&str] = &["URL", "API_KEY", "KEY", "PERSON_KEY"];

/// What is wrong with the configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("{path}")]
    File {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not TOML.
    #[error("{path}")]
    Syntax {
        /// Which.
        path: String,
        /// Why.
        source: Box<toml::de::Error>,
    },
    /// A variable of ours names no setting.
    #[error("{0} names no setting; `keepsake doctor --defaults` prints them all")]
    Unknown(String),
    /// A variable and its `_FILE` twin are both set.
    #[error("{0} and {0}_FILE are both set")]
    Twice(String),
    /// A value does not fit.
    #[error("{setting}: {detail}")]
    Value {
        /// Which.
        setting: String,
        /// Why.
        detail: String,
    },
}

/// Puts the layers together: the defaults, the `file`, the variables of `environment`.
///
/// # Errors
/// [`ConfigError`] names the file, variable or setting.
pub fn load(
    file: Option<&Path>,
    environment: &BTreeMap<String, String>,
) -> Result<Config, ConfigError> {
    let mut table = parse("config.default.toml", DEFAULTS)?;
    let variables = variables(&table);
    if let Some(path) = file {
        let name = path.display().to_string();
        let text = read(&name)?;
        lay_over(&mut table, parse(&name, &text)?);
    }
    for (variable, value) in environment {
        let Some(name) = variable.strip_prefix("KEEPSAKE_") else {
            continue;
        };
        if name == "CONFIG" || name.starts_with("TEST_") || OF_CALLERS.contains(&name) {
            continue;
        }
        let (path, value) = match (variables.get(variable), variable.strip_suffix("_FILE")) {
            (Some(path), _) => (path, value.clone()),
            (None, Some(twin)) if environment.contains_key(twin) => {
                return Err(ConfigError::Twice(twin.to_owned()));
            }
            (None, Some(twin)) => match variables.get(twin) {
                Some(path) if SECRETS.contains(&path.as_str()) => {
                    (path, read(value)?.trim_end_matches(['\r', '\n']).to_owned())
                }
                _ => return Err(ConfigError::Unknown(variable.clone())),
            },
            (None, None) => return Err(ConfigError::Unknown(variable.clone())),
        };
        set(&mut table, path, variable, value)?;
    }
    serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| ConfigError::Value {
        setting: error.path().to_string(),
        detail: error.inner().message().to_owned(),
    })
}

fn read(path: &str) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|source| ConfigError::File {
        path: path.to_owned(),
        source,
    })
}

fn parse(path: &str, text: &str) -> Result<Table, ConfigError> {
    text.parse().map_err(|source| ConfigError::Syntax {
        path: path.to_owned(),
        source: Box::new(source),
    })
}

fn lay_over(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

/// The variable of every setting, with the setting's path.
pub(super) fn variables(defaults: &Table) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (key, value) in defaults {
        match value {
            Value::Table(section) => {
                for inner in section.keys() {
                    let path = format!("{key}.{inner}");
                    found.insert(variable(&path), path);
                }
            }
            _ => {
                found.insert(variable(key), key.clone());
            }
        }
    }
    found
}

fn variable(path: &str) -> String {
    format!("KEEPSAKE_{}", path.replace('.', "_").to_uppercase())
}

/// Sets one value from a variable, in the type that the default has.
fn set(table: &mut Table, path: &str, variable: &str, text: String) -> Result<(), ConfigError> {
    let mut place = table;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            let value = match place.get(part) {
                Some(Value::Integer(_)) => {
                    text.trim()
                        .parse()
                        .map(Value::Integer)
                        .map_err(|_| ConfigError::Value {
                            setting: variable.to_owned(),
                            detail: "a whole number is wanted".to_owned(),
                        })?
                }
                _ => Value::String(text),
            };
            place.insert(part.to_owned(), value);
            return Ok(());
        }
        place = place[part]
            .as_table_mut()
            .expect("the path comes from the default file");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect()
    }

    #[test]
    fn the_default_file_is_complete() {
        let config = load(None, &Default::default()).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:3000");
        assert!(config.database().ends_with("data/keepsake.db"));
        assert_eq!(config.extractor.model, "builtin");
    }

    #[test]
    fn the_environment_wins_over_the_file_and_the_file_over_the_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("keepsake.toml");
        fs::write(
            &file,
            "listen = \"127.0.0.1:4000\"\n[jobs]\nattempts = 3\nlease = \"1s\"\n",
        )
        .unwrap();
        let set = environment(&[("KEEPSAKE_JOBS_ATTEMPTS", "9"), ("HOME", "/root")]);
        let config = load(Some(&file), &set).unwrap();
        assert_eq!(config.listen.port(), 4000);
        assert_eq!((config.jobs.attempts, config.jobs.workers), (9, 2));
    }

    #[test]
    fn a_secret_comes_from_a_file_and_stays_out_of_debug() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("key");
        fs::write(&file, "hunter2hunter2\n").unwrap();
        let path = file.display().to_string();
        let set = environment(&[("KEEPSAKE_EXTRACTOR_API_KEY_FILE", &path)]);
        let config = load(None, &set).unwrap();
        assert_eq!(config.extractor.api_key.reveal(), "hunter2hunter2");
        assert!(!format!("{config:?}").contains("hunter2"));
    }

    #[test]
    fn what_has_no_time_is_kept_for_good() {
        let config = load(None, &Default::default()).unwrap();
        assert_eq!(config.retention.conversations.0, None);
        let set = environment(&[
            ("KEEPSAKE_RETENTION_CONVERSATIONS", "365d"),
            ("KEEPSAKE_RETENTION_SERVINGS", ""),
        ]);
        let config = load(None, &set).unwrap();
        let year = std::time::Duration::from_secs(365 * 86_400);
        assert_eq!(config.retention.conversations.0, Some(year));
        assert_eq!(config.retention.servings.0, None);
        let wrong = environment(&[("KEEPSAKE_RETENTION_REJECTED", "soon")]);
        let fault = load(None, &wrong).unwrap_err().to_string();
        assert!(fault.starts_with("retention.rejected: "), "{fault}");
    }

    #[test]
    fn what_callers_are_told_is_no_setting_and_no_mistake() {
        let names = ["URL", "API_KEY", "KEY", "PERSON_KEY"].map(|name| format!("KEEPSAKE_{name}"));
        let set: Vec<_> = names.iter().map(|name| (name.as_str(), "x")).collect();
        load(None, &environment(&set)).unwrap();
    }

    #[test]
    fn mistakes_are_named() {
        let fault =
            |pairs: &[(&str, &str)]| load(None, &environment(pairs)).unwrap_err().to_string();
        assert!(fault(&[("KEEPSAKE_LISTENS", "x")]).contains("KEEPSAKE_LISTENS"));
        assert!(fault(&[("KEEPSAKE_LISTEN_FILE", "x")]).contains("KEEPSAKE_LISTEN_FILE"));
        assert!(fault(&[("KEEPSAKE_LISTEN", "here")]).starts_with("listen: "));
        assert!(fault(&[("KEEPSAKE_JOBS_LEASE", "soon")]).contains("30s"));
        assert!(fault(&[("KEEPSAKE_JOBS_ATTEMPTS", "many")]).contains("whole number"));
        let twice = [
            ("KEEPSAKE_MASTER_KEY", "a"),
            ("KEEPSAKE_MASTER_KEY_FILE", "b"),
        ];
        assert!(fault(&twice).contains("both set"));
    }
}
