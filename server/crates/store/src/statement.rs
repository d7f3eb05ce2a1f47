//! A statement: static text with bound values, which runs on both databases.
//!
//! A list with optional filters is put together from static clauses, each of which brings its own values. `($1 is null or x = $1)`
//! would be one text for all cases, and a full scan on SQLite (measured: 16-32 ms against 0.12 ms at 100,000 rows).

use std::borrow::Cow;

use domain::agent::AgentScope;
use sqlx::{AssertSqlSafe, FromRow, postgres::PgRow, sqlite::SqliteRow};

use crate::{Result, tx::Conn};

/// A bound value.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(Option<String>),
    Int(Option<i64>),
    Real(f64),
    Bytes(Option<Vec<u8>>),
    Bool(bool),
}

macro_rules! values {
    ($($from:ty => |$it:ident| $value:expr;)*) => {$(
        impl From<$from> for Value { fn from($it: $from) -> Self { $value } }
    )*};
}

values! {
    &str => |it| Self::Text(Some(it.to_owned()));
    String => |it| Self::Text(Some(it));
    Option<String> => |it| Self::Text(it);
    Option<&str> => |it| Self::Text(it.map(str::to_owned));
    i64 => |it| Self::Int(Some(it));
    u32 => |it| Self::Int(Some(i64::from(it)));
    Option<i64> => |it| Self::Int(it);
    f64 => |it| Self::Real(it);
    Vec<u8> => |it| Self::Bytes(Some(it));
    &[u8] => |it| Self::Bytes(Some(it.to_vec()));
    Option<Vec<u8>> => |it| Self::Bytes(it);
    bool => |it| Self::Bool(it);
    domain::Timestamp => |it| Self::Int(Some(it.timestamp_micros()));
    Option<domain::Timestamp> => |it| Self::Int(it.map(|at| at.timestamp_micros()));
    &domain::agent::AgentName => |it| Self::Text(Some(it.as_str().to_owned()));
}

macro_rules! id_values {
    ($($id:ident)*) => {$(
        impl From<&domain::id::$id> for Value {
            fn from(it: &domain::id::$id) -> Self { Self::Text(Some(it.as_str().to_owned())) }
        }
        impl From<Option<&domain::id::$id>> for Value {
            fn from(it: Option<&domain::id::$id>) -> Self { Self::Text(it.map(|id| id.as_str().to_owned())) }
        }
    )*};
}

id_values! { UserId ConversationId MessageId OperationId ExtractionId CandidateId DecisionId MemoryId RevisionId ServingId KeyId PersonId ViewId BulkId ExportId RequestId HoldId JoinId ImportId WebhookId DeliveryId DryRunId }

/// A row that can be read from either database.
pub(crate) trait Readable:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}
impl<T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin> Readable for T {}

/// Binds values to a query of either database: one expression, which the compiler sees twice.
macro_rules! bound {
    ($query:expr, $values:expr) => {{
        let mut query = $query;
        for value in $values {
            query = match value {
                Value::Text(it) => query.bind(it),
                Value::Int(it) => query.bind(it),
                Value::Real(it) => query.bind(it),
                Value::Bytes(it) => query.bind(it),
                Value::Bool(it) => query.bind(it),
            };
        }
        query
    }};
}

/// Static text, and the values it needs, in the order of `$1`, `$2`, ….
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    sql: Cow<'static, str>,
    values: Vec<Value>,
}

/// Begins a statement.
pub(crate) fn sql(text: &'static str) -> Statement {
    Statement {
        sql: Cow::Borrowed(text),
        values: Vec::new(),
    }
}

impl Statement {
    /// The value of the next `$n` of the text so far.
    pub(crate) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Adds text without values.
    pub(crate) fn push(mut self, text: &'static str) -> Self {
        self.sql.to_mut().push_str(text);
        self
    }

    /// Adds a clause with one value, whose place is the only `?` in it.
    pub(crate) fn clause(mut self, text: &'static str, value: impl Into<Value>) -> Self {
        let (before, after) = text.split_once('?').unwrap_or((text, ""));
        self.push_place(before, value.into());
        self.sql.to_mut().push_str(after);
        self
    }

    /// The same, where there is a value.
    pub(crate) fn clause_if<V: Into<Value>>(self, text: &'static str, value: Option<V>) -> Self {
        match value {
            Some(value) => self.clause(text, value),
            None => self,
        }
    }

    /// Adds `before`, a place for each value, and `)`: `before` ends in `in (`. Without a value nothing matches.
    pub(crate) fn clause_in<V: Into<Value>>(
        mut self,
        before: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.sql.to_mut().push_str(before);
        let mut any = false;
        for value in values {
            self.push_place(if any { ", " } else { "" }, value.into());
            any = true;
        }
        self.sql.to_mut().push_str(if any { ")" } else { "null)" });
        self
    }

    /// Adds rows of values with commas between, each put down by `row`: the text before ends in `values `.
    pub(crate) fn rows<T>(
        self,
        rows: impl IntoIterator<Item = T>,
        row: impl Fn(Self, T) -> Self,
    ) -> Self {
        rows.into_iter()
            .enumerate()
            .fold(self, |statement, (index, it)| {
                row(statement.push(if index == 0 { "" } else { ", " }), it)
            })
    }

    /// Binds the agents a caller may see.
    pub(crate) fn scope(self, column: ScopeColumn, scope: &AgentScope) -> Self {
        match scope {
            AgentScope::One(agent) => self.clause(column.one(), agent),
            AgentScope::Some(agents) if agents.len() == 1 => self.clause(column.one(), &agents[0]),
            AgentScope::Some(agents) => self.clause_in(column.some(), agents),
            AgentScope::All => self,
        }
    }

    /// The same for a list that is read along the index of its order until a page is full. Several agents would make the planner
    /// read all of theirs and sort them; a value instead of a column keeps it from that.
    pub(crate) fn scope_along(self, column: ScopeColumn, scope: &AgentScope) -> Self {
        match scope {
            AgentScope::Some(agents) if agents.len() > 1 => {
                self.clause_in(column.some_along(), agents)
            }
            _ => self.scope(column, scope),
        }
    }

    fn push_place(&mut self, before: &'static str, value: Value) {
        self.values.push(value);
        let text = self.sql.to_mut();
        text.push_str(before);
        text.push('$');
        text.push_str(&self.values.len().to_string());
    }

    /// The text, for a test that looks at its plan.
    #[cfg(test)]
    pub(crate) fn text(&self) -> &str {
        &self.sql
    }

    /// Asks the database how it would run this, a line a step.
    #[cfg(test)]
    pub(crate) async fn plan(self, conn: &mut Conn) -> Result<Vec<String>> {
        let Self { sql, values } = self;
        Ok(match conn {
            Conn::Sqlite(tx) => {
                let sql = format!("explain query plan {sql}");
                let rows: Vec<(i64, i64, i64, String)> =
                    bound!(sqlx::query_as(AssertSqlSafe(sql)), values)
                        .fetch_all(&mut **tx)
                        .await?;
                rows.into_iter().map(|(_, _, _, step)| step).collect()
            }
            Conn::Postgres(tx) => {
                let sql = format!("explain {sql}");
                let rows: Vec<(String,)> = bound!(sqlx::query_as(AssertSqlSafe(sql)), values)
                    .fetch_all(&mut **tx)
                    .await?;
                rows.into_iter().map(|(step,)| step).collect()
            }
        })
    }
}

/// The column that holds the agent, by the alias of its table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ScopeColumn {
    Plain,
    Candidate,
    Memory,
    Serving,
    User,
}

impl ScopeColumn {
    fn one(self) -> &'static str {
        match self {
            Self::Plain => " and agent = ?",
            Self::Candidate => " and c.agent = ?",
            Self::Memory => " and m.agent = ?",
            Self::Serving => " and s.agent = ?",
            Self::User => " and u.agent = ?",
        }
    }

    fn some(self) -> &'static str {
        match self {
            Self::Plain => " and agent in (",
            Self::Candidate => " and c.agent in (",
            Self::Memory => " and m.agent in (",
            Self::Serving => " and s.agent in (",
            Self::User => " and u.agent in (",
        }
    }

    fn some_along(self) -> &'static str {
        match self {
            Self::Plain => " and (agent || '') in (",
            Self::Candidate => " and (c.agent || '') in (",
            Self::Memory => " and (m.agent || '') in (",
            Self::Serving => " and (s.agent || '') in (",
            Self::User => " and (u.agent || '') in (",
        }
    }
}

/// Runs one expression on whichever connection is there.
macro_rules! on {
    ($conn:expr, |$it:ident| $body:expr) => {
        match $conn {
            Conn::Sqlite(tx) => {
                let $it = &mut **tx;
                $body
            }
            Conn::Postgres(tx) => {
                let $it = &mut **tx;
                $body
            }
        }
    };
}

impl Statement {
    /// Lets the test of the plans see what is run; nothing else.
    fn recorded(self) -> Self {
        #[cfg(test)]
        crate::plans::record(&self);
        self
    }

    /// All rows.
    pub(crate) async fn all<T: Readable>(self, conn: &mut Conn) -> Result<Vec<T>> {
        let Self { sql, values } = self.recorded();
        Ok(on!(conn, |it| bound!(
            sqlx::query_as::<_, T>(AssertSqlSafe(sql)),
            values
        )
        .fetch_all(it)
        .await)?)
    }

    /// The row, where there is one.
    pub(crate) async fn optional<T: Readable>(self, conn: &mut Conn) -> Result<Option<T>> {
        let Self { sql, values } = self.recorded();
        Ok(on!(conn, |it| bound!(
            sqlx::query_as::<_, T>(AssertSqlSafe(sql)),
            values
        )
        .fetch_optional(it)
        .await)?)
    }

    /// The row.
    pub(crate) async fn one<T: Readable>(self, conn: &mut Conn) -> Result<T> {
        let Self { sql, values } = self.recorded();
        Ok(on!(conn, |it| bound!(
            sqlx::query_as::<_, T>(AssertSqlSafe(sql)),
            values
        )
        .fetch_one(it)
        .await)?)
    }

    /// Runs it; answers how many rows it touched.
    pub(crate) async fn run(self, conn: &mut Conn) -> Result<u64> {
        let Self { sql, values } = self.recorded();
        Ok(on!(conn, |it| bound!(
            sqlx::query(AssertSqlSafe(sql)),
            values
        )
        .execute(it)
        .await
        .map(|done| done.rows_affected()))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::agent::AgentName;

    #[test]
    fn clauses_number_their_places_and_values_stay_out_of_the_text() {
        let scope = AgentScope::Some(vec![
            AgentName::parse("a").unwrap(),
            AgentName::parse("b").unwrap(),
        ]);
        let statement = sql("select id from candidates c where status = $1")
            .bind("pending")
            .scope(ScopeColumn::Candidate, &scope)
            .clause_if(" and kind = ?", Some("'; drop table x"))
            .clause_if(" and language = ?", None::<&str>)
            .clause(" limit ?", 5_i64);
        assert_eq!(
            statement.text(),
            "select id from candidates c where status = $1 and c.agent in ($2, $3) and kind = $4 limit $5"
        );
        assert_eq!(statement.values.len(), 5);
        let rows = sql("insert into t values ").rows([1_i64, 2], |row, number| {
            row.clause("(?", number).clause(", ?)", "x")
        });
        assert_eq!(rows.text(), "insert into t values ($1, $2), ($3, $4)");
        assert_eq!(
            sql("where id")
                .clause_in(" in (", Vec::<&str>::new())
                .text(),
            "where id in (null)"
        );
    }
}
