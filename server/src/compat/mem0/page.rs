//! Pages by number, as mem0 has them, of what one user has.

use axum::http::Uri;
use serde::Serialize;
use url::form_urlencoded;

use crate::problem::Problem;

/// The most rows of a page.
pub const MOST: usize = 200;
/// How many there are unless told otherwise.
const USUAL: usize = 100;

/// One page.
#[derive(Debug, Serialize)]
pub struct Paged<T> {
    /// All that match.
    count: usize,
    /// Where the next page is; null on the last.
    next: Option<String>,
    previous: Option<String>,
    results: Vec<T>,
    /// What of the call was not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl<T> Paged<T> {
    /// Cuts page `number` (from 1) of `size` rows out of all; `uri` is where it was asked for.
    ///
    /// # Errors
    /// 422 for a number or a size out of range.
    pub fn cut(
        all: Vec<T>,
        (number, size): (Option<usize>, Option<usize>),
        uri: &Uri,
        warnings: Vec<String>,
    ) -> Result<Self, Problem> {
        let (number, size) = (number.unwrap_or(1), size.unwrap_or(USUAL));
        if number == 0 {
            return Err(Problem::invalid("/page", "range", "pages count from 1"));
        }
        if !(1..=MOST).contains(&size) {
            let detail = format!("1 to {MOST}");
            return Err(Problem::invalid("/page_size", "range", detail));
        }
        let count = all.len();
        let before = (number - 1).saturating_mul(size);
        Ok(Self {
            count,
            next: (before.saturating_add(size) < count).then(|| link(uri, number + 1, size)),
            previous: (number > 1).then(|| link(uri, number - 1, size)),
            results: all.into_iter().skip(before).take(size).collect(),
            warnings,
        })
    }
}

/// The same question for another page.
fn link(uri: &Uri, number: usize, size: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let asked = uri.query().unwrap_or_default();
    for (name, value) in form_urlencoded::parse(asked.as_bytes()) {
        if !matches!(&*name, "page" | "page_size" | "top_k" | "limit") {
            query.append_pair(&name, &value);
        }
    }
    query.append_pair("page", &number.to_string());
    query.append_pair("page_size", &size.to_string());
    format!("{}?{}", uri.path(), query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: usize, size: usize) -> Paged<i32> {
        let uri = "/compat/mem0/memories?user_id=a%26b&page=9&page_size=1";
        let all = (0..5).collect();
        Paged::cut(
            all,
            (Some(number), Some(size)),
            &uri.parse().unwrap(),
            Vec::new(),
        )
        .unwrap()
    }

    #[test]
    fn every_row_is_on_one_page_and_each_page_leads_to_the_next() {
        let second = page(2, 2);
        assert_eq!((second.count, second.results), (5, vec![2, 3]));
        let link =
            |number| format!("/compat/mem0/memories?user_id=a%26b&page={number}&page_size=2");
        assert_eq!(
            (second.previous, second.next),
            (Some(link(1)), Some(link(3)))
        );
        let last = page(3, 2);
        assert_eq!((last.results, last.next), (vec![4], None));
        let beyond = page(usize::MAX, 200);
        assert_eq!((beyond.results, beyond.next), (vec![], None));
    }
}
