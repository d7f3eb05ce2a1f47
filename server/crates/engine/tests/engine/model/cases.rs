//! `cases/model_answers.jsonl`: every answer over both wire formats, through the parser, the gate and the matcher, on both databases.

use std::time::Duration;

use domain::{
    candidate::{Action, Flag},
    permission::Permission,
};
use engine::extractor::model::{ModelConfig, extractors};
use serde_json::{Value, json};
use store::testing::TestDb;

use super::stub::*;
use crate::world::{World, cases};

/// One message that holds the evidence of every case.
const SAID: &str = "I like green tea. I like long walks. I like coffee. I live in Oslo. Please put code in ``` fences. I parse <think> and </think> tags.";

async fn holds(db: &TestDb, wire: Wire) {
    let provider = spoken().await;
    let config = ModelConfig {
        model: if wire == Wire::OpenAi {
            "stub-model".into()
        } else {
            "anthropic::stub-model".into()
        },
        base_url: Some(format!("{}/v1", provider.server.uri())),
        api_key: Some("the-key".to_owned().into()),
        timeout: Duration::from_secs(20),
    };
    let world = World::with_extractors(db, extractors(&config).unwrap()).await;
    for case in cases("model_answers.jsonl") {
        let (id, answer, expect) = (
            case["id"].as_str().unwrap(),
            case["model_answer"].as_str().unwrap(),
            &case["expect"],
        );
        provider.says(wire.answer(answer, false));
        let accepted = world.say(id, &[SAID]).await;
        world.work().await;
        let done = world.operation(&accepted).await;
        let mut waiting: Vec<_> = world
            .waiting()
            .await
            .into_iter()
            .filter(|candidate| candidate.user_id.as_deref() == Some(id))
            .collect();
        waiting.sort_by(|a, b| a.id.cmp(&b.id));
        let state = if done.state == "succeeded" {
            "parsed"
        } else {
            done.state
        };
        match expect["state"].as_str().unwrap() {
            "parsed_or_failed_visibly" => assert!(
                !waiting.is_empty() || (state == "failed" && done.error.is_some()),
                "{id}: {done:?}"
            ),
            wanted => assert_eq!(state, wanted, "{id} {wire:?}: {done:?}"),
        }
        if let Some(wanted) = expect["contents"].as_array() {
            let mut contents: Vec<Value> = waiting
                .iter()
                .map(|candidate| json!(candidate.content))
                .collect();
            let mut wanted = wanted.clone();
            contents.sort_by_key(Value::to_string);
            wanted.sort_by_key(Value::to_string);
            assert_eq!(contents, wanted, "{id} {wire:?}: {done:?}");
        }
        if expect["confidence_is_flagged"] == true {
            assert!(
                waiting[0].flags.contains(&Flag::BadNumber) && waiting[0].confidence == 0.0,
                "{id}"
            );
        }
        if let Some(dropped) = expect["dropped"].as_u64() {
            assert_eq!(
                done.dropped
                    .values()
                    .map(|count| u64::from(*count))
                    .sum::<u64>(),
                dropped,
                "{id}: {done:?}"
            );
        }
        if expect["first_becomes"] == "create" {
            assert!(
                waiting
                    .iter()
                    .all(|candidate| candidate.action == Action::Create),
                "{id}"
            );
        }
        let raw = world
            .engine
            .raw_answers(&world.mia(Permission::Decide), &accepted.operation)
            .await
            .unwrap();
        assert!(
            raw.first().is_some_and(|raw| raw.starts_with(answer)),
            "{id}: the answer is kept for a look: {raw:?}"
        );
    }
    world.verify().await;
}

store::both! {
    // F5, F11
    async fn the_cases_of_model_answers_hold_over_openai(db: &TestDb) {
        holds(db, Wire::OpenAi).await;
    }

    async fn the_cases_of_model_answers_hold_over_anthropic(db: &TestDb) {
        holds(db, Wire::Anthropic).await;
    }
}
