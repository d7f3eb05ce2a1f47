//! Query parameters. What is not known is refused: a filter with a typing error would otherwise show everything.

use axum::{extract::FromRequestParts, http::request::Parts};
use serde::{Deserialize, de::DeserializeOwned};

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
                    .rsplit_once("query string: ")
                    .map_or(&*text, |(_, rest)| rest);
                Problem::invalid("", "query", detail.chars().take(300).collect::<String>())
            })
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
