//! `POST /v3/memories/add/`, `POST /v1/memories/`, `POST /memories`
//!
//! With `infer` the messages go where all conversations go, and what is proposed from them waits. Without, each message is proposed
//! as it stands. Nothing that is added can be read before a person approves it.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{
    Timestamp,
    agent::AgentName,
    conversation::{NewMessage, Role, Source},
    permission::Permit,
    user::Scope,
};
use engine::{EngineError, Incoming, Proposed};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    filter::Filter,
    outcome::{PENDING, SUCCEEDED, about, event},
    subject::{About, Ids},
};
use crate::{
    api::{body::Body, subject::fault},
    auth::{
        self, Caller,
        need::{Ingest, Propose},
    },
    compat::{outcome::Outcome, place::placed},
    http::idempotency::Once,
    problem::Problem,
    state::AppState,
};

/// The kind of what is added without `infer`, unless one is given: what is lastingly true of somebody.
const KIND: &str = "fact";
/// The most messages that are proposed in one call.
const MOST_PROPOSED: usize = 50;

/// What is added. Fields that are not known are named in `warnings`.
#[derive(Debug, Deserialize)]
pub struct AddPost {
    messages: Vec<MessagePost>,
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    /// The ids, where they are not given beside it.
    filters: Option<Map<String, Value>>,
    infer: Option<bool>,
    /// When it was said, in seconds from 1970 UTC.
    timestamp: Option<i64>,
    metadata: Option<Map<String, Value>>,
    categories: Option<Vec<String>>,
    /// A kind of the agent; ours, not mem0's.
    kind: Option<String>,
    expiration_date: Option<String>,
}

#[derive(Debug, Deserialize)]
struct MessagePost {
    role: String,
    /// Null where an assistant only calls tools.
    content: Option<Content>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "text, or a list of parts, is needed")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    text: Option<String>,
}

/// What became of it.
#[derive(Debug, Serialize)]
struct Answer {
    message: &'static str,
    status: &'static str,
    /// The operation, `op_…`; null where nothing runs.
    event_id: Option<String>,
    results: Vec<Added>,
    warnings: Vec<String>,
}

/// A message that was proposed.
#[derive(Debug, Serialize)]
struct Added {
    id: Option<String>,
    memory: String,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// Messages that are proposed as they stand.
struct Verbatim {
    scope: Scope,
    kind: String,
    metadata: Map<String, Value>,
    tags: Vec<String>,
    /// With their places in the call.
    statements: Vec<(usize, String)>,
}

/// A message that holds words, with its place in the call.
struct Message {
    at: usize,
    role: Role,
    content: String,
}

enum Adding {
    /// With the places of the messages in the call.
    Read(Incoming, Vec<usize>),
    Propose(Verbatim),
}

/// Takes messages in.
pub async fn add(
    caller: Caller<Ingest>,
    State(app): State<AppState>,
    once: Once,
    body: Body<AddPost>,
) -> Result<Response, Problem> {
    let mut warnings = body.ignored;
    let (agent, adding) = body.value.parse(&caller, &mut warnings)?;
    let permit = &caller.permit;
    let work = async {
        let answer = match adding {
            Adding::Read(incoming, places) => {
                let answer = read(&app, permit, &agent, incoming).await;
                answer.map_err(|error| in_the_call(error, &places))?
            }
            Adding::Propose(verbatim) => {
                let permit = auth::permit::<Propose>(permit.actor())?;
                propose(&app, &permit, &agent, verbatim).await?
            }
        };
        Ok(Json(Answer { warnings, ..answer }).into_response())
    };
    once.run(permit, &body.raw, work).await
}

async fn read(
    app: &AppState,
    permit: &Permit,
    agent: &AgentName,
    incoming: Incoming,
) -> Result<Answer, EngineError> {
    let accepted = app.engine.ingest(permit, agent, incoming).await?;
    let (message, status) = match accepted.skipped {
        Some("memory_off") => (
            "Nothing is remembered: the agent does not learn.",
            SUCCEEDED,
        ),
        Some("opted_out") => ("Nothing is remembered: this person opted out.", SUCCEEDED),
        Some(_) => ("Nothing is remembered of an id that many share.", SUCCEEDED),
        None => (
            "The messages are being read; what is proposed waits for a person.",
            PENDING,
        ),
    };
    Ok(Answer {
        message,
        status,
        event_id: Some(accepted.operation.to_string()),
        results: Vec::new(),
        warnings: Vec::new(),
    })
}

/// The same error, about messages by their places in the call: some may have been left out before them.
fn in_the_call(error: EngineError, places: &[usize]) -> EngineError {
    let at = |place: usize| format!("/messages/{place}/");
    let names: Vec<(String, String)> = places
        .iter()
        .enumerate()
        .map(|(ours, &theirs)| (at(ours), at(theirs)))
        .collect();
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(ours, theirs)| (ours.as_str(), theirs.as_str()))
        .collect();
    placed(error, &names)
}

/// One after the other: what was proposed before one that cannot be stays, and is known when all are sent again.
async fn propose(
    app: &AppState,
    permit: &Permit,
    agent: &AgentName,
    verbatim: Verbatim,
) -> Result<Answer, Problem> {
    let mut results = Vec::with_capacity(verbatim.statements.len());
    for (at, memory) in verbatim.statements {
        let proposed = Proposed {
            action: None,
            target: None,
            scope: verbatim.scope.clone(),
            kind: verbatim.kind.clone(),
            name: None,
            content: Some(memory.clone()),
            metadata: verbatim.metadata.clone(),
            tags: verbatim.tags.clone(),
            confidence: None,
            importance: None,
            explanation: None,
        };
        let answer = app.engine.propose(permit, agent, proposed).await;
        let content = format!("/messages/{at}/content");
        let answer = answer.map_err(|error| placed(error, &[("/content", &content)]))?;
        let outcome = Outcome::from(answer);
        results.push(Added {
            event: event(&outcome),
            id: about(&outcome),
            reason: outcome.reason(),
            memory,
        });
    }
    let waits = results.iter().any(|added| added.event == PENDING);
    Ok(Answer {
        message: if waits {
            "What was added waits for a person."
        } else {
            "Nothing new was proposed."
        },
        status: if waits { PENDING } else { SUCCEEDED },
        event_id: None,
        results,
        warnings: Vec::new(),
    })
}

impl AddPost {
    fn parse(
        self,
        caller: &Caller<Ingest>,
        warnings: &mut Vec<String>,
    ) -> Result<(AgentName, Adding), Problem> {
        let given = Ids {
            user_id: self.user_id,
            agent_id: self.agent_id,
            app_id: self.app_id,
            run_id: self.run_id,
        };
        let ids = match &self.filters {
            None => given,
            Some(filters) => given
                .with(Filter::only_ids(filters).map_err(fault)?)
                .map_err(fault)?,
        };
        let About { agent, scope, run } = ids.about(caller)?;
        if self.expiration_date.is_some() {
            let detail = "how long a memory lives is a setting of its kind; a person can change its end once it is approved";
            return Err(Problem::invalid(
                "/expiration_date",
                "not_supported",
                detail,
            ));
        }
        let at = self.timestamp.map(|seconds| {
            Timestamp::from_timestamp(seconds, 0).ok_or_else(|| {
                let detail = "seconds from 1970 UTC are needed";
                Problem::invalid("/timestamp", "range", detail)
            })
        });
        let at = at.transpose()?;
        let messages = self.messages.into_iter().enumerate();
        let messages: Vec<Message> = messages
            .filter_map(|(at, message)| message.read(at, warnings))
            .collect();
        if self.infer == Some(false) {
            // As mem0 does: instructions are nothing that is remembered of somebody.
            let statements: Vec<(usize, String)> = messages
                .into_iter()
                .filter(|message| message.role != Role::System)
                .map(|message| (message.at, message.content))
                .collect();
            if statements.len() > MOST_PROPOSED {
                let detail = format!("with infer=false at most {MOST_PROPOSED} messages a call");
                return Err(Problem::invalid("/messages", "too_long", detail));
            }
            let verbatim = Verbatim {
                scope,
                kind: self.kind.unwrap_or_else(|| KIND.to_owned()),
                metadata: self.metadata.unwrap_or_default(),
                tags: self.categories.unwrap_or_default(),
                statements,
            };
            return Ok((agent, Adding::Propose(verbatim)));
        }
        let unused = [
            ("metadata", self.metadata.is_some()),
            ("categories", self.categories.is_some()),
            ("kind", self.kind.is_some()),
        ];
        for (name, _) in unused.into_iter().filter(|(_, given)| *given) {
            warnings.push(format!("only with infer=false: {name}"));
        }
        let places = messages.iter().map(|message| message.at).collect();
        let messages = messages.into_iter().map(|message| NewMessage {
            external_id: None,
            role: message.role,
            source: Source::default(),
            at,
            content: message.content,
        });
        let incoming = Incoming {
            scope,
            messages: messages.collect(),
            time_zone: None,
            // Nobody can go on with a conversation that has no name.
            end: run.is_none(),
            conversation_id: run,
            flush: true,
        };
        Ok((agent, Adding::Read(incoming, places)))
    }
}

impl MessagePost {
    /// What it says; `None` where that is nothing.
    fn read(self, at: usize, warnings: &mut Vec<String>) -> Option<Message> {
        let content = self.content.map(|content| content.text(at, warnings));
        let content = content.filter(|text| !text.trim().is_empty());
        if content.is_none() {
            warnings.push(format!("nothing to read: messages.{at}.content"));
        }
        Some(Message {
            at,
            role: role(&self.role, at, warnings),
            content: content?,
        })
    }
}

/// Who speaks, in the words of the services whose messages are passed on. What nobody knows counts as a tool: nothing that it says is
/// taken for what the person said.
fn role(word: &str, at: usize, warnings: &mut Vec<String>) -> Role {
    match word {
        "user" | "human" => Role::User,
        "assistant" | "ai" | "model" => Role::Assistant,
        "system" | "developer" => Role::System,
        "tool" | "function" => Role::Tool,
        _ => {
            warnings.push(format!("unknown role, read as tool: messages.{at}.role"));
            Role::Tool
        }
    }
}

impl Content {
    fn text(self, at: usize, warnings: &mut Vec<String>) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                if parts.iter().any(|part| part.text.is_none()) {
                    warnings.push(format!("only text is read: messages.{at}.content"));
                }
                let texts: Vec<_> = parts.into_iter().filter_map(|part| part.text).collect();
                texts.join("\n")
            }
        }
    }
}
