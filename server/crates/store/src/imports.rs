//! Memories that come from elsewhere (G13): what was uploaded, row by row, and what became of each.
//!
//! Whose the rows are is not known before somebody has said what the columns become, so an upload is sealed under a key of its own,
//! which lies among those of people. A row is sealed until it was proposed; from then on its words are in its candidate, and where it
//! comes from is sealed under the key of its user. Erasing somebody removes their rows and seals the others under a new key, so that
//! no older copy opens.
//!
//! Each row is proposed in a transaction that also writes the row's end: what was proposed is never proposed again, whoever dies in
//! between. A claim has an epoch, as that of a job has.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    id::{CandidateId, ImportId, KeyId, PersonId, UserId},
    import::{ImportFormat, ImportMapping, ImportState, RowState},
    user::Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    Cursor, Db, Error, Listed, Page, Result, Stamp, Tx,
    column::{at, at_opt, parsed, parsed_opt},
    events::Telling,
    exports::Whom,
    seal::{Place, SecretKey},
    statement::{ScopeColumn, Statement, sql},
};

/// Rows that one statement writes.
const ROWS: usize = 200;

/// What belongs to an upload as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImportHead {
    /// The name of the file, where it had one.
    pub file: Option<String>,
    /// The names of its columns, in their order.
    pub columns: Vec<String>,
    /// What each becomes.
    pub mapping: ImportMapping,
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

/// A row of an upload.
#[derive(Debug, Clone)]
pub struct NewImportRow {
    /// From 1, without the head.
    pub number: i64,
    /// By the names of the columns; `None` where it must not be kept.
    pub record: Option<Map<String, Value>>,
    /// What a look at it found.
    pub checked: CheckedRow,
}

/// What a look at a row found.
#[derive(Debug, Clone)]
pub struct CheckedRow {
    /// Whether it fits.
    pub state: RowState,
    /// Which part does not fit, and why: words of closed lists.
    pub fault: Option<(&'static str, &'static str)>,
    /// Whom it is about.
    pub scope: Option<Scope>,
    /// What it says, as [`Tx::import_source`] tells it from others.
    pub source: Option<Vec<u8>>,
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

/// A row as it is stored.
#[derive(Debug, Clone)]
pub struct ImportRow {
    /// From 1, without the head.
    pub number: i64,
    /// What became of it.
    pub state: RowState,
    /// Which part does not fit, and why.
    pub fault: Option<(String, String)>,
    /// What was uploaded, while it is kept.
    pub record: Option<Map<String, Value>>,
    /// The candidate it became.
    pub candidate: Option<CandidateId>,
}

/// Where a candidate comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    /// What it is called there.
    pub id: Option<String>,
}

/// The row that a candidate was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedAs {
    /// The import.
    pub import: ImportId,
    /// The row, from 1.
    pub row: i64,
    /// When it was said, by the file.
    pub said_at: Option<Timestamp>,
    /// Where it comes from.
    pub origin: Origin,
}

/// What became of a row that was tried.
#[derive(Debug, Clone)]
pub enum RowEnd {
    /// It is a candidate.
    Proposed {
        /// Which.
        candidate: CandidateId,
        /// About whom.
        user: UserId,
        /// When it was said, by the file.
        said_at: Option<Timestamp>,
        /// Where it comes from.
        origin: Origin,
    },
    /// The same is there.
    Duplicate,
    /// An import proposed it before.
    Known,
    /// It does not fit: which part, and why.
    Failed(&'static str, &'static str),
}

/// An import in the hands of who works on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportClaim {
    /// Which.
    pub import: ImportId,
    /// Which claim of it this is. Who has an older one can change nothing any more.
    pub epoch: i64,
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

#[derive(sqlx::FromRow)]
struct RowRow {
    number: i64,
    state: String,
    field: Option<String>,
    code: Option<String>,
    sealed: Option<Vec<u8>>,
    candidate_id: Option<String>,
}

const IMPORTS: &str = "
    select id, agent, person_id, format, state, error, key_id, created_at, finished_at, sealed
    from imports
    where true";

const IMPORT_ROWS: &str = "
    select number, state, field, code, sealed, candidate_id
    from import_rows
    where import_id = $1";

impl Db {
    /// Claims the import that has waited longest, in a short transaction of its own; one whose lease ran out is one of them.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn claim_import(
        &self,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ImportClaim>> {
        const DUE: &str = "
            with due as (
              select j.id
              from imports j
              where j.state in ('running', 'withdrawing') and j.lease_until <= $1
              order by j.lease_until
              limit 1";
        const CLAIM: &str = ")
            update imports
            set epoch = epoch + 1, lease_until = $2
            where id in (select id from due)
            returning id, epoch";
        let mut tx = self.write(AgentScope::All).await?;
        let lock = tx.dialect().skip_locked();
        let row: Option<(String, i64)> = sql(DUE)
            .bind(now)
            .bind(until)
            .push(lock)
            .push(CLAIM)
            .optional(&mut tx.conn)
            .await?;
        tx.commit().await?;
        row.map(|(id, epoch)| {
            Ok(ImportClaim {
                import: parsed(&id)?,
                epoch,
            })
        })
        .transpose()
    }
}

impl Tx {
    /// A hash by which the same row of another upload is known: whom it is about, and what it says.
    pub fn import_source(&self, agent: &AgentName, scope: &Scope, parts: &[&str]) -> Vec<u8> {
        let scope = scope.canonical();
        let mut all = vec![agent.as_str(), scope.as_str()];
        all.extend(parts);
        self.vault.index.hash("import_rows.source", &all)
    }

    /// Whether an import proposed this before. What nobody decided in time, and what was withdrawn, may be proposed again.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn import_known(&mut self, agent: &AgentName, source: &[u8]) -> Result<bool> {
        const SQL: &str = "
            select r.number
            from import_rows r
            join candidates c on c.agent = r.agent and c.id = r.candidate_id
            where r.agent = $1 and r.source = $2 and r.state = 'proposed'
              and (c.reason is null or c.reason not in ('expired', 'superseded'))
            limit 1";
        self.inside(agent)?;
        let row: Option<(i64,)> = sql(SQL)
            .bind(agent)
            .bind(source)
            .optional(&mut self.conn)
            .await?;
        Ok(row.is_some())
    }

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
        self.tell_of_import(EventType::ImportUploaded, &new.agent, &id, data, stamp);
        Ok(id)
    }

    async fn insert_import_rows(
        &mut self,
        agent: &AgentName,
        id: &ImportId,
        sealed_by: &UserId,
        rows: &[NewImportRow],
    ) -> Result<()> {
        const SQL: &str = "
            insert into import_rows (import_id, number, agent, state, field, code, lookup, source, sealed)
            values ";
        let key = self.user_key(agent, sealed_by).await?;
        for some in rows.chunks(ROWS) {
            let mut statement = sql(SQL);
            for (index, row) in some.iter().enumerate() {
                let CheckedRow {
                    state,
                    fault,
                    scope,
                    source,
                } = &row.checked;
                let lookup = scope.as_ref().map(|scope| self.user_lookup(agent, scope));
                let place_of = row_name(id, row.number);
                let sealed = row.record.as_ref().map(|record| {
                    key.seal_json(row_place(agent, &place_of), record, self.entropy())
                });
                statement = statement
                    .push(if index == 0 { "" } else { ", " })
                    .clause("(?", id)
                    .clause(", ?", row.number)
                    .clause(", ?", agent)
                    .clause(", ?", state.as_str())
                    .clause(", ?", fault.map(|(field, _)| field))
                    .clause(", ?", fault.map(|(_, code)| code))
                    .clause(", ?", lookup)
                    .clause(", ?", source.clone())
                    .clause(", ?)", sealed);
            }
            statement.run(&mut self.conn).await?;
        }
        Ok(())
    }

    /// An import within the scope.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn import(&mut self, id: &ImportId) -> Result<Option<Import>> {
        let row: Option<Row> = sql(IMPORTS)
            .clause(" and id = ?", id)
            .scope(ScopeColumn::Plain, &self.scope().clone())
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
            .scope_along(ScopeColumn::Plain, &self.scope().clone())
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
        const COUNTS: &str = "
            select state, count(*)
            from import_rows
            where import_id = $1
            group by state";
        let id: ImportId = parsed(&row.id)?;
        let agent: AgentName = parsed(&row.agent)?;
        let sealed_by: UserId = parsed(&row.key_id)?;
        // A backup that was restored may hold an upload whose key was made anew since; of that only the counts can be read. One that is
        // damaged must not be in the way of an erasure.
        let head = match self.import_key(&agent, &sealed_by).await? {
            Some(key) => readable(key.open_json(place(&agent, &id), &row.sealed))?,
            None => None,
        };
        let counts: Vec<(String, i64)> = sql(COUNTS).bind(&id).all(&mut self.conn).await?;
        Ok(Import {
            person: parsed_opt(row.person_id.as_deref())?,
            format: parsed(&row.format)?,
            state: parsed(&row.state)?,
            error: row.error,
            created_at: at(row.created_at)?,
            finished_at: at_opt(row.finished_at)?,
            counts: counts
                .into_iter()
                .map(|(state, count)| Ok((parsed(&state)?, count)))
                .collect::<Result<_>>()?,
            head: head.unwrap_or_default(),
            id,
            agent,
            sealed_by,
        })
    }

    /// Rows of an import in their order, of one state or of all.
    ///
    /// # Errors
    /// [`Error::Cursor`]; what the database answers.
    pub async fn import_rows(
        &mut self,
        import: &Import,
        state: Option<RowState>,
        page: &Page,
    ) -> Result<Listed<ImportRow>> {
        let rows: Vec<RowRow> = sql(IMPORT_ROWS)
            .bind(&import.id)
            .clause_if(" and state = ?", state.map(RowState::as_str))
            .clause_if(
                " and number > ?",
                page.after(ImportId::PREFIX)?.map(|after| after.number),
            )
            .clause(" order by number limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let rows = self.import_rows_of(import, rows).await?;
        Ok(Listed::cut(rows, page, |row| Cursor {
            number: row.number,
            id: import.id.as_str().to_owned(),
        }))
    }

    /// All rows that are not proposed, to be looked at again.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn import_rows_left(&mut self, import: &Import) -> Result<Vec<ImportRow>> {
        let rows: Vec<RowRow> = sql(IMPORT_ROWS)
            .bind(&import.id)
            .push(" and state <> 'proposed' order by number")
            .all(&mut self.conn)
            .await?;
        self.import_rows_of(import, rows).await
    }

    async fn import_rows_of(
        &mut self,
        import: &Import,
        rows: Vec<RowRow>,
    ) -> Result<Vec<ImportRow>> {
        let key = self.import_key(&import.agent, &import.sealed_by).await?;
        rows.into_iter()
            .map(|row| {
                let name = row_name(&import.id, row.number);
                let record = match (&key, row.sealed) {
                    (Some(key), Some(sealed)) => {
                        readable(key.open_json(row_place(&import.agent, &name), &sealed))?
                    }
                    _ => None,
                };
                Ok(ImportRow {
                    number: row.number,
                    state: parsed(&row.state)?,
                    fault: row.field.zip(row.code),
                    record,
                    candidate: parsed_opt(row.candidate_id.as_deref())?,
                })
            })
            .collect()
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

    /// Writes what another look found, with what the columns become now.
    ///
    /// # Errors
    /// [`Error::Stale`] where it runs by now, has ended, or was sealed anew since it was read; what the database answers.
    pub async fn recheck_import(
        &mut self,
        import: &Import,
        mapping: &ImportMapping,
        rows: &[(i64, CheckedRow)],
    ) -> Result<()> {
        const HEAD: &str = "
            update imports
            set sealed = $1
            where id = $2 and key_id = $3 and state in ('ready', 'stopped')";
        const ROW: &str = "
            update import_rows
            set state = $1, field = $2, code = $3, lookup = $4, source = $5
            where import_id = $6 and number = $7 and state <> 'proposed'";
        const FORGET: &str = "
            update import_rows
            set sealed = null
            where import_id = $1 and code in ('secret', 'opted_out')";
        let head = ImportHead {
            mapping: mapping.clone(),
            ..import.head.clone()
        };
        let key = self.import_key(&import.agent, &import.sealed_by).await?;
        let key = key.ok_or(Error::Stale)?;
        let sealed = key.seal_json(place(&import.agent, &import.id), &head, self.entropy());
        let touched = sql(HEAD)
            .bind(sealed)
            .bind(&import.id)
            .bind(&import.sealed_by)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        for (number, checked) in rows {
            let lookup = checked
                .scope
                .as_ref()
                .map(|scope| self.user_lookup(&import.agent, scope));
            sql(ROW)
                .bind(checked.state.as_str())
                .bind(checked.fault.map(|(field, _)| field))
                .bind(checked.fault.map(|(_, code)| code))
                .bind(lookup)
                .bind(checked.source.clone())
                .bind(&import.id)
                .bind(*number)
                .run(&mut self.conn)
                .await?;
        }
        sql(FORGET)
            .bind(&import.id)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// Begins to propose, or goes on; false where it runs or has ended.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn start_import(&mut self, import: &Import, stamp: &Stamp) -> Result<bool> {
        const SQL: &str = "
            update imports
            set state = 'running', lease_until = $1, error = null, finished_at = null
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
        const SQL: &str = "
            update imports
            set state = 'stopped', lease_until = null, finished_at = $1
            where id = $2 and state = 'running'";
        self.moved_import(
            sql(SQL).bind(stamp.now).bind(&import.id),
            EventType::ImportStopped,
            import,
            stamp,
        )
        .await
    }

    /// Begins to withdraw it; false where something else is done with it, or that is done already.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn withdraw_import(&mut self, import: &Import, stamp: &Stamp) -> Result<bool> {
        const SQL: &str = "
            update imports
            set state = 'withdrawing', lease_until = $1, error = null
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
        let data = self.counts_of_import(&import.id).await?;
        self.tell_of_import(r#type, &import.agent, &import.id, data, stamp);
        self.wake_at_commit();
        Ok(true)
    }

    /// Keeps a claim until `until`.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where somebody else has it by now, or it was stopped.
    pub async fn hold_import(&mut self, claim: &ImportClaim, until: Timestamp) -> Result<()> {
        self.still_imports(guarded(
            sql("update imports set lease_until = $1").bind(until),
            claim,
        ))
        .await
    }

    /// Writes what became of a row, in the transaction in which it became that.
    ///
    /// # Errors
    /// [`Error::LostClaim`] where it was stopped, somebody else has it, or the row is gone: then the candidate must not be kept either.
    pub async fn settle_row(
        &mut self,
        claim: &ImportClaim,
        agent: &AgentName,
        number: i64,
        end: &RowEnd,
        until: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update import_rows
            set state = $1, field = $2, code = $3, user_id = $4, candidate_id = $5, said_at = $6, origin = $7, sealed = null
            where import_id = $8 and number = $9 and agent = $10 and state = 'waits'";
        // First the import and then its rows, as an erasure goes too, so that neither waits for the other.
        self.hold_import(claim, until).await?;
        let (state, fault) = match end {
            RowEnd::Proposed { .. } => (RowState::Proposed, None),
            RowEnd::Duplicate => (RowState::Duplicate, None),
            RowEnd::Known => (RowState::Known, None),
            RowEnd::Failed(field, code) => (RowState::Failed, Some((*field, *code))),
        };
        let (mut user, mut candidate, mut said_at, mut origin) = (None, None, None, None);
        if let RowEnd::Proposed {
            candidate: id,
            user: of,
            said_at: at,
            origin: from,
        } = end
        {
            let key = self.user_key(agent, of).await?;
            let name = row_name(&claim.import, number);
            let sealed = key.seal_json(origin_place(agent, &name), from, self.entropy());
            (user, candidate, said_at, origin) = (Some(of), Some(id), *at, Some(sealed));
        }
        let touched = sql(SQL)
            .bind(state.as_str())
            .bind(fault.map(|(field, _)| field))
            .bind(fault.map(|(_, code)| code))
            .bind(user)
            .bind(candidate)
            .bind(said_at)
            .bind(origin)
            .bind(&claim.import)
            .bind(number)
            .bind(agent)
            .run(&mut self.conn)
            .await?;
        if touched == 1 {
            Ok(())
        } else {
            Err(Error::LostClaim)
        }
    }

    /// Candidates of an import that nobody has decided on, a part of them; each leaves the queue with its decision, so that the next
    /// part are others.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn import_waiting(
        &mut self,
        import: &Import,
        limit: u32,
        now: Timestamp,
    ) -> Result<Vec<CandidateId>> {
        const SQL: &str = "
            select r.candidate_id
            from import_rows r
            join candidates c on c.agent = r.agent and c.id = r.candidate_id
            where r.import_id = $1 and r.state = 'proposed' and c.status = 'pending' and c.expires_at > $2
            order by r.number
            limit $3";
        let rows: Vec<(String,)> = sql(SQL)
            .bind(&import.id)
            .bind(now)
            .bind(limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(|(id,)| parsed(&id)).collect()
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
        const SQL: &str = "
            update imports
            set state = 'stopped', error = $1, finished_at = $2, lease_until = null";
        let halted = sql(SQL).bind(error).bind(stamp.now);
        let halted = guarded(halted, claim).push(" and state = 'running'");
        self.still_imports(halted).await?;
        let mut data = self.counts_of_import(&import.id).await?;
        data["error"] = json!(error);
        self.tell_of_import(
            EventType::ImportStopped,
            &import.agent,
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
        const SQL: &str = "
            update imports
            set state = $1, finished_at = $2, lease_until = null";
        let state = if import.state == ImportState::Withdrawing {
            ImportState::Withdrawn
        } else {
            ImportState::Done
        };
        let ended = sql(SQL).bind(state.as_str()).bind(stamp.now);
        self.still_imports(guarded(ended, claim)).await?;
        self.forget_upload(&import.id).await?;
        let mut data = self.counts_of_import(&import.id).await?;
        data["state"] = json!(state);
        self.tell_of_import(
            EventType::ImportEnded,
            &import.agent,
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
                let data = self.counts_of_import(&id).await?;
                self.tell_of_import(EventType::ImportExpired, &agent, &id, data, stamp);
                expired += 1;
            }
        }
        Ok(expired)
    }

    /// Forgets what was uploaded and not proposed, and what may name somebody in its head; what is left is sealed under a new key.
    async fn forget_upload(&mut self, id: &ImportId) -> Result<()> {
        const SQL: &str = "
            update import_rows
            set sealed = null
            where import_id = $1 and sealed is not null";
        sql(SQL).bind(id).run(&mut self.conn).await?;
        if let Some(import) = self.import(id).await? {
            let mut head = import.head.clone();
            head.file = None;
            head.mapping.constants.clear();
            self.seal_import_anew(&import, &head).await?;
        }
        Ok(())
    }

    /// The rows that candidates were, of those that were imported.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; [`Error::Erased`]; what the database answers.
    pub async fn imported_as(
        &mut self,
        agent: &AgentName,
        candidate: &CandidateId,
    ) -> Result<Option<ImportedAs>> {
        type Row = (String, i64, Option<String>, Option<i64>, Option<Vec<u8>>);
        const SQL: &str = "
            select import_id, number, user_id, said_at, origin
            from import_rows
            where agent = $1 and candidate_id = $2";
        self.inside(agent)?;
        let row: Option<Row> = sql(SQL)
            .bind(agent)
            .bind(candidate)
            .optional(&mut self.conn)
            .await?;
        let Some((import, number, user, said_at, Some(sealed))) = row else {
            return Ok(None);
        };
        let import: ImportId = parsed(&import)?;
        let user: UserId = parsed(&user.ok_or(Error::Corrupt("user of a row"))?)?;
        let key = self.user_key(agent, &user).await?;
        let name = row_name(&import, number);
        Ok(Some(ImportedAs {
            origin: key.open_json(origin_place(agent, &name), &sealed)?,
            said_at: at_opt(said_at)?,
            row: number,
            import,
        }))
    }

    /// Forgets somebody in all uploads: their rows go, and so do rows of which nobody can tell whose they are; what is left is sealed
    /// under a new key, so that no older copy opens. While an upload is kept, its file may be called after them and a value that stands
    /// for all rows may name them, whatever its rows say.
    pub(crate) async fn forget_in_imports(&mut self, whom: &Whom<'_>) -> Result<()> {
        // Who works on one waits, and so does who changes what its columns become: what they read was sealed under the old key.
        const TOUCHED: &str = "
            select id
            from imports
            where agent = $1
              and (state in ('ready', 'running', 'stopped', 'withdrawing')
                or id in (select import_id from import_rows where agent = $1 and lookup = $2))
            order by id";
        const THEIRS: &str = "
            delete from import_rows
            where agent = $1 and lookup = $2";
        const NOBODYS: &str = "
            update import_rows
            set sealed = null
            where agent = $1 and lookup is null and sealed is not null";
        let lock = self.dialect().for_update();
        let touched: Vec<(String,)> = sql(TOUCHED)
            .bind(whom.agent)
            .bind(whom.lookup)
            .push(lock)
            .all(&mut self.conn)
            .await?;
        for removal in [
            sql(THEIRS).bind(whom.agent).bind(whom.lookup),
            sql(NOBODYS).bind(whom.agent),
        ] {
            removal.run(&mut self.conn).await?;
        }
        for (id,) in touched {
            let row: Option<Row> = sql(IMPORTS)
                .clause(" and id = ?", id)
                .optional(&mut self.conn)
                .await?;
            let Some(row) = row else {
                continue;
            };
            let import = self.import_of(row).await?;
            let mut head = import.head.clone();
            head.file = None;
            let theirs = |scope: &Scope| self.user_lookup(whom.agent, scope) == whom.lookup;
            let constants = &mut head.mapping.constants;
            constants.retain(|_, value| !Scope::user_id(value).is_ok_and(|scope| theirs(&scope)));
            self.seal_import_anew(&import, &head).await?;
        }
        Ok(())
    }

    /// Seals a head and the rows that are left under a new key, and destroys the old one.
    async fn seal_import_anew(&mut self, import: &Import, head: &ImportHead) -> Result<()> {
        const HEAD: &str = "
            update imports
            set key_id = $1, sealed = $2
            where id = $3";
        const ROW: &str = "
            update import_rows
            set sealed = $1
            where import_id = $2 and number = $3 and sealed is not null";
        let (agent, id) = (&import.agent, &import.id);
        let rows: Vec<RowRow> = sql(IMPORT_ROWS)
            .bind(id)
            .push(" and sealed is not null order by number")
            .all(&mut self.conn)
            .await?;
        let rows = self.import_rows_of(import, rows).await?;
        // The time of an id says nothing here, and there is no clock.
        let sealed_by = UserId::new(import.created_at, self.entropy());
        let key = self.make_user_key(agent, &sealed_by).await?;
        let sealed = key.seal_json(place(agent, id), head, self.entropy());
        sql(HEAD)
            .bind(&sealed_by)
            .bind(sealed)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        for row in rows {
            // One that could not be opened is lost with the old key.
            let name = row_name(id, row.number);
            let sealed = row
                .record
                .map(|record| key.seal_json(row_place(agent, &name), &record, self.entropy()));
            sql(ROW)
                .bind(sealed)
                .bind(id)
                .bind(row.number)
                .run(&mut self.conn)
                .await?;
        }
        self.destroy_user_key(agent, &import.sealed_by).await
    }

    async fn counts_of_import(&mut self, id: &ImportId) -> Result<Value> {
        const SQL: &str = "
            select state, count(*)
            from import_rows
            where import_id = $1
            group by state";
        let counts: Vec<(String, i64)> = sql(SQL).bind(id).all(&mut self.conn).await?;
        let counts = counts
            .into_iter()
            .map(|(state, count)| (state, json!(count)));
        Ok(Value::Object(counts.collect()))
    }

    fn tell_of_import(
        &mut self,
        r#type: EventType,
        agent: &AgentName,
        id: &ImportId,
        data: Value,
        stamp: &Stamp,
    ) {
        let telling = Telling {
            r#type,
            user: None,
            subject: id.as_str(),
            data,
            commitment: None,
        };
        self.tell(Some(agent), stamp, telling);
    }

    async fn still_imports(&mut self, statement: Statement) -> Result<()> {
        if statement.run(&mut self.conn).await? == 1 {
            Ok(())
        } else {
            Err(Error::LostClaim)
        }
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

fn guarded(statement: Statement, claim: &ImportClaim) -> Statement {
    statement
        .clause(
            " where state in ('running', 'withdrawing') and id = ?",
            &claim.import,
        )
        .clause(" and epoch = ?", claim.epoch)
}

fn place<'a>(agent: &'a AgentName, id: &'a ImportId) -> Place<'a> {
    Place::new("imports.sealed", agent.as_str(), id.as_str())
}

fn row_name(id: &ImportId, number: i64) -> String {
    format!("{id}/{number}")
}

fn row_place<'a>(agent: &'a AgentName, row: &'a str) -> Place<'a> {
    Place::new("import_rows.sealed", agent.as_str(), row)
}

fn origin_place<'a>(agent: &'a AgentName, row: &'a str) -> Place<'a> {
    Place::new("import_rows.origin", agent.as_str(), row)
}
