//! Time in Keepsake: UTC with microseconds.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};

/// An instant in UTC. Both databases keep microseconds, so [`micros`] truncates whatever is finer before it is used.
pub type Timestamp = DateTime<Utc>;

/// How long a span lasts.
pub type Span = TimeDelta;

/// Drops what is finer than a microsecond: PostgreSQL would drop it anyway, and a value must read back as it was written.
pub fn micros(at: Timestamp) -> Timestamp {
    at.trunc_subsecs(6)
}

/// RFC 3339 in UTC with a `Z`, as every outward JSON has it.
pub fn rfc3339(at: Timestamp) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
}
