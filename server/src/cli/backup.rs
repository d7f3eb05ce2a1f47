//! `keepsake backup`

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Result, bail};

use crate::config::Config;

pub const EXAMPLE: &str = "Example:
  keepsake backup /mnt/backups/keepsake-2026-11-30.db

The keys of people go into FILE.keys. Keep only the newest of those: with an older one, whoever was erased since could be read again.
The master key is in neither file; without it nothing can be read. docs/OPERATIONS.md tells the whole.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The file to write; it must not be there yet.
    file: PathBuf,
}

/// Where the keys of a backup are.
pub fn keys_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".keys");
    PathBuf::from(name)
}

pub async fn run(arguments: &Arguments, config: Config) -> Result<ExitCode> {
    let file = &arguments.file;
    if config.is_postgres() {
        bail!("{}", with_postgres(file));
    }
    let keys = keys_of(file);
    let made = store::back_up(&config.database(), file, &keys).await?;
    eprintln!(
        "keepsake: {} users and {} events in {}, their keys in {}",
        made.users,
        made.events,
        file.display(),
        keys.display()
    );
    eprintln!("keepsake: remove the older files of keys, and keep the master key elsewhere");
    Ok(ExitCode::SUCCESS)
}

/// PostgreSQL has a way of its own, which sees one state and knows its server.
fn with_postgres(file: &Path) -> String {
    let (file, keys) = (file.display(), keys_of(file));
    let keys = keys.display();
    format!(
        "PostgreSQL is backed up by pg_dump. The tables first, then the keys of people apart:\n\n  \
         pg_dump --format=custom --exclude-table-data=user_keys --exclude-table-data=instance_keys --file={file} \"$KEEPSAKE_DATABASE_URL\"\n  \
         pg_dump --format=custom --data-only --table=user_keys --table=instance_keys --file={keys} \"$KEEPSAKE_DATABASE_URL\"\n\n\
         Nothing was written. docs/OPERATIONS.md tells the whole."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_postgresql_the_keys_are_left_out_and_dumped_apart() {
        let told = with_postgres(Path::new("/b/k.dump"));
        assert!(told.contains("--exclude-table-data=user_keys"));
        assert!(told.contains("--table=user_keys") && told.contains("--file=/b/k.dump.keys"));
    }
}
