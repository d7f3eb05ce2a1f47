//! `/login`, `/login/code` for who has a second factor, and `/logout`.

use app::{
    pages::sign_in::{Obstacle, code, login},
    text::Language,
};
use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use engine::{EngineError, Entry, PersonView};
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

/// Signs in; who has a second factor goes on to the page that asks for its code.
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
    match signed {
        Ok(Entry::Whole(person)) => entered(&app, &sign_in, &flashes, &person, &next, kept).await,
        Ok(Entry::Half(step)) => Ok(see_other(&code_page(step.reveal(), &next, kept))),
        Err(error) => {
            let flash = not_signed_in(error)?.with("typed.email", given.email);
            flashes.see_other(&login_page(&next, kept), flash).await
        }
    }
}

/// A sign-in that goes on after the password.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Step {
    /// The token of the sign-in.
    step: String,
    next: String,
    /// The token of a form that was kept when the session was over.
    kept: String,
}

/// The form for the code. What goes on no more begins anew.
pub async fn show_code(
    visitor: Visitor,
    look: Look,
    Query(at): Query<Step>,
) -> Result<Response, PageError> {
    let next = local(Some(&at.next), "/");
    if visitor.person.is_some() {
        return Ok(see_other(&next));
    }
    let kept = kept::token(&at.kept).map(str::to_owned);
    let again = login_page(&next, kept.as_deref());
    if !look.engine().sign_in_waits(&at.step).await? {
        return sign_in_over(&look.app, &again).await;
    }
    let frame = look.open_frame(&visitor);
    look.draw(move || code(&frame, &at.step, &next, kept.as_deref(), &again))
        .await
}

/// The code that was typed.
#[derive(Deserialize)]
pub struct Code {
    code: String,
    step: String,
    #[serde(default)]
    next: String,
    #[serde(default)]
    kept: String,
}

/// Signs in with the code.
pub async fn submit_code(
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(given): Form<Code>,
) -> Result<Response, PageError> {
    let next = local(Some(&given.next), "/");
    let kept = kept::token(&given.kept);
    let signed = app
        .engine
        .sign_in_with_code(&given.step, &given.code, sign_in.address)
        .await;
    match signed {
        Ok(person) => entered(&app, &sign_in, &flashes, &person, &next, kept).await,
        Err(EngineError::SignInOver) => sign_in_over(&app, &login_page(&next, kept)).await,
        Err(error) => {
            let again = code_page(&given.step, &next, kept);
            flashes.see_other(&again, not_signed_in(error)?).await
        }
    }
}

/// To the sign-in, which has to begin anew.
async fn sign_in_over(app: &AppState, again: &str) -> Result<Response, PageError> {
    let flash = not_signed_in(EngineError::SignInOver)?;
    Flashes::of(app).see_other(again, flash).await
}

/// The way on for who is in: a form that was kept, else where they wanted to go.
async fn entered(
    app: &AppState,
    sign_in: &SignIn,
    flashes: &Flashes,
    person: &PersonView,
    next: &str,
    kept: Option<&str>,
) -> Result<Response, PageError> {
    sign_in.enter(person).await?;
    let mut response = match kept::take(app, kept, &person.id).await? {
        Some(flash) => flashes.see_other("/kept", flash).await?,
        None => see_other(next),
    };
    if let Some(chosen) = person.language.as_deref().and_then(Language::of) {
        language::keep(&mut response, app, chosen);
    }
    Ok(response)
}

fn login_page(next: &str, kept: Option<&str>) -> String {
    address("/login", &[("next", Some(next)), ("kept", kept)])
}

/// The page that asks for the code of a sign-in.
pub(super) fn code_page(step: &str, next: &str, kept: Option<&str>) -> String {
    let pairs = [("step", Some(step)), ("next", Some(next)), ("kept", kept)];
    address("/login/code", &pairs)
}

fn address(path: &str, pairs: &[(&str, Option<&str>)]) -> String {
    let given = pairs
        .iter()
        .filter_map(|(name, value)| Some((*name, (*value)?)));
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given)
        .finish();
    format!("{path}?{query}")
}

/// Signs out.
pub async fn leave(sign_in: SignIn) -> Result<Response, PageError> {
    sign_in.leave().await?;
    Ok(see_other("/login"))
}
