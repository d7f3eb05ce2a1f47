//! Operations: what became of a post. An operation is the job that does it.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    id::{CandidateId, ConversationId, OperationId},
    permission::{Permission, Permit},
    secret,
};
use serde::Serialize;
use store::Operation;

use crate::{
    Engine, again,
    error::{EngineError, Result},
    extractor::Provenance,
    need,
};

/// An operation, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct OperationView {
    /// Ours.
    pub id: OperationId,
    /// `queued`, `running`, `succeeded`, `failed` or `truncated`; the last three are final.
    pub state: &'static str,
    /// How often it was tried.
    pub attempt: i64,
    /// When it is tried next.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_at: Option<Timestamp>,
    /// The candidates it made.
    pub candidates: Vec<CandidateId>,
    /// How often something known was said again.
    pub sightings: u32,
    /// How often something that a person had rejected was said again.
    pub suppressed: u32,
    /// What was dropped, by reason.
    pub dropped: BTreeMap<String, u32>,
    /// Why nothing was done.
    pub skipped: Option<&'static str>,
    /// What read the messages.
    pub extractor: Option<Provenance>,
    /// Tokens that the extractor read; `None` where it counts none.
    pub tokens_in: Option<i64>,
    /// Tokens that it wrote.
    pub tokens_out: Option<i64>,
    /// What went wrong last.
    pub error: Option<OperationError>,
    /// The operation that tried it again.
    pub retried_by: Option<OperationId>,
    /// When it was queued.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// The agent.
    #[serde(skip)]
    pub agent: AgentName,
    /// The conversation it reads.
    #[serde(skip)]
    pub conversation: Option<ConversationId>,
    /// What it does: `extract`, `patterns`, `migrate`.
    #[serde(skip)]
    pub r#type: &'static str,
    /// Whether it can be retried now. What reads no conversation comes again by the clock.
    #[serde(skip)]
    pub can_retry: bool,
}

/// What went wrong, without a provider's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct OperationError {
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub detail: String,
}

/// The code of a job whose answer was cut off and that met no other trouble.
pub(crate) const CUT_OFF: &str = "truncated";

impl OperationError {
    pub(crate) fn new(code: String) -> Self {
        let detail = match code.as_str() {
            "rate_limited" => "the model provider asks for fewer requests",
            "timeout" => "the model did not answer in time",
            "unreachable" | "bad_address" => {
                "the model provider cannot be reached; check its address"
            }
            "unavailable" | "provider_error" => {
                "the model provider answers with an error of its own"
            }
            "key_refused" => "the model provider does not take the key",
            "no_key" => {
                "no key of this model provider is configured: set KEEPSAKE_EXTRACTOR_API_KEY, or the provider's own variable, and restart"
            }
            "unknown_model" => "the model provider has no model of this name",
            "too_long" => "the window is longer than the model takes",
            "refused" | "not_supported" => "the model provider refused the request",
            "no_extractor" => "the extractor named in the agent's settings does not exist here",
            "internal" => "something went wrong inside Keepsake; the log says more",
            "not_allowed" => {
                "the agent's settings do not allow its extractor; it goes on when they do, or when another is chosen"
            }
            "budget" => "the agent's budget of the day is used up; it goes on at midnight (UTC)",
            "gone" => "the conversation is not there any more",
            "crashed" => "the process ended in the middle of the work, again and again",
            CUT_OFF => "the model's answer was cut off; what was whole of it was kept",
            "no_json" | "not_json" | "no_answer" | "empty" | "other_schema" | "cut_off"
            | "too_tangled" => "the model's answer could not be read; it is kept for a look",
            _ => "the extraction failed",
        };
        Self {
            detail: detail.to_owned(),
            code,
        }
    }
}

impl From<Operation> for OperationView {
    fn from(operation: Operation) -> Self {
        let badly = matches!(
            operation.state,
            store::JobState::Failed | store::JobState::Truncated
        );
        Self {
            can_retry: badly && operation.retried_by.is_none() && operation.conversation.is_some(),
            r#type: operation.r#type.as_str(),
            id: operation.id,
            state: operation.state.as_str(),
            attempt: operation.attempt,
            next_at: operation.next_at,
            candidates: operation.outcome.candidates,
            sightings: operation.outcome.sightings,
            suppressed: operation.outcome.suppressed,
            dropped: operation
                .outcome
                .dropped
                .into_iter()
                .map(|(why, count)| (why.as_str().to_owned(), count))
                .collect(),
            skipped: operation.outcome.skipped.map(|why| why.as_str()),
            extractor: operation.outcome.extractor.map(Provenance::from),
            tokens_in: (operation.outcome.tokens_in > 0).then_some(operation.outcome.tokens_in),
            tokens_out: (operation.outcome.tokens_out > 0).then_some(operation.outcome.tokens_out),
            error: operation.error.map(OperationError::new),
            retried_by: operation.retried_by,
            created_at: operation.created_at,
            finished_at: operation.finished_at,
            agent: operation.agent,
            conversation: operation.conversation,
        }
    }
}

impl Engine {
    /// What became of a post.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn operation(&self, permit: &Permit, id: &OperationId) -> Result<OperationView> {
        need(
            permit,
            &[
                Permission::Ingest,
                Permission::Decide,
                Permission::ReadUsers,
                Permission::ReadCandidates,
            ],
        )?;
        let operation = self.read(permit).await?.operation(id).await?;
        operation
            .map(OperationView::from)
            .ok_or(EngineError::NotFound)
    }

    /// Reads the same stretch once more, after a failure or a cut-off answer; the answer is the new operation.
    ///
    /// # Errors
    /// [`EngineError::NotFinal`] where it did not end badly, or was retried already; [`EngineError::MemoryOff`].
    pub async fn retry(&self, permit: &Permit, id: &OperationId) -> Result<OperationView> {
        need(permit, &[Permission::Ingest, Permission::Decide])?;
        again!(self.retry_once(permit, id).await)
    }

    async fn retry_once(&self, permit: &Permit, id: &OperationId) -> Result<OperationView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let operation = tx.operation(id).await?.ok_or(EngineError::NotFound)?;
        let conversation = match &operation.conversation {
            Some(conversation) => tx.conversation(conversation).await?,
            None => None,
        };
        let Some(conversation) = conversation else {
            return Err(EngineError::NotFinal);
        };
        let agent = tx
            .agent(&operation.agent)
            .await?
            .ok_or(EngineError::NotFound)?;
        if !agent.settings.learn {
            return Err(EngineError::MemoryOff);
        }
        // The stretch begins where the first window ended badly; the worker reads only such windows again.
        let badly = tx
            .extractions_of(&conversation)
            .await?
            .into_iter()
            .filter(|extraction| extraction.operation == *id);
        let from = badly
            .filter(|extraction| extraction.state != store::ExtractionState::Parsed)
            .map(|extraction| extraction.from)
            .min();
        let again = match tx.retry(&operation, from.unwrap_or(1), &stamp).await {
            Err(store::Error::Stale) => return Err(EngineError::NotFinal),
            other => other?,
        };
        tx.commit().await?;
        Ok(again.into())
    }

    /// What the extractor answered in an operation, window by window, for a look at what could not be read. Secrets are masked.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn raw_answers(&self, permit: &Permit, id: &OperationId) -> Result<Vec<String>> {
        need(
            permit,
            &[
                Permission::Decide,
                Permission::ReadUsers,
                Permission::ReadCandidates,
            ],
        )?;
        let mut tx = self.read(permit).await?;
        let operation = tx.operation(id).await?.ok_or(EngineError::NotFound)?;
        let Some(conversation) = operation.conversation else {
            return Ok(Vec::new());
        };
        let conversation = tx
            .conversation(&conversation)
            .await?
            .ok_or(EngineError::NotFound)?;
        let extractions = tx.extractions_of(&conversation).await?;
        Ok(extractions
            .into_iter()
            .filter(|extraction| extraction.operation == *id)
            .filter_map(|extraction| extraction.raw)
            .map(|raw| secret::mask(&raw))
            .collect())
    }
}
