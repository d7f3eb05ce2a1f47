//! `POST /keys`

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Timestamp, agent::AgentName, id::PersonId, key::KeyScope, time::micros};
use engine::{KeyView, NewKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    api::body::Body,
    auth::{Caller, need::Administer},
    http::idempotency::ShownOnce,
    problem::Problem,
    state::AppState,
};

/// A new key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyPost {
    /// The one agent it names, or `*`: every agent, for a key of a person.
    agent: String,
    /// What it may be used for. Left out: what an agent needs.
    scopes: Option<Vec<KeyScope>>,
    /// Whether it is a key of the caller's, who answers for what is done with it. Some scopes need that.
    #[serde(default)]
    mine: bool,
    /// What it is for.
    name: Option<String>,
    /// When it ends; left out: never.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

/// A key, shown this once.
#[derive(Serialize, ToSchema)]
pub struct KeyShown {
    /// The key.
    secret: String,
    /// Its description.
    key: KeyView,
}

/// Makes a key. The answer is the only place where it is shown.
#[utoipa::path(
    post, path = "/keys", tag = "keys", request_body = KeyPost,
    responses((status = 201, body = KeyShown, headers(("Location"))))
)]
pub async fn create_key(
    caller: Caller<Administer>,
    State(app): State<AppState>,
    _: ShownOnce,
    body: Body<KeyPost>,
) -> Result<Response, Problem> {
    let person = caller.permit.actor().person().cloned();
    let new = body.value.parse(person)?;
    let (secret, key) = app.engine.create_key(&caller.permit, new).await?;
    let location = [(header::LOCATION, format!("/api/v1/keys/{}", key.id))];
    let shown = KeyShown {
        secret: secret.reveal().to_owned(),
        key,
    };
    Ok((StatusCode::CREATED, location, Json(shown)).into_response())
}

impl KeyPost {
    fn parse(self, caller: Option<PersonId>) -> Result<NewKey, Problem> {
        let agent = match self.agent.as_str() {
            "*" => None,
            name => Some(
                AgentName::parse(name)
                    .map_err(|error| Problem::invalid("/agent", "invalid", error.to_string()))?,
            ),
        };
        Ok(NewKey {
            agent,
            scopes: self
                .scopes
                .unwrap_or_else(|| KeyScope::OF_AN_AGENT.to_vec()),
            person: caller.filter(|_| self.mine),
            name: self.name,
            expires_at: self.expires_at.map(micros),
        })
    }
}
