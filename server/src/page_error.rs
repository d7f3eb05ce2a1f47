//! What a page answers when it cannot be shown.

use axum::{
    http::{StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
};
use domain::permission::Permission;
use engine::EngineError;

use crate::http::request::current_id;

/// Left in the answer of an error, so that `pages::dress` draws it in the reader's language.
#[derive(Debug, Clone, Copy)]
pub struct Refused {
    /// The status.
    pub status: StatusCode,
    /// The permission that the person lacks, where that is why.
    pub lacks: Option<Permission>,
}

/// Left in the answer to a form that came without a session, so that `pages::keep` keeps what was typed.
#[derive(Debug, Clone, Copy)]
pub struct SessionOver;

/// A refusal or failure of a page.
#[derive(Debug)]
pub enum PageError {
    /// Nobody is signed in; afterwards the person comes back to this path.
    SignIn(Option<String>),
    /// The person signed in lacks a permission.
    Lacks(Permission),
    /// The engine said no.
    Engine(EngineError),
    /// A bare status.
    Status(StatusCode),
}

impl PageError {
    /// To `/login`, and back.
    pub fn sign_in(back: Option<&str>) -> Self {
        Self::SignIn(back.map(str::to_owned))
    }

    /// A page that only says the status.
    pub fn of_status(status: StatusCode) -> Self {
        Self::Status(status)
    }

    /// 500.
    pub fn internal() -> Self {
        Self::Status(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl From<EngineError> for PageError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<tower_sessions::session::Error> for PageError {
    fn from(error: tower_sessions::session::Error) -> Self {
        tracing::error!(request_id = current_id(), error = %error, "a session could not be read or written");
        Self::internal()
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let lacks = match &self {
            Self::Lacks(permission) => Some(*permission),
            _ => None,
        };
        let status = match self {
            Self::SignIn(None) => {
                let mut response = Redirect::to("/login").into_response();
                response.extensions_mut().insert(SessionOver);
                return response;
            }
            Self::SignIn(Some(path)) => {
                let next: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
                return Redirect::to(&format!("/login?next={next}")).into_response();
            }
            Self::Status(status) => status,
            Self::Lacks(_) => StatusCode::FORBIDDEN,
            Self::Engine(error) => {
                let status = StatusCode::from_u16(error.status());
                let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                if status.is_server_error() {
                    crate::problem::failed_inside(&error);
                }
                status
            }
        };
        let mut response = plain(status);
        response.extensions_mut().insert(Refused { status, lacks });
        response
    }
}

/// A page without engine, session or language: it must be drawable when everything else is broken.
fn plain(status: StatusCode) -> Response {
    let reason = status.canonical_reason().unwrap_or("Error");
    let number = status.as_u16();
    let id = current_id();
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{number} {reason}</title><link rel=\"stylesheet\" href=\"/assets/keepsake.css\"></head>\
         <body class=\"plain\"><main><h1>{number} {reason}</h1><p><a href=\"/\">Keepsake</a></p><p><code>{id}</code></p></main></body></html>"
    );
    (status, [(header::CACHE_CONTROL, "no-store")], Html(page)).into_response()
}
