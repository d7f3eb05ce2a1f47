//! Entering and leaving: what the sign-in, setup and sign-out forms do with the session.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{StatusCode, request::Parts},
};
use domain::id::PersonId;
use engine::PersonView;
use tower_sessions::Session;

use super::session::PERSON;
use crate::{page_error::PageError, state::AppState};

/// The session of this request, and where the request came from.
pub struct SignIn {
    /// The peer's address: the sign-in throttle counts by it. Headers that a client can write do not count.
    pub address: IpAddr,
    session: Session,
    app: AppState,
}

impl FromRequestParts<AppState> for SignIn {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, PageError> {
        let session = parts.extensions.get::<Session>().cloned();
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(Self {
            address: peer.map_or(IpAddr::from([127, 0, 0, 1]), |peer| peer.0.ip()),
            session: session.ok_or_else(PageError::internal)?,
            app: app.clone(),
        })
    }
}

impl SignIn {
    /// Whether a cookie would be safe here: over https, or http on this machine.
    pub fn cookies_possible(&self) -> bool {
        self.app.public_url().takes_sign_in()
    }

    /// Opens a session for the person, under a new id, so that an id known before means nothing afterwards.
    ///
    /// # Errors
    /// The public address is plain http and not this machine's; the store failed.
    pub async fn enter(&self, person: &PersonView) -> Result<(), PageError> {
        if !self.cookies_possible() {
            return Err(PageError::of_status(StatusCode::FORBIDDEN));
        }
        self.session.cycle_id().await?;
        self.session.insert(PERSON, person.id.as_str()).await?;
        Ok(())
    }

    /// Ends the session; a second call does nothing.
    ///
    /// # Errors
    /// The store failed.
    pub async fn leave(&self) -> Result<(), PageError> {
        let person: Option<String> = self.session.get(PERSON).await?;
        self.session.flush().await?;
        if let Some(Ok(person)) = person.as_deref().map(PersonId::parse) {
            self.app.engine.sign_out(&person).await?;
        }
        Ok(())
    }
}
