//! `/account`: one's own name, language, password and sign-ins.

use app::{
    pages::account::{self, Account, Session},
    shell::Place,
    text::Language,
};
use axum::{Form, extract::State, response::Response};
use domain::permission::{Permission, Permit};
use engine::{EngineError, SessionView};
use secrecy::SecretString;
use serde::Deserialize;

use super::{
    admin::role,
    form::{refused, typed_of},
    language,
    look::Look,
};
use crate::{
    auth::{Person, SignIn, not_signed_in},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// The page.
pub async fn show(person: Person, sign_in: SignIn, look: Look) -> Result<Response, PageError> {
    let frame = look.frame_of(&person.actor, Place::Elsewhere).await?;
    let found = look.engine().person(&person.id).await?;
    let found = found.ok_or(EngineError::NotFound)?;
    let sessions = look
        .engine()
        .sessions(&person.id, &sign_in.token())
        .await?
        .into_iter()
        .map(session);
    let account = Account {
        name: found.name,
        email: found.email,
        roles: found.roles.into_iter().map(role).collect(),
        second_factor_at: found.second_factor_at,
        may_decide: Permit::ask(person.actor.clone(), Permission::Decide).is_ok(),
        sessions: sessions.collect(),
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || account::account(&frame, &account)).await
}

/// A sign-in as the pages draw it.
pub fn session(view: SessionView) -> Session {
    Session {
        name: view.name,
        created_at: view.created_at,
        last_seen_at: view.last_seen_at,
        expires_at: view.expires_at,
        this: view.this,
    }
}

/// What the form of name and language sends.
#[derive(Deserialize)]
pub struct Profile {
    name: String,
    language: String,
}

/// Saves name and language, both or neither.
pub async fn change(
    person: Person,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(form): Form<Profile>,
) -> Result<Response, PageError> {
    let Profile { name, language } = form;
    let chosen = Language::of(&language);
    let word = chosen.map(Language::word);
    if let Err(error) = app.engine.change_self(&person.id, &name, word).await {
        let flash = refused(error, &[("name", &name), ("language", &language)])?;
        return flashes.see_other("/account", flash).await;
    }
    let mut response = flashes.see_other("/account", Flash::new("saved")).await?;
    if let Some(chosen) = chosen {
        language::keep(&mut response, &app, chosen);
    }
    Ok(response)
}

/// What the form of the password sends.
#[derive(Deserialize)]
pub struct Passwords {
    present: SecretString,
    /// Of the second factor; nothing where none is set.
    #[serde(default)]
    code: String,
    password: SecretString,
}

/// Changes the password; every other sign-in ends.
pub async fn password(
    person: Person,
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(form): Form<Passwords>,
) -> Result<Response, PageError> {
    let changed = app
        .engine
        .change_password(
            &person.id,
            (form.present, form.password),
            &form.code,
            &sign_in.token(),
            sign_in.address,
        )
        .await;
    let flash = match changed {
        Ok(()) => Flash::new("password_changed"),
        Err(EngineError::WrongCredentials) => Flash::new("wrong_password_or_code"),
        Err(error @ (EngineError::Throttled { .. } | EngineError::SignInOver)) => {
            not_signed_in(error)?
        }
        Err(error) => refused(error, &[])?,
    };
    flashes.see_other("/account#password", flash).await
}

/// Which sign-in is to end.
#[derive(Deserialize)]
pub struct Which {
    session: String,
}

/// Ends one of their sign-ins.
pub async fn end_session(
    person: Person,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(which): Form<Which>,
) -> Result<Response, PageError> {
    app.engine.end_session(&person.id, &which.session).await?;
    flashes
        .see_other("/account#sessions", Flash::new("session_ended"))
        .await
}

/// Ends all of their sign-ins but the one that asks.
pub async fn end_other_sessions(
    person: Person,
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
) -> Result<Response, PageError> {
    app.engine
        .end_other_sessions(&person.id, &sign_in.token())
        .await?;
    flashes
        .see_other("/account#sessions", Flash::new("others_ended"))
        .await
}
