//! Backups of a SQLite database: one file with everything but the wrapped keys, and one with those alone.
//!
//! What a person said is ciphertext under a key of theirs, and erasing them destroys that key. A backup that held the keys would bring
//! them back, so they go into a file of their own, of which only the newest is kept: with it an older backup opens but for whom was erased
//! since. The copy is made by `vacuum into`, which sees one state of the database while others write, and takes no free page along.

use std::{
    fs, io,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use sqlx::{
    ConnectOptions, Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};

use crate::{Error, private};

/// What can go wrong with a backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// Something is there already.
    #[error("{}: it is there already, and nothing is overwritten", .0.display())]
    Exists(PathBuf),
    /// A file cannot be read or written.
    #[error("{}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not whole.
    #[error("{}: it is damaged: {fault}", .path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What the database says.
        fault: String,
    },
    /// A file is something else.
    #[error("{}: this is not {what}", .path.display())]
    Other {
        /// Which.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
    },
    /// The database refused.
    #[error(transparent)]
    Database(Error),
}

impl From<sqlx::Error> for BackupError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

/// What a backup holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackedUp {
    /// Users.
    pub users: i64,
    /// Events of the audit chains.
    pub events: i64,
}

const BACKUP: &str = "a backup that `keepsake backup` made";
const KEYS: &str = "the file of keys beside a backup";

/// Writes a backup of the SQLite database at `url`, and its keys. Both files are new, and only their owner can read them.
///
/// # Errors
/// [`BackupError`]; then neither file is left.
pub async fn back_up(url: &str, file: &Path, keys: &Path) -> Result<BackedUp, BackupError> {
    let whole = part(file);
    // One that was killed left it, with the keys in it.
    remove(&whole)?;
    for path in [file, keys] {
        if path.exists() {
            return Err(BackupError::Exists(path.to_owned()));
        }
    }
    let outcome = write(url, &whole, file, keys).await;
    // It held the keys too, and is nobody's in any case.
    let removed = remove(&whole);
    if outcome.is_err() {
        for path in [file, keys] {
            remove(path)?;
        }
    }
    let backed_up = outcome?;
    removed?;
    Ok(backed_up)
}

async fn write(url: &str, whole: &Path, file: &Path, keys: &Path) -> Result<BackedUp, BackupError> {
    let mut source = SqliteConnectOptions::from_str(url)?
        .create_if_missing(false)
        .busy_timeout(Duration::from_secs(10))
        .connect()
        .await?;
    copy(&mut source, whole).await?;
    source.close().await?;
    let mut all = open(whole, SqliteJournalMode::Off).await?;
    make_private(keys)?;
    attach(&mut all, keys).await?;
    for step in [
        "create table apart.user_keys (
           agent text not null,
           user_id text not null,
           wrapped blob not null,
           primary key (agent, user_id)
         ) strict",
        "create table apart.instance_keys (name text primary key, wrapped blob not null) strict",
        "insert into apart.user_keys (agent, user_id, wrapped) select agent, user_id, wrapped from main.user_keys",
        "insert into apart.instance_keys (name, wrapped) select name, wrapped from main.instance_keys",
        "detach database apart",
        "delete from user_keys",
        "delete from instance_keys",
    ] {
        sqlx::query(step).execute(&mut all).await?;
    }
    // Once more, so that no page is left in which a key had stood.
    copy(&mut all, file).await?;
    all.close().await?;
    whole_or_fault(keys).await?;
    whole_or_fault(file).await?;
    holds(file).await
}

/// Puts a backup and its keys together as the SQLite database `to`, which must not be there yet.
///
/// # Errors
/// [`BackupError`]; then nothing is left at `to`.
pub async fn restore(file: &Path, keys: &Path, to: &Path) -> Result<BackedUp, BackupError> {
    if to.exists() {
        return Err(BackupError::Exists(to.to_owned()));
    }
    for path in [file, keys] {
        fs::metadata(path).map_err(failed(path))?;
        whole_or_fault(path).await?;
    }
    // A plain copy of a database has its keys in it, and the file of keys has nothing else.
    if count(file, "instance_keys").await? != Some(0) || count(file, "events").await?.is_none() {
        return Err(BackupError::Other {
            path: file.to_owned(),
            what: BACKUP,
        });
    }
    let known = count(keys, "instance_keys").await?.unwrap_or_default();
    if known == 0 || count(keys, "events").await?.is_some() {
        return Err(BackupError::Other {
            path: keys.to_owned(),
            what: KEYS,
        });
    }
    let part = part(to);
    let outcome = join(file, keys, &part).await;
    match outcome {
        Ok(()) => fs::rename(&part, to).map_err(failed(to))?,
        Err(error) => {
            remove(&part)?;
            return Err(error);
        }
    }
    holds(to).await
}

async fn join(file: &Path, keys: &Path, part: &Path) -> Result<(), BackupError> {
    remove(part)?;
    make_private(part)?;
    // Into the file that only its owner can read: `fs::copy` would give it the mode of the other.
    let mut from = fs::File::open(file).map_err(failed(file))?;
    let mut into = fs::OpenOptions::new()
        .write(true)
        .open(part)
        .map_err(failed(part))?;
    io::copy(&mut from, &mut into).map_err(failed(part))?;
    let mut all = open(part, SqliteJournalMode::Delete).await?;
    attach(&mut all, keys).await?;
    for step in [
        "insert into main.user_keys (agent, user_id, wrapped) select agent, user_id, wrapped from apart.user_keys",
        "insert into main.instance_keys (name, wrapped) select name, wrapped from apart.instance_keys",
        "detach database apart",
    ] {
        sqlx::query(step).execute(&mut all).await?;
    }
    all.close().await?;
    into.sync_all().map_err(failed(part))
}

async fn open(path: &Path, journal: SqliteJournalMode) -> Result<SqliteConnection, BackupError> {
    Ok(SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .foreign_keys(false)
        .journal_mode(journal)
        .connect()
        .await?)
}

/// Copies what a connection sees into a new file of its owner's.
async fn copy(from: &mut SqliteConnection, to: &Path) -> Result<(), BackupError> {
    remove(to)?;
    // An empty file is taken as a new one.
    make_private(to)?;
    sqlx::query("vacuum into $1")
        .bind(text(to)?)
        .execute(from)
        .await?;
    Ok(())
}

async fn attach(to: &mut SqliteConnection, keys: &Path) -> Result<(), BackupError> {
    sqlx::query("attach database $1 as apart")
        .bind(text(keys)?)
        .execute(to)
        .await?;
    Ok(())
}

async fn whole_or_fault(path: &Path) -> Result<(), BackupError> {
    let damaged = |fault: String| BackupError::Damaged {
        path: path.to_owned(),
        fault,
    };
    let mut conn = looking_at(path).await?;
    let found: Result<Vec<String>, sqlx::Error> = sqlx::query_scalar("pragma integrity_check(1)")
        .fetch_all(&mut conn)
        .await;
    conn.close().await?;
    match found.as_deref() {
        Ok([ok]) if ok == "ok" => Ok(()),
        Ok(faults) => Err(damaged(faults.join("; "))),
        // What is no database at all is told by the first statement that reads it.
        Err(error) => Err(damaged(error.to_string())),
    }
}

/// How many rows a table of a file has; `None`: there is no such table.
async fn count(path: &Path, table: &'static str) -> Result<Option<i64>, BackupError> {
    let mut conn = looking_at(path).await?;
    let there: i64 =
        sqlx::query_scalar("select count(*) from sqlite_master where type = 'table' and name = $1")
            .bind(table)
            .fetch_one(&mut conn)
            .await?;
    let rows = match (there, table) {
        (0, _) => None,
        (_, "events") => Some("select count(*) from events"),
        (_, "users") => Some("select count(*) from users"),
        _ => Some("select count(*) from instance_keys"),
    };
    let counted = match rows {
        Some(rows) => Some(sqlx::query_scalar(rows).fetch_one(&mut conn).await?),
        None => None,
    };
    conn.close().await?;
    Ok(counted)
}

async fn holds(path: &Path) -> Result<BackedUp, BackupError> {
    Ok(BackedUp {
        users: count(path, "users").await?.unwrap_or_default(),
        events: count(path, "events").await?.unwrap_or_default(),
    })
}

async fn looking_at(path: &Path) -> Result<SqliteConnection, BackupError> {
    Ok(SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .connect()
        .await?)
}

/// The file that becomes another one when it is whole.
fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

fn text(path: &Path) -> Result<&str, BackupError> {
    path.to_str().ok_or_else(|| BackupError::Other {
        path: path.to_owned(),
        what: "a path that SQLite can be told",
    })
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::File { path, source }
}

fn make_private(path: &Path) -> Result<(), BackupError> {
    private::make_file(path).map(drop).map_err(failed(path))
}

fn remove(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path)(error)),
        _ => Ok(()),
    }
}
