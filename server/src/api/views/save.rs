//! `POST /views`

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use url::form_urlencoded;
use utoipa::ToSchema;

use super::SavedView;
use crate::{
    api::body::Body,
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    pages::conditions,
    problem::Problem,
    state::AppState,
};

/// The longest query, in bytes.
const MOST: usize = 2_000;

/// A filter to be kept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewPost {
    /// 1 to 60 characters.
    name: String,
    /// The query of the dashboard's address `/review`, with conditions of the queue and nothing else: `kind=fact&language=ja,zh`. At most
    /// 2,000 bytes.
    query: String,
}

/// Keeps a filter for the key's person, who has it in their dashboard.
#[utoipa::path(
    post, path = "/views", tag = "views", params(OnceHeader), request_body = ViewPost,
    responses((status = 201, body = SavedView))
)]
pub async fn save_view(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    body: Body<ViewPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let query = known(&body.value.query)?;
    let name = &body.value.name;
    let work = async {
        let view = app.engine.save_view(permit, name, &query).await?;
        Ok((StatusCode::CREATED, Json(SavedView::from(view))).into_response())
    };
    once.run(permit, &body.raw, work).await
}

/// The conditions of a query. One that is none is refused: left out, the view would show more than was asked for.
fn known(query: &str) -> Result<String, Problem> {
    // What is too long is not read, and refused for that by whoever keeps it.
    if query.len() > MOST {
        return Ok(query.to_owned());
    }
    let names = |query: &str| -> Vec<String> {
        let pairs = form_urlencoded::parse(query.as_bytes());
        let said = pairs.filter(|(_, value)| !value.trim().is_empty());
        said.map(|(name, _)| name.into_owned()).collect()
    };
    let kept = conditions(query);
    let known = names(&kept);
    match names(query).into_iter().find(|name| !known.contains(name)) {
        None => Ok(kept),
        Some(odd) => {
            let odd: String = odd.chars().take(40).collect();
            let detail = format!("{odd} is no condition of the queue");
            Err(Problem::invalid("/query", "unknown", detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_condition_of_the_queue_is_refused() {
        for (query, kept) in [
            (
                "kind=fact&text=green+tea",
                Some("kind=fact&text=green%20tea"),
            ),
            ("kind=fact&user=", Some("kind=fact")),
            ("", Some("")),
            ("kind=fact&c=cand_1", None),
            ("sort=newest", None),
        ] {
            assert_eq!(known(query).ok().as_deref(), kept, "{query}");
        }
    }
}
