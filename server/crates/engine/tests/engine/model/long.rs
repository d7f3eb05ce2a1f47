//! A conversation far longer than a window, in Japanese: a model that is a server of its own, and sees nothing but the windows it is
//! sent, finds what was said in it here and there, each thing once.

use std::time::Duration;

use domain::conversation::{NewMessage, Role};
use engine::extractor::model::{ModelConfig, extractors};
use serde_json::{Value, json};
use store::testing::TestDb;
use wiremock::{Mock, MockServer, Request, matchers::any};

use super::stub::*;
use crate::world::{World, message};

const MESSAGES: usize = 400;

/// Position (from 1), kind, words of the user, statement. Some stand where one window ends and the next begins, where they are read
/// twice.
const SAID: [(usize, &str, &str, &str); 12] = [
    (
        1,
        "fact",
        "はじめまして、大阪の物流会社で経理を担当しています。",
        "ユーザーは大阪の物流会社で経理を担当している",
    ),
    (
        20,
        "preference",
        "回答はできるだけ箇条書きでお願いします。",
        "ユーザーは箇条書きの回答を好む",
    ),
    (
        21,
        "preference",
        "敬語は使わなくて大丈夫です。",
        "ユーザーは敬語を求めない",
    ),
    (
        40,
        "fact",
        "うちのチームは全部で七人です。",
        "ユーザーのチームは七人である",
    ),
    (
        78,
        "preference",
        "コードの例はRustで見せてほしいです。",
        "ユーザーはコードの例をRustで見たい",
    ),
    (
        120,
        "context",
        "来月、会計システムを入れ替えることになりました。",
        "ユーザーは会計システムを入れ替える",
    ),
    (
        161,
        "fact",
        "日本語のほかに韓国語も話せます。",
        "ユーザーは韓国語も話せる",
    ),
    (
        199,
        "preference",
        "表は横に長いより縦に長いほうが読みやすいです。",
        "ユーザーは縦に長い表を読みやすいと感じる",
    ),
    (
        240,
        "fact",
        "毎週水曜日は在宅で働いています。",
        "ユーザーは水曜日に在宅で働く",
    ),
    (
        302,
        "context",
        "娘の受験があるので二月までは残業できません。",
        "ユーザーは娘の受験のため二月まで残業できない",
    ),
    (
        381,
        "preference",
        "締め切りの話は必ず日付で言ってください。",
        "ユーザーは締め切りを日付で聞きたい",
    ),
    (
        400,
        "fact",
        "資格は簿記の一級を持っています。",
        "ユーザーは簿記一級の資格を持つ",
    ),
];

fn conversation() -> Vec<NewMessage> {
    (1..=MESSAGES)
        .map(|at| {
            if let Some((_, _, words, _)) = SAID.iter().find(|said| said.0 == at) {
                return message(Role::User, words);
            }
            match at % 4 {
                0 => message(
                    Role::Assistant,
                    &format!("{at}行目の式を直しました。もう一度試してみてください。"),
                ),
                1 => message(
                    Role::User,
                    &format!("{at}行目でまたエラーが出ました。どこが違いますか。"),
                ),
                2 => message(
                    Role::Assistant,
                    &format!("参照しているセルが空のようです（項目{at}）。"),
                ),
                _ => message(
                    Role::User,
                    &format!("なるほど、では項目{at}の計算をやり直してみます。"),
                ),
            }
        })
        .collect()
}

/// Proposes what it sees, also in the messages for reference.
fn read(request: &Request) -> Value {
    let (_, asked) = Wire::OpenAi.asked(request);
    let turns = asked["messages"].as_array().unwrap();
    let found: Vec<Value> = turns
        .iter()
        .filter_map(|turn| {
            let (_, kind, words, content) =
                SAID.iter().find(|said| turn["text"] == said.2)?;
            Some(json!({"kind": kind, "content": content, "confidence": 0.9, "importance": 0.7, "evidence": [words], "message": turn["id"]}))
        })
        .collect();
    json!({ "candidates": found })
}

store::both! {
    // C3, F10
    async fn twelve_things_said_in_four_hundred_messages_are_found_once_each(db: &TestDb) {
        let provider = MockServer::start().await;
        Mock::given(any())
            .respond_with(|request: &Request| Wire::OpenAi.answer(&read(request).to_string(), false))
            .mount(&provider)
            .await;
        let config = ModelConfig {
            model: "stub-model".into(),
            base_url: Some(format!("{}/v1", provider.uri())),
            api_key: Some("the-key".to_owned().into()),
            timeout: Duration::from_secs(20),
        };
        let world = World::with_extractors(db, extractors(&config).unwrap()).await;
        let accepted = world.post("yuki", conversation(), true).await;
        world.work().await;
        let operation = world.operation(&accepted).await;
        assert_eq!(operation.state, "succeeded", "{operation:?}");

        let mut waiting: Vec<(String, String)> = Vec::new();
        for candidate in world.waiting().await {
            let quote = candidate.evidence[0].quote.clone();
            waiting.push((candidate.content, quote));
        }
        waiting.sort();
        let mut wanted: Vec<(String, String)> = SAID
            .iter()
            .map(|(_, _, words, content)| ((*content).to_owned(), (*words).to_owned()))
            .collect();
        wanted.sort();
        assert_eq!(waiting, wanted);

        // Each message was new to one window, and no window was more than twenty of them behind four others.
        let requests = provider.received_requests().await.unwrap();
        let mut new = 0;
        let mut seen = 0;
        for request in &requests {
            let turns = Wire::OpenAi.asked(request).1["messages"].as_array().unwrap().clone();
            let reference = turns.iter().filter(|turn| turn["reference"] == true).count();
            assert!(reference <= 4 && turns.len() - reference <= 20, "{} of {}", reference, turns.len());
            new += turns.len() - reference;
            seen += read(request)["candidates"].as_array().unwrap().len();
        }
        assert_eq!((new, requests.len()), (MESSAGES, MESSAGES / 20));
        assert!(seen > SAID.len(), "the overlap shows some of it twice");
        world.verify().await;
    }
}
