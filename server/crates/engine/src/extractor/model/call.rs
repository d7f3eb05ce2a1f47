//! One call of a provider, with the options it takes.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use domain::{Timestamp, secret};
use genai::{
    Client, WebConfig,
    adapter::AdapterKind,
    chat::{
        ChatMessage, ChatOptions, ChatRequest, ChatResponse, ChatResponseFormat, JsonSpec,
        StopReason,
    },
    resolver::{AuthData, Endpoint, ProviderConfig},
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{
    ExtractError,
    failure::{Failure, Refused},
    prompt::{self, Asked},
    target::{InvalidModel, Target},
};

/// Room for ten candidates in any script, and for some thinking before; a small model that babbles ends before the time-out.
const MOST_TOKENS: u32 = 4096;

/// How a provider is held to JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Schema,
    Json,
    Plain,
}

/// The options a provider is known to take; what it refuses is left out from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Options {
    format: Format,
    temperature: bool,
    max_tokens: bool,
}

impl Options {
    fn without(self, refused: Refused) -> Option<Self> {
        match refused {
            Refused::Temperature if self.temperature => Some(Self {
                temperature: false,
                ..self
            }),
            Refused::MaxTokens if self.max_tokens => Some(Self {
                max_tokens: false,
                ..self
            }),
            // The option that was named is not even sent, so the format is all that is left to blame.
            _ => match self.format {
                Format::Schema => Some(Self {
                    format: Format::Json,
                    ..self
                }),
                Format::Json => Some(Self {
                    format: Format::Plain,
                    ..self
                }),
                Format::Plain => None,
            },
        }
    }
}

/// What a model answered.
pub(super) struct Reply {
    pub(super) text: String,
    /// It stopped at a limit of tokens.
    pub(super) cut_off: bool,
    /// The provider kept it from answering.
    pub(super) filtered: bool,
    pub(super) tokens_in: Option<i64>,
    pub(super) tokens_out: Option<i64>,
}

/// An answer that is sent back.
#[derive(Clone, Copy)]
pub(super) struct Again<'a> {
    pub(super) answer: &'a str,
    /// What is wrong with it.
    pub(super) said: &'a str,
}

/// Asks one model.
pub(super) struct Caller {
    client: Client,
    model: String,
    options: Mutex<Options>,
}

impl Caller {
    pub(super) fn new(
        target: Target,
        key: Option<&SecretString>,
        timeout: Duration,
    ) -> Result<Self, InvalidModel> {
        // Without these a hanging provider would hold a job for ever.
        let web = WebConfig {
            timeout: Some(timeout),
            connect_timeout: Some(timeout.min(Duration::from_secs(10))),
            read_timeout: Some(timeout),
            ..WebConfig::default()
        };
        let mut provider = ProviderConfig::default();
        if let Some(url) = &target.base_url {
            provider = provider.with_endpoint(Endpoint::from_owned(url.as_str()));
        }
        match key {
            Some(key) => provider = provider.with_auth(AuthData::from_single(key.expose_secret())),
            // A key from the environment belongs to the provider, not to whoever answers at this address.
            None if target.base_url.is_some() => {
                provider = provider.with_auth(AuthData::from_single("none"))
            }
            None => {}
        }
        let client = Client::builder()
            .with_web_config(web)
            .append_provider_config(target.kind, provider)
            .build()
            .map_err(|_| InvalidModel::Client)?;
        let format = match target.kind {
            AdapterKind::Ollama | AdapterKind::OllamaCloud => Format::Json, // It takes no schema and ignores one that is sent.
            _ => Format::Schema,
        };
        Ok(Self {
            client,
            model: target.name,
            options: Mutex::new(Options {
                format,
                temperature: true,
                max_tokens: true,
            }),
        })
    }

    /// Asks. With `unreadable` the answer that could not be read is shown to the model, and it is asked to repair it.
    pub(super) async fn ask(
        &self,
        asked: &Asked,
        schema: &Value,
        unreadable: Option<&str>,
        now: Timestamp,
    ) -> Result<Reply, ExtractError> {
        let said = prompt::repair();
        let again = unreadable.map(|answer| Again {
            answer,
            said: &said,
        });
        self.ask_again(asked, schema, again, now).await
    }

    /// Asks, leaving out one after the other the options that the provider refuses. With `again` the model is shown what it answered
    /// before, and what is wrong with it.
    pub(super) async fn ask_again(
        &self,
        asked: &Asked,
        schema: &Value,
        again: Option<Again<'_>>,
        now: Timestamp,
    ) -> Result<Reply, ExtractError> {
        let (request, schema) = without_secrets(asked, schema, again);
        loop {
            let options = self.options();
            match self
                .client
                .exec_chat(
                    self.model.as_str(),
                    request.clone(),
                    Some(&chat_options(options, &schema)),
                )
                .await
            {
                Ok(response) => return Ok(reply(response)),
                Err(error) => {
                    let failure = Failure::of(&error, now);
                    let Some(next) = failure.refused.and_then(|refused| options.without(refused))
                    else {
                        return Err(failure.error);
                    };
                    self.learn(options, next);
                }
            }
        }
    }

    fn options(&self) -> Options {
        *self.options.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Two calls at once may learn the same: only the first one's lesson counts.
    fn learn(&self, from: Options, to: Options) {
        let mut options = self.options.lock().unwrap_or_else(PoisonError::into_inner);
        if *options == from {
            *options = to;
        }
    }
}

/// All that a provider is sent, put together here and nowhere else, and all of it masked (G11): what was said, what is stored, what the
/// agent's owner wrote into kinds, schemas and guidelines, and the model's own answer that it is shown again. Texts that the gate reads
/// later are masked already; one for one, as here, so that a quote keeps its place.
fn without_secrets(
    asked: &Asked,
    schema: &Value,
    again: Option<Again<'_>>,
) -> (ChatRequest, Value) {
    // Masked before it becomes one text, in which a line of a key would end in an escape.
    let window = secret::mask_json(&asked.window).to_string();
    let mut messages = vec![ChatMessage::user(window)];
    if let Some(Again { answer, said }) = again {
        // Providers refuse an empty turn.
        let answer = if answer.trim().is_empty() {
            "(no answer)"
        } else {
            answer
        };
        messages.push(ChatMessage::assistant(secret::mask(answer)));
        messages.push(ChatMessage::user(secret::mask(said)));
    }
    let request = ChatRequest {
        system: Some(secret::mask(&asked.system)),
        ..ChatRequest::new(messages)
    };
    (request, secret::mask_json(schema))
}

fn chat_options(options: Options, schema: &Value) -> ChatOptions {
    let mut chat = ChatOptions::default();
    if options.temperature {
        chat = chat.with_temperature(0.0);
    }
    if options.max_tokens {
        chat = chat.with_max_tokens(MOST_TOKENS);
    }
    match options.format {
        Format::Schema => {
            chat.with_response_format(JsonSpec::new("memory_candidates", schema.clone()))
        }
        Format::Json => chat.with_response_format(ChatResponseFormat::JsonMode),
        Format::Plain => chat,
    }
}

fn reply(response: ChatResponse) -> Reply {
    let stopped =
        |reason: fn(&StopReason) -> bool| response.stop_reason.as_ref().is_some_and(reason);
    Reply {
        cut_off: stopped(StopReason::is_max_tokens),
        filtered: stopped(|reason| matches!(reason, StopReason::ContentFilter(_))),
        tokens_in: response.usage.prompt_tokens.map(i64::from),
        tokens_out: response.usage.completion_tokens.map(i64::from),
        text: response.into_texts().concat(),
    }
}
