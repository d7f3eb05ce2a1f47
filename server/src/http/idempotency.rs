//! `Idempotency-Key`: the same POST sent twice is done once, and answered twice with the same words.
//!
//! Only what succeeded is remembered: a refused call changed nothing and may be tried again.

use axum::{
    body::{Body, to_bytes},
    extract::FromRequestParts,
    http::{HeaderName, HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use domain::permission::Permit;
use engine::Begun;

use crate::{problem::Problem, state::AppState};

/// The header.
const KEY: &str = "idempotency-key";

/// The longest key.
const MAX_KEY: usize = 255;

/// The headers of an answer that are given again.
const KEPT: &[HeaderName] = &[header::CONTENT_TYPE, header::LOCATION, header::ETAG];

/// What a POST brought along to be done once.
pub struct Once {
    app: AppState,
    key: Option<String>,
    /// Method, path and query: the ids in them belong to what is asked just as the body does.
    asked: String,
}

/// How the description names it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Header)]
pub struct OnceHeader {
    /// Sent twice within 24 hours, the same request is done once.
    #[param(rename = "Idempotency-Key")]
    #[expect(dead_code, reason = "only described; read as a header")]
    idempotency_key: Option<String>,
}

/// A POST whose answer holds a secret that is shown once. To give that answer again it would have to be kept, so an `Idempotency-Key` is
/// refused; passed over, it would promise what is not done.
pub struct ShownOnce;

impl FromRequestParts<AppState> for ShownOnce {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        if parts.headers.contains_key(KEY) {
            return Err(Problem::new(
                StatusCode::BAD_REQUEST,
                "idempotency_not_kept",
                "This answer holds a secret that is shown once and not kept, so it cannot be given again: send the request without \
                 Idempotency-Key.",
            ));
        }
        Ok(Self)
    }
}

impl FromRequestParts<AppState> for Once {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let wrong = || {
            Problem::new(
                StatusCode::BAD_REQUEST,
                "invalid",
                format!("Idempotency-Key has 1 to {MAX_KEY} visible ASCII characters."),
            )
        };
        let key = match parts.headers.get(KEY) {
            None => None,
            Some(key) => {
                let key = key.to_str().map_err(|_| wrong())?.trim();
                if key.is_empty() || key.len() > MAX_KEY {
                    return Err(wrong());
                }
                Some(key.to_owned())
            }
        };
        Ok(Self {
            app: app.clone(),
            key,
            asked: format!("{} {}", parts.method, parts.uri),
        })
    }
}

impl Once {
    /// Does `work`, or answers what it answered before. `body` is what was sent, as it was sent.
    ///
    /// # Errors
    /// 409 while the first one runs; 410 where its answer went with somebody who was erased; 422 for another body; what `work` refuses.
    pub async fn run(
        self,
        permit: &Permit,
        body: &[u8],
        work: impl Future<Output = Result<Response, Problem>>,
    ) -> Result<Response, Problem> {
        let Some(key) = &self.key else {
            return work.await;
        };
        let engine = &self.app.engine;
        let begun = engine
            .begin_idempotent(permit, &self.asked, key, body)
            .await?;
        let ticket = match begun {
            Begun::New(ticket) => ticket,
            Begun::Replay {
                status,
                headers,
                body,
            } => return Ok(replay(status, headers, body)),
            Begun::InFlight => {
                return Err(Problem::new(
                    StatusCode::CONFLICT,
                    "idempotency_in_flight",
                    "The first request with this Idempotency-Key is not done yet.",
                ));
            }
            Begun::Gone => {
                return Err(Problem::new(
                    StatusCode::GONE,
                    "idempotency_gone",
                    "The first request with this Idempotency-Key was taken. Its answer is gone, because somebody was erased since.",
                ));
            }
            Begun::OtherBody => {
                return Err(Problem::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "idempotency_mismatch",
                    "This Idempotency-Key was used with another request.",
                ));
            }
        };
        match work.await {
            Ok(response) if response.status().is_success() => {
                let (parts, body) = response.into_parts();
                let bytes = to_bytes(body, usize::MAX)
                    .await
                    .map_err(|_| Problem::internal())?;
                let kept: Vec<(String, String)> = KEPT
                    .iter()
                    .filter_map(|name| {
                        let value = parts.headers.get(name)?.to_str().ok()?;
                        Some((name.to_string(), value.to_owned()))
                    })
                    .collect();
                let status = parts.status.as_u16();
                engine
                    .end_idempotent(&ticket, status, &kept, &bytes)
                    .await?;
                Ok(Response::from_parts(parts, Body::from(bytes)))
            }
            refused => {
                engine.release_idempotent(&ticket).await?;
                refused
            }
        }
    }
}

fn replay(status: u16, kept: Vec<(String, String)>, body: Vec<u8>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    for (name, value) in kept {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse()) {
            headers.insert(name, value);
        }
    }
    headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    response
}
