//! What was typed when a session was over: the form is kept, the person signs in, and it is shown again, to be sent
//! or let go. It is kept as a flash, sealed and for ten minutes, and shown to nobody but the person whose session it was.
//!
//! When a form comes too late, its session names nobody any more: the browser has dropped the cookie, or the row is gone. So a sign-in
//! leaves a mark in the browser, which names the person and opens nothing. Without one nothing is kept: strangers store nothing here.

use std::num::NonZeroU32;

use app::{pages::sign_in::kept, shell::Place};
use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{FromRequestParts, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::id::PersonId;

use super::look::{Look, cookie};
use crate::{
    auth::{Person, SignIn},
    flash::{Flash, Flashes, local},
    http::nul::uploads,
    page_error::{PageError, SessionOver},
    state::AppState,
};

/// The most forms of one person that are kept in an hour.
pub const MOST: NonZeroU32 = NonZeroU32::new(60).unwrap();

/// The cookie that names who signed in with a browser last.
const MARK: &str = "keepsake_last";
/// How long a page may lie open whose form is still kept, in seconds: a week.
const MARK_LIVES: u32 = 7 * 24 * 60 * 60;
/// A longer form is not kept.
const MOST_BYTES: u64 = 64 * 1024;
/// The word of a flash that holds a form.
const KEPT: &str = "kept";

/// Keeps the form of a request that came without a session, and marks the browser of one that signed somebody in.
pub async fn keep(State(app): State<AppState>, request: Request, next: Next) -> Response {
    // A file is not kept for later.
    if request.method() != Method::POST || uploads(&request) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let sign_in = match SignIn::from_request_parts(&mut parts, &app).await {
        Ok(sign_in) => sign_in,
        Err(error) => return error.into_response(),
    };
    let size = parts.headers.get(header::CONTENT_LENGTH);
    let size: Option<u64> = size.and_then(|value| value.to_str().ok()?.parse().ok());
    let (body, sent) = if size.is_some_and(|size| size <= MOST_BYTES) {
        let Ok(sent) = to_bytes(body, usize::try_from(MOST_BYTES).unwrap_or(usize::MAX)).await
        else {
            return PageError::of_status(StatusCode::BAD_REQUEST).into_response();
        };
        (Body::from(sent.clone()), sent)
    } else {
        (body, Bytes::new())
    };
    let to = parts.uri.path().to_owned();
    let mark = cookie(&parts.headers, MARK).map(str::to_owned);
    let response = next.run(Request::from_parts(parts, body)).await;
    if response.extensions().get::<SessionOver>().is_none() {
        return marked(&app, &sign_in, response).await;
    }
    let (Some(mark), Some(form)) = (mark, form(&sent)) else {
        return response;
    };
    match to_sign_in(&app, &mark, &to, &form).await {
        Ok(Some(kept)) => kept,
        Ok(None) | Err(_) => response,
    }
}

/// A form that may be kept: one without a password.
fn form(sent: &Bytes) -> Option<String> {
    let text = std::str::from_utf8(sent)
        .ok()
        .filter(|text| !text.is_empty())?;
    let secret = url::form_urlencoded::parse(sent).any(|(name, _)| name.contains("password"));
    (!secret).then(|| text.to_owned())
}

/// To the sign-in, with the form kept; `None` where nobody is known whose it could be, or too many of theirs were kept.
async fn to_sign_in(
    app: &AppState,
    mark: &str,
    to: &str,
    form: &str,
) -> Result<Option<Response>, PageError> {
    let Some(person) = app.engine.marked(mark).await? else {
        return Ok(None);
    };
    if app.kept_forms().take(person.as_str()).is_err() {
        return Ok(None);
    }
    let flash = Flash::new(KEPT)
        .with("person", person.as_str())
        .with("to", to)
        .with("form", form);
    let data = serde_json::to_vec(&flash).map_err(|_| PageError::internal())?;
    let token = app.engine.put_flash(&data).await?;
    let sign_in = format!("/login?kept={token}");
    let answer = Flashes::of(app)
        .see_other(&sign_in, Flash::new("session_over"))
        .await?;
    Ok(Some(answer))
}

/// The answer with the mark of whom this request signed in. Another site's page cannot make a browser send it.
async fn marked(app: &AppState, sign_in: &SignIn, mut response: Response) -> Response {
    let Ok(Some(person)) = sign_in.entered().await else {
        return response;
    };
    let mark = match app.engine.mark(&person).await {
        Ok(mark) => mark,
        Err(error) => {
            tracing::warn!(%error, "a browser could not be marked; what is typed too late is not kept there");
            return response;
        }
    };
    let secure = if app.public_url().is_https() {
        "; Secure"
    } else {
        ""
    };
    let line =
        format!("{MARK}={mark}; Path=/; HttpOnly; SameSite=Strict; Max-Age={MARK_LIVES}{secure}");
    if let Ok(line) = HeaderValue::from_str(&line) {
        response.headers_mut().append(header::SET_COOKIE, line);
    }
    response
}

/// The token of a form, where it has the shape of one.
pub fn token(text: &str) -> Option<&str> {
    let shaped = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    shaped.then_some(text)
}

/// Takes the form under a token for who has just signed in. Where it is somebody else's it is thrown away.
///
/// # Errors
/// The store failed.
pub async fn take(
    app: &AppState,
    token: Option<&str>,
    person: &PersonId,
) -> Result<Option<Flash>, PageError> {
    let Some(token) = token else {
        return Ok(None);
    };
    let found = app.engine.take_flash(token).await?;
    let flash: Option<Flash> = found.and_then(|data| serde_json::from_slice(&data).ok());
    Ok(flash.filter(|flash| of(flash, person).is_some()))
}

/// The form in a flash, where it is this person's: where it was sent, and what it said.
fn of<'a>(flash: &'a Flash, person: &PersonId) -> Option<(String, &'a str)> {
    let field = |name: &str| flash.fields.get(name).map(String::as_str);
    if flash.code != KEPT || field("person") != Some(person.as_str()) {
        return None;
    }
    Some((local(field("to"), "/"), field("form")?))
}

/// The form that was kept, for who has signed in again.
pub async fn show(person: Person, look: Look) -> Result<Response, PageError> {
    let frame = look.frame_of(&person.actor, Place::Elsewhere).await?;
    let found = look.flash.as_ref().and_then(|flash| of(flash, &person.id));
    let waiting = found.map(|(to, form)| {
        let fields = url::form_urlencoded::parse(form.as_bytes());
        (to, fields.into_owned().collect::<Vec<_>>())
    });
    look.draw(move || kept(&frame, waiting.as_ref())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_with_a_password_is_not_kept() {
        assert!(form(&Bytes::from_static(b"content=User+likes+tea&version=1")).is_some());
        assert!(form(&Bytes::from_static(b"new_password=abc")).is_none());
        assert!(form(&Bytes::new()).is_none());
    }

    #[test]
    fn a_form_is_given_only_to_the_person_who_typed_it() {
        let person = |letter: &str| PersonId::parse(&format!("per_{}", letter.repeat(26))).unwrap();
        let flash = Flash::new(KEPT)
            .with("person", person("1").as_str())
            .with("to", "/candidates/x/approve")
            .with("form", "content=a");
        let theirs = ("/candidates/x/approve".to_owned(), "content=a");
        assert_eq!(of(&flash, &person("1")), Some(theirs));
        assert_eq!(of(&flash, &person("2")), None);
        let other = Flash {
            code: "confirm".to_owned(),
            ..flash
        };
        assert_eq!(of(&other, &person("1")), None, "a flash of another kind");
    }

    #[test]
    fn a_token_is_told_from_other_text() {
        assert!(token(&"0f".repeat(16)).is_some());
        for odd in ["", "0f", "/../../../../../../../../../etc/p"] {
            assert_eq!(token(odd), None, "{odd}");
        }
    }
}
