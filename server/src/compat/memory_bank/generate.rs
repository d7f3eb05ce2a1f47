//! `POST …/memories:generate`

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::permission::Permit;
use engine::{FieldError, Incoming, Proposed};
use serde::Deserialize;
use serde_json::Value;

use super::{
    contents::{Contents, NAMES},
    memory::{Generated, Memory},
    metadata::{self, Given},
    name::Bank,
    operation::{Keepsake, Operation, Skipped},
    refusal::unimplemented,
    topic::{self, Topic},
    written::{about, always_compared, history_stays, not_kept, not_supported, proposed},
};
use crate::{
    api::{
        body::Body,
        subject::{fault, field},
    },
    auth::{
        Caller,
        need::{Ingest, Propose},
    },
    compat::{outcome::Outcome, place::placed},
    http::idempotency::Once,
    problem::Problem,
    state::AppState,
};

const CALL: &str = "GenerateMemories";
/// The most memories that are given as they are in one call.
const MOST: usize = 5;

/// What memories are to be made of. Other fields are named in the operation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GeneratePost {
    scope: Option<BTreeMap<String, String>>,
    #[serde(alias = "vertex_session_source")]
    vertex_session_source: Option<Value>,
    #[serde(alias = "direct_contents_source")]
    direct_contents_source: Option<Contents>,
    #[serde(alias = "direct_memories_source")]
    direct_memories_source: Option<Memories>,
    metadata: Option<Given>,
    #[serde(alias = "metadata_merge_strategy")]
    metadata_merge_strategy: Option<String>,
    #[serde(default, alias = "disable_consolidation")]
    disable_consolidation: bool,
    #[serde(default, alias = "allowed_topics")]
    allowed_topics: Vec<Topic>,
    #[serde(alias = "revision_ttl")]
    revision_ttl: Option<Value>,
    #[serde(alias = "revision_expire_time")]
    revision_expire_time: Option<Value>,
    #[serde(default, alias = "disable_memory_revisions")]
    disable_memory_revisions: bool,
    #[serde(alias = "revision_labels")]
    revision_labels: Option<Value>,
}

/// Memories as they are.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Memories {
    #[serde(default, alias = "direct_memories")]
    direct_memories: Vec<DirectMemory>,
}

#[derive(Debug, Deserialize)]
struct DirectMemory {
    fact: String,
    #[serde(default)]
    topics: Vec<Topic>,
}

enum Generating {
    Read(Incoming),
    Propose(Vec<Proposed>),
}

/// Reads a conversation, or proposes memories as they are. Either way a person decides about all that comes of it.
pub async fn generate(
    caller: Caller<Ingest>,
    State(app): State<AppState>,
    bank: Bank,
    once: Once,
    body: Body<GeneratePost>,
) -> Result<Response, Problem> {
    let permit = bank.permit(&caller)?;
    let mut warnings = body.ignored;
    if body.value.vertex_session_source.is_some() {
        let detail =
            "Keepsake keeps no Vertex sessions: send what was said as directContentsSource.";
        return Err(unimplemented(detail));
    }
    let generating = body.value.parse(&mut warnings).map_err(fault)?;
    let work = async {
        let operation = match generating {
            Generating::Read(incoming) => read(&app, &permit, &bank, incoming, warnings).await?,
            Generating::Propose(all) => {
                let permit = bank.permit_to::<Propose, Ingest>(&caller)?;
                propose(&app, &permit, &bank, all, warnings).await?
            }
        };
        Ok(Json(operation).into_response())
    };
    once.run(&permit, &body.raw, work).await
}

async fn read(
    app: &AppState,
    permit: &Permit,
    bank: &Bank,
    incoming: Incoming,
    warnings: Vec<String>,
) -> Result<Operation<Generated>, Problem> {
    let accepted = app.engine.ingest(permit, &bank.agent, incoming).await;
    let accepted = accepted.map_err(|error| placed(error, NAMES))?;
    let view = app.engine.operation(permit, &accepted.operation).await?;
    Ok(Operation::reading(bank, CALL, view, warnings))
}

/// One after the other: what was proposed before one that cannot be stays, and is known when all are sent again.
async fn propose(
    app: &AppState,
    permit: &Permit,
    bank: &Bank,
    all: Vec<Proposed>,
    warnings: Vec<String>,
) -> Result<Operation<Generated>, Problem> {
    let now = app.engine.now();
    let (mut generated, mut waiting, mut skipped) = (Vec::new(), Vec::new(), Skipped::new());
    for (at, proposed) in all.into_iter().enumerate() {
        let scope = proposed.scope.clone();
        let answer = app.engine.propose(permit, &bank.agent, proposed).await;
        let place = format!("/directMemoriesSource/directMemories/{at}");
        let names = [
            ("/content", format!("{place}/fact")),
            ("/kind", format!("{place}/topics")),
        ];
        let names = names
            .each_ref()
            .map(|(ours, theirs)| (*ours, theirs.as_str()));
        let outcome = Outcome::from(answer.map_err(|error| placed(error, &names))?);
        if let Some(reason) = outcome.refusal() {
            *skipped.entry(reason).or_default() += 1;
        }
        match outcome {
            Outcome::Waits(candidate) => {
                generated.push(Memory::waiting(bank, &candidate, scope, now));
                waiting.push(candidate);
            }
            Outcome::Known(memory) => generated.push(Memory::named(bank, memory)),
            Outcome::Rejected(_) | Outcome::Skipped(_) => {}
        }
    }
    let keepsake = Keepsake::waiting(waiting, skipped, warnings);
    if generated.is_empty() {
        return Ok(Operation::refused(CALL, now, keepsake));
    }
    let generated = generated.into_iter().collect();
    Ok(Operation::done(CALL, now, keepsake, generated))
}

impl GeneratePost {
    fn parse(self, warnings: &mut Vec<String>) -> Result<Generating, FieldError> {
        self.possible()?;
        let scope = about(self.scope)?;
        not_kept(
            warnings,
            &[("revisionLabels", self.revision_labels.is_some())],
        );
        match (self.direct_contents_source, self.direct_memories_source) {
            (Some(contents), None) => {
                let chosen = [("metadata", self.metadata.is_some())];
                not_kept(warnings, &chosen);
                let messages = contents.messages()?;
                if messages.is_empty() {
                    let detail = "events with text are needed";
                    return Err(field("/directContentsSource/events", "required", detail));
                }
                Ok(Generating::Read(Incoming {
                    scope,
                    messages,
                    conversation_id: None,
                    time_zone: None,
                    // Nobody can go on with a conversation that has no name.
                    end: true,
                    flush: true,
                }))
            }
            (None, Some(memories)) => {
                let memories = memories.direct_memories;
                if !(1..=MOST).contains(&memories.len()) {
                    let at = "/directMemoriesSource/directMemories";
                    return Err(field(
                        at,
                        "too_long",
                        format!("1 to {MOST} memories a call"),
                    ));
                }
                let metadata = metadata::kept(self.metadata.unwrap_or_default());
                let all = memories.into_iter().map(|memory| {
                    let kind = topic::kind(&memory.topics)?.to_owned();
                    Ok(proposed(scope.clone(), kind, memory.fact, metadata.clone()))
                });
                Ok(Generating::Propose(all.collect::<Result<_, FieldError>>()?))
            }
            _ => {
                let detail = "give directContentsSource or directMemoriesSource, one of them";
                Err(field("/directContentsSource", "required", detail))
            }
        }
    }

    fn possible(&self) -> Result<(), FieldError> {
        history_stays(
            self.revision_ttl.as_ref(),
            self.revision_expire_time.as_ref(),
            self.disable_memory_revisions,
        )?;
        let strategy = self.metadata_merge_strategy.as_deref();
        always_compared(strategy, self.disable_consolidation)?;
        if !self.allowed_topics.is_empty() {
            let detail = "which kinds an agent remembers is a setting of the agent";
            return Err(not_supported("allowedTopics", detail));
        }
        Ok(())
    }
}
