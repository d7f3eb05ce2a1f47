//! The whole way over HTTP: a conversation, a job, a provider that misbehaves, what is left in the end. On both databases.

use std::time::Duration;

use domain::{permission::Permission, time::Span};
use engine::extractor::model::{ModelConfig, extractors};
use store::testing::TestDb;
use wiremock::{MockServer, ResponseTemplate};

use super::stub::*;
use crate::world::World;

fn config(wire: Wire, server: &MockServer, timeout: Duration) -> ModelConfig {
    let model = match wire {
        Wire::OpenAi => "stub-model",
        Wire::Anthropic => "anthropic::stub-model",
    };
    ModelConfig {
        model: model.into(),
        base_url: Some(format!("{}/v1", server.uri())),
        api_key: Some("the-key".to_owned().into()),
        timeout,
    }
}

async fn world(db: &TestDb, wire: Wire, server: &MockServer) -> World {
    World::with_extractors(
        db,
        extractors(&config(wire, server, Duration::from_millis(400))).unwrap(),
    )
    .await
}

fn oslo() -> String {
    candidates(&[("User lives in Oslo", "I live in Oslo", "m1")])
}

/// The operation failed and says why, the conversation is there, and a retry against a provider that is well again makes the candidate.
async fn failed_visibly_and_works_again(
    db: &TestDb,
    wire: Wire,
    answers: Vec<ResponseTemplate>,
    code: &str,
    state: &str,
) {
    let server = switched(answers, wire.answer(&oslo(), false)).await;
    let world = world(db, wire, &server.provider).await;
    let accepted = world.say("ana", &["I live in Oslo"]).await;
    for _ in 0..5 {
        world.work().await;
        world.pass(Span::hours(1));
    }
    let failed = world.operation(&accepted).await;
    assert_eq!(
        (
            failed.state,
            failed
                .error
                .as_ref()
                .map_or("", |error| error.code.as_str())
        ),
        (state, code),
        "{wire:?} {failed:?}"
    );
    let told = format!("{failed:?}");
    assert!(
        !told.contains("the-key") && !told.contains("SECRET-OF-THE-PROVIDER"),
        "{told}"
    );
    let kept = world
        .engine
        .conversation(
            &world.mia(Permission::ReadUsers),
            &accepted.conversation.clone().unwrap(),
        )
        .await
        .unwrap();
    assert_eq!(kept.turns[0].content, "I live in Oslo");
    assert!(kept.operations[0].can_retry);
    assert!(world.waiting().await.is_empty());

    server.heal();
    let retry = world
        .engine
        .retry(&world.key(Permission::Ingest), &accepted.operation)
        .await
        .unwrap();
    world.work().await;
    let done = world
        .engine
        .operation(&world.key(Permission::Ingest), &retry.id)
        .await
        .unwrap();
    assert_eq!((done.state, done.candidates.len()), ("succeeded", 1));
    assert_eq!(world.waiting().await[0].content, "User lives in Oslo");
    world.verify().await;
}

store::both! {
    // A2
    async fn two_refusals_for_haste_and_then_an_answer(db: &TestDb) {
        let busy = || ResponseTemplate::new(429).insert_header("retry-after", "120").set_body_string("SECRET-OF-THE-PROVIDER");
        let provider = server(vec![busy(), busy(), Wire::OpenAi.answer(&oslo(), false)]).await;
        let world = world(db, Wire::OpenAi, &provider).await;
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        for attempt in 1..=2 {
            world.work().await;
            let waits = world.operation(&accepted).await;
            assert_eq!((waits.state, waits.attempt), ("queued", attempt));
            assert_eq!(waits.error.unwrap().code, "rate_limited");
            assert_eq!(waits.next_at, Some(world.engine.now() + Span::seconds(120)), "as long as the provider asked for");
            world.pass(Span::seconds(120));
        }
        world.work().await;
        let done = world.operation(&accepted).await;
        assert_eq!((done.state, done.attempt, done.candidates.len()), ("succeeded", 3, 1));
        let made_by = done.extractor.unwrap();
        assert_eq!((made_by.name.as_str(), made_by.model.as_deref()), ("openai", Some("stub-model")));
        assert!(made_by.prompt_version.is_some_and(|version| version.starts_with("2+")));
        let waiting = world.waiting().await;
        assert_eq!((waiting[0].content.as_str(), waiting[0].evidence[0].quote.as_str()), ("User lives in Oslo", "I live in Oslo"));
        world.verify().await;
    }

    async fn a_broken_provider_is_visible_and_a_retry_works(db: &TestDb) {
        let broken = ResponseTemplate::new(500).set_body_string("SECRET-OF-THE-PROVIDER");
        failed_visibly_and_works_again(db, Wire::OpenAi, vec![broken], "provider_error", "failed").await;
    }

    async fn a_hanging_provider_is_visible_and_a_retry_works(db: &TestDb) {
        let hangs = Wire::Anthropic.answer("{}", false).set_delay(Duration::from_secs(60));
        failed_visibly_and_works_again(db, Wire::Anthropic, vec![hangs], "timeout", "failed").await;
    }

    async fn a_page_instead_of_an_answer_is_visible_and_a_retry_works(db: &TestDb) {
        let page = ResponseTemplate::new(200).set_body_raw("<html>SECRET-OF-THE-PROVIDER</html>", "text/html");
        failed_visibly_and_works_again(db, Wire::Anthropic, vec![page], "no_json", "failed").await;
    }

    async fn a_bad_key_is_visible_at_once_and_a_retry_works(db: &TestDb) {
        let refused = ResponseTemplate::new(401).set_body_string("SECRET-OF-THE-PROVIDER the-key");
        failed_visibly_and_works_again(db, Wire::OpenAi, vec![refused], "key_refused", "failed").await;
    }

    async fn prose_is_visible_and_a_retry_works(db: &TestDb) {
        failed_visibly_and_works_again(db, Wire::OpenAi, vec![Wire::OpenAi.answer("I'd rather not.", false)], "no_answer", "failed").await;
    }

    async fn nothing_whole_in_a_cut_off_answer_is_visible_and_a_retry_works(db: &TestDb) {
        let cut = Wire::Anthropic.answer("{\"candidates\": [{\"kind\": \"fa", true);
        failed_visibly_and_works_again(db, Wire::Anthropic, vec![cut], "", "truncated").await;
    }
}
