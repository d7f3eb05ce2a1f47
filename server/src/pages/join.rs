//! `/join`: choosing a password by a one-time link.

use app::pages::account::{Joining, join};
use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use engine::{EngineError, Entry};
use secrecy::SecretString;
use serde::Deserialize;

use super::{
    form::{refused, typed_of},
    look::Look,
    sign_in::code_page,
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

/// The form, while the link holds. Who is signed in as somebody else still sees it alone.
pub async fn show(_: Visitor, look: Look, Query(link): Query<Link>) -> Result<Response, PageError> {
    let nobody = Visitor { person: None };
    let (frame, typed) = (look.open_frame(&nobody), typed_of(look.flash.as_ref()));
    let joining = look.engine().joining(&link.token).await?;
    let joining = joining.map(|joining| Joining {
        token: link.token,
        email: joining.email,
        first: joining.first,
    });
    look.draw(move || join(&frame, &typed, joining.as_ref()))
        .await
}

/// What was typed into the form.
#[derive(Deserialize)]
pub struct Chosen {
    token: String,
    password: SecretString,
}

/// Keeps the password and signs in; who has a second factor is asked for its code first.
pub async fn submit(
    sign_in: SignIn,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(chosen): Form<Chosen>,
) -> Result<Response, PageError> {
    match app.engine.join(&chosen.token, chosen.password).await {
        Ok(Entry::Whole(person)) => {
            sign_in.enter(&person).await?;
            Ok(see_other("/"))
        }
        Ok(Entry::Half(step)) => Ok(see_other(&code_page(step.reveal(), "/", None))),
        Err(EngineError::LinkInvalid) => Ok(see_other("/join")),
        Err(error) => {
            let flash = refused(error, &[])?;
            let token: String =
                url::form_urlencoded::byte_serialize(chosen.token.as_bytes()).collect();
            flashes
                .see_other(&format!("/join?token={token}"), flash)
                .await
        }
    }
}
