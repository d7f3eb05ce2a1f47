//! Model providers over HTTP: what works, and every way of failing, ends where a person can see it.

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::{
    installation::{Installation, Keys, Process, call, ended, operation},
    peer::{Peer, Wire, tea},
};

/// How long a model may take where time is not the story.
const PATIENT: &str = "20s";

struct Story {
    keepsake: Process,
    keys: Keys,
    here: Installation,
}

impl Story {
    fn begin(peer: &Peer, wire: Wire, patience: &str) -> Self {
        let here = Installation::fresh()
            .with("KEEPSAKE_EXTRACTOR_MODEL", wire.model())
            .with("KEEPSAKE_EXTRACTOR_BASE_URL", &peer.base_url())
            .with("KEEPSAKE_EXTRACTOR_API_KEY", "sk-test")
            .with("KEEPSAKE_JOBS_MODEL_TIMEOUT", patience)
            .with("KEEPSAKE_JOBS_ATTEMPTS", "3");
        let keys = here.people();
        Self {
            keepsake: here.serve(&[]),
            keys,
            here,
        }
    }

    async fn says(&self, words: &str) -> Value {
        let post = json!({"user_id": "ana", "conversation_id": words, "end": true, "messages": [{"role": "user", "content": words}]});
        let (status, taken) = call(
            &self.keepsake.url,
            &self.keys.agent,
            "POST",
            "/conversations",
            Some(post),
        )
        .await;
        assert_eq!(status, 202, "{taken}");
        operation(
            &self.keepsake.url,
            &self.keys.agent,
            taken["operation"].as_str().unwrap(),
            ended,
        )
        .await
    }

    async fn retry(&self, view: &Value) -> Value {
        let path = format!("/operations/{}/retry", view["id"].as_str().unwrap());
        let (status, retried) =
            call(&self.keepsake.url, &self.keys.agent, "POST", &path, None).await;
        assert_eq!(status, 202, "{retried}");
        operation(
            &self.keepsake.url,
            &self.keys.agent,
            retried["id"].as_str().unwrap(),
            ended,
        )
        .await
    }

    async fn queue(&self) -> Vec<String> {
        let (_, list) = call(
            &self.keepsake.url,
            &self.keys.person,
            "GET",
            "/candidates?status=pending",
            None,
        )
        .await;
        list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["content"].as_str().unwrap().to_owned())
            .collect()
    }
}

async fn refused_twice_then_answered(wire: Wire) {
    let peer = Peer::start(wire).await;
    let busy = ResponseTemplate::new(429).insert_header("retry-after", "0");
    peer.answers(busy, 2, 1).await;
    peer.answers(wire.says(&tea().to_string()), 1, 2).await;
    let story = Story::begin(&peer, wire, PATIENT);
    let view = story.says("I prefer tea over coffee. My key is sk-ant-api03-hT4kQ9vXz2LmRb7NcYw1PdJs8GfUe5AoKi3VtHq6MxWn0BrCyZ-lDpSgEaFu4T").await;
    assert_eq!(
        (&view["state"], &view["attempt"]),
        (&json!("succeeded"), &json!(3)),
        "{view}"
    );
    assert_eq!(story.queue().await, ["User prefers tea over coffee"]);
    assert!(
        view["extractor"]["model"]
            .as_str()
            .unwrap()
            .contains("test-model"),
        "{view}"
    );
    let asked = peer.asked().await;
    assert_eq!(asked.len(), 3);
    let log = story.here.log();
    assert!(
        log.contains("/api/v1/conversations")
            && !log.contains("prefer tea")
            && !log.contains("ana"),
        "{log}"
    );
    // G11
    assert!(asked.iter().all(|body| body.contains("I prefer tea over coffee") && !body.contains("sk-ant-api03")), "{asked:?}");
}

#[tokio::test]
async fn openai_refuses_twice_then_answers() {
    refused_twice_then_answered(Wire::OpenAi).await;
}

#[tokio::test]
async fn anthropic_refuses_twice_then_answers() {
    refused_twice_then_answered(Wire::Anthropic).await;
}

/// A provider that behaves so until the retry, which it answers well.
async fn fails_visibly_and_is_retried(
    wire: Wire,
    patience: &str,
    answer: ResponseTemplate,
    state: &str,
    kept: &[&str],
) {
    let peer = Peer::start(wire).await;
    peer.answers(answer, 100, 1).await;
    let story = Story::begin(&peer, wire, patience);
    let view = story.says("I prefer tea over coffee").await;
    assert_eq!(view["state"], state, "{view}");
    if state == "failed" {
        assert!(
            view["error"]["code"]
                .as_str()
                .is_some_and(|code| !code.is_empty()),
            "{view}"
        );
        assert!(
            !view.to_string().contains("upstream exploded"),
            "a provider's words stay inside: {view}"
        );
    }
    assert_eq!(story.queue().await, kept);

    peer.forget().await;
    peer.answers(wire.says(&tea().to_string()), 100, 1).await;
    let retried = story.retry(&view).await;
    assert_eq!(retried["state"], "succeeded", "{retried}");
    assert_eq!(story.queue().await, ["User prefers tea over coffee"]);
    let path = format!("/operations/{}", view["id"].as_str().unwrap());
    let (_, first) = call(&story.keepsake.url, &story.keys.agent, "GET", &path, None).await;
    assert_eq!(first["retried_by"], retried["id"]);
}

#[tokio::test]
async fn server_errors_end_in_a_visible_failure() {
    let answer = ResponseTemplate::new(500).set_body_string("upstream exploded");
    fails_visibly_and_is_retried(Wire::OpenAi, PATIENT, answer.clone(), "failed", &[]).await;
    fails_visibly_and_is_retried(Wire::Anthropic, PATIENT, answer, "failed", &[]).await;
}

#[tokio::test]
async fn garbage_ends_in_a_visible_failure() {
    let answer = Wire::OpenAi.says("I am sorry, I cannot do that. upstream exploded");
    fails_visibly_and_is_retried(Wire::OpenAi, PATIENT, answer, "failed", &[]).await;
    let answer = ResponseTemplate::new(200).set_body_string("<html>upstream exploded</html>");
    fails_visibly_and_is_retried(Wire::Anthropic, PATIENT, answer, "failed", &[]).await;
}

#[tokio::test]
async fn a_hang_ends_in_a_visible_failure() {
    let answer = Wire::OpenAi
        .says(&tea().to_string())
        .set_delay(Duration::from_secs(60));
    fails_visibly_and_is_retried(Wire::OpenAi, "2s", answer, "failed", &[]).await;
}

#[tokio::test]
async fn an_answer_that_was_cut_off_keeps_what_was_whole() {
    let whole = tea().to_string();
    let cut =
        whole.strip_suffix("]}").unwrap().to_owned() + r#", {"kind": "fact", "content": "User li"#;
    fails_visibly_and_is_retried(
        Wire::OpenAi,
        PATIENT,
        Wire::OpenAi.cut_off(&cut),
        "truncated",
        &["User prefers tea over coffee"],
    )
    .await;
}
