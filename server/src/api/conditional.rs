//! `ETag` and `If-Match`: a write says which version it has seen.

use axum::{
    Json,
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use engine::Version;
use serde::Serialize;

use crate::{problem::Problem, state::AppState};

/// `If-Match`, where it may be left out.
pub struct IfMatch(pub Option<Version>);

/// `If-Match`, where it may not: 428.
pub struct MustMatch(pub Version);

impl FromRequestParts<AppState> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        if_match(&parts.headers).map(Self)
    }
}

impl FromRequestParts<AppState> for MustMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        if_match(&parts.headers)?.map(Self).ok_or_else(|| {
            Problem::new(
                StatusCode::PRECONDITION_REQUIRED,
                "precondition_required",
                "Send If-Match with the revision you have seen, or * for the newest.",
            )
        })
    }
}

/// How the description names `If-Match` where it may be left out.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Header)]
pub struct IfMatchHeader {
    /// The version that was seen, as `ETag` gave it, or `*`.
    #[param(rename = "If-Match")]
    #[expect(dead_code, reason = "only described; read as a header")]
    if_match: Option<String>,
}

fn if_match(headers: &HeaderMap) -> Result<Option<Version>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(Some(Version::Any));
    }
    let number = text.strip_prefix("W/").unwrap_or(text).trim_matches('"');
    match number.parse() {
        Ok(version) if version > 0 => Ok(Some(Version::Is(version))),
        _ => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "invalid",
            "If-Match is * or one version, as ETag gave it.",
        )),
    }
}

/// JSON with an `ETag`.
pub fn versioned<T: Serialize>(status: StatusCode, version: i64, value: &T) -> Response {
    let mut response = (status, Json(value)).into_response();
    let etag = HeaderValue::from_str(&format!("\"{version}\"")).expect("digits");
    response.headers_mut().insert(header::ETAG, etag);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Option<Version>> {
        let headers = HeaderMap::from_iter([(header::IF_MATCH, text.parse().unwrap())]);
        if_match(&headers).ok()
    }

    #[test]
    fn a_star_and_one_version_are_read_and_the_rest_is_refused() {
        assert!(matches!(read("*"), Some(Some(Version::Any))));
        for three in ["\"3\"", "W/\"3\"", "3"] {
            assert!(matches!(read(three), Some(Some(Version::Is(3)))), "{three}");
        }
        for wrong in [
            "\"3\", \"4\"",
            "",
            "\"x\"",
            "-1",
            "0",
            "99999999999999999999",
        ] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
        assert!(matches!(if_match(&HeaderMap::new()), Ok(None)));
    }
}
