//! Forms that change roles, links or keys: sent by a session whose password was given within ten minutes. From an older one the form is
//! kept, the password asked for, and the very same form sent again together with it: nothing that was typed is lost.

use axum::{
    Form,
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::{header, request::Parts},
    response::{IntoResponse, Response},
};
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use super::{SignIn, not_signed_in};
use crate::{
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// The field in which the password comes with the form that was kept.
pub const CONFIRMS: &str = "confirm_password";

/// A form that only a fresh sign-in may send. It comes last in a handler's signature, after the permission.
pub struct FreshForm<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for FreshForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let body = Bytes::from_request(Request::from_parts(parts.clone(), body), app)
            .await
            .map_err(IntoResponse::into_response)?;
        let (password, form) = apart(&body);
        let asked = confirmed(&mut parts, app, password, &form).await;
        if let Some(asked) = asked.map_err(IntoResponse::into_response)? {
            return Err(asked);
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        let form = Form::from_request(Request::from_parts(parts, form.into()), app).await;
        form.map(|Form(form)| Self(form))
            .map_err(IntoResponse::into_response)
    }
}

/// The password that came with a form, and the form without it.
fn apart(body: &[u8]) -> (Option<SecretString>, String) {
    let mut password = None;
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in form_urlencoded::parse(body) {
        if name == CONFIRMS {
            password = Some(SecretString::from(value.into_owned()));
        } else {
            form.append_pair(&name, &value);
        }
    }
    (password, form.finish())
}

/// `None` where the form may go on; else the way to the page that asks for the password.
async fn confirmed(
    parts: &mut Parts,
    app: &AppState,
    password: Option<SecretString>,
    form: &str,
) -> Result<Option<Response>, PageError> {
    let sign_in = SignIn::from_request_parts(parts, app).await?;
    if sign_in.is_fresh().await? {
        return Ok(None);
    }
    let nobody = || PageError::sign_in(None);
    let id = sign_in.person().await?.ok_or_else(nobody)?;
    let flash = match password {
        None => Flash::new("confirm"),
        Some(password) => {
            let person = app.engine.person(&id).await?.ok_or_else(nobody)?;
            let signed = app
                .engine
                .sign_in(&person.email, password, sign_in.address)
                .await;
            match signed {
                Ok(person) => {
                    sign_in.enter(&person).await?;
                    return Ok(None);
                }
                Err(error) => not_signed_in(error)?,
            }
        }
    };
    // Nobody else is led to send it in their own name.
    let flash = flash
        .with("person", id.as_str())
        .with("to", parts.uri.path())
        .with("form", form);
    let flashes = match Flashes::from_request_parts(parts, app).await {
        Ok(flashes) => flashes,
        Err(never) => match never {},
    };
    flashes.see_other("/confirm", flash).await.map(Some)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn the_password_is_taken_out_of_the_form_and_the_rest_stays_as_it_was_typed() {
        let (password, form) = apart(b"name=M%C3%ADa+%26+co&confirm_password=a%20b&role.0=admin");
        assert_eq!(password.unwrap().expose_secret(), "a b");
        assert_eq!(form, "name=M%C3%ADa+%26+co&role.0=admin");
        assert!(apart(b"").0.is_none());
    }
}
