//! Query parameters. What is not known is refused: a filter with a typing error would otherwise show everything.

use axum::{extract::FromRequestParts, http::request::Parts};
use serde::{Deserialize, de::DeserializeOwned};

use super::sentence::plain;
use crate::{problem::Problem, state::AppState};

/// Parsed query parameters.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(Problem::invalid(
                "",
                "nul",
                "the character NUL cannot be asked for",
            ));
        }
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|query| Self(query.0))
            .map_err(|rejection| {
                let text = rejection.body_text();
                let detail = text
                    .split_once("query string: ")
                    .map_or(&*text, |(_, rest)| rest);
                let (pointer, detail) = parameter(detail);
                let detail: String = detail.chars().take(300).collect();
                Problem::invalid(pointer, "query", detail)
            })
    }
}

/// Which parameter does not fit, and why. Where it is known, its name stands before the reason.
fn parameter(detail: &str) -> (String, String) {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if let Some((name, why)) = detail.split_once(": ")
        && is_name(name)
    {
        return (format!("/{name}"), plain(why));
    }
    let missing = detail.strip_prefix("missing field `");
    match missing.and_then(|rest| rest.split('`').next()) {
        Some(name) if is_name(name) => (format!("/{name}"), "this is needed".to_owned()),
        _ => (String::new(), plain(detail)),
    }
}

/// `?agent=`, for keys that name several.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AgentQuery {
    /// The agent, where the key names several.
    pub agent: Option<domain::agent::AgentName>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_does_not_fit_is_pointed_at() {
        for (detail, pointer, why) in [
            (
                "limit: invalid digit found in string",
                "/limit",
                "a whole number is needed",
            ),
            ("missing field `at`", "/at", "this is needed"),
            (
                "stat: unknown field `stat`, expected `agent`",
                "/stat",
                "unknown field `stat`, expected `agent`",
            ),
            ("no such thing: at all", "", "no such thing: at all"),
        ] {
            assert_eq!(
                parameter(detail),
                (pointer.to_owned(), why.to_owned()),
                "{detail}"
            );
        }
    }
}
