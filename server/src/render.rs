//! The one place that draws a page.

use std::convert::Infallible;

use axum::{
    body::Body,
    extract::{FromRef, FromRequestParts, Request},
    http::{StatusCode, request::Parts},
    response::{IntoResponse, Response},
};
use leptos::{config::LeptosOptions, nonce::Nonce, prelude::*};

use crate::{http::browser, state::AppState};

/// Draws views for one request.
pub struct Render {
    options: LeptosOptions,
    nonce: String,
    uri: axum::http::Uri,
}

impl FromRequestParts<AppState> for Render {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let nonce = parts.extensions.get::<browser::Nonce>();
        Ok(Self {
            options: LeptosOptions::from_ref(app),
            nonce: nonce.map(|nonce| nonce.0.clone()).unwrap_or_default(),
            uri: parts.uri.clone(),
        })
    }
}

impl Render {
    /// For the hydration scripts.
    pub fn options(&self) -> LeptosOptions {
        self.options.clone()
    }

    /// Draws a whole document.
    pub async fn page<V: IntoView + 'static>(
        &self,
        document: impl Fn() -> V + Clone + Send + Sync + 'static,
    ) -> Response {
        let nonce = self.nonce.clone();
        let mut request = Request::new(Body::empty());
        request.uri_mut().clone_from(&self.uri);
        leptos_axum::render_app_async_with_context(
            move || provide_context(Nonce::from_value(nonce.clone())),
            document,
        )(request)
        .await
        .into_response()
    }

    /// The same, with another status than 200.
    pub async fn page_with<V: IntoView + 'static>(
        &self,
        status: StatusCode,
        document: impl Fn() -> V + Clone + Send + Sync + 'static,
    ) -> Response {
        let mut response = self.page(document).await;
        *response.status_mut() = status;
        response
    }
}
