//! `keepsake restore`

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use chrono::SecondsFormat;
use domain::{
    Timestamp,
    agent::AgentScope,
    permission::{Actor, Permission, Permit},
};
use engine::{Engine, LIST_OF_ERASURES, Page, RequestView};

use super::backup::keys_of;
use crate::config::{Config, MasterKey, make_data_dir};

pub const EXAMPLE: &str = "Example:
  mkdir -m 700 data && cp /safe/master.key data/ && cp -r /safe/checkpoints data/
  keepsake restore /mnt/backups/keepsake-2026-11-30.db
  keepsake audit verify

The data folder may hold the master key and the folder of the checkpoints, in which the list of erasures is; nothing else.
Without that list, or with that of another installation, nothing is restored, unless --without-erasures is given: whoever was erased
after the backup would be back.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The file that `keepsake backup` wrote.
    file: PathBuf,
    /// The newest file of keys; else the one beside the backup.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Restore without the list of erasures: whoever was erased after the backup is back.
    #[arg(long)]
    without_erasures: bool,
}

pub async fn run(arguments: &Arguments, config: Config) -> Result<ExitCode> {
    if config.is_postgres() {
        bail!(
            "PostgreSQL is restored by pg_restore, into an empty database: first the file of the tables, then the file of the keys"
        );
    }
    let Some(to) = config.database_file() else {
        bail!("KEEPSAKE_DATABASE_URL names no file");
    };
    if config.master_key.reveal().is_empty() && !MasterKey::path(&config).exists() {
        bail!(
            "the master key is missing, and without it nothing can be read: put it into {} or set KEEPSAKE_MASTER_KEY",
            MasterKey::path(&config).display()
        );
    }
    empty(&config.data_dir)?;
    if !arguments.without_erasures {
        listed(&config.checkpoints())?;
    }
    let file = &arguments.file;
    let keys = arguments.keys.clone().unwrap_or_else(|| keys_of(file));
    let restored = store::restore(file, &keys, &to).await?;
    let engine = match opens(&config, arguments.without_erasures).await {
        Ok(engine) => engine,
        Err(error) => {
            for left in left_by(&to) {
                gone(&left)?;
            }
            return Err(error.context("nothing was restored"));
        }
    };
    // For information only: what was restored stays, whatever of this can be read.
    let standing = Standing::of(&engine).await;
    engine.db().close().await;
    eprintln!(
        "keepsake: {} users and {} events are in {}",
        restored.users,
        restored.events,
        to.display()
    );
    eprintln!(
        "keepsake: now `keepsake audit verify`; the first `keepsake serve` erases again whom the list of erasures names, where there is one"
    );
    match standing {
        Ok(standing) => standing.tell(),
        Err(error) => eprintln!(
            "keepsake: which requests of people are open in the backup cannot be told ({error:#}): look at them under Requests"
        ),
    }
    Ok(ExitCode::SUCCESS)
}

/// Requests of people that are open in a backup. One that was closed since is open again, which nothing in the backup says; with keys as
/// old as it is also says again who asked.
struct Standing {
    /// When a process was last known to be alive.
    alive_at: Option<Timestamp>,
    open: Vec<RequestView>,
}

impl Standing {
    async fn of(engine: &Engine) -> Result<Self> {
        let permit = Permit::ask(Actor::System, Permission::Export);
        let permit = permit.context("the system may do everything")?;
        let alive_at = engine.db().read(AgentScope::All).await?.alive_at().await?;
        let (mut open, mut page) = (Vec::new(), Page::default());
        loop {
            let listed = engine.requests(&permit, true, &page).await?;
            open.extend(listed.data);
            if listed.next.is_none() {
                return Ok(Self { alive_at, open });
            }
            page.cursor = listed.next;
        }
    }

    fn tell(&self) {
        if self.open.is_empty() {
            return;
        }
        let upto = self.alive_at.map_or_else(String::new, |at| {
            format!(" of {}", at.to_rfc3339_opts(SecondsFormat::Secs, true))
        });
        eprintln!(
            "keepsake: these requests of people are open in the backup{upto}; one that was closed after that is open again. \
             Compare each with what you keep of closed ones, and close it again:"
        );
        for request in &self.open {
            let (received, due) = (
                request.received_at.format("%F"),
                request.due_at.format("%F"),
            );
            eprintln!("  {}, received {received}, due {due}", request.id);
        }
    }
}

/// Opens what was restored: the master key is the one that the keys were wrapped with, the tables can be brought up to date, and the list of
/// erasures is that of this installation.
async fn opens(config: &Config, without_erasures: bool) -> Result<Engine> {
    let engine = crate::compose::engine(config).await?;
    if without_erasures {
        return Ok(engine);
    }
    match engine.has_list_of_erasures().await {
        Ok(true) => Ok(engine),
        told => {
            engine.db().close().await;
            told?;
            bail!(
                "the list of erasures in {} is not that of the installation whose backup this is: whoever was erased after the backup would \
                 be back. Copy the folder data/checkpoints from the old machine. Where its list is lost, or is an empty one from before \
                 lists said whose they are, --without-erasures restores without it",
                config.checkpoints().display()
            )
        }
    }
}

/// Refuses a folder of checkpoints without a list of erasures that can be read: nobody could be erased again.
fn listed(folder: &Path) -> Result<()> {
    let list = folder.join(LIST_OF_ERASURES);
    fs::read(&list).map(drop).with_context(|| {
        format!(
            "the list of erasures, {}, cannot be read, and without it whoever was erased after the backup would be back: copy the folder \
             data/checkpoints from the old machine first (it is there from the first start on, also while nobody was erased). Where it is lost, \
             --without-erasures restores without it",
            list.display()
        )
    })
}

/// Refuses a folder in which something is that a backup could be mixed up with; makes one that is missing.
fn empty(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return make_data_dir(folder).with_context(|| format!("make {}", folder.display()));
        }
        entries => entries.with_context(|| format!("read {}", folder.display()))?,
    };
    for entry in entries {
        let name = entry?.file_name();
        if name != "master.key" && name != "checkpoints" {
            bail!(
                "{}: not an empty folder ({} is in it); a backup is restored beside nothing but master.key and checkpoints",
                folder.display(),
                name.to_string_lossy()
            );
        }
    }
    Ok(())
}

/// The files of a database.
fn left_by(database: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|end| {
        let mut name = database.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    })
}

fn gone(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_anything_else_in_it_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("data");
        empty(&folder).unwrap();
        fs::write(folder.join("master.key"), "").unwrap();
        fs::create_dir(folder.join("checkpoints")).unwrap();
        empty(&folder).unwrap();
        fs::write(folder.join("keepsake.db-wal"), "").unwrap();
        let error = empty(&folder).unwrap_err().to_string();
        assert!(error.contains("keepsake.db-wal"), "{error}");
    }

    #[test]
    fn a_folder_of_checkpoints_without_the_list_of_erasures_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("checkpoints");
        assert!(listed(&folder).is_err());
        fs::create_dir(&folder).unwrap();
        let error = listed(&folder).unwrap_err().to_string();
        for part in ["data/checkpoints", "--without-erasures"] {
            assert!(error.contains(part), "{error}");
        }
        fs::write(folder.join(LIST_OF_ERASURES), "").unwrap();
        listed(&folder).unwrap();
    }
}
