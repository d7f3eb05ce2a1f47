//! Lists in pages: every row can be reached, and stays in its place while others arrive.

use std::fmt;

use crate::{Error, Result};

/// Where a list goes on: the sort key of the last row that was given. Opaque to callers; holds a number and an id, never text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) number: i64,
    pub(crate) id: String,
}

impl Cursor {
    /// Behind the row of this id, in a list that stands in the order of its ids.
    pub fn id(id: impl Into<String>) -> Self {
        Self {
            number: 0,
            id: id.into(),
        }
    }

    /// Reads back what `Display` wrote; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, id) = text.split_once('.')?;
        let shaped = id.len() <= 80
            && id.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-'
            });
        Some(Self {
            number: number.parse().ok()?,
            id: shaped.then(|| id.to_owned())?,
        })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.number, self.id)
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone)]
pub struct Page {
    /// The `next` of the page before; `None`: the first one.
    pub after: Option<Cursor>,
    /// Most rows.
    pub limit: u32,
}

impl Page {
    /// The first `limit` rows.
    pub fn first(limit: u32) -> Self {
        Self { after: None, limit }
    }

    /// Where the page begins, in a list of ids with this prefix.
    ///
    /// # Errors
    /// [`Error::Cursor`] for a cursor of another list.
    pub(crate) fn after(&self, prefix: &str) -> Result<Option<&Cursor>> {
        match &self.after {
            Some(after) if !after.id.starts_with(prefix) => Err(Error::Cursor),
            after => Ok(after.as_ref()),
        }
    }

    /// One row more than asked for, to learn whether there is a next page.
    pub(crate) fn probe(&self) -> i64 {
        i64::from(self.limit) + 1
    }
}

/// A part of a list.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the next part begins; `None`: this was the last.
    pub next: Option<Cursor>,
}

impl<T> Listed<T> {
    /// Cuts the probing row off; `cursor` tells where a row stands.
    pub(crate) fn cut(mut rows: Vec<T>, page: &Page, cursor: impl Fn(&T) -> Cursor) -> Self {
        let more = rows.len() > page.limit as usize;
        rows.truncate(page.limit as usize);
        let next = more.then(|| rows.last().map(cursor)).flatten();
        Self { rows, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nothing_else_does() {
        let cursor = Cursor {
            number: -5,
            id: "cand_0a".into(),
        };
        assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
        for odd in ["", ".", "1", "x.y", "1.' or 1=1", "1.é"] {
            assert_eq!(Cursor::parse(odd), None, "{odd}");
        }
    }
}
