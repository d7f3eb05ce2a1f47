//! Memories that come from elsewhere (G13): what was uploaded, row by row, and what became of each.
//!
//! Whose the rows are is not known before somebody has said what the columns become, so an upload is sealed under a key of its own,
//! which lies among those of people. A row is sealed until it was proposed; from then on its words are in its candidate, and where it
//! comes from is sealed under the key of its user. Erasing somebody removes their rows and seals the others under a new key, so that
//! no older copy opens.
//!
//! Each row is proposed in a transaction that also writes the row's end: what was proposed is never proposed again, whoever dies in
//! between.

mod forget;
mod rows;

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Timestamp,
    agent::AgentName,
    audit::EventType,
    id::{ImportId, KeyId, PersonId, UserId},
    import::{ImportFormat, ImportMapping, ImportState, Lines, RowState},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub use self::rows::{CheckedRow, ImportRow, ImportedAs, NewImportRow, Origin, RowEnd};
use crate::{
    Cursor, Error, Listed, Page, Result, Stamp, Tx, Work, WorkClaim, WorkTable,
    column::{at, at_opt, parsed, parsed_opt},
    seal::{Place, SecretKey},
    statement::{ScopeColumn, Statement, sql},
    work,
};

/// What belongs to an upload as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImportHead {
    /// The name of the file, where it had one.
    pub file: Option<String>,
    /// The names of its columns, in their order.
    pub columns: Vec<String>,
    /// What each becomes.
    pub mapping: ImportMapping,
    /// In which lines its rows begin.
    #[serde(default)]
    pub lines: Lines,
    /// The key through which somebody uploaded it; `None`: a session, or the command line.
    pub key: Option<KeyId>,
}

/// An upload.
#[derive(Debug, Clone)]
pub struct NewImport {
    /// Who uploads; `None`: the command line.
    pub person: Option<PersonId>,
    /// Into which agent.
    pub agent: AgentName,
    /// The form of the file.
    pub format: ImportFormat,
    /// What belongs to it as a whole.
    pub head: ImportHead,
    /// Its rows.
    pub rows: Vec<NewImportRow>,
}

/// An import.
#[derive(Debug, Clone)]
pub struct Import {
    /// Ours.
    pub id: ImportId,
    /// Into which agent.
    pub agent: AgentName,
    /// Who uploaded it; `None`: the command line.
    pub person: Option<PersonId>,
    /// The form of the file.
    pub format: ImportFormat,
    /// How far it is.
    pub state: ImportState,
    /// Why it could not go on.
    pub error: Option<String>,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// What belongs to it as a whole.
    pub head: ImportHead,
    /// How many rows became what.
    pub counts: BTreeMap<RowState, i64>,
    sealed_by: UserId,
}

/// An import in the hands of who works on it.
pub type ImportClaim = WorkClaim<ImportId>;

impl Work for ImportId {
    const TABLE: WorkTable = WorkTable {
        name: "imports",
        open: "state in ('running', 'withdrawing')",
        held: "state in ('running', 'withdrawing')",
        claimed: "",
    };
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    agent: String,
    person_id: Option<String>,
    format: String,
    state: String,
    error: Option<String>,
    key_id: String,
    created_at: i64,
    finished_at: Option<i64>,
    sealed: Vec<u8>,
}

/// What is being withdrawn is open too, and is not stopped.
const RUNS: &str = " and state = 'running'";

const IMPORTS: &str = "
    select id, agent, person_id, format, state, error, key_id, created_at, finished_at, sealed
    from imports
    where true";

impl Tx {
    /// Keeps an upload. Nothing of it is proposed yet.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn create_import(&mut self, new: &NewImport, stamp: &Stamp) -> Result<ImportId> {
        const SQL: &str = "
            insert into imports (id, agent, person_id, format, state, key_id, epoch, created_at, sealed)
            values ($1, $2, $3, $4, 'ready', $5, 0, $6, $7)";
        self.inside(&new.agent)?;
        let id = ImportId::new(stamp.now, self.entropy());
        let sealed_by = UserId::new(stamp.now, self.entropy());
        let key = self.make_user_key(&new.agent, &sealed_by).await?;
        let sealed = key.seal_json(place(&new.agent, &id), &new.head, self.entropy());
        sql(SQL)
            .bind(&id)
            .bind(&new.agent)
            .bind(new.person.as_ref())
            .bind(new.format.as_str())
            .bind(&sealed_by)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await?;
        self.insert_import_rows(&new.agent, &id, &sealed_by, &new.rows)
            .await?;
        let rows = i64::try_from(new.rows.len()).unwrap_or(i64::MAX);
        let data = json!({ "format": new.format, "rows": rows });
        self.tell_of_work(
            Some(&new.agent),
            EventType::ImportUploaded,
            &id,
            data,
            stamp,
        );
        Ok(id)
    }

    /// An import within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn import(&mut self, id: &ImportId) -> Result<Option<Import>> {
        let row: Option<Row> = sql(IMPORTS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, self.scope())
            .optional(&mut self.conn)
            .await?;
        match row {
            Some(row) => self.import_of(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// The imports within the scope, newest first.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn imports(&mut self, page: &Page) -> Result<Listed<Import>> {
        let rows: Vec<Row> = sql(IMPORTS)
            .scope_along(ScopeColumn::Plain, self.scope())
            .clause_if(
                " and id < ?",
                page.after(ImportId::PREFIX)?.map(|after| after.id.as_str()),
            )
            .clause(" order by id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let mut imports = Vec::with_capacity(rows.len());
        for row in rows {
            imports.push(self.import_of(row).await?);
        }
        Ok(Listed::cut(imports, page, |import| {
            Cursor::id(import.id.as_str())
        }))
    }

    async fn import_of(&mut self, row: Row) -> Result<Import> {
        let id: ImportId = parsed(&row.id)?;
        let agent: AgentName = parsed(&row.agent)?;
        let sealed_by: UserId = parsed(&row.key_id)?;
        // A backup that was restored may hold an upload whose key was made anew since; of that only the counts can be read. One that is
        // damaged must not be in the way of an erasure.
        let head = match self.import_key(&agent, &sealed_by).await? {
            Some(key) => readable(key.open_json(place(&agent, &id), &row.sealed))?,
            None => None,
        };
        Ok(Import {
            person: parsed_opt(row.person_id.as_deref())?,
            format: parsed(&row.format)?,
            state: parsed(&row.state)?,
            error: row.error,
            created_at: at(row.created_at)?,
            finished_at: at_opt(row.finished_at)?,
            counts: self.counts_of_import(&id).await?,
            head: head.unwrap_or_default(),
            id,
            agent,
            sealed_by,
        })
    }

    /// Begins to propose, or goes on; false where it runs or has ended. A claim from before is none any more.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn start_import(&mut self, import: &Import, stamp: &Stamp) -> Result<bool> {
        const SQL: &str = "
            update imports
            set state = 'running', epoch = epoch + 1, lease_until = $1, error = null, finished_at = null
            where id = $2 and state in ('ready', 'stopped')";
        self.moved_import(
            sql(SQL).bind(stamp.now).bind(&import.id),
            EventType::ImportStarted,
            import,
            stamp,
        )
        .await
    }

    /// Stops it; false where it does not run.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn stop_import(&mut self, import: &Import, stamp: &Stamp) -> Result<bool> {
        let stopped = ImportState::Stopped.as_str();
        let stop = work::stop(&import.id, stopped, None, stamp.now).push(RUNS);
        self.moved_import(stop, EventType::ImportStopped, import, stamp)
            .await
    }

    /// Begins to withdraw it; false where something else is done with it, or that is done already.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn withdraw_import(&mut self, import: &Import, stamp: &Stamp) -> Result<bool> {
        const SQL: &str = "
            update imports
            set state = 'withdrawing', epoch = epoch + 1, lease_until = $1, error = null
            where id = $2 and state in ('ready', 'stopped', 'done')";
        self.moved_import(
            sql(SQL).bind(stamp.now).bind(&import.id),
            EventType::ImportWithdrawn,
            import,
            stamp,
        )
        .await
    }

    async fn moved_import(
        &mut self,
        change: Statement,
        r#type: EventType,
        import: &Import,
        stamp: &Stamp,
    ) -> Result<bool> {
        self.inside(&import.agent)?;
        if change.run(&mut self.conn).await? != 1 {
            return Ok(false);
        }
        let data = json!(self.counts_of_import(&import.id).await?);
        self.tell_of_work(Some(&import.agent), r#type, &import.id, data, stamp);
        self.wake_at_commit();
        Ok(true)
    }

    /// Stops an import that cannot go on; `error` says why. What was uploaded stays, as where a person stops it.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn halt_import(
        &mut self,
        claim: &ImportClaim,
        import: &Import,
        error: &str,
        stamp: &Stamp,
    ) -> Result<()> {
        let stopped = ImportState::Stopped.as_str();
        let halt = claim.end(stopped, Some(error), stamp.now).push(RUNS);
        self.still_ours(halt).await?;
        let mut data = json!(self.counts_of_import(&import.id).await?);
        data["error"] = json!(error);
        self.tell_of_work(
            Some(&import.agent),
            EventType::ImportStopped,
            &import.id,
            data,
            stamp,
        );
        Ok(())
    }

    /// Ends an import or its withdrawal. What was uploaded and not proposed is forgotten.
    ///
    /// # Errors
    /// [`Error::LostClaim`].
    pub async fn finish_import(
        &mut self,
        claim: &ImportClaim,
        import: &Import,
        stamp: &Stamp,
    ) -> Result<()> {
        let state = if import.state == ImportState::Withdrawing {
            ImportState::Withdrawn
        } else {
            ImportState::Done
        };
        self.still_ours(claim.end(state.as_str(), None, stamp.now))
            .await?;
        self.forget_upload(&import.id).await?;
        let mut data = json!(self.counts_of_import(&import.id).await?);
        data["state"] = json!(state);
        self.tell_of_work(
            Some(&import.agent),
            EventType::ImportEnded,
            &import.id,
            data,
            stamp,
        );
        Ok(())
    }

    /// Forgets uploads that nobody ran since `before`, from when they came or were stopped; answers how many.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn expire_imports(&mut self, before: Timestamp, stamp: &Stamp) -> Result<u32> {
        const DUE: &str = "
            select id, agent
            from imports
            where state in ('ready', 'stopped') and coalesce(finished_at, created_at) <= $1";
        const SQL: &str = "
            update imports
            set state = 'expired', finished_at = $1
            where id = $2 and state in ('ready', 'stopped')";
        let due: Vec<(String, String)> = sql(DUE).bind(before).all(&mut self.conn).await?;
        let mut expired = 0;
        for (id, agent) in due {
            let (id, agent): (ImportId, AgentName) = (parsed(&id)?, parsed(&agent)?);
            let moved = sql(SQL)
                .bind(stamp.now)
                .bind(&id)
                .run(&mut self.conn)
                .await?;
            if moved == 1 {
                self.forget_upload(&id).await?;
                let data = json!(self.counts_of_import(&id).await?);
                self.tell_of_work(Some(&agent), EventType::ImportExpired, &id, data, stamp);
                expired += 1;
            }
        }
        Ok(expired)
    }

    async fn import_key(
        &mut self,
        agent: &AgentName,
        sealed_by: &UserId,
    ) -> Result<Option<Arc<SecretKey>>> {
        match self.user_key(agent, sealed_by).await {
            Ok(key) => Ok(Some(key)),
            Err(Error::Erased) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// How many rows became what.
    async fn counts_of_import(&mut self, id: &ImportId) -> Result<BTreeMap<RowState, i64>> {
        const SQL: &str = "
            select state, count(*)
            from import_rows
            where import_id = $1
            group by state";
        let counts: Vec<(String, i64)> = sql(SQL).bind(id).all(&mut self.conn).await?;
        counts
            .into_iter()
            .map(|(state, count)| Ok((parsed(&state)?, count)))
            .collect()
    }
}

/// What was sealed, where it can be opened: what one row holds may be damaged, and the others are well.
fn readable<T>(opened: Result<T>) -> Result<Option<T>> {
    match opened {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.is_of_one_row() => Ok(None),
        Err(error) => Err(error),
    }
}

fn place<'a>(agent: &'a AgentName, id: &'a ImportId) -> Place<'a> {
    Place::new("imports.sealed", agent.as_str(), id.as_str())
}
