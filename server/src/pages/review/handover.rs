//! Handing a candidate over, and taking it back.

use app::pages::candidate::NATIVE;
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::id::{CandidateId, PersonId};
use engine::EngineError;
use serde::Deserialize;

use super::claim::{Claiming, answer};
use crate::{
    auth::Reviewer,
    flash::{Flash, Flashes, local},
    page_error::PageError,
    pages::{
        candidate::conflict,
        form::{id, keep, refused, typed},
    },
    state::AppState,
};

/// What the form sends.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct HandingOver {
    to: String,
    note: String,
    next: String,
}

/// Hands it over.
pub async fn hand_over(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<HandingOver>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let handed = async {
        let to = recipient(&form.to)?;
        let note = typed(&form.note);
        app.engine.hand_over(&reviewer.permit, &id, to, note).await
    };
    let flash = match handed.await {
        Ok(_) => Flash::new("handed_over"),
        Err(error) => {
            let values = [("to", form.to.as_str()), ("note", &form.note)];
            let flash = match conflict(&error) {
                Some(flash) => keep(flash, &values),
                None => refused(error, &values)?,
            };
            flash.with("candidate", id.as_str())
        }
    };
    let next = local(Some(&form.next), &format!("/candidates/{id}"));
    flashes.see_other(&next, flash).await
}

/// A person, or whoever speaks the language.
///
/// # Errors
/// `unknown` at `/to`.
pub fn recipient(to: &str) -> Result<Option<PersonId>, EngineError> {
    if to == NATIVE {
        return Ok(None);
    }
    let unknown = |_| EngineError::invalid("/to", "unknown", "choose somebody of the list");
    PersonId::parse(to).map(Some).map_err(unknown)
}

/// Takes it back.
pub async fn take_back(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Claiming>,
) -> Result<Response, PageError> {
    let id: CandidateId = id(&text)?;
    let back = app.engine.take_back(&reviewer.permit, &id).await;
    let done = back.map(|()| Flash::new("taken_back"));
    answer(&flashes, &id, &form, done).await
}
