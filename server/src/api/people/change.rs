//! `PATCH /people/{id}`

use axum::{extract::State, http::StatusCode, response::Response};
use domain::id::PersonId;
use engine::{PersonPatch, PersonView, RoleView};
use serde::Deserialize;
use utoipa::ToSchema;

use super::grants;
use crate::{
    api::{
        body::Body,
        conditional::{IfMatch, IfMatchHeader, versioned},
        path::Named,
    },
    auth::{Caller, need::ManagePeople},
    problem::Problem,
    state::AppState,
};

/// What is changed; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonChange {
    /// Their name.
    name: Option<String>,
    /// All their roles.
    roles: Option<Vec<RoleView>>,
    /// Whether they may come in. With `false` their sessions, keys and claims end, and what was handed over to them is free again.
    active: Option<bool>,
}

/// Changes a person's name, roles, or whether they may come in.
#[utoipa::path(
    patch, path = "/people/{id}", tag = "people", params(("id" = PersonId, Path), IfMatchHeader), request_body = PersonChange,
    responses((status = 200, body = PersonView, headers(("ETag"))))
)]
pub async fn change_person(
    caller: Caller<ManagePeople>,
    State(app): State<AppState>,
    Named(id): Named<PersonId>,
    IfMatch(seen): IfMatch,
    body: Body<PersonChange>,
) -> Result<Response, Problem> {
    let PersonChange {
        name,
        roles,
        active,
    } = body.value;
    let patch = PersonPatch {
        name,
        grants: roles.map(grants).transpose()?,
        active,
    };
    let person = app
        .engine
        .change_person(&caller.permit, &id, seen, patch)
        .await?;
    Ok(versioned(StatusCode::OK, person.version, &person))
}
