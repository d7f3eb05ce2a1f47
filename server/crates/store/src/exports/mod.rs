//! Exports as jobs (E4): what was asked for, whose turn it is to write it, how far that is, and how long the file stays.
//!
//! The row says what the file holds and where it lies; what is in it is read by `export/`. Of an export nothing but ids, counts and the
//! hash of the file is told in the chain.

mod forget;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::{EventActor, EventBody, EventType, SYSTEM_CHAIN},
    export::{ExportSort, ExportState, ReportLanguage},
    id::{ExportId, KeyId, PersonId, UserId},
    user::Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) use self::forget::Whom;
use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx, Work, WorkClaim, WorkTable,
    column::{at, at_opt, json as read_json, parsed, parsed_opt, us},
    seal::Place,
    statement::{ScopeColumn, sql},
    work,
};

/// An export that is asked for.
#[derive(Debug, Clone)]
pub struct NewExport {
    /// Who asks.
    pub person: PersonId,
    /// The key through which they ask; `None`: a session.
    pub key: Option<KeyId>,
    /// For whom it is made.
    pub sort: ExportSort,
    /// Of one agent; `None`: of all.
    pub agent: Option<AgentName>,
    /// About one user of that agent.
    pub user: Option<UserId>,
    /// About whoever has this name, in every agent.
    pub named: Option<Scope>,
    /// Not before.
    pub from: Option<Timestamp>,
    /// Before.
    pub to: Option<Timestamp>,
    /// The instant that it is about.
    pub as_of: Option<Timestamp>,
    /// Whether the table begins with a byte order mark.
    pub bom: bool,
    /// The language of the report.
    pub language: ReportLanguage,
}

/// An export.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Ours.
    pub id: ExportId,
    /// Who asked for it.
    pub person: PersonId,
    /// The key through which they asked; `None`: a session.
    pub key: Option<KeyId>,
    /// For whom it is made.
    pub sort: ExportSort,
    /// Of one agent; `None`: of all.
    pub agent: Option<AgentName>,
    /// About one user of that agent.
    pub user: Option<UserId>,
    /// About whoever has this name, in every agent.
    pub named: Option<Scope>,
    /// Not before.
    pub from: Option<Timestamp>,
    /// Before.
    pub to: Option<Timestamp>,
    /// The instant that it is about.
    pub as_of: Option<Timestamp>,
    /// Whether the table begins with a byte order mark.
    pub bom: bool,
    /// The language of the report.
    pub language: ReportLanguage,
    /// How far it is.
    pub state: ExportState,
    /// Rows written.
    pub done: i64,
    /// Of about so many; 0 until they are counted.
    pub total: i64,
    /// The file, while it is there.
    pub file: Option<ExportFile>,
    /// How often it was fetched.
    pub downloads: i64,
    /// How often it was begun.
    pub attempt: i64,
    /// Why it was given up.
    pub error: Option<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it was written or given up.
    pub finished_at: Option<Timestamp>,
    /// When the file goes, or went.
    pub expires_at: Option<Timestamp>,
}

/// The file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Its name in the data folder.
    pub name: String,
    /// Its size.
    pub bytes: i64,
    /// Its SHA-256, as lower-case hex.
    pub sha256: String,
}

/// An export in the hands of who writes it.
pub type ExportClaim = WorkClaim<ExportId>;

impl Work for ExportId {
    const TABLE: WorkTable = WorkTable {
        name: "exports",
        open: "state in ('queued', 'running')",
        // One that is given back keeps its epoch.
        held: "state = 'running'",
        claimed: ", state = 'running', attempt = attempt + 1, done = 0",
    };
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    named: Option<Scope>,
    key: Option<KeyId>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    person_id: String,
    sort: String,
    agent: Option<String>,
    user_id: Option<String>,
    from_at: Option<i64>,
    to_at: Option<i64>,
    as_of: Option<i64>,
    bom: bool,
    language: String,
    state: String,
    done: i64,
    total: i64,
    file: Option<String>,
    bytes: Option<i64>,
    sha256: Option<String>,
    downloads: i64,
    attempt: i64,
    epoch: i64,
    error: Option<String>,
    created_at: i64,
    finished_at: Option<i64>,
    expires_at: Option<i64>,
    sealed: Vec<u8>,
}

const EXPORTS: &str = "
    select id, person_id, sort, agent, user_id, from_at, to_at, as_of, bom, language, state, done, total, file, bytes, sha256,
      downloads, attempt, epoch, error, created_at, finished_at, expires_at, sealed
    from exports
    where true";

impl Tx {
    /// Asks for an export.
    ///
    /// # Errors
    /// [`Error::OutOfScope`] for an agent outside the scope, or for all where the scope is less; what the database answers.
    pub async fn create_export(&mut self, new: &NewExport, stamp: &Stamp) -> Result<ExportId> {
        const SQL: &str = "
            insert into exports
              (id, person_id, sort, agent, user_id, from_at, to_at, as_of, bom, language, state, done, total, downloads, attempt,
               epoch, lease_until, created_at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'queued', 0, 0, 0, 0, 0, $11, $12, $13)";
        match &new.agent {
            Some(agent) => self.inside(agent)?,
            None if *self.scope() == AgentScope::All => {}
            None => return Err(Error::OutOfScope),
        }
        self.lock_agents(new.agent.as_ref()).await?;
        let id = ExportId::new(stamp.now, self.entropy());
        let body = Sealed {
            named: new.named.clone(),
            key: new.key.clone(),
        };
        let sealed = self
            .vault
            .staff
            .seal_json(place(&id), &body, self.entropy());
        sql(SQL)
            .bind(&id)
            .bind(&new.person)
            .bind(new.sort.as_str())
            .bind(new.agent.as_ref().map(AgentName::as_str))
            .bind(new.user.as_ref())
            .bind(new.from)
            .bind(new.to)
            .bind(new.as_of)
            .bind(new.bom)
            .bind(new.language.as_str())
            .bind(stamp.now)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        let data = json!({
            "sort": new.sort,
            "agent": new.agent,
            "user": new.user,
            "by_name": i64::from(new.named.is_some()),
            "from_us": new.from.map(us),
            "to_us": new.to.map(us),
            "as_of_us": new.as_of.map(us),
        });
        self.tell_of_work(None, EventType::ExportRequested, &id, data, stamp);
        self.wake_at_commit();
        Ok(id)
    }

    /// An export within the scope; one of all agents only where the scope is everything.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn export(&mut self, id: &ExportId) -> Result<Option<Export>> {
        let row: Option<Row> = sql(EXPORTS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, self.scope())
            .optional(&mut self.conn)
            .await?;
        row.map(|row| self.export_of(row)).transpose()
    }

    /// The exports within the scope, newest first.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn exports(&mut self, page: &Page) -> Result<Listed<Export>> {
        let rows: Vec<Row> = sql(EXPORTS)
            .scope_along(ScopeColumn::Plain, self.scope())
            .clause_if(
                " and id < ?",
                page.after(ExportId::PREFIX)?.map(|after| after.id.as_str()),
            )
            .clause(" order by id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let exports: Vec<Export> = rows
            .into_iter()
            .map(|row| self.export_of(row))
            .collect::<Result<_>>()?;
        Ok(Listed::cut(exports, page, |export| {
            Cursor::id(export.id.as_str())
        }))
    }

    /// Keeps a claim until `until`, and notes how far its export is.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where somebody else has it by now, or it was stopped.
    pub async fn hold_export(
        &mut self,
        claim: &ExportClaim,
        (done, total): (i64, i64),
        until: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update exports
            set done = $1, total = $2, lease_until = $3";
        let held = sql(SQL).bind(done).bind(total).bind(until);
        self.still_ours(claim.guard(held)).await
    }

    /// Gives a claim back as if it had not been begun: the process is asked to stop.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn release_export(&mut self, claim: &ExportClaim, now: Timestamp) -> Result<()> {
        const SQL: &str = "
            update exports
            set state = 'queued', done = 0, attempt = attempt - 1, lease_until = $1";
        self.wake_at_commit();
        self.still_ours(claim.guard(sql(SQL).bind(now))).await
    }

    /// Ends an export with its file, which stays until `expires_at`; `rows` is what it holds.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn finish_export(
        &mut self,
        claim: &ExportClaim,
        file: &ExportFile,
        rows: i64,
        expires_at: Timestamp,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            update exports
            set state = 'done', lease_until = null, file = $1, bytes = $2, sha256 = $3, done = $4, total = $4, error = null,
                finished_at = $5, expires_at = $6";
        let ended = sql(SQL)
            .bind(file.name.as_str())
            .bind(file.bytes)
            .bind(file.sha256.as_str())
            .bind(rows)
            .bind(stamp.now)
            .bind(expires_at);
        self.still_ours(claim.guard(ended)).await?;
        let data = json!({ "rows": rows, "bytes": file.bytes, "sha256": file.sha256 });
        self.tell_of_work(None, EventType::ExportFinished, &claim.id, data, stamp);
        Ok(())
    }

    /// Gives an export up; `error` is the code of why.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn fail_export(
        &mut self,
        claim: &ExportClaim,
        error: &str,
        stamp: &Stamp,
    ) -> Result<()> {
        let failed = ExportState::Failed.as_str();
        self.still_ours(claim.end(failed, Some(error), stamp.now))
            .await?;
        let data = json!({ "error": error });
        self.tell_of_work(None, EventType::ExportFinished, &claim.id, data, stamp);
        Ok(())
    }

    /// Stops an export that is not written yet, or lets the file of one go. False where there is nothing to do any more.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn remove_export(&mut self, id: &ExportId, stamp: &Stamp) -> Result<bool> {
        const GO: &str = "
            update exports
            set state = 'expired', file = null, expires_at = $1
            where id = $2 and state = 'done'";
        let (failed, code) = (ExportState::Failed.as_str(), "stopped");
        let stopped = work::stop(id, failed, Some(code), stamp.now)
            .scope(ScopeColumn::Plain, self.scope())
            .run(&mut self.conn)
            .await?;
        if stopped == 1 {
            let data = json!({ "error": code });
            self.tell_of_work(None, EventType::ExportFinished, id, data, stamp);
            return Ok(true);
        }
        let gone = sql(GO)
            .bind(stamp.now)
            .bind(id)
            .scope(ScopeColumn::Plain, self.scope())
            .run(&mut self.conn)
            .await?;
        if gone == 1 {
            self.tell_of_work(None, EventType::ExportExpired, id, json!({}), stamp);
        }
        Ok(gone == 1)
    }

    /// Lets the files go that are past their time, the oldest first; answers of which exports they were.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn expire_exports(&mut self, limit: u32, stamp: &Stamp) -> Result<Vec<ExportId>> {
        const SQL: &str = "
            update exports
            set state = 'expired', file = null
            where state = 'done' and id in (
              select id
              from exports
              where state = 'done' and expires_at <= $1
              order by expires_at
              limit $2)
            returning id";
        let rows: Vec<(String,)> = sql(SQL)
            .bind(stamp.now)
            .bind(limit)
            .all(&mut self.conn)
            .await?;
        let mut ids: Vec<ExportId> = rows
            .into_iter()
            .map(|(id,)| parsed(&id))
            .collect::<Result<_>>()?;
        ids.sort();
        for id in &ids {
            self.tell_of_work(None, EventType::ExportExpired, id, json!({}), stamp);
        }
        Ok(ids)
    }

    /// Of these exports, those that have a file or are being written: what lies in the folder besides is nobody's.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn exports_with_files(&mut self, ids: &[ExportId]) -> Result<Vec<ExportId>> {
        const SQL: &str = "
            select id
            from exports
            where state in ('queued', 'running', 'done')";
        let rows: Vec<(String,)> = sql(SQL)
            .clause_in(" and id in (", ids)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(|(id,)| parsed(&id)).collect()
    }

    /// Notes that the file of an export is fetched, or one of the files in it, by its name; false where it has none any more.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn note_download(
        &mut self,
        id: &ExportId,
        part: Option<&str>,
        stamp: &Stamp,
    ) -> Result<bool> {
        const SQL: &str = "
            update exports
            set downloads = downloads + 1
            where id = $1 and state = 'done'";
        let noted = sql(SQL)
            .bind(id)
            .scope(ScopeColumn::Plain, self.scope())
            .run(&mut self.conn)
            .await?;
        if noted == 1 {
            let data = part.map_or_else(|| json!({}), |part| json!({ "part": part }));
            self.tell_of_work(None, EventType::ExportDownloaded, id, data, stamp);
        }
        Ok(noted == 1)
    }

    /// Whether it was noted after an instant that somebody fetches the file of an export, not only one of those in it.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn download_noted(
        &mut self,
        id: &ExportId,
        by: &EventActor,
        since: Timestamp,
    ) -> Result<bool> {
        const SQL: &str = "
            select body
            from events
            where agent = $1 and subject = $2 and type = $3 and at > $4";
        let noted: Vec<(String,)> = sql(SQL)
            .bind(SYSTEM_CHAIN)
            .bind(id)
            .bind(EventType::ExportDownloaded.as_str())
            .bind(since)
            .all(&mut self.conn)
            .await?;
        for (body,) in noted {
            let body: EventBody = read_json(&body)?;
            if body.actor == *by && body.data.get("part").is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes the records of exports that ended before `before` and have no file any more. Answers how many.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn remove_export_records(&mut self, before: Timestamp) -> Result<i64> {
        const SQL: &str = "
            delete from exports
            where state in ('failed', 'expired') and created_at < $1";
        let gone = sql(SQL).bind(before).run(&mut self.conn).await?;
        Ok(i64::try_from(gone).unwrap_or(i64::MAX))
    }

    fn export_of(&self, row: Row) -> Result<Export> {
        let id: ExportId = parsed(&row.id)?;
        let body: Sealed = self.vault.staff.open_json(place(&id), &row.sealed)?;
        let file = match (row.file, row.bytes, row.sha256) {
            (Some(name), Some(bytes), Some(sha256)) => Some(ExportFile {
                name,
                bytes,
                sha256,
            }),
            _ => None,
        };
        Ok(Export {
            person: parsed(&row.person_id)?,
            key: body.key,
            sort: parsed(&row.sort)?,
            agent: parsed_opt(row.agent.as_deref())?,
            user: parsed_opt(row.user_id.as_deref())?,
            named: body.named,
            from: at_opt(row.from_at)?,
            to: at_opt(row.to_at)?,
            as_of: at_opt(row.as_of)?,
            bom: row.bom,
            language: parsed(&row.language)?,
            state: parsed(&row.state)?,
            done: row.done,
            total: row.total,
            file,
            downloads: row.downloads,
            attempt: row.attempt,
            error: row.error,
            created_at: at(row.created_at)?,
            finished_at: at_opt(row.finished_at)?,
            expires_at: at_opt(row.expires_at)?,
            id,
        })
    }
}

fn place(id: &ExportId) -> Place<'_> {
    Place::new("exports.sealed", "", id.as_str())
}
