//! Names and ids in a path. One that cannot be read names nothing: 404, as for an unknown one.

use std::str::FromStr;

use axum::{extract::FromRequestParts, http::request::Parts};

use crate::{problem::Problem, state::AppState};

/// The one parameter of the path.
pub struct Named<T>(pub T);

impl<T: FromStr + Send> FromRequestParts<AppState> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let text = axum::extract::Path::<String>::from_request_parts(parts, app).await;
        let text = text.map_err(|_| Problem::not_found())?;
        text.parse().map(Self).map_err(|_| Problem::not_found())
    }
}
