//! `POST /holds`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::{Timestamp, agent::AgentName, id::UserId};
use engine::{HoldView, NewHold, UserRef};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        subject::{fault, scope},
    },
    auth::{Caller, need::Administer},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Whom or what a hold is to keep. Without a user it keeps everybody whom the agent talks to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldPost {
    /// The agent; left out: the one that the key names, or that of `user`.
    agent: Option<AgentName>,
    /// A user, `usr_…`.
    user: Option<UserId>,
    /// A user, as the agents name them.
    user_id: Option<String>,
    /// A user, as the agents name them by pairs.
    scope: Option<BTreeMap<String, String>>,
    /// On whoever has that user's name, in every agent, also in those that have not heard of them yet.
    #[serde(default)]
    everywhere: bool,
    /// When it ends by itself; left out: when it is released.
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// Why, and by whose order; at most 2,000 characters.
    reason: String,
}

/// Places a hold: until it is released or has run out, neither an erasure nor retention takes what it keeps.
#[utoipa::path(
    post, path = "/holds", tag = "holds", params(OnceHeader), request_body = HoldPost,
    responses((status = 201, body = HoldView))
)]
pub async fn place_hold(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    once: Once,
    body: Body<HoldPost>,
) -> Result<Response, Problem> {
    let new = body.value.parse()?;
    let permit = &caller.permit;
    let work = async {
        let hold = app.engine.place_hold(permit, &new).await?;
        Ok((StatusCode::CREATED, Json(hold)).into_response())
    };
    once.run(permit, &body.raw, work).await
}

impl HoldPost {
    fn parse(self) -> Result<NewHold, Problem> {
        let named = match (self.user_id.as_deref(), self.scope) {
            (None, None) => None,
            (id, pairs) => Some(scope(id, pairs).map_err(fault)?),
        };
        let user = match (self.user, named) {
            (Some(_), Some(_)) => {
                let detail = "give user, user_id or scope, not several";
                return Err(Problem::invalid("/user", "both", detail));
            }
            (Some(id), None) => Some(UserRef::Id(id)),
            (None, named) => named.map(UserRef::Scope),
        };
        Ok(NewHold {
            agent: self.agent,
            user,
            everywhere: self.everywhere,
            until: self.until,
            reason: self.reason,
        })
    }
}
