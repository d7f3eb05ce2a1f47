//! The person of a page.

use std::{convert::Infallible, marker::PhantomData};

use axum::{
    extract::FromRequestParts,
    http::{Method, request::Parts},
};
use domain::{
    id::PersonId,
    permission::{Actor, Permission, Permit},
};
use tower_sessions::Session;

use super::{Need, need, session::PERSON};
use crate::{page_error::PageError, state::AppState};

/// A signed-in person who may do `P`. Who is not signed in is sent to `/login` and comes back; who may not sees a 403.
pub struct Signed<P> {
    /// What the engine asks for.
    pub permit: Permit,
    /// Who.
    pub person: PersonId,
    /// Their name.
    pub name: String,
    need: PhantomData<fn() -> P>,
}

/// Who reads the queue.
pub type Viewer = Signed<need::ReadCandidates>;
/// Who decides.
pub type Reviewer = Signed<need::Decide>;
/// Who changes agents and keys.
pub type Admin = Signed<need::Administer>;
/// Who invites people and changes what they may do.
pub type Manager = Signed<need::ManagePeople>;

impl<P: Need> FromRequestParts<AppState> for Signed<P> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, PageError> {
        let Some(actor) = actor(parts, app).await? else {
            return Err(away(parts));
        };
        let Actor::Person { id, name, .. } = &actor else {
            return Err(PageError::internal());
        };
        Ok(Self {
            person: id.clone(),
            name: name.clone(),
            permit: Permit::ask(actor, P::PERMISSION)
                .map_err(|_| PageError::Lacks(P::PERMISSION))?,
            need: PhantomData,
        })
    }
}

/// To the sign-in, and back to a page.
fn away(parts: &Parts) -> PageError {
    let back = match (parts.method == Method::GET, parts.uri.path_and_query()) {
        (true, Some(path)) => Some(path.as_str()),
        _ => None,
    };
    PageError::sign_in(back)
}

impl<P> Signed<P> {
    /// Another permission of the same person.
    ///
    /// # Errors
    /// They do not have it.
    pub fn ask(&self, permission: Permission) -> Result<Permit, PageError> {
        let permit = Permit::ask(self.permit.actor().clone(), permission);
        permit.map_err(|_| PageError::Lacks(permission))
    }

    /// Whether they have it, to draw a link or leave it out.
    pub fn may(&self, permission: Permission) -> bool {
        self.ask(permission).is_ok()
    }
}

/// Who listens to what happens. A stream that breaks off opens itself anew for as long as its page lies open, so opening one is no use
/// of the session: that still ends where nobody did anything else for half an hour.
pub struct Listener {
    /// What the engine asks for.
    pub permit: Permit,
    /// The token of their session.
    pub session: String,
}

impl Listener {
    /// What listening needs.
    pub const PERMISSION: Permission = need::ReadCandidates::PERMISSION;
}

impl FromRequestParts<AppState> for Listener {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, PageError> {
        let session = parts.extensions.get::<Session>();
        // The id is the cookie's. To read what the session holds would keep it awake.
        let id = session.ok_or_else(PageError::internal)?.id();
        let Some(session) = id.map(|id| id.to_string()) else {
            return Err(away(parts));
        };
        let actor = match app.engine.session_person(&session).await? {
            Some(person) => app.engine.actor(&person).await?,
            None => None,
        };
        let Some(actor) = actor else {
            return Err(away(parts));
        };
        Ok(Self {
            permit: Permit::ask(actor, Self::PERMISSION)
                .map_err(|_| PageError::Lacks(Self::PERMISSION))?,
            session,
        })
    }
}

/// Whoever is signed in, whatever their roles.
pub struct Person {
    /// Who.
    pub id: PersonId,
    /// The same as the engine takes it.
    pub actor: Actor,
}

impl FromRequestParts<AppState> for Person {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, PageError> {
        let person = Visitor::of(parts, app).await?.person;
        person.ok_or_else(|| away(parts))
    }
}

/// Whoever looks at a page that everyone may see.
pub struct Visitor {
    /// Who, when signed in.
    pub person: Option<Person>,
}

impl Visitor {
    async fn of(parts: &Parts, app: &AppState) -> Result<Self, PageError> {
        let actor = actor(parts, app).await?;
        let person = actor.and_then(|actor| {
            let id = actor.person()?.clone();
            Some(Person { id, actor })
        });
        Ok(Self { person })
    }
}

impl FromRequestParts<AppState> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let nobody = Self { person: None };
        Ok(Self::of(parts, app).await.unwrap_or(nobody))
    }
}

/// The person of the session, with today's roles: one that was deactivated a second ago is nobody.
async fn actor(parts: &Parts, app: &AppState) -> Result<Option<Actor>, PageError> {
    let session = parts
        .extensions
        .get::<Session>()
        .ok_or_else(PageError::internal)?;
    let id: Option<String> = session.get(PERSON).await?;
    match id.as_deref().map(PersonId::parse) {
        Some(Ok(id)) => Ok(app.engine.actor(&id).await?),
        _ => Ok(None),
    }
}
