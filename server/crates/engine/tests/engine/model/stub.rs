//! The provider: an HTTP server that answers in the wire formats of OpenAI and Anthropic, in the order it is told.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::{
    Entropy, Timestamp,
    agent::AgentSettings,
    conversation::{Role, Source},
    id::MessageId,
    kind::Kind,
    time::Span,
};
use engine::extractor::{
    Extract, ExtractError, Extracted, Window, WindowTurn,
    model::{ModelConfig, ModelExtractor},
};
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

pub struct Counter(std::sync::atomic::AtomicU8);
impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
    }
}
pub static COUNTER: Counter = Counter(std::sync::atomic::AtomicU8::new(0));

pub fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH + Span::days(20_000)
}

pub fn turn(role: Role, text: &str) -> WindowTurn {
    WindowTurn {
        message: MessageId::new(now(), &COUNTER),
        role,
        source: Source::Human,
        at: now(),
        text: text.into(),
        reference: false,
    }
}

pub fn window(texts: &[&str]) -> Window {
    Window {
        turns: texts.iter().map(|text| turn(Role::User, text)).collect(),
        kinds: Kind::assistant(),
        schemas: vec![],
        profile: vec![],
        summary_so_far: None,
        nearest: vec![],
        time_zone: Some("Asia/Tokyo".into()),
        ended: true,
        settings: AgentSettings::default(),
        now: now(),
    }
}

/// The two wire formats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire {
    OpenAi,
    Anthropic,
}

pub const BOTH: [Wire; 2] = [Wire::OpenAi, Wire::Anthropic];

impl Wire {
    pub fn model(self, server: &MockServer, timeout: Duration) -> ModelExtractor {
        let model = match self {
            Self::OpenAi => "stub-model",
            Self::Anthropic => "anthropic::stub-model",
        };
        let config = ModelConfig {
            model: model.into(),
            base_url: Some(format!("{}/v1", server.uri())),
            api_key: Some("the-key".to_owned().into()),
            timeout,
        };
        ModelExtractor::new(&config).unwrap()
    }

    pub fn answer(self, text: &str, cut_off: bool) -> ResponseTemplate {
        ResponseTemplate::new(200).set_body_json(match self {
            Self::OpenAi => json!({
                "id": "x", "object": "chat.completion", "model": "stub-model-2026",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": if cut_off { "length" } else { "stop" }}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            }),
            Self::Anthropic => json!({
                "id": "x", "type": "message", "role": "assistant", "model": "stub-model-2026",
                "content": [{"type": "text", "text": text}], "stop_reason": if cut_off { "max_tokens" } else { "end_turn" },
                "usage": {"input_tokens": 100, "output_tokens": 20},
            }),
        })
    }

    /// The system prompt and the window of a request.
    pub fn asked(self, request: &Request) -> (String, Value) {
        let body: Value = request.body_json().unwrap();
        let text = |content: &Value| match content {
            Value::String(text) => text.clone(),
            parts => parts[0]["text"].as_str().unwrap().to_owned(),
        };
        let messages = body["messages"].as_array().unwrap();
        let (system, window) = match self {
            Self::OpenAi => (text(&messages[0]["content"]), text(&messages[1]["content"])),
            Self::Anthropic => (text(&body["system"]), text(&messages[0]["content"])),
        };
        (system, serde_json::from_str(&window).unwrap())
    }
}

/// Answers in this order; the last one for ever.
pub async fn server(answers: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let at = AtomicUsize::new(0);
    let respond = move |_: &Request| {
        let at = at.fetch_add(1, Ordering::Relaxed);
        answers[at.min(answers.len() - 1)].clone()
    };
    Mock::given(any())
        .respond_with(respond)
        .mount(&server)
        .await;
    server
}

pub const LONG: Duration = Duration::from_secs(20);

pub async fn read(
    wire: Wire,
    answers: Vec<ResponseTemplate>,
    window: &Window,
) -> (Result<Extracted, ExtractError>, Vec<Request>) {
    let server = server(answers).await;
    let got = wire.model(&server, LONG).extract(window).await;
    let requests = server.received_requests().await.unwrap();
    (got, requests)
}

pub fn candidates(contents: &[(&str, &str, &str)]) -> String {
    let items: Vec<Value> = contents
        .iter()
        .map(|(content, evidence, message)| {
            json!({"kind": "preference", "content": content, "confidence": 0.9, "importance": 0.7, "evidence": [evidence], "message": message})
        })
        .collect();
    json!({"candidates": items}).to_string()
}

pub fn contents(extracted: &Extracted) -> Vec<&str> {
    extracted
        .drafts
        .iter()
        .map(|draft| draft.content.as_str())
        .collect()
}

/// A provider that is ill until it is healed.
pub struct Switched {
    pub provider: MockServer,
    well: Arc<AtomicBool>,
}

impl Switched {
    pub fn heal(&self) {
        self.well.store(true, Ordering::Relaxed);
    }
}

/// Answers `ill` in this order, the last one for ever; healed, `well`.
pub async fn switched(ill: Vec<ResponseTemplate>, well: ResponseTemplate) -> Switched {
    let provider = MockServer::start().await;
    let healed = Arc::new(AtomicBool::new(false));
    let (at, is_well) = (AtomicUsize::new(0), healed.clone());
    let respond = move |_: &Request| {
        if is_well.load(Ordering::Relaxed) {
            return well.clone();
        }
        let at = at.fetch_add(1, Ordering::Relaxed);
        ill[at.min(ill.len() - 1)].clone()
    };
    Mock::given(any())
        .respond_with(respond)
        .mount(&provider)
        .await;
    Switched {
        provider,
        well: healed,
    }
}

/// A provider that says what it was last told to.
pub struct Spoken {
    pub server: MockServer,
    answer: Arc<Mutex<ResponseTemplate>>,
}

impl Spoken {
    pub fn says(&self, answer: ResponseTemplate) {
        *self.answer.lock().unwrap() = answer;
    }
}

pub async fn spoken() -> Spoken {
    let server = MockServer::start().await;
    let answer = Arc::new(Mutex::new(ResponseTemplate::new(500)));
    let said = answer.clone();
    Mock::given(any())
        .respond_with(move |_: &Request| said.lock().unwrap().clone())
        .mount(&server)
        .await;
    Spoken { server, answer }
}
