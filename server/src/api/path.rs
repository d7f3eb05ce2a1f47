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

/// The two parameters of the path: whose, and which.
pub struct Within<A, B>(pub A, pub B);

impl<A: FromStr + Send, B: FromStr + Send> FromRequestParts<AppState> for Within<A, B> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let texts = axum::extract::Path::<(String, String)>::from_request_parts(parts, app).await;
        let (whose, which) = texts.map_err(|_| Problem::not_found())?.0;
        let whose = whose.parse().map_err(|_| Problem::not_found())?;
        let which = which.parse().map_err(|_| Problem::not_found())?;
        Ok(Self(whose, which))
    }
}

/// The three parameters of the path: whose, of what, and which.
pub struct Deeper<A, B, C>(pub A, pub B, pub C);

impl<A: FromStr + Send, B: FromStr + Send, C: FromStr + Send> FromRequestParts<AppState>
    for Deeper<A, B, C>
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let texts =
            axum::extract::Path::<(String, String, String)>::from_request_parts(parts, app).await;
        let (whose, of, which) = texts.map_err(|_| Problem::not_found())?.0;
        let whose = whose.parse().map_err(|_| Problem::not_found())?;
        let of = of.parse().map_err(|_| Problem::not_found())?;
        let which = which.parse().map_err(|_| Problem::not_found())?;
        Ok(Self(whose, of, which))
    }
}
