//! `POST /conversations`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Timestamp,
    conversation::{NewMessage, Role, Source},
    time::micros,
};
use engine::{Accepted, Incoming};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        query::{AgentQuery, Query},
        subject::{fault, scope},
    },
    auth::{Caller, need::Ingest},
    http::idempotency::{Once, OnceHeader},
    problem::Problem,
    state::AppState,
};

/// Messages of one conversation. Fields that are not known are named in `warnings`.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ConversationPost {
    /// Who the agent talks to; this or `scope`. At most 256 characters.
    user_id: Option<String>,
    /// The pairs that name the user, at most five; this or `user_id`.
    scope: Option<BTreeMap<String, String>>,
    /// The agent's own id of the conversation. Without one each post is a new conversation.
    conversation_id: Option<String>,
    /// At most 500; empty only with `end` or `flush`.
    #[serde(default)]
    messages: Vec<MessagePost>,
    /// IANA name of the zone in which relative dates are meant.
    time_zone: Option<String>,
    /// The conversation is over: extract what is left.
    #[serde(default)]
    end: bool,
    /// Extract what is left now.
    #[serde(default)]
    flush: bool,
}

/// A message.
#[derive(Debug, Deserialize, ToSchema)]
pub struct MessagePost {
    /// The agent's own id of it; sent again, it is known.
    id: Option<String>,
    /// Who speaks.
    role: Role,
    /// What was said, at most 32 KiB.
    content: String,
    /// When; left out: now.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
    /// Who made the words, where the role does not say it. Left out: `human`.
    source: Option<Source>,
}

/// Takes messages in and answers at once; extraction runs in the background.
#[utoipa::path(
    post, path = "/conversations", tag = "conversations", params(AgentQuery, OnceHeader), request_body = ConversationPost,
    responses((status = 202, body = Accepted, description = "Taken in; `Location` names the operation", headers(("Location"))))
)]
pub async fn create_conversation(
    caller: Caller<Ingest>,
    State(app): State<AppState>,
    once: Once,
    Query(asked): Query<AgentQuery>,
    body: Body<ConversationPost>,
) -> Result<Response, Problem> {
    let agent = caller.agent(asked.agent.as_ref())?;
    let incoming = body.value.parse()?;
    let permit = &caller.permit;
    let work = async {
        let mut accepted = app.engine.ingest(permit, &agent, incoming).await?;
        accepted.warnings.extend(body.ignored);
        let location = format!("/api/v1/operations/{}", accepted.operation);
        let headers = [(header::LOCATION, location)];
        Ok((StatusCode::ACCEPTED, headers, Json(accepted)).into_response())
    };
    once.run(permit, &body.raw, work).await
}

impl ConversationPost {
    fn parse(self) -> Result<Incoming, Problem> {
        let messages = self.messages.into_iter().map(|message| NewMessage {
            external_id: message.id,
            role: message.role,
            source: message.source.unwrap_or_default(),
            at: message.at.map(micros),
            content: message.content,
        });
        Ok(Incoming {
            scope: scope(self.user_id.as_deref(), self.scope).map_err(fault)?,
            conversation_id: self.conversation_id,
            messages: messages.collect(),
            time_zone: self.time_zone,
            end: self.end,
            flush: self.flush,
        })
    }
}
