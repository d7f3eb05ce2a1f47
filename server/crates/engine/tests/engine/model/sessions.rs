//! What a model is asked over several sessions (C1), and what is made of its answer.

use std::time::Duration;

use domain::{agent::AgentSettings, conversation::Role, id::MemoryId, kind::Kind};
use engine::extractor::{Extract, ExtractedState, Nearest, Session, Sessions};
use serde_json::{Value, json};

use super::stub::*;

fn session(texts: &[&str]) -> Session {
    Session {
        ended_at: now(),
        time_zone: None,
        turns: texts.iter().map(|text| turn(Role::User, text)).collect(),
    }
}

fn sessions() -> Sessions {
    Sessions {
        sessions: vec![
            session(&["Make me a table first", "thanks"]),
            session(&["A table again, please"]),
        ],
        patterns: vec![Nearest {
            id: MemoryId::new(now(), &COUNTER),
            kind: "pattern".into(),
            name: None,
            content: "User writes late at night".into(),
        }],
        kind: Kind::always_there()
            .into_iter()
            .find(|kind| kind.name == "pattern")
            .unwrap(),
        settings: AgentSettings::default(),
        now: now(),
    }
}

fn found() -> Value {
    json!({"candidates": [{
        "action": "create", "target": null, "kind": "pattern", "name": null, "content": "User asks for a table first", "metadata": null,
        "confidence": 0.7, "importance": 0.6, "evidence": [{"message": "m1", "quote": "a table first"}, {"message": "m3", "quote": "A table again"}],
        "explanation": null, "tags": []}]})
}

// C1, C8
#[tokio::test]
async fn sessions_go_out_as_data_and_come_back_with_a_quote_from_each() {
    for wire in BOTH {
        let provider = server(vec![wire.answer(&found().to_string(), false)]).await;
        let model = wire.model(&provider, Duration::from_secs(5));
        assert!(model.finds_patterns());
        let got = model.patterns(&sessions()).await.unwrap();
        assert_eq!(got.state, ExtractedState::Parsed, "{wire:?}");
        let quotes: Vec<_> = got.drafts[0]
            .evidence
            .iter()
            .map(|quote| (quote.turn, quote.text.as_str()))
            .collect();
        assert_eq!(
            quotes,
            [(Some(0), "a table first"), (Some(2), "A table again")]
        );
        assert_eq!((got.tokens_in, got.tokens_out), (Some(100), Some(20)));
        let version = got.provenance.prompt_version.unwrap();
        assert!(version.starts_with("patterns-1+"), "{version}");
        let requests = provider.received_requests().await.unwrap();
        let (system, asked) = wire.asked(&requests[0]);
        assert!(
            system.contains("at least two different sessions"),
            "{system}"
        );
        assert_eq!(asked["sessions"][1]["messages"][0]["id"], "m3");
        assert_eq!(asked["memories"][0]["content"], "User writes late at night");
    }
}

// C1
#[tokio::test]
async fn an_answer_that_cannot_be_read_is_sent_back_once() {
    let wire = Wire::OpenAi;
    let provider = server(vec![
        wire.answer("I see no pattern here, sorry.", false),
        wire.answer(&found().to_string(), false),
    ])
    .await;
    let model = wire.model(&provider, Duration::from_secs(5));
    let got = model.patterns(&sessions()).await.unwrap();
    assert_eq!((got.state, got.drafts.len()), (ExtractedState::Parsed, 1));
    assert_eq!((got.tokens_in, got.tokens_out), (Some(200), Some(40)));
    let provider = server(vec![wire.answer("none", false)]).await;
    let got = wire
        .model(&provider, Duration::from_secs(5))
        .patterns(&sessions())
        .await
        .unwrap();
    assert!(matches!(got.state, ExtractedState::Failed(_)));
    assert_eq!(provider.received_requests().await.unwrap().len(), 2);
}
