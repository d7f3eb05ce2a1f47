//! The rule against NUL: no page asks for it and no form sends it, and PostgreSQL takes none in a text.

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{StatusCode, header},
    middleware::Next,
    response::Response,
};

use super::BODY_LIMIT;
use crate::page_error::PageError;

/// Refuses a query or a form that holds NUL. A file is looked at by who reads it: it is not urlencoded, and may be larger.
pub async fn no_nul(request: Request, next: Next) -> Result<Response, PageError> {
    let query = request.uri().query().unwrap_or_default();
    if holds_nul(query.as_bytes()) {
        return Err(PageError::of_status(StatusCode::UNPROCESSABLE_ENTITY));
    }
    if uploads(&request) {
        return Ok(next.run(request).await);
    }
    let (parts, body) = request.into_parts();
    let form = to_bytes(body, BODY_LIMIT)
        .await
        .map_err(|_| PageError::of_status(StatusCode::PAYLOAD_TOO_LARGE))?;
    if holds_nul(&form) {
        return Err(PageError::of_status(StatusCode::UNPROCESSABLE_ENTITY));
    }
    Ok(next.run(Request::from_parts(parts, Body::from(form))).await)
}

/// Whether a form brings a file along.
pub fn uploads(request: &Request) -> bool {
    const KIND: &str = "multipart/form-data";
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()?.get(..KIND.len()));
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case(KIND))
}

/// Whether something urlencoded holds NUL, written out or as it is.
fn holds_nul(encoded: &[u8]) -> bool {
    encoded.contains(&0) || encoded.windows(3).any(|three| three == b"%00")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_is_seen_in_both_spellings_and_nothing_else_is_taken_for_it() {
        assert!(holds_nul(b"kind=%00") && holds_nul(b"kind=a\0"));
        for plain in [&b""[..], b"kind=fact", b"q=%2500", b"q=100%25", b"q=00"] {
            assert!(!holds_nul(plain));
        }
    }
}
