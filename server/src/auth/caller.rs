//! The caller of the REST API.

use std::marker::PhantomData;

use axum::{
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
};
use domain::{
    agent::AgentName,
    permission::{Actor, Permission, Permit},
};

use super::{Need, key::no_key};
use crate::{problem::Problem, state::AppState};

/// A key that grants `P`. First in every handler's signature: the OpenAPI document takes the needed scope from it.
pub struct Caller<P> {
    /// What the engine asks for.
    pub permit: Permit,
    need: PhantomData<fn() -> P>,
}

impl<P: Need> FromRequestParts<AppState> for Caller<P> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        let actor = parts.extensions.get::<Actor>().ok_or_else(no_key)?;
        Ok(Self {
            permit: permit::<P>(actor)?,
            need: PhantomData,
        })
    }
}

/// What a key grants.
///
/// # Errors
/// 403 with the scope that it lacks.
pub fn permit<P: Need>(actor: &Actor) -> Result<Permit, Problem> {
    Permit::ask(actor.clone(), P::PERMISSION).map_err(|_| {
        let scope = P::SCOPE;
        let detail = format!(
            "This call needs a key with the scope {scope}; one of a person's, the person's role too."
        );
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
    })
}

impl<P> Caller<P> {
    /// The one agent that a call is about: the key's, or the one asked for.
    ///
    /// # Errors
    /// The key names several and none was asked for; 404 for one outside.
    pub fn agent(&self, asked: Option<&AgentName>) -> Result<AgentName, Problem> {
        Ok(engine::only_agent(&self.permit, asked)?)
    }

    /// Another permission of the same caller, where they have it.
    pub fn also(&self, permission: Permission) -> Option<Permit> {
        Permit::ask(self.permit.actor().clone(), permission).ok()
    }
}
