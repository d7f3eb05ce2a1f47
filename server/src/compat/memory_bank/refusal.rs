//! Refusals as Google's clients read them: a `google.rpc.Status` as JSON, of what every other part of the server says by a problem
//! document.

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::problem::Problem;

/// The domain in which the reasons of refusals are words.
const DOMAIN: &str = "keepsake";

/// Why an operation ended without an answer.
#[derive(Debug, Serialize)]
pub struct Status {
    code: u8,
    message: String,
}

impl Status {
    /// What there is does not allow it.
    pub fn failed_precondition(message: impl Into<String>) -> Self {
        Self {
            code: 9,
            message: message.into(),
        }
    }

    /// It went wrong inside.
    pub fn internal(message: impl Into<String>) -> Self {
        Self {
            code: 13,
            message: message.into(),
        }
    }
}

/// Turns every problem document on its way out.
pub async fn in_googles_words(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let is_problem = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind == "application/problem+json");
    if !is_problem {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let document = serde_json::from_slice(&bytes).unwrap_or_default();
    let (status, word) = canonical(parts.status);
    let kind = HeaderValue::from_static("application/json");
    parts.headers.insert(header::CONTENT_TYPE, kind);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.status = status;
    let told = told(&document, status, word);
    Response::from_parts(parts, Body::from(told.to_string()))
}

/// The status in HTTP and by its canonical name.
fn canonical(status: StatusCode) -> (StatusCode, &'static str) {
    match status {
        StatusCode::BAD_REQUEST
        | StatusCode::UNSUPPORTED_MEDIA_TYPE
        | StatusCode::UNPROCESSABLE_ENTITY => (StatusCode::BAD_REQUEST, "INVALID_ARGUMENT"),
        StatusCode::CONFLICT | StatusCode::GONE | StatusCode::PRECONDITION_FAILED => {
            (StatusCode::BAD_REQUEST, "FAILED_PRECONDITION")
        }
        StatusCode::PAYLOAD_TOO_LARGE => (status, "INVALID_ARGUMENT"),
        StatusCode::UNAUTHORIZED => (status, "UNAUTHENTICATED"),
        StatusCode::FORBIDDEN => (status, "PERMISSION_DENIED"),
        StatusCode::NOT_FOUND => (status, "NOT_FOUND"),
        StatusCode::TOO_MANY_REQUESTS => (status, "RESOURCE_EXHAUSTED"),
        StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => (status, "UNIMPLEMENTED"),
        StatusCode::SERVICE_UNAVAILABLE => (status, "UNAVAILABLE"),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL"),
    }
}

fn told(document: &Value, status: StatusCode, word: &str) -> Value {
    let text = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
    let errors = document["errors"].as_array().map(Vec::as_slice);
    let fields: Vec<(String, String)> = errors
        .unwrap_or_default()
        .iter()
        .map(|error| (path(&text(error, "pointer")), text(error, "detail")))
        .collect();
    let sentences = fields.iter().map(|(field, detail)| match field.as_str() {
        "" => detail.clone(),
        field => format!("{field}: {detail}"),
    });
    let message = if fields.is_empty() {
        text(document, "detail")
    } else {
        sentences.collect::<Vec<_>>().join("; ")
    };
    let mut details = vec![json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": text(document, "code").to_uppercase(),
        "domain": DOMAIN,
        "metadata": {"requestId": text(document, "request_id")},
    })];
    if !fields.is_empty() {
        let violations = fields
            .iter()
            .map(|(field, detail)| json!({"field": field, "description": detail}));
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": violations.collect::<Vec<_>>(),
        }));
    }
    json!({"error": {
        "code": status.as_u16(),
        "message": message,
        "status": word,
        "details": details,
    }})
}

/// A JSON pointer as the path of a field.
fn path(pointer: &str) -> String {
    let parts = pointer.split('/').skip(1);
    let parts: Vec<String> = parts
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    parts.join(".")
}

/// What Memory Bank has and Keepsake has not.
pub fn unimplemented(detail: &str) -> Problem {
    Problem::new(StatusCode::NOT_IMPLEMENTED, "unimplemented", detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_canonical_name_and_says_where() {
        let document = json!({
            "status": 422, "code": "invalid", "request_id": "req_1", "detail": "/scope/a~1b: too long",
            "errors": [{"pointer": "/scope/a~1b", "detail": "too long"}, {"pointer": "", "detail": "nothing to change"}],
        });
        let (status, word) = canonical(StatusCode::UNPROCESSABLE_ENTITY);
        let error = &told(&document, status, word)["error"];
        assert_eq!(
            (&error["code"], &error["status"]),
            (&json!(400), &json!("INVALID_ARGUMENT"))
        );
        assert_eq!(error["message"], "scope.a/b: too long; nothing to change");
        assert_eq!(error["details"][0]["reason"], "INVALID");
        assert_eq!(
            error["details"][1]["fieldViolations"][0]["field"],
            "scope.a/b"
        );

        let plain = json!({"code": "not_found", "detail": "nothing here", "request_id": "req_1"});
        let (status, word) = canonical(StatusCode::NOT_FOUND);
        let error = &told(&plain, status, word)["error"];
        assert_eq!(
            (&error["message"], &error["details"][1]),
            (&json!("nothing here"), &Value::Null)
        );
        for (ours, theirs, word) in [
            (409, 400, "FAILED_PRECONDITION"),
            (413, 413, "INVALID_ARGUMENT"),
            (429, 429, "RESOURCE_EXHAUSTED"),
            (501, 501, "UNIMPLEMENTED"),
            (502, 500, "INTERNAL"),
        ] {
            let (status, told) = canonical(StatusCode::from_u16(ours).unwrap());
            assert_eq!((status.as_u16(), told), (theirs, word));
        }
    }
}
