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
use secrecy::SecretString;
use serde::Deserialize;

use super::{form::typed_of, kept, language, look::Look};
use crate::{
    auth::{SignIn, Visitor, not_signed_in},
    flash::{Flashes, local, see_other},
    page_error::PageError,
    state::AppState,
};

/// Where the person wanted to go.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Wanted {
    next: String,
    /// The token of a form that was kept when the session was over.
    kept: String,
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
    let kept = kept::token(&wanted.kept).map(str::to_owned);
    look.draw(move || login(&frame, &typed, &next, obstacle, kept.as_deref()))
        .await
}

/// What was typed into the form.
#[derive(Deserialize)]
pub struct Credentials {
    email: String,
    password: SecretString,
    #[serde(default)]
    next: String,
    /// The token of a form that was kept when the session was over.
    #[serde(default)]
    kept: String,
}

/// Signs in.
pub async fn submit(
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(given): Form<Credentials>,
) -> Result<Response, PageError> {
    let next = local(Some(&given.next), "/");
    let kept = kept::token(&given.kept);
    let signed = app
        .engine
        .sign_in(&given.email, given.password, sign_in.address)
        .await;
    let person = match signed {
        Ok(person) => person,
        Err(error) => {
            let flash = not_signed_in(error)?.with("typed.email", given.email);
            let next = Some(("next", next.as_str()));
            let pairs = next.into_iter().chain(kept.map(|kept| ("kept", kept)));
            let query = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pairs)
                .finish();
            return flashes.see_other(&format!("/login?{query}"), flash).await;
        }
    };
    sign_in.enter(&person).await?;
    let mut response = match kept::take(&app, kept, &person.id).await? {
        Some(flash) => flashes.see_other("/kept", flash).await?,
        None => see_other(&next),
    };
    if let Some(chosen) = person.language.as_deref().and_then(Language::of) {
        language::keep(&mut response, &app, chosen);
    }
    Ok(response)
}

/// Signs out.
pub async fn leave(sign_in: SignIn) -> Result<Response, PageError> {
    sign_in.leave().await?;
    Ok(see_other("/login"))
}
