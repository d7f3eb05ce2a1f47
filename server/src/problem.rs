//! Problem documents (RFC 9457): the one form in which the REST API says no.
//!
//! A problem says what the caller can act on, never SQL, a stack, or what a provider answered; what went wrong inside is logged
//! once, here, under the request's id.

use axum::{
    Json,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use engine::{EngineError, FieldError};
use serde_json::Value;

use crate::http::request::current_id;

/// A problem on its way out.
#[derive(Debug, Clone)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<FieldError>,
    in_the_way: Box<InTheWay>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// What a decision or a change met: how it stands now, and which memory or candidate it is about.
#[derive(Debug, Clone, Default)]
struct InTheWay {
    current: Option<Value>,
    memory: Option<String>,
    candidate: Option<String>,
}

/// The document, as it is written and described.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct ProblemDocument {
    /// Where this problem is described.
    #[schema(example = "/problems/already-decided")]
    r#type: String,
    /// The problem in a few words; the same for every occurrence.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// This occurrence, for a person.
    detail: String,
    /// The problem's word, for a program.
    code: &'static str,
    /// Names this request in the log.
    request_id: String,
    /// What is wrong where in the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ProblemField>,
    /// How the thing stands now, where a decision met another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<Value>,
    /// The memory that stands in the way (`slot_taken`).
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    /// The candidate that would clear the way (`memory_limit`): it proposes to retire the memory worth least.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate: Option<String>,
}

#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
struct ProblemField {
    /// JSON pointer (RFC 6901) into the body; empty: the whole.
    pointer: String,
    code: &'static str,
    detail: String,
}

/// Every code with its title, as the documentation lists them.
pub const CODES: &[(&str, &str)] = &[
    ("already_decided", "Already decided"),
    ("claimed", "Somebody else has claimed it"),
    ("already_joined", "The two ids are joined already"),
    ("already_undone", "Taken back already"),
    ("bulk_over", "It has ended"),
    ("deactivated", "This person was shut out"),
    ("erased", "This person was erased"),
    ("expired", "Past its time"),
    ("export_elsewhere", "The file is on another server"),
    ("export_expired", "The file is gone"),
    ("export_not_ready", "There is no file"),
    ("forbidden", "Not permitted"),
    ("held", "A legal hold keeps this person"),
    ("idempotency_gone", "The first answer is gone"),
    (
        "idempotency_in_flight",
        "The same request is being worked on",
    ),
    (
        "idempotency_mismatch",
        "Another body under this Idempotency-Key",
    ),
    (
        "idempotency_not_kept",
        "An answer with a secret is not given again",
    ),
    ("internal", "Something went wrong here"),
    ("invalid", "Something in the request does not fit"),
    ("join_chain", "One of the ids is joined with another"),
    (
        "language_not_yours",
        "The role is for content in other languages",
    ),
    ("last_admin", "An administrator must stay"),
    ("link_invalid", "This link cannot be used"),
    (
        "memory_limit",
        "The user has as many memories as the agent allows",
    ),
    ("memory_off", "The agent does not learn"),
    ("message_changed", "A known message has another content"),
    ("method_not_allowed", "Not with this method"),
    ("moved_on", "It has changed or was retired meanwhile"),
    ("name_taken", "The name is taken"),
    ("no_second_factor", "There is no second factor"),
    ("no_such_part", "The export holds no such file"),
    ("not_final", "Not finished yet"),
    ("not_found", "Not found"),
    ("not_json", "Not JSON"),
    ("not_pending", "It does not wait"),
    ("not_undoable", "There is nothing to take back"),
    ("opted_out", "The person has opted out"),
    ("precondition_required", "If-Match is needed"),
    ("range_not_satisfiable", "The file has no such part"),
    ("removed", "Retention removed it"),
    ("request_closed", "The request is closed"),
    ("risky", "It must be looked at by itself"),
    ("second_person_needed", "A second person must agree"),
    ("secret", "It holds a secret"),
    ("setup_over", "Already set up"),
    ("sign_in_over", "The sign-in is over"),
    ("slot_taken", "Another memory says this already"),
    ("stale", "It has changed since"),
    ("still_waiting", "It still waits"),
    ("throttled", "Too many requests"),
    ("too_large", "The body is too large"),
    ("unauthorized", "A key is needed"),
    ("unavailable", "Not available now"),
    ("unsupported_media_type", "Another content type is needed"),
    ("wrong_code", "Wrong code"),
    ("wrong_credentials", "Wrong e-mail or password"),
];

fn title(code: &str) -> &'static str {
    CODES
        .iter()
        .find(|(known, _)| *known == code)
        .map_or("Refused", |(_, title)| title)
}

impl Problem {
    /// A problem with its status, code and detail.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            errors: Vec::new(),
            in_the_way: Box::default(),
            headers: Vec::new(),
        }
    }

    /// 404, with the same words for what never was and what lies outside the caller's agents.
    pub fn not_found() -> Self {
        EngineError::NotFound.into()
    }

    /// 422 about one place.
    pub fn invalid(
        pointer: impl Into<String>,
        code: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        EngineError::invalid(pointer, code, detail).into()
    }

    /// 500 without a word on why.
    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "Something went wrong here. The log has it under this request's id.",
        )
    }

    /// For a bare status that some layer answered.
    pub fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::not_found(),
            StatusCode::METHOD_NOT_ALLOWED => Self::new(
                status,
                "method_not_allowed",
                "This address does not take this method.",
            ),
            StatusCode::PAYLOAD_TOO_LARGE => Self::too_large(),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                Self::new(status, "unsupported_media_type", "Send application/json.")
            }
            status if status.is_client_error() => {
                Self::new(status, "invalid", "The request cannot be read.")
            }
            _ => Self::internal(),
        }
    }

    /// 413, with the limit.
    pub fn too_large() -> Self {
        Self::larger_than(crate::http::BODY_LIMIT)
    }

    /// 413, with another limit.
    pub fn larger_than(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            format!("A body has at most {limit} bytes."),
        )
    }

    /// With a header.
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The document alone, under the id of the request that is answered: for an answer in another protocol than HTTP's.
    pub fn document(self) -> ProblemDocument {
        let InTheWay {
            current,
            memory,
            candidate,
        } = *self.in_the_way;
        ProblemDocument {
            r#type: format!("/problems/{}", self.code.replace('_', "-")),
            title: title(self.code),
            status: self.status.as_u16(),
            detail: self.detail,
            code: self.code,
            request_id: current_id(),
            errors: self
                .errors
                .into_iter()
                .map(|field| ProblemField {
                    pointer: field.pointer,
                    code: field.code,
                    detail: field.detail,
                })
                .collect(),
            current,
            memory,
            candidate,
        }
    }
}

/// Logs a failure of ours once, with its causes, under the request's id.
pub fn failed_inside(error: &EngineError) {
    let mut causes = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        causes = format!("{causes}: {cause}");
        source = cause.source();
    }
    tracing::error!(
        request_id = current_id(),
        error = causes,
        "a request failed inside"
    );
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        let status =
            StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if status.is_server_error() {
            failed_inside(&error);
        }
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            return Self::internal();
        }
        let mut problem = Self::new(status, error.code(), error.to_string());
        problem.errors = error.fields();
        problem.in_the_way = Box::new(InTheWay {
            current: error
                .current()
                .and_then(|now| serde_json::to_value(now).ok()),
            memory: error.memory().map(ToString::to_string),
            candidate: error.candidate().map(ToString::to_string),
        });
        if let EngineError::Throttled { retry_after } = error {
            let seconds = retry_after.as_secs().max(1);
            problem = problem.with(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(mut self) -> Response {
        let (status, more) = (self.status, std::mem::take(&mut self.headers));
        let mut response = (status, Json(self.document())).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        headers.extend(more);
        response
    }
}
