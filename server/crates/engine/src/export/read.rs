//! Reading exports: how far they are, and their files.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::DecidedBy,
    export::{ExportSort, ExportState, ReportLanguage},
    id::{ExportId, UserId},
    permission::{Permission, Permit},
    time::Span,
    user::Scope,
};
use serde::Serialize;
use store::{Export, Tx};

use super::{
    bundle::{self, Part},
    files,
    verify::{
        Findings,
        archive::{Archive, Checked, Packed},
    },
};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    page::{By, List, Page},
    queue::page,
    view::Names,
};

/// An export.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ExportView {
    /// Ours.
    pub id: ExportId,
    /// For whom it is made.
    pub sort: ExportSort,
    /// `queued`, `running`, `done`, `failed`; `expired`: its file is gone.
    pub state: ExportState,
    /// Of one agent; `null`: of all.
    pub agent: Option<AgentName>,
    /// About one user of that agent.
    pub user: Option<UserId>,
    /// About whom the agents call so.
    pub user_id: Option<String>,
    /// The pairs that name them, where a plain user id does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What happened from then on.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub from: Option<Timestamp>,
    /// What happened before then.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub to: Option<Timestamp>,
    /// The instant that it is about: it says what stood then too.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub as_of: Option<Timestamp>,
    /// Whether the table begins with a byte order mark.
    pub bom: bool,
    /// The language of the report.
    pub language: ReportLanguage,
    /// Who asked for it.
    pub by: By,
    /// Rows written.
    pub done: i64,
    /// Of about so many; 0 until they are counted.
    pub total: i64,
    /// Why it was given up: `stopped` by a person; `user_unknown`; `deactivated`, `forbidden`, `key_ended`: whoever asked may not any more;
    /// `storage`, `no_folder`: its file could not be written; `crashed`, `internal`.
    pub error: Option<String>,
    /// The size of its file.
    pub bytes: Option<i64>,
    /// The SHA-256 of its file, as hex.
    pub sha256: Option<String>,
    /// How often its file was fetched.
    pub downloads: i64,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was written or given up.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// When its file goes, or went.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// Whom it is about, as a person reads it.
    #[serde(skip)]
    pub who: Option<String>,
}

/// The file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// Where it lies.
    pub path: PathBuf,
    /// What it is called where it is saved.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, as hex.
    pub sha256: String,
}

/// For how long a download is gone on with: what is fetched later is noted anew.
const GOES_ON: Span = Span::hours(24);

/// What somebody fetches of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetched<'a> {
    /// Its file, from the beginning.
    Whole,
    /// Its file, from a later byte on.
    Rest,
    /// One of the files in it, by its name.
    Part(&'a str),
}

/// One of the files in the file of an export, to be read from its beginning. Reading fails where it is not what was packed.
#[derive(Debug)]
pub struct ExportedPart {
    /// Its name.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
    reader: Checked<Packed<File>>,
}

impl Read for ExportedPart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl ExportedFile {
    /// One of the files in it; `None`: it has none of this name.
    ///
    /// # Errors
    /// It cannot be read, or is no export any more.
    pub fn part(&self, name: &str) -> io::Result<Option<ExportedPart>> {
        let mut found = Findings::default();
        let archive = Archive::open(&self.path, &mut found)?;
        let archive = archive.ok_or(io::ErrorKind::InvalidData)?;
        let held = |part: &Part| archive.form().files().contains(part);
        let Some(part) = Part::named(name).filter(held) else {
            return Ok(None);
        };
        Ok(Some(ExportedPart {
            name: part.name(),
            bytes: archive.size(part),
            reader: archive.into_part(part)?,
        }))
    }
}

/// What exports are verified with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportKey {
    /// As `pubkey.txt` has it.
    pub key: String,
    /// What people compare.
    pub fingerprint: String,
}

impl Engine {
    /// The key that exports are verified with.
    ///
    /// # Errors
    /// `forbidden`; the database's.
    pub async fn export_key(&self, permit: &Permit) -> Result<ExportKey> {
        need(permit, &[Permission::Export])?;
        let key = self.db().audit_key().await?.public_key();
        Ok(ExportKey {
            key: bundle::public_key(&key),
            fingerprint: key.fingerprint(),
        })
    }

    /// The exports that the permit holds for, newest first; those of all agents where it holds for all.
    ///
    /// # Errors
    /// `invalid` for a cursor that is not ours.
    pub async fn exports(&self, permit: &Permit, wanted: &Page) -> Result<List<ExportView>> {
        need(permit, &[Permission::Export])?;
        let mut tx = self.read(permit).await?;
        let listed = tx.exports(&page(wanted)?).await?;
        let mut names = Names::default();
        let people = listed.rows.iter().map(|export| export.person.clone());
        names.learn_people(&mut tx, people).await?;
        let mut data = Vec::with_capacity(listed.rows.len());
        for export in listed.rows {
            data.push(view(&mut tx, &mut names, export).await?);
        }
        Ok(List {
            data,
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// One export.
    ///
    /// # Errors
    /// `not_found`, also for one of agents outside the permit.
    pub async fn export(&self, permit: &Permit, id: &ExportId) -> Result<ExportView> {
        need(permit, &[Permission::Export])?;
        let mut tx = self.read(permit).await?;
        let export = tx.export(id).await?.ok_or(EngineError::NotFound)?;
        let mut names = Names::default();
        names.learn_people(&mut tx, [export.person.clone()]).await?;
        view(&mut tx, &mut names, export).await
    }

    /// The file of an export.
    ///
    /// # Errors
    /// `not_found`; `export_not_ready`; `export_expired`; `export_elsewhere` where this server has it not.
    pub async fn export_file(&self, permit: &Permit, id: &ExportId) -> Result<ExportedFile> {
        need(permit, &[Permission::Export])?;
        let export = self.read(permit).await?.export(id).await?;
        let export = export.ok_or(EngineError::NotFound)?;
        // What is past its time is gone, also where nobody has removed it yet.
        let over = export.expires_at.is_some_and(|end| end <= self.now());
        let file = match (export.state, export.file) {
            (ExportState::Done, Some(file)) if !over => file,
            (ExportState::Done | ExportState::Expired, _) => {
                return Err(EngineError::ExportExpired);
            }
            (state, _) => {
                let given_up = state == ExportState::Failed;
                return Err(EngineError::ExportNotReady { given_up });
            }
        };
        let folder = self.settings().exports.as_ref();
        let path = folder.ok_or(EngineError::ExportElsewhere)?.join(&file.name);
        if !path.is_file() {
            return Err(EngineError::ExportElsewhere);
        }
        Ok(ExportedFile {
            path,
            name: files::download_name(&export.id),
            bytes: u64::try_from(file.bytes).unwrap_or_default(),
            sha256: file.sha256,
        })
    }

    /// Notes that somebody fetches the file of an export, or one of those in it. Who goes on with a download of the last 24 hours is noted
    /// once, where that began; but whoever asks for a later part without one fetches it unseen otherwise.
    ///
    /// # Errors
    /// `export_expired` where it has none any more.
    pub async fn note_download(
        &self,
        permit: &Permit,
        id: &ExportId,
        fetched: Fetched<'_>,
    ) -> Result<()> {
        need(permit, &[Permission::Export])?;
        if fetched == Fetched::Rest {
            let stamp = self.stamp(permit);
            let since = stamp.now - GOES_ON;
            let mut tx = self.read(permit).await?;
            if tx.download_noted(id, &stamp.actor, since).await? {
                return Ok(());
            }
        }
        again!(self.note_download_once(permit, id, fetched).await)
    }

    async fn note_download_once(
        &self,
        permit: &Permit,
        id: &ExportId,
        fetched: Fetched<'_>,
    ) -> Result<()> {
        let part = match fetched {
            Fetched::Whole | Fetched::Rest => None,
            Fetched::Part(name) => Some(name),
        };
        let mut tx = self.write(permit).await?;
        if !tx.note_download(id, part, &self.stamp(permit)).await? {
            return Err(EngineError::ExportExpired);
        }
        Ok(tx.commit().await?)
    }
}

async fn view(tx: &mut Tx, names: &mut Names, export: Export) -> Result<ExportView> {
    let who = match (&export.named, &export.user) {
        (Some(named), _) => Some(named.clone()),
        (None, Some(user)) => match names.scope(tx, user).await {
            // Their name is gone with them.
            Err(EngineError::NotFound) => None,
            found => found?,
        },
        (None, None) => None,
    };
    Ok(ExportView {
        by: names.by(&DecidedBy::Person(export.person)),
        id: export.id,
        sort: export.sort,
        state: export.state,
        agent: export.agent,
        user: export.user,
        user_id: who.as_ref().and_then(Scope::as_user_id).map(str::to_owned),
        scope: who.clone().filter(|who| who.as_user_id().is_none()),
        from: export.from,
        to: export.to,
        as_of: export.as_of,
        bom: export.bom,
        language: export.language,
        done: export.done,
        total: export.total,
        error: export.error,
        bytes: export.file.as_ref().map(|file| file.bytes),
        sha256: export.file.map(|file| file.sha256),
        downloads: export.downloads,
        created_at: export.created_at,
        finished_at: export.finished_at,
        expires_at: export.expires_at,
        who: who.map(|who| who.display()),
    })
}
