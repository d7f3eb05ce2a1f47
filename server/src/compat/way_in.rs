//! What every call of a surface goes through, whoever's language it speaks.

use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::Response,
};

use crate::{auth, http::request, problem::Problem, state::AppState};

/// Where a surface's clients put their key; `None` where it is a bearer as everywhere, or is none.
pub type KeyOf = fn(&HeaderMap) -> Option<&str>;

/// Calls of whoever has a key; any other path is answered with `not_offered`.
pub fn of_callers(
    calls: Router<AppState>,
    app: &AppState,
    key_of: KeyOf,
    not_offered: &'static str,
) -> Router<AppState> {
    calls
        .fallback(
            move || async move { Problem::new(StatusCode::NOT_FOUND, "not_found", not_offered) },
        )
        .layer(middleware::from_fn(request::to_its_end))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            auth::authenticate,
        ))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            as_bearer(key_of, request, next)
        }))
        .layer(middleware::from_fn(request::only_problems))
}

async fn as_bearer(key_of: KeyOf, mut request: Request, next: Next) -> Response {
    let key = key_of(request.headers()).and_then(bearer);
    if let Some(key) = key {
        request.headers_mut().insert(header::AUTHORIZATION, key);
    }
    next.run(request).await
}

fn bearer(key: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}
