//! Entering and leaving: what the sign-in, setup and sign-out forms do with the session.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{StatusCode, request::Parts},
};
use domain::{Timestamp, id::PersonId, time::Span};
use engine::{EngineError, PersonView};
use tower_sessions::Session;

use super::session::{PERSON, SIGNED_IN_AT};
use crate::{flash::Flash, page_error::PageError, state::AppState};

/// How long a password that was given suffices for what is grave: roles, keys, links.
const FRESH: Span = Span::minutes(10);

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

/// What a refused sign-in has to say on the next page.
///
/// # Errors
/// What has nothing to do with the sign-in.
pub fn not_signed_in(error: EngineError) -> Result<Flash, PageError> {
    match &error {
        EngineError::WrongCredentials | EngineError::WrongCode | EngineError::SignInOver => {
            Ok(Flash::new(error.code()))
        }
        EngineError::Throttled { retry_after } => {
            let seconds = retry_after.as_secs().max(1).to_string();
            Ok(Flash::new("throttled").with("seconds", seconds))
        }
        _ => Err(error.into()),
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
        // When the engine let them in, not now: a second factor that was switched on in between is newer.
        let at = person.signed_in_at.unwrap_or_else(|| self.app.engine.now());
        self.signed_in(at).await
    }

    /// Notes that the person of the session has just given the code of their second factor, which counts as a sign-in.
    ///
    /// # Errors
    /// The store failed.
    pub async fn gave_code(&self) -> Result<(), PageError> {
        self.signed_in(self.app.engine.now()).await
    }

    async fn signed_in(&self, at: Timestamp) -> Result<(), PageError> {
        let at = at.timestamp_micros();
        Ok(self.session.insert(SIGNED_IN_AT, at).await?)
    }

    /// Whether the password was given so lately that what is grave may be done without asking for it again.
    ///
    /// # Errors
    /// The store failed.
    pub async fn is_fresh(&self) -> Result<bool, PageError> {
        let at: Option<i64> = self.session.get(SIGNED_IN_AT).await?;
        let now = self.app.engine.now().timestamp_micros();
        let spent = at.map(|at| Span::microseconds(now.saturating_sub(at)));
        Ok(spent.is_some_and(|spent| spent < FRESH))
    }

    /// The person of the session, where somebody is signed in.
    ///
    /// # Errors
    /// The store failed.
    pub async fn person(&self) -> Result<Option<PersonId>, PageError> {
        let person: Option<String> = self.session.get(PERSON).await?;
        Ok(person.and_then(|id| PersonId::parse(&id).ok()))
    }

    /// The person whom this very request signed in; `None` where it signed nobody in.
    ///
    /// # Errors
    /// The store failed.
    pub async fn entered(&self) -> Result<Option<PersonId>, PageError> {
        if self.session.is_modified() {
            self.person().await
        } else {
            Ok(None)
        }
    }

    /// The token of the session, as the engine knows it; empty before there is one.
    pub fn token(&self) -> String {
        self.session
            .id()
            .map(|id| id.to_string())
            .unwrap_or_default()
    }

    /// Ends the session; a second call does nothing.
    ///
    /// # Errors
    /// The store failed.
    pub async fn leave(&self) -> Result<(), PageError> {
        let person = self.person().await?;
        self.session.flush().await?;
        if let Some(person) = person {
            self.app.engine.sign_out(&person).await?;
        }
        Ok(())
    }
}
