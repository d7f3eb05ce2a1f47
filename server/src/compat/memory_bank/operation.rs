//! Long-running operations. What only has to be proposed or done is done when it is answered, under no name; messages are read in the
//! background, by an operation of ours that can be asked for. That one is done says that it was read or proposed, not that something
//! was approved: `metadata.keepsake` tells what waits.

use std::collections::BTreeMap;

use axum::{Json, extract::State as FromState};
use domain::{
    Timestamp,
    id::{CandidateId, OperationId},
};
use engine::OperationView;
use serde::Serialize;

use super::{
    memory::{Generated, Memory},
    name::{Bank, Of},
    refusal::Status,
};
use crate::{
    auth::{Caller, need::Ingest},
    compat::outcome::{Outcome, sentence, sentences},
    problem::Problem,
    state::AppState,
};

/// An operation with what it answers.
#[derive(Debug, Serialize)]
pub struct Operation<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    metadata: Metadata,
    done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Typed<T>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(rename = "@type")]
    r#type: String,
    generic_metadata: Times,
    keepsake: Keepsake,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Times {
    create_time: Timestamp,
    update_time: Timestamp,
}

/// What Memory Bank has no word for.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Keepsake {
    /// How far it is.
    state: State,
    /// What waits for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<CandidateId>,
    /// Why nothing waits: a word of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Of several how many came to nothing, by the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    skipped: Skipped,
    /// What of the call was not used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// How many came to nothing, by the reason.
pub type Skipped = BTreeMap<&'static str, usize>;

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum State {
    /// It is done.
    Done,
    /// Something waits for a person.
    Pending,
    /// There was nothing to do or to propose.
    Unchanged,
    /// The messages are being read, or wait for that.
    Reading,
    /// It was given up.
    Failed,
}

/// An answer with the name of its type.
#[derive(Debug, Serialize)]
struct Typed<T> {
    #[serde(rename = "@type")]
    r#type: &'static str,
    #[serde(flatten)]
    answer: T,
}

/// What an operation answers.
pub trait Answer: Serialize {
    /// The name of its type.
    const TYPE: &'static str;
}

/// Nothing.
#[derive(Debug, Serialize)]
pub struct Empty {}

impl Answer for Empty {
    const TYPE: &'static str = "type.googleapis.com/google.protobuf.Empty";
}

impl Answer for Memory {
    const TYPE: &'static str = "type.googleapis.com/google.cloud.aiplatform.v1beta1.Memory";
}

impl Answer for Generated {
    const TYPE: &'static str =
        "type.googleapis.com/google.cloud.aiplatform.v1beta1.GenerateMemoriesResponse";
}

impl Keepsake {
    /// What became of a proposal.
    pub fn of(outcome: &Outcome, warnings: Vec<String>) -> Self {
        let waiting = match outcome {
            Outcome::Waits(candidate) => vec![candidate.clone()],
            Outcome::Known(_) | Outcome::Rejected(_) | Outcome::Skipped(_) => Vec::new(),
        };
        Self {
            reason: outcome.reason(),
            ..Self::waiting(waiting, Skipped::new(), warnings)
        }
    }

    /// It is done, and nothing waits.
    pub fn done(warnings: Vec<String>) -> Self {
        Self {
            state: State::Done,
            candidates: Vec::new(),
            reason: None,
            skipped: Skipped::new(),
            warnings,
        }
    }

    /// These wait, or nothing does.
    pub fn waiting(candidates: Vec<CandidateId>, skipped: Skipped, warnings: Vec<String>) -> Self {
        Self {
            state: if candidates.is_empty() {
                State::Unchanged
            } else {
                State::Pending
            },
            candidates,
            reason: None,
            skipped,
            warnings,
        }
    }

    /// The same where some `are_done` already.
    pub fn done_or_waiting(are_done: bool, candidates: Vec<CandidateId>, skipped: Skipped) -> Self {
        let waiting = Self::waiting(candidates, skipped, Vec::new());
        Self {
            state: if are_done { State::Done } else { waiting.state },
            ..waiting
        }
    }
}

impl<T: Answer> Operation<T> {
    /// What became of a proposal: of one that neither waits nor is remembered the operation failed.
    pub fn proposed(
        call: &str,
        now: Timestamp,
        outcome: &Outcome,
        warnings: Vec<String>,
        answer: T,
    ) -> Self {
        let keepsake = Keepsake::of(outcome, warnings);
        if outcome.refusal().is_some() {
            return Self::refused(call, now, keepsake);
        }
        Self::done(call, now, keepsake, answer)
    }

    /// One of which nothing came, for the reasons that are told.
    pub fn refused(call: &str, now: Timestamp, keepsake: Keepsake) -> Self {
        let why = match keepsake.reason {
            Some(reason) => sentence(reason).to_owned(),
            None => sentences(&keepsake.skipped),
        };
        let error = Some(Status::failed_precondition(why));
        Self::ended(call, now, keepsake, error, None)
    }

    /// One that was done when it was answered; `call` is the name of the call, as its metadata has it.
    pub fn done(call: &str, now: Timestamp, keepsake: Keepsake, answer: T) -> Self {
        let response = Some(Typed::new(answer));
        Self::ended(call, now, keepsake, None, response)
    }

    fn ended(
        call: &str,
        now: Timestamp,
        keepsake: Keepsake,
        error: Option<Status>,
        response: Option<Typed<T>>,
    ) -> Self {
        Self {
            name: None,
            metadata: Metadata::new(call, (now, now), keepsake),
            done: true,
            error,
            response,
        }
    }
}

impl Metadata {
    fn new(
        call: &str,
        (create_time, update_time): (Timestamp, Timestamp),
        keepsake: Keepsake,
    ) -> Self {
        Self {
            r#type: format!(
                "type.googleapis.com/google.cloud.aiplatform.v1beta1.{call}OperationMetadata"
            ),
            generic_metadata: Times {
                create_time,
                update_time,
            },
            keepsake,
        }
    }
}

impl<T: Answer> Typed<T> {
    fn new(answer: T) -> Self {
        Self {
            r#type: T::TYPE,
            answer,
        }
    }
}

impl Operation<Generated> {
    /// One that reads messages.
    pub fn reading(bank: &Bank, call: &str, view: OperationView, warnings: Vec<String>) -> Self {
        let state = match view.state {
            "queued" | "running" => State::Reading,
            "failed" => State::Failed,
            _ if view.candidates.is_empty() => State::Unchanged,
            _ => State::Pending,
        };
        let failed = state == State::Failed;
        let error = failed.then(|| match view.error {
            Some(error) => error.detail,
            None => "the messages could not be read".to_owned(),
        });
        let answered = !failed && state != State::Reading;
        let response = answered.then(|| {
            let waiting = view.candidates.iter();
            Typed::new(waiting.map(|id| Memory::named(bank, id)).collect())
        });
        let times = (view.created_at, view.finished_at.unwrap_or(view.created_at));
        let keepsake = Keepsake {
            state,
            candidates: view.candidates,
            reason: view.skipped,
            skipped: Skipped::new(),
            warnings,
        };
        Self {
            name: Some(bank.operation(&view.id)),
            metadata: Metadata::new(call, times, keepsake),
            done: state != State::Reading,
            error: error.map(Status::internal),
            response,
        }
    }
}

/// How far the reading of messages is, and what waits because of it.
pub async fn show(
    caller: Caller<Ingest>,
    FromState(app): FromState<AppState>,
    Of { bank, id }: Of<OperationId>,
) -> Result<Json<Operation<Generated>>, Problem> {
    let permit = bank.permit(&caller)?;
    let view = app.engine.operation(&permit, &id).await?;
    let operation = Operation::reading(&bank, "GenerateMemories", view, Vec::new());
    Ok(Json(operation))
}
