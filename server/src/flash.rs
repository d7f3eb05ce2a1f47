//! What a form that answered 303 has to say on the next page: kept by the server for ten minutes, sealed, so that what was typed is
//! neither lost nor in an address. The address carries a token that is good for one look.

use std::{collections::BTreeMap, convert::Infallible};

use axum::{
    extract::FromRequestParts,
    http::{StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

use crate::{page_error::PageError, state::AppState};

/// What happened, and what goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Flash {
    /// The word of what happened.
    pub code: String,
    /// What was typed; ids for an undo.
    pub fields: BTreeMap<String, String>,
}

impl Flash {
    /// One with a code and no fields.
    pub fn new(code: &str) -> Self {
        Self {
            code: code.to_owned(),
            ..Self::default()
        }
    }

    /// With one more field.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }
}

/// The flash of this request, and the way to leave one for the next.
pub struct Flashes {
    app: AppState,
    token: Option<String>,
}

impl FromRequestParts<AppState> for Flashes {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        let token = url::form_urlencoded::parse(query.as_bytes())
            .find(|(name, _)| name == "flash")
            .map(|(_, token)| token.into_owned());
        Ok(Self {
            app: app.clone(),
            token,
        })
    }
}

impl Flashes {
    /// The way to leave one, without one of this request.
    pub fn of(app: &AppState) -> Self {
        Self {
            app: app.clone(),
            token: None,
        }
    }

    /// The one of this request. It is read once.
    pub async fn take(&self) -> Option<Flash> {
        let token = self.token.as_deref()?;
        match self.app.engine.take_flash(token).await {
            Ok(found) => serde_json::from_slice(&found?).ok(),
            Err(error) => {
                tracing::warn!(error = ?error, "a flash could not be read");
                None
            }
        }
    }

    /// 303 to `next`, with this to say there.
    ///
    /// # Errors
    /// The store failed.
    pub async fn see_other(&self, next: &str, flash: Flash) -> Result<Response, PageError> {
        let data = serde_json::to_vec(&flash).map_err(|_| PageError::internal())?;
        let token = self.app.engine.put_flash(&data).await?;
        Ok(see_other(&with_token(next, &token)))
    }
}

/// Adds the token in front of a fragment, in place of an older one.
fn with_token(next: &str, token: &str) -> String {
    let (address, fragment) = next.split_once('#').unwrap_or((next, ""));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if name != "flash" {
            pairs.append_pair(&name, &value);
        }
    }
    pairs.append_pair("flash", token);
    let fragment = if fragment.is_empty() {
        String::new()
    } else {
        format!("#{fragment}")
    };
    format!("{path}?{}{fragment}", pairs.finish())
}

/// 303 to a path of this site.
pub fn see_other(next: &str) -> Response {
    (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, local(Some(next), "/"))],
    )
        .into_response()
}

/// `next` when it is a path of this site, else `fallback`: a link in a mail must not lead elsewhere through us.
pub fn local(next: Option<&str>, fallback: &str) -> String {
    next.filter(|path| {
        let mut rest = path.chars();
        rest.next() == Some('/')
            && !matches!(rest.next(), Some('/' | '\\'))
            && path.chars().all(|c| c.is_ascii_graphic() && c != '\\')
    })
    .unwrap_or(fallback)
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_site_are_followed() {
        for path in ["/", "/review?status=pending#c", "/users/%E5%B1%B1"] {
            assert_eq!(local(Some(path), "/x"), path);
        }
        for path in [
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\r\nSet-Cookie: x",
            "/\t/evil.example",
            "",
        ] {
            assert_eq!(local(Some(path), "/x"), "/x", "{path}");
        }
    }

    #[test]
    fn the_token_takes_the_place_of_an_older_one_before_the_fragment() {
        assert_eq!(
            with_token("/review?kind=fact&flash=old#c", "new"),
            "/review?kind=fact&flash=new#c"
        );
        assert_eq!(with_token("/login", "t"), "/login?flash=t");
    }
}
