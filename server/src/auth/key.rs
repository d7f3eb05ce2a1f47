//! Reads the key of a request, before anything else is looked at.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use domain::{key::ApiKey, permission::Actor};

use crate::{http::request, problem::Problem, state::AppState};

/// Resolves the key, counts the request against its limit, and leaves the [`Actor`] in the request's extensions. A request without
/// a key goes on: what needs one says so by its `Caller`.
///
/// # Errors
/// 401 for a header that holds no key, and for a key that is unknown, expired or revoked, without telling which; 429 over the limit.
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
    let route = request::route(&request);
    // A panic is answered in here, so that its answer tells as well what is left for the key.
    let mut response = request::caught(&route, next.run(request)).await;
    allowance.write(response.headers_mut());
    Ok(response)
}

/// Refuses whoever sent no key, where there is nothing for them: goes inside of [`authenticate`].
///
/// # Errors
/// 401.
pub async fn require_key(request: Request, next: Next) -> Result<Response, Problem> {
    if request.extensions().get::<Actor>().is_none() {
        return Err(no_key());
    }
    Ok(next.run(request).await)
}

/// 401 for a key that is unknown, expired or revoked, without telling which.
fn unauthorized() -> Problem {
    refused("This key is not valid: it is unknown, has expired or was revoked.")
}

/// 401 where no key came at all.
pub(super) fn no_key() -> Problem {
    refused("Send a key: Authorization: Bearer keep_live_…")
}

fn refused(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
        .with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

fn bearer(headers: &HeaderMap) -> Result<Option<ApiKey>, Problem> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let (scheme, key) = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .ok_or_else(no_key)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(no_key());
    }
    ApiKey::parse(key.trim()).map(Some).ok_or_else(unauthorized)
}
