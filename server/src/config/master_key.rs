//! The master key: given, or read from its file, or made at the first start.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::Entropy;
use store::private::make_file;

use super::{Config, make_data_dir};

/// 32 bytes; absent from `Debug`.
#[derive(Clone)]
pub struct MasterKey([u8; 32]);

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

/// Why there is no master key.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// The text is no key.
    #[error("the master key in {0} is not 32 bytes as 64 hexadecimal digits or as base64")]
    Shape(String),
    /// PostgreSQL is shared, so a key made on one machine would be wrong on the next.
    #[error(
        "with PostgreSQL the master key must be given: make one with `openssl rand -hex 32` and set KEEPSAKE_MASTER_KEY or KEEPSAKE_MASTER_KEY_FILE"
    )]
    Needed,
    /// What is in a database opens with one key only, so another one beside it would look like the right one and open nothing.
    #[error(
        "the master key is missing, and without it nothing in {} can be read: put it back into {} from where it is kept \
         (`keepsake backup` leaves it out), or set KEEPSAKE_MASTER_KEY or KEEPSAKE_MASTER_KEY_FILE",
        database.display(),
        key.display()
    )]
    Lost {
        /// Where it was looked for.
        key: PathBuf,
        /// What it opens.
        database: PathBuf,
    },
    /// The file cannot be read or made.
    #[error("{}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others can read the file.
    #[error("{}: others can read it; `chmod 600` it", .0.display())]
    Open(PathBuf),
}

impl MasterKey {
    /// The bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Finds the key of this configuration; makes the file at the first start with SQLite, and never beside a database.
    ///
    /// # Errors
    /// `MasterKeyError` says what to do.
    pub fn find(config: &Config, entropy: &dyn Entropy) -> Result<Self, MasterKeyError> {
        let given = config.master_key.reveal();
        if !given.is_empty() {
            return Self::parse(given)
                .ok_or_else(|| MasterKeyError::Shape("KEEPSAKE_MASTER_KEY".into()));
        }
        if config.is_postgres() {
            return Err(MasterKeyError::Needed);
        }
        let path = Self::path(config);
        let failed = |source| MasterKeyError::File {
            path: path.clone(),
            source,
        };
        match fs::read_to_string(&path) {
            Ok(text) => {
                private(&path)?;
                Self::parse(&text).ok_or_else(|| MasterKeyError::Shape(path.display().to_string()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(database) = config.database_file().filter(|file| file.exists()) {
                    return Err(MasterKeyError::Lost {
                        key: path.clone(),
                        database,
                    });
                }
                make_data_dir(&config.data_dir).map_err(failed)?;
                let mut bytes = [0; 32];
                entropy.fill(&mut bytes);
                write_private(&path, &domain::audit::hex(&bytes)).map_err(failed)?;
                Ok(Self(bytes))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Where the key is looked for, in words.
    pub fn place(config: &Config) -> String {
        if config.master_key.reveal().is_empty() {
            Self::path(config).display().to_string()
        } else {
            "KEEPSAKE_MASTER_KEY".to_owned()
        }
    }

    /// Where the key of a SQLite installation is kept.
    pub fn path(config: &Config) -> PathBuf {
        config.data_dir.join("master.key")
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let hex = || {
            (text.len() == 64).then(|| {
                let digit = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
                (0..32)
                    .map(|byte| digit(byte * 2))
                    .collect::<Option<Vec<u8>>>()
            })?
        };
        let bytes = hex().or_else(|| BASE64_STANDARD.decode(text).ok())?;
        bytes.try_into().ok().map(Self)
    }
}

#[cfg(unix)]
fn private(path: &Path) -> Result<(), MasterKeyError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)
        .map_err(|source| MasterKeyError::File {
            path: path.to_owned(),
            source,
        })?
        .permissions()
        .mode();
    if mode & 0o077 == 0 {
        Ok(())
    } else {
        Err(MasterKeyError::Open(path.to_owned()))
    }
}

#[cfg(not(unix))]
fn private(_: &Path) -> Result<(), MasterKeyError> {
    Ok(())
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = make_file(path)?;
    writeln!(file, "{text}")?;
    // A key that is lost with the power is lost with everything it sealed.
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;
    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn config(dir: &Path) -> Config {
        let mut config = super::super::load(None, &Default::default()).unwrap();
        config.data_dir = dir.join("data");
        config
    }

    #[test]
    fn the_key_is_made_once_and_only_its_owner_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(dir.path());
        let first = MasterKey::find(&config, &Fixed).unwrap();
        assert_eq!(MasterKey::find(&config, &Fixed).unwrap().0, first.0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let path = MasterKey::path(&config);
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600
            );
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            let error = MasterKey::find(&config, &Fixed).unwrap_err();
            assert!(error.to_string().contains("chmod 600"), "{error}");
        }
        assert_eq!(format!("{first:?}"), "MasterKey(…)");
    }

    // Made anew, it would open nothing, and stand where the right one is to be put back.
    #[test]
    fn beside_a_database_no_key_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(dir.path());
        let first = MasterKey::find(&config, &Fixed).unwrap();
        fs::write(config.data_dir.join("keepsake.db"), "").unwrap();
        let path = MasterKey::path(&config);
        let safe = dir.path().join("safe");
        fs::rename(&path, &safe).unwrap();
        let error = MasterKey::find(&config, &Fixed).unwrap_err();
        assert!(matches!(error, MasterKeyError::Lost { .. }), "{error}");
        assert!(error.to_string().contains(&path.display().to_string()));
        assert!(!path.exists());
        fs::rename(&safe, &path).unwrap();
        assert_eq!(MasterKey::find(&config, &Fixed).unwrap().0, first.0);
    }

    #[test]
    fn postgresql_needs_it_given_and_both_notations_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let mut config = config(dir.path());
        config.database_url = "postgres://localhost/keepsake".to_owned().into();
        let error = MasterKey::find(&config, &Fixed).unwrap_err();
        assert!(matches!(error, MasterKeyError::Needed));
        for text in [
            "0707070707070707070707070707070707070707070707070707070707070707",
            "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
        ] {
            config.master_key = text.to_owned().into();
            assert_eq!(MasterKey::find(&config, &Fixed).unwrap().0, [7; 32]);
        }
        config.master_key = "short".to_owned().into();
        assert!(MasterKey::find(&config, &Fixed).is_err());
    }
}
