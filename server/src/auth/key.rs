//! Reads the key of a request, before anything else is looked at.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use domain::{key::ApiKey, permission::Actor};

use crate::{problem::Problem, state::AppState};

/// Resolves the key, counts the request against its limit, and leaves the [`Actor`] in the request's extensions. A request without
/// a key goes on: what needs one says so by its `Caller`.
///
/// # Errors
/// 401 for a key that is malformed, unknown, expired or revoked, without telling which; 429 over the limit.
pub async fn authenticate(
    State(app): State<AppState>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let Some(key) = bearer(request.headers())? else {
        return Ok(next.run(request).await);
    };
    let actor = app.engine.caller(&key).await?.ok_or_else(unauthorized)?;
    let bucket = match &actor {
        Actor::Key { id, .. } | Actor::PersonKey { key: id, .. } => id.as_str(),
        Actor::Person { .. } | Actor::System => return Err(unauthorized()),
    };
    let allowance = app.limiter().take(bucket)?;
    request.extensions_mut().insert(actor);
    let mut response = next.run(request).await;
    allowance.write(response.headers_mut());
    Ok(response)
}

/// 401, the same for every reason.
pub(super) fn unauthorized() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "unauthorized",
        "Send a valid key: Authorization: Bearer keep_live_…",
    )
    .with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

fn bearer(headers: &HeaderMap) -> Result<Option<ApiKey>, Problem> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let key = value.to_str().ok().and_then(|text| {
        let (scheme, key) = text.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then(|| ApiKey::parse(key.trim()))?
    });
    key.map(Some).ok_or_else(unauthorized)
}
