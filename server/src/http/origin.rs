//! The origin rule: a form of another site cannot act in a person's name.
//!
//! A browser says with `Sec-Fetch-Site` where a request comes from; an old one says it with `Origin`. Whoever says neither is
//! refused. This holds for every unsafe request to a page, with or without a cookie, so that nobody can be signed in by another site
//! either. The REST API takes no cookies and needs no such rule.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::Response,
};

use crate::{page_error::PageError, state::AppState};

/// Refuses unsafe requests of other origins.
pub async fn same_origin(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> Result<Response, PageError> {
    if request.method().is_safe() || ours(request.headers(), &app.public_url().origin()) {
        Ok(next.run(request).await)
    } else {
        Err(PageError::of_status(StatusCode::FORBIDDEN))
    }
}

fn ours(headers: &HeaderMap, origin: &str) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("sec-fetch-site") {
        Some(site) => matches!(site, "same-origin" | "none"),
        None => text(header::ORIGIN.as_str()) == Some(origin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(pairs: &[(&'static str, &'static str)]) -> bool {
        let headers = pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        ours(&headers, "http://127.0.0.1:3000")
    }

    #[test]
    fn only_our_own_pages_may_send_forms() {
        assert!(says(&[("sec-fetch-site", "same-origin")]));
        assert!(says(&[("origin", "http://127.0.0.1:3000")]));
        for foreign in [
            &[
                ("sec-fetch-site", "cross-site"),
                ("origin", "http://127.0.0.1:3000"),
            ][..],
            &[("sec-fetch-site", "same-site")],
            &[("origin", "http://127.0.0.1:3001")],
            &[("origin", "null")],
            &[],
        ] {
            assert!(!says(foreign), "{foreign:?}");
        }
    }
}
