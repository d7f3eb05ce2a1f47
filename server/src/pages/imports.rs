//! `/imports`, and one of them.

use std::collections::BTreeMap;

use app::{
    pages::imports::{COLUMN, Counts, Import, Imports, Misfit, One, Preview, imports, one},
    shell::Place,
};
use axum::{
    Form,
    extract::{Multipart, Path, Query, State, multipart::MultipartError},
    http::header,
    response::{IntoResponse, Response},
};
use domain::{
    agent::AgentName,
    id::ImportId,
    import::{ImportField, ImportMapping, RowState},
    permission::Permission,
};
use engine::{EngineError, ImportRowView, ImportView, NewUpload, Page, import::PREVIEWED};
use serde::Deserialize;

use super::{
    by::by,
    form::{id, keep, typed, typed_of},
    look::Look,
};
use crate::{
    auth::Admin,
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// What the address asks for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
}

/// All that one sees, and the form that uploads.
pub async fn list(
    admin: Admin,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&admin, Place::Agents).await?;
    let engine = look.engine();
    let page = Page {
        cursor: Some(asked.after).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let listed = engine.imports(&admin.permit, &page).await?;
    let reads = admin.ask(Permission::ReadAgents)?;
    let agents = engine.agents(&reads).await?.into_iter();
    let within = agents
        .map(|agent| agent.name)
        .filter(|agent| admin.permit.scope().contains(agent));
    let page = Imports {
        rows: listed.data.iter().map(|one| row(&look, one)).collect(),
        next: listed.next,
        agents: within.map(|agent| agent.to_string()).collect(),
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || imports(&frame, &page)).await
}

fn row(look: &Look, import: &ImportView) -> Import {
    let text = look.text();
    // Nobody but the command line uploads in Keepsake's own name.
    let uploader = match import.by.r#type.as_str() {
        "system" => Some(text.imports.command_line.to_owned()),
        _ => by(text, &import.by),
    };
    Import {
        id: import.id.clone(),
        agent: import.agent.to_string(),
        format: import.format,
        state: import.state,
        file: import.file.clone(),
        by: uploader.unwrap_or_default(),
        created_at: import.created_at,
        counts: Counts {
            rows: import.rows,
            waits: import.waits,
            proposed: import.proposed,
            duplicate: import.duplicate,
            known: import.known,
            failed: import.failed,
        },
    }
}

/// What a form with a file says.
#[derive(Default)]
struct Upload {
    agent: String,
    format: String,
    file: Option<String>,
    content: Vec<u8>,
}

impl Upload {
    async fn read(mut form: Multipart) -> Result<Self, MultipartError> {
        let mut upload = Self::default();
        while let Some(field) = form.next_field().await? {
            let name = field.name().unwrap_or_default().to_owned();
            match name.as_str() {
                "agent" => upload.agent = field.text().await?,
                "format" => upload.format = field.text().await?,
                "file" => {
                    upload.file = field.file_name().and_then(typed);
                    upload.content = field.bytes().await?.to_vec();
                }
                _ => {}
            }
        }
        Ok(upload)
    }

    fn parse(self) -> Result<(AgentName, NewUpload), EngineError> {
        let agent = AgentName::parse(&self.agent);
        let agent = agent
            .map_err(|error| EngineError::invalid("/agent", "agent_name", error.to_string()))?;
        let format =
            match typed(&self.format) {
                None => None,
                Some(word) => Some(word.parse().map_err(|_| {
                    EngineError::invalid("/format", "not_allowed", "one of the list")
                })?),
            };
        if self.file.is_none() && self.content.is_empty() {
            return Err(EngineError::invalid(
                "/content",
                "required",
                "choose a file",
            ));
        }
        let upload = NewUpload {
            format,
            file: self.file,
            mapping: None,
            content: self.content,
        };
        Ok((agent, upload))
    }
}

/// Uploads a file.
pub async fn upload(
    admin: Admin,
    look: Look,
    flashes: Flashes,
    form: Multipart,
) -> Result<Response, PageError> {
    let upload = match Upload::read(form).await {
        Ok(upload) => upload,
        Err(error) if error.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE => {
            let flash = Flash::new("refused").with("fault.file", "too_large");
            return flashes.see_other("/imports#upload", flash).await;
        }
        Err(error) => return Err(PageError::of_status(error.status())),
    };
    let chosen = (upload.agent.clone(), upload.format.clone());
    let made = match upload.parse() {
        Ok((agent, upload)) => {
            let engine = look.engine();
            engine.upload_import(&admin.permit, &agent, upload).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(import) => {
            let flash = Flash::new("import_uploaded");
            flashes
                .see_other(&format!("/imports/{}", import.id), flash)
                .await
        }
        Err(EngineError::Invalid(fields)) => {
            let flash = fields.iter().fold(Flash::new("refused"), |flash, fault| {
                let field = match fault.pointer.as_str() {
                    "/agent" => "agent",
                    "/format" => "format",
                    _ => "file",
                };
                // The page parts the two again.
                let told = match &fault.which {
                    Some(which) => format!("{} {which}", fault.code),
                    None => fault.code.to_owned(),
                };
                flash.with(&format!("fault.{field}"), told)
            });
            let values = [("agent", chosen.0.as_str()), ("format", &chosen.1)];
            flashes
                .see_other("/imports#upload", keep(flash, &values))
                .await
        }
        Err(error) => Err(error.into()),
    }
}

/// One, with what its rows would become.
pub async fn show(
    admin: Admin,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&admin, Place::Agents).await?;
    let id: ImportId = id(&text)?;
    let (engine, permit) = (look.engine(), &admin.permit);
    let import = engine.import(permit, &id).await?;
    let first = Page {
        limit: PREVIEWED,
        ..Page::default()
    };
    let rows = engine.import_rows(permit, &id, None, &first).await?;
    let failed = Some(RowState::Failed);
    let misfits = engine
        .import_rows(permit, &id, failed, &Page::default())
        .await?;
    let kinds = engine.import_kinds(permit, &import.agent).await?;
    let becomes = |column: &String| {
        let field = import.mapping.columns.get(column);
        field.map(ToString::to_string).unwrap_or_default()
    };
    let for_all = |field| {
        let constant = import.mapping.constants.get(&field);
        constant.cloned().unwrap_or_default()
    };
    let shown = One {
        columns: import
            .columns
            .iter()
            .map(|column| (column.clone(), becomes(column)))
            .collect(),
        for_all: (for_all(ImportField::UserId), for_all(ImportField::Kind)),
        kinds,
        preview: rows.data.into_iter().filter_map(preview).collect(),
        misfits: misfits.data.into_iter().map(misfit).collect(),
        typed: typed_of(look.flash.as_ref()),
        error: import.error.clone(),
        import: row(&look, &import),
    };
    // The form that says what its columns become is drawn only where nothing goes on.
    look.draw_while(import.state.is_open(), move || one(&frame, &shown))
        .await
}

fn preview(row: ImportRowView) -> Option<Preview> {
    let becomes = row.becomes?;
    let metadata = becomes.metadata.iter().map(|(name, value)| match value {
        serde_json::Value::String(text) => format!("{name}: {text}"),
        value => format!("{name}: {value}"),
    });
    let more: Vec<String> = metadata.chain(becomes.tags).collect();
    Some(Preview {
        row: row.row,
        line: row.line,
        state: row.state,
        user: becomes.user_id,
        language: domain::text::language(&becomes.content).to_owned(),
        content: becomes.content,
        kind: becomes.kind,
        more: more.join(" · "),
        importance: becomes.importance,
        said_at: becomes.said_at,
        candidate: row.candidate,
    })
}

fn misfit(row: ImportRowView) -> Misfit {
    Misfit {
        row: row.row,
        line: row.line,
        column: row.column,
        field: row.field.unwrap_or_default(),
        code: row.code.unwrap_or_default(),
    }
}

/// Looks at the rows again, with what the columns become now.
pub async fn map(
    admin: Admin,
    look: Look,
    flashes: Flashes,
    Path(text): Path<String>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let id: ImportId = id(&text)?;
    let (engine, permit) = (look.engine(), &admin.permit);
    let import = engine.import(permit, &id).await?;
    let mapped = match mapping(&import, &form) {
        Ok(mapping) => engine.map_import(permit, &id, mapping).await,
        Err(error) => Err(error),
    };
    let next = format!("/imports/{id}");
    match mapped {
        Ok(_) => flashes.see_other(&next, Flash::new("import_mapped")).await,
        Err(error) => {
            let fields = error.fields();
            let Some(fault) = fields.first() else {
                return Err(error.into());
            };
            if fault.pointer == "/state" {
                return flashes.see_other(&next, Flash::new("import_not_now")).await;
            }
            let flash = Flash::new("refused").with("fault.mapping", fault.code);
            let values: Vec<(&str, &str)> = form
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let next = format!("{next}#mapping");
            flashes.see_other(&next, keep(flash, &values)).await
        }
    }
}

/// What a form says that the columns become.
fn mapping(
    import: &ImportView,
    form: &BTreeMap<String, String>,
) -> Result<ImportMapping, EngineError> {
    let unknown = |_| EngineError::invalid("/mapping/columns", "not_allowed", "one of the list");
    // What a form has no place for stays as it is.
    let mut mapping = ImportMapping {
        constants: import.mapping.constants.clone(),
        ..ImportMapping::default()
    };
    for (index, column) in import.columns.iter().enumerate() {
        let chosen = form.get(&format!("{COLUMN}{index}"));
        if let Some(word) = chosen.and_then(|word| typed(word)) {
            let field: ImportField = word.parse().map_err(unknown)?;
            mapping.columns.insert(column.clone(), field);
        }
    }
    for (name, field) in [
        ("user_id", ImportField::UserId),
        ("kind", ImportField::Kind),
    ] {
        match form.get(name).and_then(|value| typed(value)) {
            Some(value) => mapping.constants.insert(field, value),
            None => mapping.constants.remove(&field),
        };
    }
    Ok(mapping)
}

/// Begins to propose.
pub async fn run(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let id: ImportId = id(&text)?;
    let moved = app.engine.run_import(&admin.permit, &id).await;
    after(&flashes, &id, moved, "import_running").await
}

/// Stops it.
pub async fn stop(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let id: ImportId = id(&text)?;
    let moved = app.engine.stop_import(&admin.permit, &id).await;
    after(&flashes, &id, moved, "import_stopped").await
}

/// Withdraws it.
pub async fn withdraw(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let id: ImportId = id(&text)?;
    let moved = app.engine.withdraw_import(&admin.permit, &id).await;
    let done = match &moved {
        Ok(import) if import.proposed == 0 => "import_forgotten",
        _ => "import_withdrawn",
    };
    after(&flashes, &id, moved, done).await
}

async fn after(
    flashes: &Flashes,
    id: &ImportId,
    moved: Result<ImportView, EngineError>,
    done: &str,
) -> Result<Response, PageError> {
    let code = match moved {
        Ok(_) => done,
        Err(EngineError::BulkOver | EngineError::Invalid(_)) => "import_not_now",
        Err(error) => return Err(error.into()),
    };
    let next = format!("/imports/{id}");
    flashes.see_other(&next, Flash::new(code)).await
}

/// The rows that do not fit, as a table for a spreadsheet in the reader's language.
pub async fn faults(
    admin: Admin,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let id: ImportId = id(&text)?;
    let words = &look.text().imports;
    let heads = [
        words.number,
        words.line,
        words.column,
        "code",
        words.what_to_do,
    ];
    let say = |field: &str, code: &str| (words.fault)(field, code).to_owned();
    let misfits = look.engine().import_misfits(&admin.permit, &id).await?;
    let table = engine::import::faults(&misfits, heads, say);
    let disposition = format!("attachment; filename=\"{id}-errors.csv\"");
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, table).into_response())
}
