//! The model extractor: any provider of the `genai` crate, asked for JSON and not trusted with it.
//!
//! A window is asked for once. An answer that was cut off is asked for again as two halves, one that cannot be read is sent back
//! for repair, once each; whatever then comes is told as it is. Waiting and trying again over time is the job's business: an error
//! says whether that makes sense. A provider's words never reach a log or an error, because they may repeat a person's.

mod call;
mod failure;
mod prompt;
mod schema;
mod target;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{
    answer::{Answer, AnswerState, parse},
    draft::Draft,
};
use futures::future::BoxFuture;
use secrecy::SecretString;

use super::{
    Extract, ExtractError, Extracted, ExtractedState, Extractor, Extractors, Provenance, Window,
};
use call::{Caller, Reply};
pub use prompt::PROMPT_VERSION;
pub use schema::SCHEMA_VERSION;
pub use target::InvalidModel;
use target::Target;

/// The version of what surrounds the model here: how it is asked, asked again, and read.
const VERSION: &str = "1";

/// An answer longer than this is not sent back for repair, and not kept whole.
const MOST_KEPT: usize = 256 * 1024;

/// Which model, and where.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// A name as `genai` takes it: `openai::my-model`, `claude-…`, `ollama::…`. With a base URL and no `::`, `openai::` is meant.
    pub model: String,
    /// Where the provider answers; `None`: where it always does.
    pub base_url: Option<String>,
    /// The key; `None`: the provider's own environment variable, or none at all for a base URL.
    pub api_key: Option<SecretString>,
    /// How long one answer may take.
    pub timeout: Duration,
}

/// An extractor that asks a model.
pub struct ModelExtractor {
    caller: Caller,
    provenance: Provenance,
}

impl ModelExtractor {
    /// Prepares it; nothing is sent yet.
    ///
    /// # Errors
    /// [`InvalidModel`] where the name or the base URL means nothing.
    pub fn new(config: &ModelConfig) -> Result<Self, InvalidModel> {
        let target = Target::parse(&config.model, config.base_url.as_deref())?;
        let provenance = Provenance {
            name: target.provider().to_owned(),
            version: VERSION.to_owned(),
            model: Some(target.model().to_owned()),
            prompt_version: Some(PROMPT_VERSION.to_owned()),
            schema_version: Some(SCHEMA_VERSION.to_owned()),
        };
        Ok(Self {
            caller: Caller::new(target, config.api_key.as_ref(), config.timeout)?,
            provenance,
        })
    }

    async fn read(&self, window: &Window) -> Result<Extracted, ExtractError> {
        let new: Vec<usize> = (0..window.turns.len())
            .filter(|&at| prompt::to_be_read(&window.turns[at]))
            .collect();
        let mut out = Extracted {
            drafts: Vec::new(),
            state: ExtractedState::Parsed,
            provenance: self.provenance.clone(),
            raw: None,
            tokens_in: None,
            tokens_out: None,
        };
        if new.is_empty() {
            return Ok(out);
        }
        let answer = self.answer(window, &new, &mut out).await?;
        out.state = state(&answer);
        out.drafts = answer.drafts;
        if out.state == ExtractedState::Truncated {
            self.read_halves(window, &new, &mut out).await;
        }
        Ok(out)
    }

    /// Two halves are two shorter answers; a single turn is asked for once more as it is. What the first answer held whole is kept
    /// only where its half cannot be had or says less: the same statement in two wordings would be two candidates.
    async fn read_halves(&self, window: &Window, new: &[usize], out: &mut Extracted) {
        let (first, second) = new.split_at(new.len() / 2);
        let mut drafts = Vec::new();
        let mut whole = true;
        for half in [first, second].into_iter().filter(|half| !half.is_empty()) {
            let of_this_half = |draft: &&Draft| {
                draft
                    .evidence
                    .iter()
                    .all(|quote| quote.turn.is_none_or(|turn| half.contains(&turn)))
            };
            let before: Vec<Draft> = out.drafts.iter().filter(of_this_half).cloned().collect();
            match self.answer(window, half, out).await {
                Ok(answer) if answer.state == AnswerState::Parsed => drafts.extend(answer.drafts),
                Ok(answer) if answer.drafts.len() >= before.len() => {
                    whole = false;
                    drafts.extend(answer.drafts);
                }
                _ => {
                    whole = false;
                    drafts.extend(before);
                }
            }
        }
        out.drafts = drafts;
        out.state = if whole {
            ExtractedState::Parsed
        } else {
            ExtractedState::Truncated
        };
    }

    /// One answer over these turns, repaired once where it cannot be read.
    async fn answer(
        &self,
        window: &Window,
        turns: &[usize],
        out: &mut Extracted,
    ) -> Result<Answer, ExtractError> {
        let asked = prompt::ask(window, turns);
        let schema = schema::of(&window.kinds);
        let reply = match self.caller.ask(&asked, &schema, None, window.now).await {
            // What is too long for the model is read in halves, as an answer that is too long is.
            Err(error) if error.code == failure::TOO_LONG && turns.len() > 1 => {
                return Ok(cut_off());
            }
            reply => reply?,
        };
        keep(out, &reply);
        let answer = read(window, &reply);
        let AnswerState::Failed { .. } = answer.state else {
            return Ok(answer);
        };
        if reply.filtered || reply.text.len() > MOST_KEPT {
            return Ok(answer);
        }
        let repaired = self
            .caller
            .ask(&asked, &schema, Some(&reply.text), window.now)
            .await
            .map_err(|error| ExtractError {
                raw: out.raw.clone(),
                ..error
            })?;
        keep(out, &repaired);
        Ok(read(window, &repaired))
    }
}

impl Extract for ModelExtractor {
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        Box::pin(self.read(window))
    }

    fn provenance(&self) -> Provenance {
        self.provenance.clone()
    }
}

fn read(window: &Window, reply: &Reply) -> Answer {
    let mut answer = parse(&reply.text, &|id| prompt::memory(window, id), &|id| {
        prompt::turn(window, id)
    });
    // A provider that says it stopped at the limit knows better than a bracket that happened to close.
    if reply.cut_off {
        answer.state = AnswerState::Truncated;
    }
    answer
}

fn cut_off() -> Answer {
    Answer {
        state: AnswerState::Truncated,
        drafts: Vec::new(),
        fields: Vec::new(),
        summary: None,
    }
}

fn state(answer: &Answer) -> ExtractedState {
    match answer.state {
        AnswerState::Parsed => ExtractedState::Parsed,
        AnswerState::Truncated => ExtractedState::Truncated,
        AnswerState::Failed { why } => ExtractedState::Failed(why),
    }
}

/// Adds an answer to what is kept of the window: its text, for a look, and what it cost.
fn keep(out: &mut Extracted, reply: &Reply) {
    let mut text = reply.text.as_str();
    if text.len() > MOST_KEPT {
        text = &text[..text.floor_char_boundary(MOST_KEPT)];
    }
    match &mut out.raw {
        Some(raw) => {
            raw.push_str("\n\n");
            raw.push_str(text);
        }
        raw => *raw = Some(text.to_owned()),
    }
    let add = |sum: &mut Option<i64>, more: Option<i64>| {
        if let Some(more) = more {
            *sum = Some(sum.unwrap_or(0) + more);
        }
    };
    add(&mut out.tokens_in, reply.tokens_in);
    add(&mut out.tokens_out, reply.tokens_out);
}

/// The extractors of an installation, out of its configuration: `builtin`, or a model. An agent may name another model (C11): one of
/// the same provider uses the same address and key, one of another provider that provider's own.
///
/// # Errors
/// [`InvalidModel`] where the installation's own means nothing.
pub fn extractors(config: &ModelConfig) -> Result<Extractors, InvalidModel> {
    let own = (config.model != "builtin")
        .then(|| Target::parse(&config.model, config.base_url.as_deref()))
        .transpose()?;
    let default = match &own {
        None => Extractor::Builtin,
        Some(_) => Extractor::Custom(Arc::new(ModelExtractor::new(config)?)),
    };
    let config = config.clone();
    let made: Mutex<HashMap<String, Extractor>> = Mutex::default();
    Ok(Extractors::new(default).made_by(Arc::new(move |name| {
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(extractor) = made.get(name) {
            return Some(extractor.clone());
        }
        let at_home = Target::parse(name, config.base_url.as_deref()).ok()?;
        let same = own
            .as_ref()
            .is_none_or(|own| own.provider() == at_home.provider());
        let named = ModelConfig {
            model: name.to_owned(),
            base_url: config.base_url.clone().filter(|_| same),
            api_key: config.api_key.clone().filter(|_| same),
            timeout: config.timeout,
        };
        let extractor = Extractor::Custom(Arc::new(ModelExtractor::new(&named).ok()?));
        made.insert(name.to_owned(), extractor.clone());
        Some(extractor)
    })))
}
