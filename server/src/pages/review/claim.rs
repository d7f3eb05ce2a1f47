//! Claiming a candidate, giving it up, taking it over.

use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::id::CandidateId;
use engine::EngineError;
use serde::Deserialize;

use crate::{
    auth::Reviewer,
    flash::{Flash, Flashes, local, see_other},
    page_error::PageError,
    pages::{candidate::conflict, form::id},
    state::AppState,
};

/// What the forms send.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Claiming {
    /// Where to go afterwards.
    pub next: String,
    /// `1`: a sign of life, which nobody waits for an answer to.
    pub quiet: String,
}

/// Claims a candidate, or says that its owner is still there.
pub async fn claim(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Claiming>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let claimed = app.engine.claim(&reviewer.permit, &id).await;
    let done = claimed.map(|_| Flash::new("claimed_by_you"));
    answer(&flashes, &id, &form, done).await
}

/// Gives it up.
pub async fn release(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Claiming>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let released = app.engine.release(&reviewer.permit, &id).await;
    let done = released.map(|()| Flash::new("released"));
    answer(&flashes, &id, &form, done).await
}

/// Takes it over from who has it.
pub async fn take_over(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Claiming>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let taken = app.engine.take_over(&reviewer.permit, &id).await;
    let done = taken.map(|_| Flash::new("taken_over"));
    answer(&flashes, &id, &form, done).await
}

/// Back to the candidate with what was done, or with why it was not: somebody was first, or the role is for other languages (G7).
pub(super) async fn answer(
    flashes: &Flashes,
    id: &CandidateId,
    form: &Claiming,
    done: Result<Flash, EngineError>,
) -> Result<Response, PageError> {
    let next = local(Some(&form.next), &format!("/candidates/{id}"));
    let flash = match done {
        Ok(flash) => flash,
        Err(error) => {
            let told = match &error {
                EngineError::LanguageNotYours { .. } => Some(Flash::new(error.code())),
                error => conflict(error),
            };
            match told {
                Some(flash) => flash.with("candidate", id.as_str()),
                None => return Err(error.into()),
            }
        }
    };
    if form.quiet == "1" {
        return Ok(see_other(&next));
    }
    flashes.see_other(&next, flash).await
}
