//! Pages of memories by a token.

use domain::permission::Permit;
use engine::{FieldError, List, MemoryFilter, MemoryView, Page};

use super::filter::Filter;
use crate::{api::subject::field, compat::place::placed, problem::Problem, state::AppState};

/// The most memories that one call looks at.
const MOST_LOOKED_AT: u32 = 2_000;

/// How many rows were asked for: as many as usual where nothing is said, and never more than the most.
///
/// # Errors
/// Fewer than none.
pub fn size(asked: Option<i64>, usual: u32, most: u32, at: &str) -> Result<u32, FieldError> {
    match asked.unwrap_or_default() {
        0 => Ok(usual),
        asked @ 1.. => Ok(u32::try_from(asked).unwrap_or(most).min(most)),
        _ => Err(field(at, "range", format!("1 to {most}"))),
    }
}

/// The next memories that a filter lets through, newest first: fewer than asked for, or none, where there are no more or where as many
/// were looked at as one call may. `token` is where the page began.
///
/// # Errors
/// As [`Engine::memories`](engine::Engine::memories); `at` is the name of the token in the call.
pub async fn next(
    app: &AppState,
    reads: &Permit,
    wanted: &MemoryFilter,
    (token, size): (Option<String>, u32),
    filter: &Filter,
    at: &str,
) -> Result<List<MemoryView>, Problem> {
    let mut page = Page {
        cursor: token.filter(|token| !token.is_empty()),
        limit: if filter.is_open() { size } else { Page::MOST },
    };
    let (mut found, mut looked_at) = (Vec::new(), 0);
    loop {
        let list = app.engine.memories(reads, wanted, &page).await;
        let list = list.map_err(|error| placed(error, &[("/cursor", at)]))?;
        looked_at += page.limit;
        found.extend(list.data.into_iter().filter(|memory| filter.holds(memory)));
        match ended(found, size, looked_at, list.next, MemoryView::cursor) {
            Ok(list) => return Ok(list),
            Err((so_far, next)) => {
                found = so_far;
                page.cursor = Some(next);
            }
        }
    }
}

/// The page, as soon as it is full or must end; else what it holds so far, and where to look on. `next` is where the list goes on
/// behind all that was looked at.
fn ended<T>(
    mut found: Vec<T>,
    size: u32,
    looked_at: u32,
    next: Option<String>,
    cursor: impl Fn(&T) -> String,
) -> Result<List<T>, (Vec<T>, String)> {
    let size = size as usize;
    match next {
        next if found.len() > size || (found.len() == size && next.is_some()) => {
            found.truncate(size);
            let next = found.last().map(cursor);
            Ok(List { data: found, next })
        }
        Some(next) if looked_at < MOST_LOOKED_AT => Err((found, next)),
        next => Ok(List { data: found, next }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_bounded_and_never_negative() {
        for (asked, told) in [(None, 3), (Some(0), 3), (Some(7), 7), (Some(i64::MAX), 100)] {
            assert_eq!(size(asked, 3, 100, "/pageSize"), Ok(told));
        }
        assert_eq!(
            size(Some(-1), 3, 100, "/pageSize").unwrap_err().pointer,
            "/pageSize"
        );
    }

    #[test]
    fn a_page_ends_where_it_is_full_and_goes_on_behind_its_last_row() {
        let page = |found: &[u32], looked_at, next: Option<&str>| {
            let cursor = |row: &u32| format!("behind {row}");
            ended(
                found.to_vec(),
                2,
                looked_at,
                next.map(str::to_owned),
                cursor,
            )
            .map(|list| (list.data, list.next))
        };
        let end = "the end of what was looked at".to_owned();
        let next = Some(end.as_str());
        let behind = Some("behind 8".to_owned());
        assert_eq!(
            page(&[9, 8, 7], 200, next),
            Ok((vec![9, 8], behind.clone()))
        );
        assert_eq!(
            page(&[9, 8, 7], 200, None),
            Ok((vec![9, 8], behind.clone()))
        );
        assert_eq!(page(&[9, 8], 200, next), Ok((vec![9, 8], behind)));
        assert_eq!(page(&[9, 8], 200, None), Ok((vec![9, 8], None)));
        assert_eq!(page(&[9], 200, None), Ok((vec![9], None)));
        assert_eq!(
            page(&[9], 200, next),
            Err((vec![9], end.clone())),
            "looks on"
        );
        let most = MOST_LOOKED_AT;
        assert_eq!(
            page(&[], most, next),
            Ok((vec![], Some(end))),
            "none, and a token"
        );
    }
}
