//! Memories that come from elsewhere (G13): a file is read, looked at row by row, and proposed in the background. Every row goes the way
//! of a proposal by hand: nothing is approved by it, and a person decides.
//!
//! An upload waits for somebody to look at what would come of it. Until then nothing is written but the upload itself, sealed. Running
//! it proposes each row in a transaction of its own that also settles the row, so a process that dies leaves the rest to another.

mod check;
mod draft;
mod read;
mod run;
mod table;
mod words;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::DecidedBy,
    id::{CandidateId, ImportId},
    import::{
        BadMapping, ImportField, ImportFormat, ImportMapping, ImportState, Lines, RowState,
        takes_imports,
    },
    kind::Kind,
    permission::{Actor, Permission, Permit},
    user::Scope,
};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{ImportRow, NewImportRow, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    page::{By, List, Page},
    queue::page,
    view::Names,
};
pub use words::what_to_do;

/// Which part of a row does not fit, and why: words of closed lists.
pub(crate) type Fault = (&'static str, &'static str);

/// How many rows are shown as they would become.
pub const PREVIEWED: u32 = 20;

/// A file to be looked at.
#[derive(Debug, Clone)]
pub struct NewUpload {
    /// Its form; `None`: the one it looks like.
    pub format: Option<ImportFormat>,
    /// Its name, where it has one.
    pub file: Option<String>,
    /// What its columns become; `None`: what their names say.
    pub mapping: Option<ImportMapping>,
    /// What is in it.
    pub content: Vec<u8>,
}

/// What the columns of a file are likely meant for.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportGuess {
    /// Their names, in their order.
    pub columns: Vec<String>,
    /// What they become.
    pub mapping: ImportMapping,
}

/// What would come of a file.
#[derive(Debug, Clone)]
pub struct ImportLook {
    /// How many rows there are.
    pub rows: i64,
    /// How many would be proposed.
    pub waits: i64,
    /// How many say what is approved, waits, or stands further up in the file.
    pub duplicate: i64,
    /// How many an import proposed before.
    pub known: i64,
    /// Those that do not fit.
    pub misfits: Vec<ImportRowView>,
}

/// An import.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ImportView {
    /// Ours.
    pub id: ImportId,
    /// Into which agent.
    pub agent: AgentName,
    /// The form of the file.
    pub format: ImportFormat,
    /// `ready`, `running`, `stopped`, `done`, `withdrawing`, `withdrawn`, `expired`.
    pub state: ImportState,
    /// Why it was stopped, where no person did that: `deactivated`, `forbidden`, or `key_ended`.
    pub error: Option<String>,
    /// Who uploaded it.
    pub by: By,
    /// The name of the file.
    pub file: Option<String>,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// What they become.
    pub mapping: ImportMapping,
    /// How many rows there are.
    pub rows: i64,
    /// How many fit and were not proposed yet.
    pub waits: i64,
    /// How many are candidates.
    pub proposed: i64,
    /// How many say what is approved, waits, or stands further up in the file.
    pub duplicate: i64,
    /// How many an import proposed before.
    pub known: i64,
    /// How many do not fit.
    pub failed: i64,
    /// When it was uploaded.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
}

/// A row of an import.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ImportRowView {
    /// From 1, without the head.
    pub row: i64,
    /// In which line of the file it begins, from 1 with the head; `null` in a JSON text, and where the upload cannot be read any more.
    pub line: Option<i64>,
    /// What became of it.
    pub state: RowState,
    /// Which part does not fit: `user_id`, `scope`, `content`, `kind`, `metadata`, …; `row`: all of it.
    pub field: Option<String>,
    /// The column of that part.
    pub column: Option<String>,
    /// Why.
    pub code: Option<String>,
    /// What to do about it.
    pub detail: Option<String>,
    /// The candidate it became.
    pub candidate: Option<CandidateId>,
    /// What it would become, while it is kept and can be read.
    pub becomes: Option<Becomes>,
}

/// What a row would become.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Becomes {
    /// About whom, as a person reads it.
    pub user_id: String,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The statement.
    pub content: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: Option<String>,
    /// Its metadata.
    pub metadata: Map<String, Value>,
    /// Its tags.
    pub tags: Vec<String>,
    /// How much it matters.
    pub importance: Option<f64>,
    /// When it was said.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub said_at: Option<Timestamp>,
}

/// Where a candidate comes from, where that is a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ImportedFrom {
    /// The import.
    pub import: ImportId,
    /// The row, from 1.
    pub row: i64,
    /// What it is called where it comes from.
    pub source_id: Option<String>,
    /// When it was said, by the file.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub said_at: Option<Timestamp>,
}

impl From<store::ImportedAs> for ImportedFrom {
    fn from(from: store::ImportedAs) -> Self {
        Self {
            import: from.import,
            row: from.row,
            source_id: from.origin.id,
            said_at: from.said_at,
        }
    }
}

impl Engine {
    /// What the columns of a file become by what their names say. Nothing is kept.
    ///
    /// # Errors
    /// `invalid` at `/content` where the file cannot be read; `not_found`.
    pub async fn guess_import(
        &self,
        permit: &Permit,
        agent: &AgentName,
        upload: &NewUpload,
    ) -> Result<ImportGuess> {
        let kinds = self.import_kinds(permit, agent).await?;
        let columns = read::read(&upload.content, upload.format)?.columns;
        Ok(ImportGuess {
            mapping: ImportMapping::guess(&columns, &kinds),
            columns,
        })
    }

    /// Reads a file and looks at each row, as [`Engine::upload_import`] does. Nothing is kept.
    ///
    /// # Errors
    /// As there.
    pub async fn look_at_import(
        &self,
        permit: &Permit,
        agent: &AgentName,
        upload: NewUpload,
    ) -> Result<ImportLook> {
        let new = self.read_upload(permit, agent, upload).await?;
        let count = |state| {
            let of = new.rows.iter().filter(|row| row.checked.state == state);
            i64::try_from(of.count()).unwrap_or(i64::MAX)
        };
        let now = self.now();
        let misfit = |row: &NewImportRow| {
            let row = ImportRow {
                number: row.number,
                state: row.checked.state,
                fault: row
                    .checked
                    .fault
                    .map(|(field, code)| (field.to_owned(), code.to_owned())),
                record: None,
                candidate: None,
            };
            row_view(row, &new.head, &[], now)
        };
        let failed = |row: &&NewImportRow| row.checked.state == RowState::Failed;
        Ok(ImportLook {
            rows: i64::try_from(new.rows.len()).unwrap_or(i64::MAX),
            waits: count(RowState::Waits),
            duplicate: count(RowState::Duplicate),
            known: count(RowState::Known),
            misfits: new.rows.iter().filter(failed).map(misfit).collect(),
        })
    }

    /// Reads a file, looks at each row, and keeps the upload for a week. Nothing of it is proposed yet.
    ///
    /// # Errors
    /// `invalid` at `/content` where the file cannot be read, at `/mapping` where a mapping that was given does not fit it; `not_found`.
    pub async fn upload_import(
        &self,
        permit: &Permit,
        agent: &AgentName,
        upload: NewUpload,
    ) -> Result<ImportView> {
        let new = self.read_upload(permit, agent, upload).await?;
        let permit = &permit.within(agent).ok_or(EngineError::NotFound)?;
        let id = again!(self.keep_upload(permit, &new).await)?;
        self.import(permit, &id).await
    }

    async fn read_upload(
        &self,
        permit: &Permit,
        agent: &AgentName,
        upload: NewUpload,
    ) -> Result<store::NewImport> {
        need(permit, &[Permission::Administer])?;
        let permit = &permit.within(agent).ok_or(EngineError::NotFound)?;
        let table = read::read(&upload.content, upload.format)?;
        let kinds = {
            let mut tx = self.read(permit).await?;
            tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
            tx.kinds(agent).await?
        };
        let names = taking(&kinds);
        let mapping = match upload.mapping {
            None => ImportMapping::guess(&table.columns, &names),
            Some(mapping) => {
                let mapping = mapping.with_kind(&names);
                mapping.check(&table.columns).map_err(unfit)?;
                mapping
            }
        };
        let lines = Lines::of(table.rows.iter().map(|row| row.line));
        let records = table.rows.into_iter().map(|row| row.record);
        let records: Vec<_> = (1..).zip(records).collect();
        let checked = self.check_rows(permit, agent, &mapping, &records).await?;
        let rows = records.into_iter().zip(checked);
        Ok(store::NewImport {
            person: permit.actor().person().cloned(),
            agent: agent.clone(),
            format: table.format,
            head: store::ImportHead {
                file: upload.file,
                columns: table.columns,
                mapping,
                lines,
                key: match permit.actor() {
                    Actor::PersonKey { key, .. } => Some(key.clone()),
                    Actor::Person { .. } | Actor::Key { .. } | Actor::System => None,
                },
            },
            rows: rows
                .map(|((number, record), checked)| NewImportRow {
                    number,
                    record: record.ok().filter(|_| may_be_kept(&checked)),
                    checked,
                })
                .collect(),
        })
    }

    async fn keep_upload(&self, permit: &Permit, new: &store::NewImport) -> Result<ImportId> {
        let mut tx = self.write(permit).await?;
        let id = tx.create_import(new, &self.stamp(permit)).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The imports within reach, newest first.
    ///
    /// # Errors
    /// `invalid` for a cursor that is not ours.
    pub async fn imports(&self, permit: &Permit, wanted: &Page) -> Result<List<ImportView>> {
        need(permit, &[Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        let listed = tx.imports(&page(wanted)?).await?;
        let mut names = Names::default();
        let people = listed
            .rows
            .iter()
            .filter_map(|import| import.person.clone());
        names
            .learn_people(&mut tx, people.collect::<Vec<_>>())
            .await?;
        Ok(List {
            data: listed
                .rows
                .into_iter()
                .map(|import| view(&names, import))
                .collect(),
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// One import.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn import(&self, permit: &Permit, id: &ImportId) -> Result<ImportView> {
        need(permit, &[Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        let import = there(&mut tx, id).await?;
        let mut names = Names::default();
        names.learn_people(&mut tx, import.person.clone()).await?;
        Ok(view(&names, import))
    }

    /// The kinds of an agent that take imports.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn import_kinds(&self, permit: &Permit, agent: &AgentName) -> Result<Vec<String>> {
        need(permit, &[Permission::Administer])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        let mut tx = self.read(&permit).await?;
        Ok(taking(&tx.kinds(agent).await?))
    }

    /// Rows of an import in their order, of one state or of all.
    ///
    /// # Errors
    /// `not_found`; `invalid` for a cursor that is not ours.
    pub async fn import_rows(
        &self,
        permit: &Permit,
        id: &ImportId,
        state: Option<RowState>,
        wanted: &Page,
    ) -> Result<List<ImportRowView>> {
        need(permit, &[Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        let import = there(&mut tx, id).await?;
        let kinds = tx.kinds(&import.agent).await?;
        let listed = tx.import_rows(&import, state, &page(wanted)?).await?;
        let now = self.now();
        let data = listed
            .rows
            .into_iter()
            .map(|row| row_view(row, &import.head, &kinds, now));
        Ok(List {
            data: data.collect(),
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// All rows that do not fit, in their order.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn import_misfits(
        &self,
        permit: &Permit,
        id: &ImportId,
    ) -> Result<Vec<ImportRowView>> {
        let mut page = Page {
            limit: Page::MOST,
            ..Page::default()
        };
        let mut misfits = Vec::new();
        loop {
            let failed = Some(RowState::Failed);
            let listed = self.import_rows(permit, id, failed, &page).await?;
            misfits.extend(listed.data);
            if listed.next.is_none() {
                return Ok(misfits);
            }
            page.cursor = listed.next;
        }
    }

    /// Looks at all rows again that are not proposed, with what the columns become now.
    ///
    /// # Errors
    /// `not_found`; `invalid` at `/mapping`, or at `/state` where it runs or has ended.
    pub async fn map_import(
        &self,
        permit: &Permit,
        id: &ImportId,
        mapping: ImportMapping,
    ) -> Result<ImportView> {
        need(permit, &[Permission::Administer])?;
        again!(self.map_import_once(permit, id, mapping.clone()).await)?;
        self.import(permit, id).await
    }

    async fn map_import_once(
        &self,
        permit: &Permit,
        id: &ImportId,
        mapping: ImportMapping,
    ) -> Result<()> {
        let (import, rows, kinds) = {
            let mut tx = self.read(permit).await?;
            let import = there(&mut tx, id).await?;
            let rows = tx.import_rows_left(&import).await?;
            let kinds = tx.kinds(&import.agent).await?;
            (import, rows, kinds)
        };
        if !import.state.can_run() {
            return Err(not_now());
        }
        let mapping = mapping.with_kind(&taking(&kinds));
        mapping.check(&import.head.columns).map_err(unfit)?;
        // What is not kept cannot be looked at; it stays as it was found.
        let records: Vec<_> = rows
            .into_iter()
            .filter_map(|row| Some((row.number, Ok(row.record?))))
            .collect();
        let checked = self
            .check_rows(permit, &import.agent, &mapping, &records)
            .await?;
        let numbers = records.iter().map(|(number, _)| *number);
        let rows: Vec<_> = numbers.zip(checked).collect();
        let mut tx = self.write(permit).await?;
        match tx.recheck_import(&import, &mapping, &rows).await {
            // It runs by now, or somebody in it was erased between the two looks: another look tells.
            Err(store::Error::Stale) => return Err(EngineError::Busy),
            written => written?,
        }
        Ok(tx.commit().await?)
    }

    /// Begins to propose what fits, in the background, or goes on with it.
    ///
    /// # Errors
    /// `not_found`; `invalid` at `/state` where it runs or has ended.
    pub async fn run_import(&self, permit: &Permit, id: &ImportId) -> Result<ImportView> {
        self.move_import(permit, id, Move::Run).await
    }

    /// Stops it: what was proposed waits, the rest is left as it is.
    ///
    /// # Errors
    /// `not_found`; `bulk_over` where it does not run.
    pub async fn stop_import(&self, permit: &Permit, id: &ImportId) -> Result<ImportView> {
        self.move_import(permit, id, Move::Stop).await
    }

    /// Takes out of the queue, in the background, what nobody has decided yet. What was decided stays so.
    ///
    /// # Errors
    /// `not_found`; `invalid` at `/state` where it runs, or was withdrawn.
    pub async fn withdraw_import(&self, permit: &Permit, id: &ImportId) -> Result<ImportView> {
        self.move_import(permit, id, Move::Withdraw).await
    }

    async fn move_import(&self, permit: &Permit, id: &ImportId, to: Move) -> Result<ImportView> {
        need(permit, &[Permission::Administer])?;
        again!(self.move_import_once(permit, id, to).await)?;
        self.import(permit, id).await
    }

    async fn move_import_once(&self, permit: &Permit, id: &ImportId, to: Move) -> Result<()> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let import = there(&mut tx, id).await?;
        let (moved, refused) = match to {
            Move::Run => {
                let moved = tx.start_import(&import, &stamp).await?;
                // What can be run no more has no mapping left to be put right.
                if moved {
                    let mapping = &import.head.mapping;
                    mapping.check(&import.head.columns).map_err(unfit)?;
                }
                (moved, not_now())
            }
            Move::Stop => (
                tx.stop_import(&import, &stamp).await?,
                EngineError::BulkOver,
            ),
            Move::Withdraw => (tx.withdraw_import(&import, &stamp).await?, not_now()),
        };
        if !moved {
            return Err(refused);
        }
        Ok(tx.commit().await?)
    }
}

/// Rows that do not fit as a table for a spreadsheet: row, line, column, why and what to do, without what the rows say. `say` tells what
/// to do, by part and code.
pub fn faults(
    misfits: &[ImportRowView],
    heads: [&str; 5],
    say: impl Fn(&str, &str) -> String,
) -> Vec<u8> {
    let mut lines = vec![heads.map(str::to_owned)];
    lines.extend(misfits.iter().map(|row| {
        let field = row.field.as_deref().unwrap_or_default();
        let code = row.code.as_deref().unwrap_or_default();
        let column = row.column.as_deref().unwrap_or(field);
        [
            row.row.to_string(),
            row.line.map(|line| line.to_string()).unwrap_or_default(),
            column.to_owned(),
            code.to_owned(),
            say(field, code),
        ]
    }));
    crate::export::spreadsheet(&lines)
}

#[derive(Debug, Clone, Copy)]
enum Move {
    Run,
    Stop,
    Withdraw,
}

async fn there(tx: &mut Tx, id: &ImportId) -> Result<store::Import> {
    tx.import(id).await?.ok_or(EngineError::NotFound)
}

/// The kinds that take imports, in the order of the registry.
fn taking(kinds: &[Kind]) -> Vec<String> {
    let taking = kinds.iter().filter(|kind| takes_imports(kind));
    taking.map(|kind| kind.name.clone()).collect()
}

fn unfit(why: BadMapping) -> EngineError {
    let (pointer, code) = match &why {
        BadMapping::Missing(field) => (format!("/mapping/{}", field.word()), "required"),
        BadMapping::Twice(field) => (format!("/mapping/{}", field.word()), "twice"),
        BadMapping::NoColumn(_) => ("/mapping/columns".to_owned(), "unknown"),
        BadMapping::NoConstant(field) => (format!("/mapping/{}", field.word()), "not_allowed"),
    };
    EngineError::invalid(pointer, code, why.to_string())
}

fn not_now() -> EngineError {
    EngineError::invalid(
        "/state",
        "not_allowed",
        "not while it runs, and not after it has ended; stop it first, or upload the file again",
    )
}

/// Secrets are not stored, wherever in a row they stand, and of who opted out nothing is.
fn may_be_kept(checked: &store::CheckedRow) -> bool {
    !matches!(checked.fault, Some((_, "secret" | "opted_out")))
}

fn view(names: &Names, import: store::Import) -> ImportView {
    let count = |state| import.counts.get(&state).copied().unwrap_or_default();
    let by = match import.person.clone() {
        Some(person) => names.by(&DecidedBy::Person(person)),
        None => By::system(),
    };
    ImportView {
        rows: import.counts.values().sum(),
        waits: count(RowState::Waits),
        proposed: count(RowState::Proposed),
        duplicate: count(RowState::Duplicate),
        known: count(RowState::Known),
        failed: count(RowState::Failed),
        by,
        id: import.id,
        agent: import.agent,
        format: import.format,
        state: import.state,
        error: import.error,
        file: import.head.file,
        columns: import.head.columns,
        mapping: import.head.mapping,
        created_at: import.created_at,
        finished_at: import.finished_at,
    }
}

fn row_view(
    row: ImportRow,
    head: &store::ImportHead,
    kinds: &[Kind],
    now: Timestamp,
) -> ImportRowView {
    let mapping = &head.mapping;
    let drafted = row
        .record
        .and_then(|record| draft::draft(&record, mapping, kinds, now).ok());
    let (field, code) = row.fault.unzip();
    let column = field
        .as_deref()
        .and_then(|field| field.parse::<ImportField>().ok())
        .and_then(|field| mapping.column_of(&field))
        .map(str::to_owned);
    let detail = field
        .as_deref()
        .zip(code.as_deref())
        .map(|(field, code)| what_to_do(field, code));
    ImportRowView {
        row: row.number,
        line: head.lines.line_of(row.number),
        state: row.state,
        field,
        column,
        code,
        detail,
        candidate: row.candidate,
        becomes: drafted.map(|draft| Becomes {
            user_id: draft.scope.display(),
            scope: draft.scope.as_user_id().is_none().then_some(draft.scope),
            content: draft.content,
            kind: draft.kind,
            name: draft.name,
            metadata: draft.metadata,
            tags: draft.tags,
            importance: draft.importance,
            said_at: draft.said_at,
        }),
    }
}
