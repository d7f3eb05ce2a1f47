//! What `keepsake hook` asks of a Keepsake over REST, from the machine of a user: one POST with a time limit. No redirect is followed
//! and no proxy asked: the key and the words go to the address that was given, and nowhere else.

use std::time::Duration;

use reqwest::{Client, redirect::Policy};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// The longest answer that is read, in bytes.
const MOST_BYTES: usize = 1024 * 1024;
/// How long the other side may take to pick up.
const CONNECT: Duration = Duration::from_millis(700);
/// The most of a sentence about a key that goes into a log, in characters.
const SENTENCE: usize = 200;

/// Why a call came to nothing. Its text holds nothing of what was said: of a refusal the places that do not fit, or a sentence about
/// the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Nobody picks up.
    #[error("unreachable")]
    Unreachable,
    /// It took too long.
    #[error("timeout")]
    Timeout,
    /// The answer is not Keepsake's.
    #[error("unreadable answer")]
    Unreadable,
    /// The answer is no.
    #[error("refused {status} {code}{}", told(why))]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The `code` of the problem document; empty where there is none.
        code: String,
        /// More about it; may be empty.
        why: String,
        /// Whether it is because of the key: it is not valid, lacks a scope, or names no single agent.
        of_key: bool,
    },
}

impl CallError {
    /// Whether the same body would be refused for ever, whatever becomes of the server, the key or the address.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Refused {
                status: 400 | 409 | 413 | 415 | 422,
                of_key: false,
                ..
            }
        )
    }
}

/// One Keepsake, and the key for it.
#[derive(Debug)]
pub struct HookClient {
    client: Client,
    origin: String,
    key: SecretString,
}

impl HookClient {
    /// For the Keepsake at `origin` (scheme, host and port, no path).
    ///
    /// # Errors
    /// There is no TLS on this machine.
    pub fn new(origin: &str, key: SecretString) -> Result<Self, CallError> {
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT)
            .build()
            .map_err(|_| CallError::Unreachable)?;
        Ok(Self {
            client,
            origin: origin.trim_end_matches('/').to_owned(),
            key,
        })
    }

    /// Posts JSON to a path below `/api/v1` and reads the JSON object of a good answer, all within `patience`.
    ///
    /// # Errors
    /// [`CallError`] says which part failed.
    pub async fn post(
        &self,
        path: &str,
        body: &Value,
        patience: Duration,
    ) -> Result<Value, CallError> {
        let request = self
            .client
            .post(format!("{}/api/v1{path}", self.origin))
            .bearer_auth(self.key.expose_secret())
            .header("content-type", "application/json")
            .timeout(patience)
            .body(body.to_string());
        let mut answer = request.send().await.map_err(|error| failed(&error))?;
        let status = answer.status();
        let mut text = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| failed(&error))? {
            if text.len() + chunk.len() > MOST_BYTES {
                return Err(CallError::Unreadable);
            }
            text.extend_from_slice(&chunk);
        }
        let value: Value = serde_json::from_slice(&text).unwrap_or_default();
        if !status.is_success() {
            return Err(refused(status.as_u16(), &value));
        }
        if value.is_object() {
            Ok(value)
        } else {
            Err(CallError::Unreadable)
        }
    }
}

fn told(why: &str) -> String {
    match why {
        "" => String::new(),
        why => format!(": {why}"),
    }
}

/// What a problem document says. Another server may answer anything, and this goes into a log.
fn refused(status: u16, problem: &Value) -> CallError {
    let errors = problem["errors"].as_array();
    let errors = errors.map(Vec::as_slice).unwrap_or_default();
    // Only of a key that names several agents is one asked for.
    let wants_agent = errors.iter().any(|error| error["pointer"] == "/agent");
    let of_key = matches!(status, 401 | 403) || (status == 422 && wants_agent);
    let why = if of_key {
        let detail = problem["detail"].as_str().unwrap_or_default();
        detail
            .chars()
            .filter(|c| !c.is_control())
            .take(SENTENCE)
            .collect()
    } else {
        // A sentence about what was sent may repeat it.
        let places: Vec<String> = errors.iter().filter_map(place).collect();
        places.join(", ")
    };
    CallError::Refused {
        status,
        code: code(problem),
        why,
        of_key,
    }
}

/// Which part does not fit, and why, in words for programs.
fn place(error: &Value) -> Option<String> {
    let pointer = error["pointer"].as_str()?;
    let is_path = |c: u8| c.is_ascii_alphanumeric() || b"/_".contains(&c);
    let fits = pointer.len() <= 40 && pointer.bytes().all(is_path);
    fits.then(|| format!("{pointer} {}", code(error)))
}

/// The code of a problem document, or of one of its errors.
fn code(problem: &Value) -> String {
    let code = problem["code"].as_str().unwrap_or_default();
    let is_word = code.len() <= 40 && code.bytes().all(|c| c.is_ascii_lowercase() || c == b'_');
    if is_word {
        code.to_owned()
    } else {
        String::new()
    }
}

fn failed(error: &reqwest::Error) -> CallError {
    if error.is_timeout() {
        CallError::Timeout
    } else {
        CallError::Unreachable
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wiremock::{
        Mock, MockServer, ResponseTemplate,
        matchers::{header, method, path},
    };

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    async fn asked(answer: ResponseTemplate, patience: Duration) -> Result<Value, CallError> {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .and(path("/api/v1/context"))
            .and(header("authorization", "Bearer key"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let client = HookClient::new(&format!("{}/", server.uri()), "key".into()).unwrap();
        client
            .post("/context", &json!({"user_id": "ana"}), patience)
            .await
    }

    #[tokio::test]
    async fn a_good_answer_is_read_and_every_other_one_named() {
        let good = asked(
            ResponseTemplate::new(200).set_body_json(json!({"block": ""})),
            PATIENCE,
        );
        assert_eq!(good.await, Ok(json!({"block": ""})));
        let page = asked(
            ResponseTemplate::new(200).set_body_string("<html>"),
            PATIENCE,
        );
        assert_eq!(page.await, Err(CallError::Unreadable));
        let changed = ResponseTemplate::new(409).set_body_json(json!({"code": "message_changed"}));
        let changed = asked(changed, PATIENCE).await.unwrap_err();
        assert!(changed.is_final());
        assert_eq!(changed.to_string(), "refused 409 message_changed");
        let whose = json!({"code": "invalid", "detail": "say which agent", "errors": [{"pointer": "/agent", "code": "required"}]});
        let whose = asked(ResponseTemplate::new(422).set_body_json(whose), PATIENCE);
        let whose = whose.await.unwrap_err();
        assert!(!whose.is_final(), "another key may do");
        assert_eq!(whose.to_string(), "refused 422 invalid: say which agent");
        let long = json!({"code": "invalid", "detail": "\"I prefer tea\" is too long", "errors": [
            {"pointer": "/messages/0/content", "code": "too_long", "detail": "\"I prefer tea\" is too long"},
            {"pointer": "/I prefer tea", "code": "unknown"},
        ]});
        let long = asked(ResponseTemplate::new(422).set_body_json(long), PATIENCE);
        let long = long.await.unwrap_err();
        assert!(long.is_final());
        assert_eq!(
            long.to_string(),
            "refused 422 invalid: /messages/0/content too_long"
        );
        let odd = ResponseTemplate::new(503).set_body_json(json!({"code": "Somebody's words"}));
        let odd = asked(odd, PATIENCE).await.unwrap_err();
        assert!(!odd.is_final());
        assert_eq!(odd.to_string(), "refused 503 ");
        let hangs = ResponseTemplate::new(200).set_delay(Duration::from_secs(60));
        let hangs = asked(hangs, Duration::from_millis(50)).await;
        assert_eq!(hangs, Err(CallError::Timeout));
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed() {
        let elsewhere = MockServer::start().await;
        let answer = ResponseTemplate::new(307).insert_header("location", elsewhere.uri().as_str());
        let refused = asked(answer, PATIENCE).await.unwrap_err();
        assert!(matches!(refused, CallError::Refused { status: 307, .. }));
        assert!(!refused.is_final());
        assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0);
    }

    #[tokio::test]
    async fn where_nobody_listens_nothing_is_reached() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let client = HookClient::new(&format!("http://{address}"), "key".into()).unwrap();
        let answer = client.post("/context", &json!({}), PATIENCE).await;
        assert_eq!(answer, Err(CallError::Unreachable));
    }
}
