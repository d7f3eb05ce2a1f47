//! The model extractor: any provider of the `genai` crate, asked for JSON and not trusted with it.
//!
//! A window is asked for once. An answer that was cut off is asked for again as two halves, one that cannot be read is sent back
//! for repair, and so are candidates whose metadata does not fit their kind, once each; whatever then comes is told as it is. Waiting and trying again over time is the job's business: an error
//! says whether that makes sense. A provider's words never reach a log or an error, because they may repeat a person's.

mod call;
mod failure;
mod patterns;
mod prompt;
mod schema;
mod target;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{
    answer::{Answer, AnswerState, FieldDraft, parse},
    candidate::Action,
    draft::{Draft, Quote},
    gate, matcher, secret,
};
use futures::future::BoxFuture;
use secrecy::SecretString;

use super::{
    Extract, ExtractError, Extracted, ExtractedState, Extractor, Extractors, Provenance, Sessions,
    Window,
};
use call::{Again, Caller, Reply};
pub use prompt::PROMPT_VERSION;
pub use schema::SCHEMA_VERSION;
use target::Target;
pub use target::{InvalidModel, place};

/// The version of what surrounds the model here: how it is asked, asked again, and read.
const VERSION: &str = "2";

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
    address: Option<String>,
    key_variable: Option<&'static str>,
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
        let address = target.base_url.clone();
        Ok(Self {
            caller: Caller::new(target, config.api_key.as_ref(), config.timeout)?,
            provenance,
            address,
            key_variable: key_variable(config),
        })
    }

    async fn read(&self, window: &Window) -> Result<Extracted, ExtractError> {
        let new: Vec<usize> = (0..window.turns.len())
            .filter(|&at| prompt::to_be_read(&window.turns[at]))
            .collect();
        let mut out = Extracted::nothing(self.provenance_over(window));
        let only_summary = new.is_empty() && window.ended && window.wants_summary();
        if new.is_empty() && !(only_summary && window.turns.iter().any(prompt::shown)) {
            return Ok(out);
        }
        let answer = self.answer(window, &new, &mut out).await?;
        out.state = state(&answer);
        out.drafts = answer.drafts;
        out.fields = answer.fields;
        out.summary = answer.summary;
        if out.state == ExtractedState::Truncated && !new.is_empty() {
            self.read_halves(window, &new, &mut out).await;
        }
        self.repair_metadata(window, &new, &mut out).await;
        Ok(out)
    }

    /// Two halves are two shorter answers; a single turn is asked for once more as it is. What the first answer held whole is kept
    /// only where its half cannot be had or says less: the same statement in two wordings would be two candidates.
    async fn read_halves(&self, window: &Window, new: &[usize], out: &mut Extracted) {
        let (first, second) = new.split_at(new.len() / 2);
        let mut window = window.clone();
        let (mut drafts, mut fields): (Vec<Draft>, Vec<FieldDraft>) = Default::default();
        let mut whole = true;
        for half in [first, second].into_iter().filter(|half| !half.is_empty()) {
            let inside = |evidence: &[Quote]| {
                let of_this_half = |turn| half.contains(&turn);
                evidence
                    .iter()
                    .all(|quote| quote.turn.is_none_or(of_this_half))
            };
            let said = |draft: &&Draft| inside(&draft.evidence);
            let before: Vec<Draft> = out.drafts.iter().filter(said).cloned().collect();
            let filled = |field: &&FieldDraft| inside(&field.evidence);
            let fields_before: Vec<FieldDraft> =
                out.fields.iter().filter(filled).cloned().collect();
            match self.answer(&window, half, out).await {
                Ok(answer)
                    if answer.state == AnswerState::Parsed
                        || answer.drafts.len() + answer.fields.len()
                            >= before.len() + fields_before.len() =>
                {
                    whole &= answer.state == AnswerState::Parsed;
                    drafts.extend(answer.drafts);
                    fields.extend(answer.fields);
                    if let Some(summary) = answer.summary {
                        // The second half goes on from what the first one was about.
                        window.summary_so_far = Some(summary.content.clone());
                        out.summary = Some(summary);
                    }
                }
                _ => {
                    whole = false;
                    drafts.extend(before);
                    fields.extend(fields_before);
                }
            }
        }
        out.drafts = drafts;
        out.fields = fields;
        out.state = if whole {
            ExtractedState::Parsed
        } else {
            ExtractedState::Truncated
        };
    }

    /// Sends candidates whose metadata does not fit their kind back, once and all together. What then fits takes the place of what did
    /// not; the rest the gate drops and counts. A provider that does not answer costs no more than these.
    async fn repair_metadata(&self, window: &Window, turns: &[usize], out: &mut Extracted) {
        let kind = |draft: &Draft| {
            let kind = window.kinds.iter().find(|kind| kind.name == draft.kind)?;
            (prompt::proposed(kind) && draft.action != Action::Retire).then_some(kind)
        };
        let mut misfits = Vec::new();
        let mut places = Vec::new();
        for (place, draft) in out.drafts.iter().enumerate() {
            let Some((kind, schema)) =
                kind(draft).and_then(|kind| Some((kind, kind.metadata_schema.as_ref()?)))
            else {
                continue;
            };
            let faults = gate::faults(kind, &draft.metadata);
            if !faults.is_empty() {
                places.push(place);
                misfits.push(prompt::Misfit {
                    number: places.len(),
                    kind: &kind.name,
                    schema,
                    faults,
                });
            }
        }
        if misfits.is_empty() {
            return;
        }
        let drafts: Vec<&Draft> = places.iter().map(|&place| &out.drafts[place]).collect();
        let (answer, said) = prompt::misfits(&drafts, &misfits);
        let asked = prompt::ask(window, turns);
        let schema = schema::of(&Window {
            schemas: Vec::new(),
            kinds: window
                .kinds
                .iter()
                .filter(|kind| prompt::proposed(kind))
                .cloned()
                .collect(),
            ..window.clone()
        });
        let again = Again {
            answer: &answer,
            said: &said,
        };
        let Ok(reply) = self
            .caller
            .ask_again(&asked, &schema, Some(again), window.now)
            .await
        else {
            return;
        };
        keep(out, &reply);
        let repaired = read(window, &reply).drafts;
        for (at, &place) in places.iter().enumerate() {
            let draft = &out.drafts[place];
            let says_it = |other: &&Draft| {
                other.kind == draft.kind && matcher::same(&other.content, &draft.content)
            };
            // One that was worded anew stands at the same place of as many.
            let in_place = || {
                let other = repaired.get(at)?;
                (repaired.len() == places.len() && other.kind == draft.kind).then_some(other)
            };
            let found = repaired.iter().find(says_it).or_else(in_place);
            let fits = |other: &&Draft| {
                kind(draft).is_some_and(|kind| gate::faults(kind, &other.metadata).is_empty())
            };
            if let Some(metadata) = found.filter(fits).map(|other| other.metadata.clone()) {
                out.drafts[place].metadata = metadata;
            }
        }
    }

    /// One answer over these turns, repaired once where it cannot be read.
    async fn answer(
        &self,
        window: &Window,
        turns: &[usize],
        out: &mut Extracted,
    ) -> Result<Answer, ExtractError> {
        let asked = prompt::ask(window, turns);
        let schema = schema::of(window);
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
            .map_err(|error| after(out, error))?;
        keep(out, &repaired);
        Ok(read(window, &repaired))
    }
}

impl Extract for ModelExtractor {
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        Box::pin(self.read(window))
    }

    fn patterns<'a>(
        &'a self,
        sessions: &'a Sessions,
    ) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        Box::pin(self.read_sessions(sessions))
    }

    fn finds_patterns(&self) -> bool {
        true
    }

    fn provenance(&self) -> Provenance {
        self.provenance.clone()
    }

    fn provenance_over(&self, window: &Window) -> Provenance {
        Provenance {
            prompt_version: Some(prompt::version_over(window)),
            schema_version: Some(format!("{SCHEMA_VERSION}.{}", window.schema_hash())),
            ..self.provenance.clone()
        }
    }

    fn prompt(&self, window: &Window) -> Option<String> {
        Some(secret::mask(&prompt::system(window, false)))
    }

    fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    fn key_variable(&self) -> Option<&'static str> {
        self.key_variable
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

/// A failure behind an answer that could not be read: that one is kept for a look, and was paid for.
fn after(out: &Extracted, error: ExtractError) -> ExtractError {
    ExtractError {
        raw: out.raw.clone(),
        tokens_in: out.tokens_in.unwrap_or(0),
        tokens_out: out.tokens_out.unwrap_or(0),
        ..error
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

/// The environment variable in which the provider's key is looked for, where none is configured and the provider takes no call without.
pub fn key_variable(config: &ModelConfig) -> Option<&'static str> {
    let given = config.api_key.is_some() || config.base_url.is_some();
    let target = Target::parse(&config.model, config.base_url.as_deref()).ok()?;
    target.key_variable().filter(|_| !given)
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
