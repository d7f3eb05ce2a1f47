//! What was typed when a session was over: the form is kept, the person signs in, and it is shown again, to be sent
//! or let go. It is kept as a flash, sealed and for ten minutes, and given only to the browser that sent it.

use app::{
    pages::sign_in::{Kept, kept},
    shell::Place,
};
use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};

use super::look::{Look, cookie};
use crate::{
    auth::Person,
    flash::{Flash, Flashes, local},
    page_error::{PageError, SessionOver},
    state::AppState,
};

/// The cookie that tells the browser that sent a form from others.
const COOKIE: &str = "keepsake_kept";
/// A longer form is not kept.
const MOST_BYTES: u64 = 64 * 1024;

/// Keeps the form of a request that came without a session.
pub async fn keep(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let size = request.headers().get(header::CONTENT_LENGTH);
    let size: Option<u64> = size.and_then(|value| value.to_str().ok()?.parse().ok());
    if request.method() != Method::POST || size.is_none_or(|size| size > MOST_BYTES) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, usize::try_from(MOST_BYTES).unwrap_or(usize::MAX)).await else {
        return PageError::of_status(axum::http::StatusCode::BAD_REQUEST).into_response();
    };
    let to = parts.uri.path().to_owned();
    let response = next
        .run(Request::from_parts(parts, Body::from(body.clone())))
        .await;
    if response.extensions().get::<SessionOver>().is_none() {
        return response;
    }
    match form(&body) {
        Some(form) => to_sign_in(&app, &to, &form).await.unwrap_or(response),
        None => response,
    }
}

/// A form that may be kept: one without a password.
fn form(body: &Bytes) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let secret = url::form_urlencoded::parse(body).any(|(name, _)| name.contains("password"));
    (!secret).then(|| text.to_owned())
}

async fn to_sign_in(app: &AppState, to: &str, form: &str) -> Result<Response, PageError> {
    let mut bytes = [0; 16];
    app.entropy().fill(&mut bytes);
    let browser = BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let flash = Flash::new("session_over")
        .with("to", to)
        .with("form", form)
        .with("browser", browser.clone());
    let mut response = Flashes::of(app).see_other("/login", flash).await?;
    let secure = if app.public_url().is_https() {
        "; Secure"
    } else {
        ""
    };
    let line =
        format!("{COOKIE}={browser}; Path=/; HttpOnly; SameSite=Strict; Max-Age=600{secure}");
    let line = HeaderValue::from_str(&line).map_err(|_| PageError::internal())?;
    response.headers_mut().append(header::SET_COOKIE, line);
    Ok(response)
}

/// The form in a flash, for the browser that sent it.
pub fn of(flash: Option<&Flash>, headers: &HeaderMap) -> Option<Kept> {
    let field = |name: &str| flash?.fields.get(name).cloned();
    let browser = field("browser")?;
    (cookie(headers, COOKIE) == Some(browser.as_str())).then_some(())?;
    Some(Kept {
        to: local(field("to").as_deref(), "/"),
        form: field("form")?,
        browser,
    })
}

/// The flash that carries it on.
pub fn carried(flash: Flash, kept: &Kept) -> Flash {
    flash
        .with("to", kept.to.clone())
        .with("form", kept.form.clone())
        .with("browser", kept.browser.clone())
}

/// The form that was kept, for who has signed in again.
pub async fn show(person: Person, look: Look, headers: HeaderMap) -> Result<Response, PageError> {
    let frame = look.frame_of(&person.actor, Place::Elsewhere).await?;
    let found = of(look.flash.as_ref(), &headers);
    let fields = found.as_ref().map(|found| {
        let pairs = url::form_urlencoded::parse(found.form.as_bytes());
        pairs.into_owned().collect::<Vec<_>>()
    });
    let waiting = found.map(|found| found.to).zip(fields);
    look.draw(move || kept(&frame, waiting.as_ref())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_with_a_password_is_not_kept() {
        assert!(form(&Bytes::from_static(b"content=User+likes+tea&version=1")).is_some());
        assert!(form(&Bytes::from_static(b"new_password=abc")).is_none());
    }

    #[test]
    fn a_form_is_given_only_to_the_browser_that_sent_it() {
        let flash = Flash::new("session_over")
            .with("to", "/candidates/x/approve")
            .with("form", "content=a")
            .with("browser", "abc");
        let with = |line: &'static str| {
            HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_static(line))])
        };
        assert!(of(Some(&flash), &with("keepsake_kept=abc")).is_some());
        assert!(of(Some(&flash), &with("keepsake_kept=other")).is_none());
        assert!(of(Some(&flash), &HeaderMap::new()).is_none());
        assert!(of(None, &with("keepsake_kept=abc")).is_none());
    }
}
