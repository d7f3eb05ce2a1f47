//! Which extractors may read what an agent's users say (G11). A job whose extractor is not allowed waits until it is, or until the agent
//! has another: nothing is ever sent elsewhere instead.

use domain::{
    Timestamp,
    agent::{Agent, AgentSettings},
    time::Span,
};

use crate::{
    Engine,
    budget::BUDGET,
    error::{EngineError, FieldError, Result},
    extractor::Extractor,
};

/// The word on a job that waits for its extractor to be allowed.
pub(crate) const NOT_ALLOWED: &str = "not_allowed";

/// A change of the settings takes waiting jobs up at once; this is for one of the installation, which nobody tells of.
const LOOKS_AGAIN_AFTER: Span = Span::hours(1);

/// Entries of a list at most.
const MOST: usize = 20;

/// Why a job waits, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub until: Timestamp,
    /// [`NOT_ALLOWED`] or [`BUDGET`].
    pub why: &'static str,
}

impl Engine {
    /// What keeps an extractor from being asked for an agent now.
    ///
    /// # Errors
    /// Only the database's.
    pub(crate) async fn waits_for(
        &self,
        agent: &Agent,
        extractor: &Extractor,
        now: Timestamp,
    ) -> Result<Option<Wait>> {
        if !extractor.is_allowed(&agent.settings) {
            return Ok(Some(Wait {
                until: now + LOOKS_AGAIN_AFTER,
                why: NOT_ALLOWED,
            }));
        }
        let until = self.over_budget(agent, extractor, now).await?;
        Ok(until.map(|until| Wait { until, why: BUDGET }))
    }

    /// Refuses settings whose extractor is unknown here, or not one of those that they allow.
    ///
    /// # Errors
    /// `unknown` or `not_allowed` at `/extractor`.
    pub(crate) fn usable_extractor(&self, settings: &AgentSettings) -> Result<()> {
        let Some(extractor) = self.extractors().of(settings.extractor.as_deref()) else {
            return Err(EngineError::invalid(
                "/extractor",
                "unknown",
                "\"builtin\", or provider::model such as openai::gpt-4.1-mini, anthropic::claude-haiku-4-5 or ollama::qwen3:8b",
            ));
        };
        if extractor.is_allowed(settings) {
            return Ok(());
        }
        let allowed = settings.allowed_extractors.join(", ");
        let name = extractor.name();
        Err(EngineError::invalid(
            "/extractor",
            NOT_ALLOWED,
            format!(
                "this agent may use only {allowed}; {name} is none of them: choose another, or allow it first"
            ),
        ))
    }

    /// A list in the spelling that is compared, each entry once.
    ///
    /// # Errors
    /// `unknown` at `/allowed_extractors/…` for what means nothing here.
    pub(crate) fn allowed_entries(&self, given: &[String]) -> Result<Vec<String>> {
        if given.len() > MOST {
            return Err(EngineError::invalid(
                "/allowed_extractors",
                "too_long",
                "at most 20 entries",
            ));
        }
        let mut entries: Vec<String> = Vec::with_capacity(given.len());
        let mut wrong = Vec::new();
        for (at, text) in given.iter().enumerate() {
            match self.extractors().entry(text) {
                Some(entry) if entries.contains(&entry) => {}
                Some(entry) => entries.push(entry),
                None => wrong.push(FieldError::new(
                    format!("/allowed_extractors/{at}"),
                    "unknown",
                    "\"builtin\", a provider such as openai, a model such as openai::gpt-4.1-mini, or a base URL",
                )),
            }
        }
        if wrong.is_empty() {
            Ok(entries)
        } else {
            Err(EngineError::Invalid(wrong))
        }
    }
}
