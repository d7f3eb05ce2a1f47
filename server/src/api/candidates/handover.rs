//! `POST` and `DELETE /candidates/{id}/hand-over`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::id::{CandidateId, PersonId};
use engine::CandidateView;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{body::Body, conditional::versioned, path::Named},
    auth::{Caller, need::Decide},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// To whom.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HandOverPost {
    /// A person who may decide on it, `per_…`; or `native`: whoever speaks its language.
    to: String,
    /// What they should know, at most 1,000 characters.
    note: Option<String>,
}

/// Hands a candidate over. That keeps nobody from deciding on it: `GET /candidates?handed_to=me` finds it, and the answer tells for whom it
/// waits.
#[utoipa::path(
    post, path = "/candidates/{id}/hand-over", tag = "candidates", params(("id" = CandidateId, Path), OnceHeader),
    request_body = HandOverPost, responses((status = 200, body = CandidateView, headers(("ETag"))))
)]
pub async fn hand_over_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    once: Once,
    Named(id): Named<CandidateId>,
    body: Body<HandOverPost>,
) -> Result<Response, Problem> {
    let permit = &caller.permit;
    let to = recipient(&body.value.to)?;
    let note = body.value.note.filter(|note| !note.trim().is_empty());
    let work = async {
        let candidate = app.engine.hand_over(permit, &id, to, note).await?;
        Ok(versioned(StatusCode::OK, candidate.version, &candidate))
    };
    once.run(permit, &body.raw, work).await
}

/// Takes a candidate back that was handed over, by whomever; without that nothing happens.
#[utoipa::path(
    delete, path = "/candidates/{id}/hand-over", tag = "candidates", params(("id" = CandidateId, Path)),
    responses((status = 204, description = "Taken back"))
)]
pub async fn take_back_candidate(
    caller: Caller<Decide>,
    State(app): State<AppState>,
    Named(id): Named<CandidateId>,
) -> Result<StatusCode, Problem> {
    app.engine.take_back(&caller.permit, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A person; `None`: whoever speaks the language.
fn recipient(to: &str) -> Result<Option<PersonId>, Problem> {
    match to {
        "native" => Ok(None),
        person => PersonId::parse(person)
            .map(Some)
            .map_err(|_| Problem::invalid("/to", "invalid", "native, or a person, per_…")),
    }
}
