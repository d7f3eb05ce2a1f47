//! `POST /candidates`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{candidate::Action, id::MemoryId};
use engine::{ProposeAnswer, Proposed};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        query::{AgentQuery, Query},
        subject::{fault, scope},
    },
    auth::{Caller, need::Propose},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// A proposal made by hand; it always waits for a person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CandidatePost {
    /// Left out: found by what is stored.
    action: Option<Action>,
    /// The memory it is about, `mem_…`; `update` and `retire` need one.
    target: Option<MemoryId>,
    /// Whom it is about, by the agent's own id of them; this or `scope`. At most 256 characters.
    user_id: Option<String>,
    /// At most five pairs that name the user where one id does not; this or `user_id`.
    scope: Option<BTreeMap<String, String>>,
    /// A kind of the agent, such as `preference`, `fact` or `context`.
    kind: String,
    /// What identifies the thing within its kind, such as the name of a metric.
    name: Option<String>,
    /// The statement, at most 2,000 characters; left out with `retire`, which takes all of it from its target.
    content: Option<String>,
    /// Metadata that fits the kind's schema.
    #[serde(default)]
    metadata: serde_json::Map<String, serde_json::Value>,
    /// Free tags.
    #[serde(default)]
    tags: Vec<String>,
    /// How sure the proposer is, 0.0 to 1.0.
    confidence: Option<f64>,
    /// How much it matters, 0.0 to 1.0.
    importance: Option<f64>,
    /// One sentence on why.
    explanation: Option<String>,
}

/// Proposes by hand.
#[utoipa::path(
    post, path = "/candidates", tag = "candidates", params(AgentQuery, OnceHeader), request_body = CandidatePost,
    responses(
        (status = 201, body = ProposeAnswer, description = "It waits", headers(("Location"))),
        (status = 200, body = ProposeAnswer, description = "Nothing new: said already, rejected before, or the agent does not learn")
    )
)]
pub async fn propose_candidate(
    caller: Caller<Propose>,
    State(app): State<AppState>,
    once: Once,
    Query(asked): Query<AgentQuery>,
    body: Body<CandidatePost>,
) -> Result<Response, Problem> {
    let agent = caller.agent(asked.agent.as_ref())?;
    let proposed = body.value.parse()?;
    let permit = &caller.permit;
    let work = async {
        let answer = app.engine.propose(permit, &agent, proposed).await?;
        let mut response = Json(&answer).into_response();
        if let ProposeAnswer::Proposed { candidate } = &answer {
            *response.status_mut() = StatusCode::CREATED;
            if let Ok(location) = format!("/api/v1/candidates/{}", candidate.id).parse() {
                response.headers_mut().insert(header::LOCATION, location);
            }
        }
        Ok(response)
    };
    once.run(permit, &body.raw, work).await
}

impl CandidatePost {
    /// What the engine takes.
    ///
    /// # Errors
    /// It does not say whom it is about.
    pub fn parse(self) -> Result<Proposed, Problem> {
        Ok(Proposed {
            action: self.action,
            target: self.target,
            scope: scope(self.user_id.as_deref(), self.scope).map_err(fault)?,
            kind: self.kind,
            name: self.name,
            content: self.content,
            metadata: self.metadata,
            tags: self.tags,
            confidence: self.confidence,
            importance: self.importance,
            explanation: self.explanation,
        })
    }
}
