//! A model provider on loopback that speaks the OpenAI and the Anthropic wire format, and behaves as told: a real peer over HTTP.

use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

/// What the model is asked to find in "I prefer tea over coffee".
pub fn tea() -> Value {
    json!({"candidates": [{
        "kind": "preference", "content": "User prefers tea over coffee", "confidence": 0.9, "importance": 0.8,
        "evidence": "I prefer tea over coffee"
    }]})
}

/// The wire formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Anthropic,
}

impl Wire {
    fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1/chat/completions",
            Self::Anthropic => "/v1/messages",
        }
    }

    /// The model's name as `genai` takes it.
    pub fn model(self) -> &'static str {
        match self {
            Self::OpenAi => "openai::test-model",
            Self::Anthropic => "anthropic::test-model",
        }
    }

    /// A whole answer that says `text`.
    pub fn says(self, text: &str) -> ResponseTemplate {
        self.ends(text, false)
    }

    /// An answer that was cut off at the most tokens.
    pub fn cut_off(self, text: &str) -> ResponseTemplate {
        self.ends(text, true)
    }

    fn ends(self, text: &str, cut_off: bool) -> ResponseTemplate {
        let body = match self {
            Self::OpenAi => json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "test-model",
                "choices": [{"index": 0, "finish_reason": if cut_off { "length" } else { "stop" }, "message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
            }),
            Self::Anthropic => json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "test-model",
                "content": [{"type": "text", "text": text}], "stop_reason": if cut_off { "max_tokens" } else { "end_turn" }, "stop_sequence": null,
                "usage": {"input_tokens": 120, "output_tokens": 30}
            }),
        };
        ResponseTemplate::new(200).set_body_json(body)
    }
}

/// A provider.
pub struct Peer {
    server: MockServer,
    wire: Wire,
}

impl Peer {
    pub async fn start(wire: Wire) -> Self {
        Self {
            server: MockServer::start().await,
            wire,
        }
    }

    /// The base address, as `KEEPSAKE_EXTRACTOR_BASE_URL` takes it.
    pub fn base_url(&self) -> String {
        format!("{}/v1/", self.server.uri())
    }

    /// Answers the next `times` requests so; what was told first is used up first.
    pub async fn answers(&self, answer: ResponseTemplate, times: u64, priority: u8) {
        Mock::given(method("POST"))
            .and(path(self.wire.path()))
            .respond_with(answer)
            .up_to_n_times(times)
            .with_priority(priority)
            .mount(&self.server)
            .await;
    }

    /// Forgets what it was told.
    pub async fn forget(&self) {
        self.server.reset().await;
    }

    /// The bodies it was sent.
    pub async fn asked(&self) -> Vec<String> {
        let requests = self.server.received_requests().await.unwrap();
        requests
            .iter()
            .map(|request| String::from_utf8_lossy(&request.body).into_owned())
            .collect()
    }

    /// Waits until it was asked so often.
    pub async fn asked_times(&self, times: usize) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while self.asked().await.len() < times {
            assert!(
                std::time::Instant::now() < deadline,
                "asked only {} times",
                self.asked().await.len()
            );
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
}
