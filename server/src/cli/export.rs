//! `keepsake export`: an auditor's export from the command line, asked for, written and noted as that of the dashboard is.

use std::{
    fs::{self, File},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, anyhow, bail};
use chrono::{DateTime, NaiveDate};
use domain::{
    Timestamp,
    agent::AgentName,
    export::{ExportSort, ExportState, ReportLanguage},
    id::{ExportId, UserId},
    permission::{Permission, Permit},
    user::Scope,
};
use engine::{Engine, EngineError, ExportView, ExportedFile, Fetched, NewExport};
use store::private;

use super::{permit, said};
use crate::config::Config;

pub const EXAMPLE: &str = "Examples:
  keepsake export --person odo@example.com everything.zip
  keepsake export --agent support --from 2026-03-01 --to 2026-04-01 --person odo@example.com march.zip
  keepsake export --agent support --user ana --as-of 2026-03-03T14:00:00Z --person odo@example.com ana.zip

It needs no running server. The export is asked for by that person, who must be allowed to export, and the audit chain says so; it is listed
under Exports too until it expires. Nothing is overwritten. On stdout: the SHA-256 of the file with its name, as sha256sum -c reads it.
docs/EXPORTS.md tells what an export holds, and how it is checked.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The zip file to write; it must not be there yet. -: write to stdout.
    file: PathBuf,
    /// Of this agent alone.
    #[arg(long, value_name = "NAME")]
    agent: Option<AgentName>,
    /// About this user alone, as the agent calls them or by an id that begins with usr_.
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// What happened from then on: 2026-03-03T14:00:00Z, or a day of UTC.
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<Timestamp>,
    /// What happened before then.
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<Timestamp>,
    /// With what was known and served about the user at this instant.
    #[arg(long, value_name = "TIME", value_parser = time)]
    as_of: Option<Timestamp>,
    /// The e-mail address of the person who asks for it.
    #[arg(long, value_name = "EMAIL")]
    person: String,
}

fn time(text: &str) -> Result<Timestamp, String> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(at.to_utc());
    }
    let day = text.parse::<NaiveDate>().ok();
    day.and_then(|day| day.and_hms_opt(0, 0, 0))
        .map(|begins| begins.and_utc())
        .ok_or_else(|| "write 2026-03-03T14:00:00Z, or 2026-03-03 for its first moment".to_owned())
}

pub async fn run(arguments: &Arguments, config: Config) -> Result<ExitCode> {
    let to_stdout = arguments.file.as_os_str() == "-";
    if to_stdout {
        if io::stdout().is_terminal() {
            bail!("stdout is a terminal: name a file, or lead it into a program");
        }
        export(arguments, &config, &mut io::stdout().lock()).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = arguments.file.as_path();
    if path.symlink_metadata().is_ok() {
        bail!("{}: it is there already; name another file", path.display());
    }
    let part = part_of(path);
    // Made first: what cannot be written down is not asked for.
    let mut file = made_part(&part)?;
    let exported = export(arguments, &config, &mut file).await;
    let kept = exported.and_then(|exported| {
        file.sync_all().context(part.display().to_string())?;
        drop(file);
        moved(&part, path).with_context(|| path.display().to_string())?;
        Ok(exported)
    });
    match kept {
        Ok(exported) => {
            println!("{}  {}", exported.sha256, path.display());
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            // Half of an export is none.
            fs::remove_file(&part).with_context(|| part.display().to_string())?;
            Err(error)
        }
    }
}

/// Where a file is written until it is whole, so that what is found under its own name is no half of one.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

fn made_part(part: &Path) -> Result<File> {
    private::make_file(part).map_err(|error| {
        let path = part.display();
        if error.kind() == io::ErrorKind::AlreadyExists {
            anyhow!(
                "{path}: another export is written there, or one was interrupted; where none runs, delete that file and try again"
            )
        } else {
            anyhow!(error).context(path.to_string())
        }
    })
}

/// Gives a file its own name, unless something has it by now.
fn moved(part: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(part, path) {
        Ok(()) => fs::remove_file(part),
        // Not every file system lets a file have two names.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !path.exists() => {
            fs::rename(part, path)
        }
        Err(error) => Err(error),
    }
}

async fn export(
    arguments: &Arguments,
    config: &Config,
    out: &mut impl Write,
) -> Result<ExportedFile> {
    let engine = super::engine(config).await?;
    let exported = made(&engine, arguments, out).await;
    engine.db().close().await;
    exported
}

async fn made(
    engine: &Engine,
    arguments: &Arguments,
    out: &mut impl Write,
) -> Result<ExportedFile> {
    if let Some(agent) = &arguments.agent {
        super::known(engine, agent).await?;
    }
    let permit = permit_of(engine, &arguments.person).await?;
    let asked = engine.request_export(&permit, wanted(arguments)?).await;
    let asked = asked.map_err(by_option)?;
    let export = written(engine, &permit, &asked.id).await?;
    if export.state != ExportState::Done {
        let why = export.error.unwrap_or_default();
        bail!("the export {} was not written: {why}", export.id);
    }
    let exported = engine.export_file(&permit, &export.id).await?;
    engine
        .note_download(&permit, &export.id, Fetched::Whole)
        .await?;
    copied(&exported.path, out)?;
    eprintln!(
        "keepsake: {}, {} lines, {} bytes",
        export.id, export.done, exported.bytes
    );
    Ok(exported)
}

/// What the person may export.
async fn permit_of(engine: &Engine, email: &str) -> Result<Permit> {
    let finds = permit(Permission::ManagePeople);
    let Some(person) = engine.person_by_email(&finds, email).await? else {
        bail!("nobody has the e-mail address {email}");
    };
    let actor = engine.actor(&person.id).await?;
    let actor = actor.ok_or_else(|| anyhow!("{email} was deactivated"))?;
    Permit::ask(actor, Permission::Export).map_err(|_| anyhow!("{email} may not export"))
}

fn wanted(arguments: &Arguments) -> Result<NewExport> {
    let (mut user, mut named) = (None, None);
    if let Some(text) = &arguments.user {
        match UserId::parse(text) {
            Ok(id) => user = Some(id),
            Err(_) => named = Some(Scope::user_id(text).context("--user")?),
        }
    }
    Ok(NewExport {
        sort: ExportSort::Audit,
        agent: arguments.agent.clone(),
        user,
        named,
        from: arguments.from,
        to: arguments.to,
        as_of: arguments.as_of,
        bom: false,
        language: ReportLanguage::default(),
    })
}

/// Here whom it is about is one option.
fn by_option(error: EngineError) -> anyhow::Error {
    said(match error {
        EngineError::Invalid(mut fields) => {
            for field in &mut fields {
                if field.pointer == "/user_id" {
                    "/user".clone_into(&mut field.pointer);
                }
            }
            EngineError::Invalid(fields)
        }
        error => error,
    })
}

/// Works until the export has ended; a server that runs beside this may write it too.
async fn written(engine: &Engine, permit: &Permit, id: &ExportId) -> Result<ExportView> {
    loop {
        let now = engine.export(permit, id).await?;
        if !now.state.is_open() {
            return Ok(now);
        }
        if !engine.work_export_once().await? {
            tokio::time::sleep(engine.settings().poll).await;
        }
    }
}

fn copied(from: &Path, out: &mut impl Write) -> Result<()> {
    let mut file = File::open(from).with_context(|| from.display().to_string())?;
    io::copy(&mut file, out).context("write the export")?;
    out.flush().context("write the export")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_becomes_the_file_and_overwrites_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("all.zip");
        let part = part_of(&path);
        assert_eq!(part, dir.path().join("all.zip.part"));
        drop(made_part(&part).unwrap());
        fs::write(&part, "one").unwrap();
        let interrupted = made_part(&part).unwrap_err().to_string();
        assert!(interrupted.contains("all.zip.part"), "{interrupted}");
        moved(&part, &path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert!(!part.exists());
        fs::write(&part, "two").unwrap();
        let there = moved(&part, &path).unwrap_err();
        assert_eq!(there.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
    }

    #[test]
    fn a_time_is_an_instant_or_the_first_moment_of_a_day() {
        let first = time("2026-03-03").unwrap();
        assert_eq!(time("2026-03-03T00:00:00Z"), Ok(first));
        assert_eq!(time("2026-03-03T09:00:00+09:00"), Ok(first));
        for odd in ["", "3 March", "2026-03-03T14:00:00", "2026-02-30"] {
            assert!(time(odd).is_err(), "{odd}");
        }
    }
}
