//! Forms that change roles, links or keys: sent by a session whose password was given within ten minutes. From an older one the form is
//! kept, the password asked for, and the very same form sent again together with it: nothing that was typed is lost. Who has a second
//! factor is asked for its code too.

use axum::{
    Form,
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::{header, request::Parts},
    response::{IntoResponse, Response},
};
use engine::EngineError;
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
/// The field in which the code of a second factor does.
pub const CONFIRMS_CODE: &str = "confirm_code";

/// A form that only a fresh sign-in may send. It comes last in a handler's signature, after the permission.
pub struct FreshForm<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for FreshForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let body = Bytes::from_request(Request::from_parts(parts.clone(), body), app)
            .await
            .map_err(IntoResponse::into_response)?;
        let (given, form) = apart(&body);
        let asked = confirmed(&mut parts, app, given, &form).await;
        if let Some(asked) = asked.map_err(IntoResponse::into_response)? {
            return Err(asked);
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        let form = Form::from_request(Request::from_parts(parts, form.into()), app).await;
        form.map(|Form(form)| Self(form))
            .map_err(IntoResponse::into_response)
    }
}

/// What came with a form to say that it is they.
#[derive(Default)]
struct Given {
    password: Option<SecretString>,
    /// Empty where none was asked for.
    code: String,
}

/// What came with a form to say that it is they, and the form without it.
fn apart(body: &[u8]) -> (Given, String) {
    let mut given = Given::default();
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in form_urlencoded::parse(body) {
        match &*name {
            CONFIRMS => given.password = Some(SecretString::from(value.into_owned())),
            CONFIRMS_CODE => given.code = value.into_owned(),
            _ => {
                form.append_pair(&name, &value);
            }
        }
    }
    (given, form.finish())
}

/// `None` where the form may go on; else the way to the page that asks for the password.
async fn confirmed(
    parts: &mut Parts,
    app: &AppState,
    given: Given,
    form: &str,
) -> Result<Option<Response>, PageError> {
    let sign_in = SignIn::from_request_parts(parts, app).await?;
    if sign_in.is_fresh().await? {
        return Ok(None);
    }
    let nobody = || PageError::sign_in(None);
    let id = sign_in.person().await?.ok_or_else(nobody)?;
    let flash = match given.password {
        None => Flash::new("confirm"),
        Some(password) => {
            let person = app.engine.person(&id).await?.ok_or_else(nobody)?;
            let signed = app
                .engine
                .confirm(&id, password, &given.code, sign_in.address)
                .await;
            match signed {
                Ok(person) => {
                    sign_in.enter(&person).await?;
                    return Ok(None);
                }
                Err(EngineError::WrongCredentials) if person.second_factor_at.is_some() => {
                    Flash::new("wrong_password_or_code")
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
    fn password_and_code_are_taken_out_of_the_form_and_the_rest_stays_as_it_was_typed() {
        let (given, form) =
            apart(b"name=M%C3%ADa+%26+co&confirm_password=a%20b&confirm_code=123+456&role.0=admin");
        assert_eq!(given.password.unwrap().expose_secret(), "a b");
        assert_eq!(given.code, "123 456");
        assert_eq!(form, "name=M%C3%ADa+%26+co&role.0=admin");
        assert!(apart(b"").0.password.is_none());
    }
}
