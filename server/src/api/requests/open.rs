//! `POST /requests`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Timestamp, agent::AgentName, request::RequestSort};
use engine::{NewRequest, RequestDetail};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        subject::{fault, scope},
    },
    auth::{Caller, need::Export},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// A request of a person that came in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestPost {
    /// What is asked for.
    sort: RequestSort,
    /// Where the person is looked for; left out: in all agents, or in the one that the key names.
    agent: Option<AgentName>,
    /// Who asks, as the agents name them.
    user_id: Option<String>,
    /// Who asks, as the agents name them by pairs.
    scope: Option<BTreeMap<String, String>>,
    /// Words by which others speak of them, all of which must be there; left out: the `user_id`.
    words: Option<String>,
    /// What else there is to note. It is forgotten when the request is closed.
    note: Option<String>,
    /// When it came in; left out: now.
    #[schema(value_type = Option<String>, format = DateTime)]
    received_at: Option<Timestamp>,
    /// By when it must be answered; left out: 30 days after it came in, unless the installation is set otherwise.
    #[schema(value_type = Option<String>, format = DateTime)]
    due_at: Option<Timestamp>,
}

/// Registers a request and looks for the person.
#[utoipa::path(
    post, path = "/requests", tag = "requests", params(OnceHeader), request_body = RequestPost,
    responses((status = 201, body = RequestDetail, description = "It is registered, and this was found", headers(("Location"))))
)]
pub async fn open_request(
    caller: Caller<Export>,
    State(app): State<AppState>,
    once: Once,
    body: Body<RequestPost>,
) -> Result<Response, Problem> {
    let new = body.value.parse()?;
    let permit = &caller.permit;
    let work = async {
        let opened = app.engine.open_request(permit, new).await?;
        let location = format!("/api/v1/requests/{}", opened.request.id);
        let headers = [(header::LOCATION, location)];
        Ok((StatusCode::CREATED, headers, Json(opened)).into_response())
    };
    once.run(permit, &body.raw, work).await
}

impl RequestPost {
    fn parse(self) -> Result<NewRequest, Problem> {
        Ok(NewRequest {
            sort: self.sort,
            agent: self.agent,
            named: scope(self.user_id.as_deref(), self.scope).map_err(fault)?,
            words: self.words,
            note: self.note,
            received_at: self.received_at,
            due_at: self.due_at,
        })
    }
}
