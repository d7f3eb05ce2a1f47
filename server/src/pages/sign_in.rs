//! `/login` and `/logout`.

use app::{
    pages::sign_in::{Obstacle, login},
    text::Language,
};
use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use engine::EngineError;
use secrecy::SecretString;
use serde::Deserialize;

use super::{form::typed_of, language, look::Look};
use crate::{
    auth::{SignIn, Visitor},
    flash::{Flash, Flashes, local, see_other},
    page_error::PageError,
    state::AppState,
};

/// Where the person wanted to go.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Wanted {
    next: String,
}

/// The form. Who is signed in has no use for it.
pub async fn show(
    visitor: Visitor,
    sign_in: SignIn,
    look: Look,
    Query(wanted): Query<Wanted>,
) -> Result<Response, PageError> {
    let next = local(Some(&wanted.next), "/");
    if visitor.person.is_some() {
        return Ok(see_other(&next));
    }
    let (frame, typed) = (look.open_frame(&visitor), typed_of(look.flash.as_ref()));
    let obstacle = if look.engine().setup_open().await? {
        Some(Obstacle::NotSetUp)
    } else {
        (!sign_in.cookies_possible()).then_some(Obstacle::Unsafe)
    };
    look.draw(move || login(&frame, &typed, &next, obstacle))
        .await
}

/// What was typed into the form.
#[derive(Deserialize)]
pub struct Credentials {
    email: String,
    password: SecretString,
    #[serde(default)]
    next: String,
}

/// Signs in.
pub async fn submit(
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(given): Form<Credentials>,
) -> Result<Response, PageError> {
    let next = local(Some(&given.next), "/");
    let signed = app
        .engine
        .sign_in(&given.email, given.password, sign_in.address)
        .await;
    let person = match signed {
        Ok(person) => person,
        Err(error) => {
            let flash = refusal(error)?.with("typed.email", given.email);
            let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
            return flashes
                .see_other(&format!("/login?next={next}"), flash)
                .await;
        }
    };
    sign_in.enter(&person).await?;
    let mut response = see_other(&next);
    if let Some(chosen) = person.language.as_deref().and_then(Language::of) {
        language::keep(&mut response, &app, chosen);
    }
    Ok(response)
}

fn refusal(error: EngineError) -> Result<Flash, PageError> {
    match &error {
        EngineError::WrongCredentials => Ok(Flash::new("wrong_credentials")),
        EngineError::Throttled { retry_after } => {
            let seconds = retry_after.as_secs().max(1).to_string();
            Ok(Flash::new("throttled").with("seconds", seconds))
        }
        _ => Err(error.into()),
    }
}

/// Signs out.
pub async fn leave(sign_in: SignIn) -> Result<Response, PageError> {
    sign_in.leave().await?;
    Ok(see_other("/login"))
}
