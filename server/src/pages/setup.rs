//! `/setup`: the first administrator, by the one-time link that the server printed.

use app::pages::sign_in::setup;
use axum::{
    Form,
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use domain::permission::{Permission, Permit};
use engine::{EngineError, NewPerson};
use secrecy::SecretString;
use serde::Deserialize;

use super::{
    form::{refused, typed_of},
    look::Look,
};
use crate::{
    auth::{SignIn, Visitor},
    flash::{Flash, Flashes, see_other},
    page_error::PageError,
    state::AppState,
};

/// The token of the link.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Link {
    token: String,
}

/// The form, while the link holds. Who is signed in has no use for it.
pub async fn show(
    visitor: Visitor,
    look: Look,
    Query(link): Query<Link>,
) -> Result<Response, PageError> {
    if visitor.person.is_some() {
        return Ok(see_other("/"));
    }
    let valid = look.engine().setup_link_valid(&link.token).await?;
    let (frame, typed) = (look.open_frame(&visitor), typed_of(look.flash.as_ref()));
    let status = if valid {
        StatusCode::OK
    } else {
        StatusCode::GONE
    };
    let token = valid.then_some(link.token);
    let page = move || setup(&frame, &typed, token.as_deref());
    Ok(look.draw_with(status, page).await)
}

/// What was typed into the form.
#[derive(Deserialize)]
pub struct First {
    token: String,
    name: String,
    email: String,
    password: SecretString,
    /// Whether demo data is wanted; a box that is not ticked sends nothing.
    #[serde(default)]
    demo: String,
}

/// Makes the administrator and signs them in; with the demo, where it is wanted.
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
            if first.demo.is_empty() {
                return Ok(see_other("/"));
            }
            let actor = app.engine.actor(&person.id).await?;
            let actor = actor.ok_or(EngineError::Forbidden)?;
            let admin = Permit::ask(actor, Permission::Administer);
            let admin = admin.map_err(|_| EngineError::Forbidden)?;
            app.engine.fill_demo(&admin).await?;
            flashes.see_other("/", Flash::new("demo_filled")).await
        }
        Err(EngineError::LinkInvalid | EngineError::SetupOver) => Ok(see_other("/setup")),
        Err(error) => {
            let typed = [
                ("name", first.name.as_str()),
                ("email", &first.email),
                ("demo", &first.demo),
            ];
            let flash = refused(error, &typed)?;
            let token: String =
                url::form_urlencoded::byte_serialize(first.token.as_bytes()).collect();
            flashes
                .see_other(&format!("/setup?token={token}"), flash)
                .await
        }
    }
}
