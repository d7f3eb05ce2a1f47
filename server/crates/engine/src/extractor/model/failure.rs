//! What a failed call means: try again, ask otherwise, or give up. Only the status, the headers and which option a refusal names are
//! looked at; the provider's words go no further than this file.

use std::time::Duration;

use domain::Timestamp;
use genai::{Error, webc};

use super::{super::Retry, ExtractError};

/// The code for more than the model can read at once.
pub(super) const TOO_LONG: &str = "too_long";

/// The longest wait a provider can ask for; more is a mistake, and the job looks again anyway.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// An option that a provider refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    Temperature,
    MaxTokens,
    /// The schema, or the JSON mode; or something it did not name.
    Format,
}

/// A failed call.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: ExtractError,
    /// What to leave out before asking once more.
    pub(super) refused: Option<Refused>,
}

impl Failure {
    pub(super) fn of(error: &Error, now: Timestamp) -> Self {
        if let Some(status) = error.status() {
            let wait = error
                .headers()
                .and_then(|headers| wait(&|name| headers.get(name)?.to_str().ok(), now));
            return Self::of_status(status.as_u16(), body(error), wait);
        }
        match error {
            Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
                match webc_error {
                    webc::Error::Reqwest(error) if error.is_timeout() => Self::again("timeout"),
                    webc::Error::Reqwest(error) if error.is_builder() => Self::never("bad_address"),
                    webc::Error::Reqwest(_) => Self::again("unreachable"),
                    _ => Self::again("no_json"),
                }
            }
            Error::ChatResponseGeneration { .. }
            | Error::InvalidJsonResponseElement { .. }
            | Error::NoChatResponse { .. } => Self::again("no_json"),
            Error::RequiresApiKey { .. }
            | Error::NoAuthResolver { .. }
            | Error::NoAuthData { .. }
            | Error::Resolver { .. } => Self::never("no_key"),
            _ => Self::never("not_supported"),
        }
    }

    fn of_status(status: u16, body: &str, wait: Option<Duration>) -> Self {
        match status {
            408 | 409 | 425 | 500..=599 => Self::again_after(
                if status == 408 {
                    "timeout"
                } else {
                    "provider_error"
                },
                wait,
            ),
            429 => Self::again_after("rate_limited", wait),
            401 | 403 => Self::never("key_refused"),
            404 => Self::never("unknown_model"),
            413 => Self::never(TOO_LONG),
            400 | 422 => Self::of_refusal(body),
            _ => Self::never("refused"),
        }
    }

    fn of_refusal(body: &str) -> Self {
        let body = body.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| body.contains(word));
        if names(&[
            "context_length",
            "context length",
            "maximum context",
            "too many tokens",
            "prompt is too long",
            "too long",
        ]) {
            return Self::never(TOO_LONG);
        }
        let refused = if names(&["temperature"]) {
            Refused::Temperature
        } else if names(&[
            "max_tokens",
            "max_completion_tokens",
            "max_output_tokens",
            "maxoutputtokens",
        ]) {
            Refused::MaxTokens
        } else {
            Refused::Format
        };
        Self {
            refused: Some(refused),
            ..Self::never("refused")
        }
    }

    fn again(code: &'static str) -> Self {
        Self::again_after(code, None)
    }

    fn again_after(code: &'static str, wait: Option<Duration>) -> Self {
        Self {
            error: ExtractError {
                retry: Retry::After(wait),
                code,
                raw: None,
                tokens_in: 0,
                tokens_out: 0,
            },
            refused: None,
        }
    }

    fn never(code: &'static str) -> Self {
        Self {
            error: ExtractError {
                retry: Retry::Never,
                code,
                raw: None,
                tokens_in: 0,
                tokens_out: 0,
            },
            refused: None,
        }
    }
}

fn body(error: &Error) -> &str {
    match error {
        Error::HttpError { body, .. } => body,
        Error::WebModelCall {
            webc_error: webc::Error::ResponseFailedStatus { body, .. },
            ..
        }
        | Error::WebAdapterCall {
            webc_error: webc::Error::ResponseFailedStatus { body, .. },
            ..
        } => body,
        _ => "",
    }
}

/// `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`.
fn wait<'a>(header: &dyn Fn(&'static str) -> Option<&'a str>, now: Timestamp) -> Option<Duration> {
    let millis = header("retry-after-ms")
        .and_then(|text| text.trim().parse::<f64>().ok())
        .map(|millis| millis / 1000.0);
    let after = header("retry-after").map(str::trim);
    let seconds = || after?.parse::<f64>().ok();
    let date = || {
        let at = chrono::DateTime::parse_from_rfc2822(after?).ok()?;
        Some((at.to_utc() - now).as_seconds_f64().max(0.0))
    };
    let wait = Duration::try_from_secs_f64(millis.or_else(seconds).or_else(date)?).ok()?;
    Some(wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_in_seconds_millis_and_dates() {
        let now = Timestamp::UNIX_EPOCH;
        let of = |name: &'static str, value: &'static str| {
            wait(&move |asked| (asked == name).then_some(value), now)
        };
        assert_eq!(of("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(
            of("retry-after-ms", "1500"),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            of("retry-after", "Thu, 01 Jan 1970 00:01:00 GMT"),
            Some(Duration::from_secs(60))
        );
        assert_eq!(of("retry-after", "999999999"), Some(LONGEST_WAIT));
        for nonsense in ["soon", "-1", "NaN", ""] {
            assert_eq!(of("retry-after", nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn statuses_say_whether_another_try_makes_sense() {
        let of = |status, body: &str| {
            let failure = Failure::of_status(status, body, None);
            (
                failure.error.code,
                failure.error.retry != Retry::Never,
                failure.refused,
            )
        };
        assert_eq!(of(429, ""), ("rate_limited", true, None));
        assert_eq!(of(529, ""), ("provider_error", true, None));
        assert_eq!(of(401, ""), ("key_refused", false, None));
        assert_eq!(of(404, ""), ("unknown_model", false, None));
        assert_eq!(
            of(400, "'temperature' does not support 0"),
            ("refused", false, Some(Refused::Temperature))
        );
        assert_eq!(
            of(400, "max_tokens is too large"),
            ("refused", false, Some(Refused::MaxTokens))
        );
        assert_eq!(
            of(400, "Invalid schema for response_format"),
            ("refused", false, Some(Refused::Format))
        );
        assert_eq!(
            of(400, "maximum context length is 8192"),
            ("too_long", false, None)
        );
    }
}
