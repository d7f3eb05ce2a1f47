//! `/language`: the reader's choice.

use app::text::Language;
use axum::{
    Form,
    extract::State,
    http::{HeaderValue, header},
    response::Response,
};
use serde::Deserialize;

use super::look::LANGUAGE_COOKIE;
use crate::{
    auth::Visitor,
    flash::{local, see_other},
    page_error::PageError,
    state::AppState,
};

/// The form of the language buttons.
#[derive(Deserialize)]
pub struct Choice {
    language: String,
    #[serde(default)]
    next: String,
}

/// Keeps the choice in a cookie and, for who is signed in, with the person, so that it follows them to another browser.
pub async fn choose(
    visitor: Visitor,
    State(app): State<AppState>,
    Form(choice): Form<Choice>,
) -> Result<Response, PageError> {
    let mut response = see_other(&local(Some(&choice.next), "/"));
    if let Some(language) = Language::of(&choice.language) {
        if let Some(person) = &visitor.person {
            let word = Some(language.word());
            app.engine.set_language(&person.id, word).await?;
        }
        keep(&mut response, &app, language);
    }
    Ok(response)
}

/// Sets the cookie for a year.
pub fn keep(response: &mut Response, app: &AppState, language: Language) {
    let secure = if app.public_url().is_https() {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{LANGUAGE_COOKIE}={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax{secure}",
        language.word()
    );
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
