//! `POST /people`

use axum::{Json, extract::State, http::StatusCode};
use domain::Timestamp;
use engine::{Invitation, PersonView, RoleView};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::grants;
use crate::{
    api::body::Body,
    auth::{Caller, need::ManagePeople},
    http::idempotency::ShownOnce,
    problem::Problem,
    state::AppState,
};

/// Somebody to be invited.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonPost {
    /// What others see beside what they do.
    name: String,
    /// What they will sign in with.
    email: String,
    /// What they may do.
    roles: Vec<RoleView>,
}

/// A person with the link to choose a password, shown this once.
#[derive(Serialize, ToSchema)]
pub struct PersonInvited {
    /// Who.
    person: PersonView,
    /// The address to be sent to them.
    link: String,
    /// Until when it holds.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// Invites a person. The answer is the only place where the link is shown.
#[utoipa::path(
    post, path = "/people", tag = "people", request_body = PersonPost,
    responses((status = 201, body = PersonInvited))
)]
pub async fn invite_person(
    caller: Caller<ManagePeople>,
    State(app): State<AppState>,
    _: ShownOnce,
    body: Body<PersonPost>,
) -> Result<(StatusCode, Json<PersonInvited>), Problem> {
    let PersonPost { name, email, roles } = body.value;
    let new = Invitation {
        name,
        email,
        grants: grants(roles)?,
    };
    let invited = app.engine.invite(&caller.permit, new).await?;
    let path = format!("/join?token={}", invited.link.reveal());
    let invited = PersonInvited {
        link: app.public_url().at(&path),
        expires_at: invited.expires_at,
        person: invited.person,
    };
    Ok((StatusCode::CREATED, Json(invited)))
}
