//! From the columns of a row to the types of `domain`, and back.

use std::str::FromStr;

use chrono::DateTime;
use domain::Timestamp;

use crate::{Error, Result};

/// Microseconds since 1970, as the tables keep time.
pub(crate) fn us(at: Timestamp) -> i64 {
    at.timestamp_micros()
}

/// A span in microseconds.
pub(crate) fn span_us(span: domain::time::Span) -> i64 {
    span.num_microseconds().unwrap_or(i64::MAX / 4)
}

/// A time out of a column.
pub(crate) fn at(us: i64) -> Result<Timestamp> {
    DateTime::from_timestamp_micros(us).ok_or(Error::Corrupt("time"))
}

/// A time out of a column that may be null.
pub(crate) fn at_opt(us: Option<i64>) -> Result<Option<Timestamp>> {
    us.map(at).transpose()
}

/// An identifier, a name or a word out of a column.
pub(crate) fn parsed<T: FromStr>(text: &str) -> Result<T> {
    T::from_str(text).map_err(|_| Error::Corrupt("word"))
}

/// The same out of a column that may be null.
pub(crate) fn parsed_opt<T: FromStr>(text: Option<&str>) -> Result<Option<T>> {
    text.map(parsed).transpose()
}

/// JSON out of a text column.
pub(crate) fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| Error::Corrupt("json"))
}

/// JSON for a text column.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("our own types are JSON")
}

/// RFC 8785, which is what a commitment is made over.
pub(crate) fn canonical<T: serde::Serialize>(value: &T) -> String {
    serde_json_canonicalizer::to_string(value).expect("our own types are JSON")
}

/// A score in thousandths, as events have it.
pub(crate) fn thousandths(score: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a score is between 0 and 1"
    )]
    let whole = (score * 1000.0).round() as i64;
    whole
}
