//! Where the two databases must differ, side by side, with the reason.

/// Which database a statement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Locks the rows read until the transaction ends. `no key` leaves foreign keys to them free. SQLite has one writer, which
    /// `begin immediate` made us.
    pub(crate) fn for_update(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " for no key update",
        }
    }

    /// The same, passing over rows that another worker has locked, so that workers do not queue up behind one job.
    pub(crate) fn skip_locked(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " for update of j skip locked",
        }
    }

    /// Begins a write. A deferred transaction of SQLite fails when it turns from reader to writer while another writes (measured:
    /// 323 of 400).
    pub(crate) fn begin_write(self) -> &'static str {
        match self {
            Self::Sqlite => "begin immediate",
            Self::Postgres => "begin",
        }
    }

    /// Begins a read that sees one state of the database throughout.
    pub(crate) fn begin_read(self) -> &'static str {
        match self {
            Self::Sqlite => "begin",
            Self::Postgres => "begin isolation level repeatable read read only",
        }
    }
}

/// Tells the workers of other processes that a job waits. PostgreSQL only: a SQLite file has one process, which is told in memory.
/// Sent after the commit and outside of it: `notify` inside a transaction takes a lock that all committers share.
pub(crate) const NOTIFY_JOBS: &str = "select pg_notify('keepsake_jobs', '')";

/// The channel of [`NOTIFY_JOBS`].
pub(crate) const JOBS_CHANNEL: &str = "keepsake_jobs";

/// Tells the desks of other processes that something happened, which they then read in the chains. As [`NOTIFY_JOBS`].
pub(crate) const NOTIFY_HAPPENINGS: &str = "select pg_notify('keepsake_happenings', '')";

/// The channel of [`NOTIFY_HAPPENINGS`].
pub(crate) const HAPPENINGS_CHANNEL: &str = "keepsake_happenings";
