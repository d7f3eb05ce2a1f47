//! Bodies: JSON of at most 1 MiB, parsed once, with a pointer to whatever does not fit.

use axum::{
    body::{Bytes, HttpBody},
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
};
use futures::future::poll_fn;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use std::pin::pin;

use super::sentence::{is_short_list, plain};
use crate::{http::BODY_LIMIT, problem::Problem, state::AppState};

/// How much more than the limit is still read before the refusal is sent: a client that is cut off while it sends sees no answer.
const DRAINED: usize = 15 * BODY_LIMIT;

/// A body that was sent, of at most so many bytes.
pub struct Body<T, const MOST: usize = BODY_LIMIT> {
    /// What it says.
    pub value: T,
    /// As it was sent.
    pub raw: Bytes,
    /// Names of fields that nobody knows, where the type lets them pass.
    pub ignored: Vec<String>,
}

/// A body that may be left out.
pub struct OptionalBody<T>(pub Body<T>);

impl<T: DeserializeOwned, const MOST: usize> FromRequest<AppState> for Body<T, MOST> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, Problem> {
        let json = is_json(request.headers());
        let raw = read(request, MOST).await?;
        if !json {
            return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let Body {
            value,
            raw,
            ignored,
        } = parse(raw)?;
        Ok(Self {
            value,
            raw,
            ignored,
        })
    }
}

impl<T: DeserializeOwned + Default> FromRequest<AppState> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, Problem> {
        let json = is_json(request.headers());
        let raw = read(request, BODY_LIMIT).await?;
        if raw.is_empty() {
            return Ok(Self(Body {
                value: T::default(),
                raw,
                ignored: Vec::new(),
            }));
        }
        if !json {
            return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        parse(raw).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .map(|kind| {
            kind.split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        })
        .is_some_and(|kind| {
            kind == "application/json"
                || (kind.starts_with("application/") && kind.ends_with("+json"))
        })
}

async fn read(request: Request, most: usize) -> Result<Bytes, Problem> {
    let mut body = pin!(request.into_body());
    let mut all = Vec::new();
    let mut read = 0;
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let frame = frame.map_err(|_| Problem::of_status(StatusCode::BAD_REQUEST))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        read += data.len();
        if read <= most {
            all.extend_from_slice(&data);
        } else if read > most + DRAINED {
            break;
        }
    }
    if read > most {
        return Err(Problem::larger_than(most));
    }
    Ok(all.into())
}

/// Reads JSON that is here already.
///
/// # Errors
/// It is no JSON, or does not fit; the error points at the place.
pub fn parse<T: DeserializeOwned>(raw: Bytes) -> Result<Body<T>, Problem> {
    let mut ignored = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(&raw);
    let mut note = |path: serde_ignored::Path<'_>| ignored.push(format!("unknown field: {path}"));
    let lenient = serde_ignored::Deserializer::new(&mut json, &mut note);
    let value: T = serde_path_to_error::deserialize(lenient).map_err(|error| {
        let pointer = pointer(error.path());
        explain(&pointer, error.inner())
    })?;
    json.end().map_err(|error| explain("", &error))?;
    no_nul(&raw)?;
    Ok(Body {
        value,
        raw,
        ignored,
    })
}

fn explain(pointer: &str, error: &serde_json::Error) -> Problem {
    if !error.is_data() {
        return Problem::new(
            StatusCode::BAD_REQUEST,
            "not_json",
            format!(
                "The body is not JSON: line {}, column {}.",
                error.line(),
                error.column()
            ),
        );
    }
    let text = error.to_string();
    // serde adds the place; the pointer says it better.
    let detail = text.split(" at line ").next().unwrap_or_default();
    let named = |prefix: &str| {
        let rest = detail.strip_prefix(prefix)?;
        rest.split('`').nth(1).map(str::to_owned)
    };
    let (code, pointer) = if let Some(field) = named("missing field") {
        ("required", format!("{pointer}/{}", escape(&field)))
    } else if detail.starts_with("unknown field") {
        ("unknown_field", pointer.to_owned())
    } else if detail.starts_with("unknown variant") {
        ("not_allowed", pointer.to_owned())
    } else if detail.starts_with("invalid type") || is_short_list(detail) {
        ("wrong_type", pointer.to_owned())
    } else {
        ("invalid", pointer.to_owned())
    };
    Problem::invalid(pointer, code, short(&plain(detail)))
}

/// What was sent may be long; the answer is not.
fn short(detail: &str) -> String {
    const MOST: usize = 300;
    match detail.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &detail[..end]),
        None => detail.to_owned(),
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn pointer(path: &Path) -> String {
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(format!("/{index}")),
            Segment::Map { key } => Some(format!("/{}", escape(key))),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}

/// PostgreSQL keeps no NUL in text, and no person types one.
fn no_nul(raw: &[u8]) -> Result<(), Problem> {
    const ESCAPED: &[u8] = b"\\u0000";
    if !raw.windows(ESCAPED.len()).any(|bytes| bytes == ESCAPED) {
        return Ok(());
    }
    let Ok(value) = serde_json::from_slice::<Value>(raw) else {
        return Ok(());
    };
    match nul(&value) {
        Some(pointer) => Err(Problem::invalid(
            pointer,
            "nul",
            "the character NUL cannot be kept",
        )),
        None => Ok(()),
    }
}

fn nul(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => text.contains('\0').then(String::new),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| Some(format!("/{index}{}", nul(item)?))),
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            if name.contains('\0') {
                return Some(String::new());
            }
            Some(format!("/{}{}", escape(name), nul(field)?))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Note {
        #[expect(dead_code, reason = "only its parsing is looked at")]
        lines: Vec<Line>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Line {
        #[expect(dead_code, reason = "only its parsing is looked at")]
        text: String,
        #[expect(dead_code, reason = "only its parsing is looked at")]
        role: Option<domain::conversation::Role>,
    }

    async fn told(json: &str) -> (u16, String, String) {
        let problem = match parse::<Note>(Bytes::copy_from_slice(json.as_bytes())) {
            Ok(body) => return (200, body.ignored.join(), String::new()),
            Err(problem) => problem.into_response(),
        };
        let status = problem.status().as_u16();
        let bytes = axum::body::to_bytes(problem.into_body(), usize::MAX)
            .await
            .unwrap();
        let document: Value = serde_json::from_slice(&bytes).unwrap();
        let at = |path: &str| {
            document
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        (
            status,
            format!("{}{}", at("/code"), at("/errors/0/pointer")),
            at("/errors/0/code"),
        )
    }

    trait Joined {
        fn join(&self) -> String;
    }
    impl Joined for Vec<String> {
        fn join(&self) -> String {
            self.as_slice().join(", ")
        }
    }

    #[tokio::test]
    async fn what_does_not_fit_is_pointed_at() {
        let cases = [
            (
                r#"{"lines": [], "extra": 1}"#,
                200,
                "unknown field: extra",
                "",
            ),
            (r#"{"lines": "#, 400, "not_json", ""),
            (r#"{"lines": [{"text": "\ud800"}]}"#, 400, "not_json", ""),
            (r#"{"lines": []} x"#, 400, "not_json", ""),
            (r#"{}"#, 422, "invalid/lines", "required"),
            (
                r#"{"lines": [{"text": 5}]}"#,
                422,
                "invalid/lines/0/text",
                "wrong_type",
            ),
            (
                r#"{"lines": [{"text": "a", "a/b": 5}]}"#,
                422,
                "invalid/lines/0/a~1b",
                "unknown_field",
            ),
            (
                r#"{"lines": [{"text": "a", "role": "boss"}]}"#,
                422,
                "invalid/lines/0/role",
                "not_allowed",
            ),
            (
                r#"{"lines": [{"text": "a\u0000b"}]}"#,
                422,
                "invalid/lines/0/text",
                "nul",
            ),
            (r#"{"lines": [{"text": "a\\u0000b"}]}"#, 200, "", ""),
        ];
        for (json, status, code, field) in cases {
            assert_eq!(
                told(json).await,
                (status, code.to_owned(), field.to_owned()),
                "{json}"
            );
        }
    }
}
