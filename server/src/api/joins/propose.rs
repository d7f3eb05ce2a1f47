//! `POST /joins`

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::Response,
};
use domain::join::JoinState;
use engine::{JoinView, NewJoin, UserRef};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        conditional::versioned,
        query::{AgentQuery, Query},
        users::person,
    },
    auth::{Caller, need::Propose},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Two ids that are one person, both of which the agent has talked to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinPost {
    /// The id they had before they signed in: `usr_…`, the `user_id`, or the scope as a JSON object.
    guest: String,
    /// The id they are known by, in the same forms. What it says comes first.
    main: String,
    /// How the agent knows; at most 2,000 characters.
    reason: Option<String>,
}

/// Proposes that two ids are one person; a person decides. Proposed again, it is answered as it stands. 409 `already_joined`, or
/// `join_chain` where one of them is joined with another.
#[utoipa::path(
    post, path = "/joins", tag = "joins", params(AgentQuery, OnceHeader), request_body = JoinPost,
    responses(
        (status = 201, body = JoinView, description = "It waits", headers(("ETag"), ("Location"))),
        (status = 200, body = JoinView, description = "A person declined it within the last 90 days", headers(("ETag"), ("Location")))
    )
)]
pub async fn propose_join(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    once: Once,
    Query(asked): Query<AgentQuery>,
    body: Body<JoinPost>,
) -> Result<Response, Problem> {
    let new = NewJoin {
        agent: Some(caller.agent(asked.agent.as_ref())?),
        guest: whom("/guest", &body.value.guest)?,
        main: whom("/main", &body.value.main)?,
        reason: body.value.reason,
    };
    let permit = &caller.permit;
    let work = async {
        let join = app.engine.propose_join(permit, &new).await?;
        let status = match join.state {
            JoinState::Proposed => StatusCode::CREATED,
            JoinState::Joined | JoinState::Split | JoinState::Declined => StatusCode::OK,
        };
        let mut response = versioned(status, join.version, &join);
        if let Ok(location) = format!("/api/v1/joins/{}", join.id).parse() {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    };
    once.run(permit, &body.raw, work).await
}

fn whom(pointer: &str, text: &str) -> Result<UserRef, Problem> {
    let detail = "usr_…, a user_id, or a scope as a JSON object";
    person(text).ok_or_else(|| Problem::invalid(pointer, "invalid", detail))
}
