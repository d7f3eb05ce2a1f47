//! What can go wrong in the store.

use domain::id::{CandidateId, MemoryId};

/// The result of a store method.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a store method failed. `Display` holds neither SQL nor values.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused or could not be reached.
    #[error("the database failed: {}", kind_of(.0))]
    Database(#[source] sqlx::Error),
    /// The tables could not be brought up to date.
    #[error("the migration failed")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// The master key is not the one that this database was made with.
    #[error("the master key does not open this database")]
    WrongMasterKey,
    /// A guarded write found another version than the one that was seen.
    #[error("changed meanwhile")]
    Stale,
    /// Another worker has the job by now.
    #[error("another worker has claimed the job")]
    LostClaim,
    /// Something unique is taken: a name, an address.
    #[error("taken already")]
    Exists,
    /// Another approved memory holds the same slot.
    #[error("{0} holds this slot")]
    SlotTaken(MemoryId),
    /// Another candidate that says the same waits.
    #[error("{0} says the same and waits")]
    StillWaiting(CandidateId),
    /// The agent is outside the scope of the transaction.
    #[error("outside the scope of the caller")]
    OutOfScope,
    /// What an import brought is not what the chain tells.
    #[error("no event tells of it")]
    Untold,
    /// The user's key is gone; what it sealed cannot be read.
    #[error("erased")]
    Erased,
    /// The cursor of a page is one of another list.
    #[error("a cursor of another list")]
    Cursor,
    /// A row holds what was never written, or was sealed for another place.
    #[error("unreadable row: {0}")]
    Corrupt(&'static str),
    /// The configuration names no database of a kind that is known.
    #[error("a database URL begins with sqlite: or postgres:")]
    UnknownDatabase,
}

impl Error {
    /// Whether the same transaction may succeed when it is tried again: a deadlock, a serialisation failure, a busy file.
    pub fn is_retryable(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else {
            return matches!(self, Self::Database(sqlx::Error::PoolTimedOut));
        };
        // PostgreSQL: serialization_failure, deadlock_detected, lock_not_available, and foreign_key_violation: what was read a moment
        // ago was erased meanwhile, and another try finds that out. SQLite: SQLITE_BUSY and its extended codes.
        matches!(
            error.code().as_deref(),
            Some("40001" | "40P01" | "55P03" | "23503" | "5" | "261" | "517")
        )
    }

    /// Whether the database cannot be reached at all, so that another try makes no sense yet.
    pub fn is_unavailable(&self) -> bool {
        matches!(
            self,
            Self::Database(
                sqlx::Error::Io(_)
                    | sqlx::Error::PoolTimedOut
                    | sqlx::Error::PoolClosed
                    | sqlx::Error::WorkerCrashed
            )
        )
    }

    /// Whether what one row holds cannot be read; the database is well.
    pub(crate) fn is_of_one_row(&self) -> bool {
        matches!(self, Self::Corrupt(_) | Self::Erased)
    }

    /// Whether a unique index refused the row.
    pub(crate) fn is_duplicate(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.is_unique_violation())
    }

    /// Turns the refusal of a unique index into [`Error::Exists`].
    pub(crate) fn taken(self) -> Self {
        if self.is_duplicate() {
            Self::Exists
        } else {
            self
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// A database's own message may quote a row, so only its kind and code are told.
fn kind_of(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => format!(
            "{:?} (code {})",
            error.kind(),
            error.code().as_deref().unwrap_or("none")
        ),
        sqlx::Error::Io(error) => format!("i/o, {}", error.kind()),
        sqlx::Error::PoolTimedOut => "no free connection in time".to_owned(),
        sqlx::Error::PoolClosed => "closed".to_owned(),
        sqlx::Error::RowNotFound => "row not found".to_owned(),
        sqlx::Error::ColumnDecode { index, .. } => format!("column {index} cannot be read"),
        sqlx::Error::Configuration(_) => "the configuration is not usable".to_owned(),
        sqlx::Error::Tls(_) => "tls".to_owned(),
        _ => "unexpected answer".to_owned(),
    }
}
