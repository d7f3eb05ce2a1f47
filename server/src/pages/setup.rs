//! `/setup`: the first administrator, by the one-time link that the server printed.

use app::pages::sign_in::setup;
use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use engine::{EngineError, NewPerson};
use secrecy::SecretString;
use serde::Deserialize;

use super::{
    form::{refused, typed_of},
    look::Look,
};
use crate::{
    auth::{SignIn, Visitor},
    flash::{Flashes, see_other},
    page_error::PageError,
    state::AppState,
};

/// The token of the link.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Link {
    token: String,
}

/// The form, while the link holds.
pub async fn show(
    visitor: Visitor,
    look: Look,
    Query(link): Query<Link>,
) -> Result<Response, PageError> {
    let valid = look.engine().setup_link_valid(&link.token).await?;
    let (frame, typed) = (look.open_frame(&visitor), typed_of(look.flash.as_ref()));
    let token = valid.then_some(link.token);
    look.draw(move || setup(&frame, &typed, token.as_deref()))
        .await
}

/// What was typed into the form.
#[derive(Deserialize)]
pub struct First {
    token: String,
    name: String,
    email: String,
    password: SecretString,
}

/// Makes the administrator and signs them in.
pub async fn submit(
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(first): Form<First>,
) -> Result<Response, PageError> {
    let person = NewPerson {
        name: first.name.clone(),
        email: first.email.clone(),
        password: first.password,
    };
    match app.engine.set_up(&first.token, person).await {
        Ok(person) => {
            sign_in.enter(&person).await?;
            Ok(see_other("/"))
        }
        Err(EngineError::LinkInvalid | EngineError::SetupOver) => Ok(see_other("/setup")),
        Err(error) => {
            let flash = refused(error, &[("name", &first.name), ("email", &first.email)])?;
            let token: String =
                url::form_urlencoded::byte_serialize(first.token.as_bytes()).collect();
            flashes
                .see_other(&format!("/setup?token={token}"), flash)
                .await
        }
    }
}
