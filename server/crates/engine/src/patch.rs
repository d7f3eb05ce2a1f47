//! Changes in which what is absent stays and `null` empties.

use serde::{Deserialize, Deserializer};

/// Reads a field that may be absent, `null` or a value; with `#[serde(default)]`, absent is `None` and `null` is `Some(None)`.
///
/// # Errors
/// A value of another type.
pub fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}
