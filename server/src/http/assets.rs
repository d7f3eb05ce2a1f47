//! The files the browser loads: style sheet, script, wasm. A release binary holds them; a debug build reads them from
//! `target/site`, so that `cargo xtask site` shows without a rebuild.

use axum::{
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../target/site"]
#[allow_missing = true]
struct Site;

/// Answers `/pkg/…` and `/assets/…`.
pub async fn file(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let Some(file) = Site::get(path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let etag = format!(
        "\"{}\"",
        &domain::audit::hex(&file.metadata.sha256_hash())[..32]
    );
    let known = request
        .headers()
        .get(header::IF_NONE_MATCH)
        .and_then(|tags| tags.to_str().ok())
        // A proxy or the compression may have marked it weak.
        .is_some_and(|tags| {
            tags.split(',')
                .any(|tag| tag.trim().trim_start_matches("W/") == etag)
        });
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        file.data.into_owned().into_response()
    };
    let headers = response.headers_mut();
    let kind = HeaderValue::from_str(file.metadata.mimetype());
    headers.insert(
        header::CONTENT_TYPE,
        kind.unwrap_or(HeaderValue::from_static("application/octet-stream")),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}
