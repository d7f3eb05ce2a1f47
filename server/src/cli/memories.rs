//! `keepsake memories`

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, anyhow, bail};
use domain::{
    agent::AgentName,
    import::{ImportField, ImportFormat, ImportMapping, RowState},
    permission::Permission,
};
use engine::{Engine, ImportView, NewUpload, Page, import::what_to_do};

use super::{permit, said};
use crate::{config::Config, http::FILE_LIMIT};

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Bring existing memories into the queue, from a table or from what mem0 gives out. A person decides about each.
    #[command(after_help = EXAMPLE)]
    Import(Arguments),
}

const EXAMPLE: &str = "Examples:
  keepsake memories import export.json --agent support --dry-run
  keepsake memories import notes.csv --agent support --map text=content --map customer=user_id --set kind=fact --errors errors.csv

What a column becomes: content, user_id, kind, name, tags, importance, said_at, source_id, metadata.NAME. Without --map that is guessed
from the names of the columns. The file is UTF-8 and has at most 10,000 rows. What was imported before is not proposed twice.";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// CSV with a head, JSON, or a memory in JSON a line.
    file: PathBuf,
    /// Into which agent.
    #[arg(long)]
    agent: AgentName,
    /// csv, json or json_lines; left out: the one that the file looks like.
    #[arg(long)]
    format: Option<ImportFormat>,
    /// What a column becomes.
    #[arg(long, value_name = "COLUMN=FIELD", value_parser = column)]
    map: Vec<(String, ImportField)>,
    /// The same value for all rows.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = constant)]
    set: Vec<(ImportField, String)>,
    /// Only say what would come of it, and keep nothing proposed.
    #[arg(long)]
    dry_run: bool,
    /// Write the rows that do not fit into this file, as a table.
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,
}

fn column(text: &str) -> Result<(String, ImportField), String> {
    // A name may hold the sign, a field does not.
    let (column, field) = text.rsplit_once('=').ok_or("write COLUMN=FIELD")?;
    let field = field
        .parse::<ImportField>()
        .map_err(|error| error.to_string())?;
    Ok((column.to_owned(), field))
}

fn constant(text: &str) -> Result<(ImportField, String), String> {
    let (field, value) = text.split_once('=').ok_or("write FIELD=VALUE")?;
    let field = field
        .parse::<ImportField>()
        .map_err(|error| error.to_string())?;
    Ok((field, value.to_owned()))
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    let Command::Import(arguments) = command;
    let engine = super::engine(&config).await?;
    let outcome = import(&engine, arguments).await;
    engine.db().close().await;
    outcome
}

async fn import(engine: &Engine, arguments: Arguments) -> Result<ExitCode> {
    let path = &arguments.file;
    let size = std::fs::metadata(path).with_context(|| path.display().to_string())?;
    if u64::try_from(FILE_LIMIT).is_ok_and(|most| size.len() > most) {
        bail!(
            "{}: more than {FILE_LIMIT} bytes; cut the file in parts",
            path.display()
        );
    }
    let content = std::fs::read(path).with_context(|| path.display().to_string())?;
    let permit = permit(Permission::Administer);
    let mut upload = NewUpload {
        format: arguments.format,
        file: path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned()),
        mapping: None,
        content,
    };
    let guessed = engine
        .guess_import(&permit, &arguments.agent, &upload)
        .await;
    upload.mapping = Some(changed(
        guessed.map_err(said)?,
        arguments.map,
        arguments.set,
    ));
    let uploaded = engine
        .upload_import(&permit, &arguments.agent, upload)
        .await;
    let import = uploaded.map_err(said)?;
    let (dry_run, errors) = (arguments.dry_run, arguments.errors.as_deref());
    let outcome = proposed(engine, import.clone(), dry_run, errors).await;
    if dry_run {
        // What was only looked at is not left lying about, whatever happened.
        engine
            .withdraw_import(&permit, &import.id)
            .await
            .map_err(said)?;
        finished(engine, &import).await?;
    }
    outcome
}

/// Proposes what was uploaded, unless it is only looked at, and says what came of it.
async fn proposed(
    engine: &Engine,
    mut import: ImportView,
    dry_run: bool,
    errors: Option<&std::path::Path>,
) -> Result<ExitCode> {
    if !dry_run {
        engine
            .run_import(&permit(Permission::Administer), &import.id)
            .await
            .map_err(said)?;
        import = finished(engine, &import).await?;
    }
    println!("{}", import.id);
    eprintln!(
        "{} rows: {} proposed, {} {}, {} there already, {} imported before, {} do not fit",
        import.rows,
        import.proposed,
        import.waits,
        if dry_run { "would be" } else { "left" },
        import.duplicate,
        import.known,
        import.failed
    );
    told(engine, &import, errors).await?;
    Ok(if import.error.is_some() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The guess with what was given on the command line in its place.
fn changed(
    mut mapping: ImportMapping,
    map: Vec<(String, ImportField)>,
    set: Vec<(ImportField, String)>,
) -> ImportMapping {
    for (column, field) in map {
        mapping.columns.retain(|_, becomes| *becomes != field);
        mapping.constants.remove(&field);
        mapping.columns.insert(column, field);
    }
    let set: BTreeMap<_, _> = set.into_iter().collect();
    mapping
        .columns
        .retain(|_, becomes| !set.contains_key(becomes));
    mapping.constants.extend(set);
    mapping
}

/// Works until the import has ended; a server that runs beside this may do a part of it.
async fn finished(engine: &Engine, import: &ImportView) -> Result<ImportView> {
    let permit = permit(Permission::Administer);
    loop {
        let now = engine.import(&permit, &import.id).await?;
        if !now.state.is_open() {
            return Ok(now);
        }
        if !engine.work_import_once().await? {
            tokio::time::sleep(engine.settings().poll).await;
        }
    }
}

async fn told(
    engine: &Engine,
    import: &ImportView,
    errors: Option<&std::path::Path>,
) -> Result<()> {
    let permit = permit(Permission::Administer);
    let failed = Some(RowState::Failed);
    let first = Page {
        limit: 20,
        ..Page::default()
    };
    let rows = engine
        .import_rows(&permit, &import.id, failed, &first)
        .await?;
    for row in rows.data {
        let part = row.column.or(row.field).unwrap_or_default();
        let detail = row.detail.unwrap_or_default();
        eprintln!("row {}, {part}: {detail}", row.row);
    }
    if rows.next.is_some() {
        eprintln!("… and more; --errors FILE writes them all");
    }
    if let Some(path) = errors {
        let heads = ["row", "column", "code", "what to do"];
        let table = engine
            .import_faults(&permit, &import.id, heads, what_to_do)
            .await?;
        std::fs::write(path, table)
            .map_err(|error| anyhow!(error).context(path.display().to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_column_becomes_is_read_from_the_right() {
        assert_eq!(column("a=b=content").unwrap().0, "a=b");
        assert!(column("content").is_err() && column("a=owner").is_err());
        let (field, value) = constant("user_id=a=b").unwrap();
        assert_eq!((field, value.as_str()), (ImportField::UserId, "a=b"));
    }
}
