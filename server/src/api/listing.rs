//! Lists: `{data, next}` with an opaque cursor.

use engine::{List, Page};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;

/// The most rows of one answer.
const MOST: u32 = 200;

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Listed<T> {
    /// The rows.
    data: Vec<T>,
    /// The `cursor` of the next page; null on the last.
    next: Option<String>,
}

impl<T> From<List<T>> for Listed<T> {
    fn from(list: List<T>) -> Self {
        Self {
            data: list.data,
            next: list.next,
        }
    }
}

impl<T> From<Vec<T>> for Listed<T> {
    fn from(data: Vec<T>) -> Self {
        Self { data, next: None }
    }
}

/// The page that was asked for.
///
/// # Errors
/// 422 for a limit out of range.
pub fn page(cursor: Option<String>, limit: Option<u32>) -> Result<Page, Problem> {
    let asked = Page::default();
    let limit = limit.unwrap_or(asked.limit);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::invalid("/limit", "range", format!("1 to {MOST}")));
    }
    Ok(Page { cursor, limit })
}
