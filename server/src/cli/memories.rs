//! `keepsake memories`

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, anyhow, bail};
use domain::{
    agent::AgentName,
    import::{ImportField, ImportFormat, ImportMapping},
    permission::Permission,
};
use engine::{
    Engine, EngineError, FieldError, ImportRowView, ImportView, NewUpload,
    import::{faults, what_to_do},
};

use super::{known, permit};
use crate::{config::Config, http::FILE_LIMIT};

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Bring existing memories into the queue, from a table or from what mem0 gives out. A person decides about each.
    #[command(after_help = EXAMPLE)]
    Import(Arguments),
}

/// So many rows that do not fit are named.
const SHOWN: usize = 20;

const EXAMPLE: &str = "Examples:
  keepsake memories import export.json --agent support --dry-run
  keepsake memories import notes.csv --agent support --map text=content --map customer=user_id --set kind=fact --errors errors.csv

What a column becomes: content, user_id, kind, name, tags, importance, said_at, source_id, metadata.NAME, scope.NAME. Without --map that
is guessed from the names of the columns. The file is UTF-8 and has at most 10,000 rows. What was imported before is not proposed twice.";

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
    /// Only say what would come of it. Nothing is kept.
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
    let Arguments {
        file, agent, map, ..
    } = arguments;
    let size = std::fs::metadata(&file).with_context(|| file.display().to_string())?;
    if u64::try_from(FILE_LIMIT).is_ok_and(|most| size.len() > most) {
        bail!(
            "{}: more than {FILE_LIMIT} bytes; cut the file in parts",
            file.display()
        );
    }
    let content = std::fs::read(&file).with_context(|| file.display().to_string())?;
    known(engine, &agent).await?;
    let permit = permit(Permission::Administer);
    let mut upload = NewUpload {
        format: arguments.format,
        file: file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned()),
        mapping: None,
        content,
    };
    let guessed = engine.guess_import(&permit, &agent, &upload).await;
    let guessed = guessed.map_err(|error| refused(error, &file, &[]))?;
    let columns = guessed.columns;
    upload.mapping = Some(changed(guessed.mapping, map, arguments.set));
    let refused = |error| refused(error, &file, &columns);
    let errors = arguments.errors.as_deref();
    if arguments.dry_run {
        let look = engine.look_at_import(&permit, &agent, upload).await;
        let look = look.map_err(refused)?;
        eprintln!(
            "{} rows: {} would be proposed, {} there already, {} imported before, {} do not fit",
            look.rows,
            look.waits,
            look.duplicate,
            look.known,
            look.misfits.len()
        );
        told(&look.misfits, errors)?;
        return Ok(ExitCode::SUCCESS);
    }
    let uploaded = engine.upload_import(&permit, &agent, upload).await;
    let import = uploaded.map_err(refused)?;
    engine
        .run_import(&permit, &import.id)
        .await
        .map_err(refused)?;
    let import = finished(engine, &import).await?;
    println!("{}", import.id);
    eprintln!(
        "{} rows: {} proposed, {} left, {} there already, {} imported before, {} do not fit",
        import.rows, import.proposed, import.waits, import.duplicate, import.known, import.failed
    );
    told(&engine.import_misfits(&permit, &import.id).await?, errors)?;
    Ok(if import.error.is_some() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Says what did not fit by the name of the file, or by the option that puts it right, with the columns that there are.
fn refused(error: EngineError, file: &Path, columns: &[String]) -> anyhow::Error {
    let file = file.display();
    let fields = error.fields();
    let told = fields.iter().map(|field| {
        let FieldError { code, detail, .. } = field;
        if !field.pointer.starts_with("/mapping") {
            return format!("{file}: {detail}");
        }
        let option = match *code {
            // Of what --set gave for all rows.
            "not_allowed" => "--set",
            _ => "--map",
        };
        let columns = columns.join(", ");
        format!("{option}: {detail}; the columns of {file} are {columns}")
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        error.into()
    } else {
        anyhow!(told.join("; "))
    }
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

/// Names the first rows that do not fit, and writes all of them where that is asked for.
fn told(misfits: &[ImportRowView], errors: Option<&Path>) -> Result<()> {
    for row in misfits.iter().take(SHOWN) {
        let part = row.column.as_ref().or(row.field.as_ref());
        let part = part.map(String::as_str).unwrap_or_default();
        let detail = row.detail.as_deref().unwrap_or_default();
        eprintln!("{}, {part}: {detail}", place(row));
    }
    if misfits.len() > SHOWN {
        eprintln!("… and more; --errors FILE writes them all");
    }
    if let Some(path) = errors {
        let heads = ["row", "line", "column", "code", "what to do"];
        std::fs::write(path, faults(misfits, heads, what_to_do))
            .map_err(|error| anyhow!(error).context(path.display().to_string()))?;
    }
    Ok(())
}

/// Where a row stands: by its line as an editor counts them, where the file has lines.
fn place(row: &ImportRowView) -> String {
    match row.line {
        Some(line) => format!("line {line} (row {})", row.row),
        None => format!("row {}", row.row),
    }
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
