//! The rows of an upload: what a look at each found, what it became, and which candidate was which row.

use domain::{
    Timestamp,
    agent::AgentName,
    id::{CandidateId, ImportId, UserId},
    import::{ImportMapping, RowState},
    user::Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Import, ImportClaim, ImportHead, place, readable};
use crate::{
    Cursor, Error, Listed, Page, Result, Tx,
    column::{at_opt, parsed, parsed_opt},
    seal::Place,
    statement::{ScopeColumn, sql},
};

/// Rows that one statement writes.
const ROWS: usize = 200;

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

#[derive(sqlx::FromRow)]
pub(super) struct RowRow {
    number: i64,
    state: String,
    field: Option<String>,
    code: Option<String>,
    sealed: Option<Vec<u8>>,
    candidate_id: Option<String>,
}

pub(super) const IMPORT_ROWS: &str = "
    select number, state, field, code, sealed, candidate_id
    from import_rows
    where import_id = $1";

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

    pub(super) async fn insert_import_rows(
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
            sql(SQL)
                .rows(some, |statement, row| {
                    let CheckedRow {
                        state,
                        fault,
                        scope,
                        source,
                    } = &row.checked;
                    let lookup = scope.as_ref().map(|scope| self.user_lookup(agent, scope));
                    let name = row_name(id, row.number);
                    let sealed = row.record.as_ref().map(|record| {
                        key.seal_json(row_place(agent, &name), record, self.entropy())
                    });
                    statement
                        .clause("(?", id)
                        .clause(", ?", row.number)
                        .clause(", ?", agent)
                        .clause(", ?", state.as_str())
                        .clause(", ?", fault.map(|(field, _)| field))
                        .clause(", ?", fault.map(|(_, code)| code))
                        .clause(", ?", lookup)
                        .clause(", ?", source.clone())
                        .clause(", ?)", sealed)
                })
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
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

    pub(super) async fn import_rows_of(
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
            .scope(ScopeColumn::Plain, self.scope())
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

    /// Whether a row is about this user still, as the last look at it found.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn row_is_about(
        &mut self,
        import: &Import,
        number: i64,
        scope: &Scope,
    ) -> Result<bool> {
        const SQL: &str = "
            select number
            from import_rows
            where import_id = $1 and number = $2 and lookup = $3";
        self.inside(&import.agent)?;
        let lookup = self.user_lookup(&import.agent, scope);
        let row: Option<(i64,)> = sql(SQL)
            .bind(&import.id)
            .bind(number)
            .bind(lookup)
            .optional(&mut self.conn)
            .await?;
        Ok(row.is_some())
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
        self.hold_work(claim, until).await?;
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
            let name = row_name(&claim.id, number);
            let sealed = key.seal_json(origin_place(agent, &name), from, self.entropy());
            (user, candidate, said_at, origin) = (Some(of), Some(id), *at, Some(sealed));
        }
        let settled = sql(SQL)
            .bind(state.as_str())
            .bind(fault.map(|(field, _)| field))
            .bind(fault.map(|(_, code)| code))
            .bind(user)
            .bind(candidate)
            .bind(said_at)
            .bind(origin)
            .bind(&claim.id)
            .bind(number)
            .bind(agent);
        self.still_ours(settled).await
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
}

pub(super) fn row_name(id: &ImportId, number: i64) -> String {
    format!("{id}/{number}")
}

pub(super) fn row_place<'a>(agent: &'a AgentName, row: &'a str) -> Place<'a> {
    Place::new("import_rows.sealed", agent.as_str(), row)
}

fn origin_place<'a>(agent: &'a AgentName, row: &'a str) -> Place<'a> {
    Place::new("import_rows.origin", agent.as_str(), row)
}
