//! Workers that die, extractors that fail: nothing is lost, nothing doubles, every failure is visible and can be retried.

use std::time::Duration;

use domain::{permission::Permission, time::Span};
use engine::extractor::{ExtractError, Retry};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, message, system};

fn oslo() -> serde_json::Value {
    json!({"candidates": [{"kind": "fact", "content": "User lives in Oslo", "confidence": 0.9, "importance": 0.7, "evidence": "I live in Oslo"}]})
}

fn fails(retry: Retry, code: &'static str) -> ExtractError {
    ExtractError {
        retry,
        code,
        raw: None,
        tokens_in: 0,
        tokens_out: 0,
    }
}

store::both! {
    async fn a_job_whose_worker_died_runs_once_more_and_nothing_doubles(db: &TestDb) {
        let world = World::new(db).await;
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        // Another process claims the job, and is killed.
        let dead = db.db.claim(world.engine.now(), Span::seconds(30)).await.unwrap().unwrap();
        world.script.says(&oslo());
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "running", "the lease holds");
        assert!(world.script.windows().is_empty());

        world.pass(Span::seconds(31));
        world.work().await;
        let done = world.operation(&accepted).await;
        assert_eq!((done.state, done.attempt, done.candidates.len()), ("succeeded", 2, 1));
        assert_eq!(world.waiting().await.len(), 1);

        // The dead one wakes up: its epoch is gone, so nothing of it is kept.
        let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
        assert!(!tx.heartbeat(&dead, world.engine.now(), Span::seconds(30)).await.unwrap());
        assert!(matches!(tx.hold_claim(&dead, world.engine.now(), Span::seconds(30)).await, Err(store::Error::LostClaim)));
        drop(tx);
        world.verify().await;
    }

    // C3
    async fn a_crash_between_windows_goes_on_where_it_was(db: &TestDb) {
        let world = World::new(db).await;
        let mut messages: Vec<_> = (0..45).map(|number| message(domain::conversation::Role::User, &format!("line {number}"))).collect();
        messages[3] = message(domain::conversation::Role::User, "I live in Oslo");
        world.script.says(&oslo());
        world.script.fails(fails(Retry::After(None), "unavailable"));
        let accepted = world.post("ana", messages, true).await;
        world.work().await;
        let waits = world.operation(&accepted).await;
        assert_eq!((waits.state, waits.attempt, waits.candidates.len()), ("queued", 1, 1));
        assert_eq!(waits.error.unwrap().code, "unavailable");
        assert!(waits.next_at.unwrap() >= world.engine.now() + Span::seconds(5));

        world.pass(Span::seconds(10));
        world.work().await;
        let done = world.operation(&accepted).await;
        assert_eq!((done.state, done.attempt, done.candidates.len()), ("succeeded", 2, 1));
        // Windows of 20 with 4 for reference; the first was not read again.
        let new: Vec<_> = world.script.windows().iter().map(|window| window.turns.iter().filter(|turn| !turn.reference).count()).collect();
        assert_eq!(new, [20, 20, 20, 5]);
        assert_eq!(world.script.windows()[3].turns.iter().filter(|turn| turn.reference).count(), 4);
        assert!(world.script.windows()[3].ended && !world.script.windows()[0].ended);
        world.verify().await;
    }

    async fn a_provider_that_asks_for_patience_gets_it(db: &TestDb) {
        let world = World::new(db).await;
        world.script.fails(fails(Retry::After(Some(Duration::from_secs(120))), "rate_limited"));
        world.script.says(&oslo());
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        let waits = world.operation(&accepted).await;
        assert_eq!(waits.next_at, Some(world.engine.now() + Span::seconds(120)));
        world.pass(Span::seconds(119));
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "queued");
        world.pass(Span::seconds(1));
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "succeeded");
    }

    async fn five_failures_are_visible_and_a_retry_works(db: &TestDb) {
        let world = World::new(db).await;
        for _ in 0..5 {
            world.script.fails(fails(Retry::After(None), "unavailable"));
        }
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        for _ in 0..5 {
            world.work().await;
            world.pass(Span::hours(1));
        }
        let failed = world.operation(&accepted).await;
        assert_eq!((failed.state, failed.attempt), ("failed", 5));
        assert_eq!(failed.error.unwrap().code, "unavailable");
        let conversation = accepted.conversation.clone().unwrap();
        let kept = world.engine.conversation(&world.mia(Permission::ReadUsers), &conversation).await.unwrap();
        assert_eq!(kept.turns.len(), 1, "the conversation is kept");
        assert!(kept.operations[0].can_retry);

        // A1
        let learn = |on| engine::AgentPatch { learn: Some(on), ..engine::AgentPatch::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, learn(false)).await.unwrap();
        let off = world.engine.retry(&world.key(Permission::Ingest), &accepted.operation).await.unwrap_err();
        assert_eq!((off.code(), off.status()), ("memory_off", 409));
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, learn(true)).await.unwrap();

        world.script.says(&oslo());
        let retry = world.engine.retry(&world.key(Permission::Ingest), &accepted.operation).await.unwrap();
        assert_ne!(retry.id, accepted.operation);
        assert_eq!(world.operation(&accepted).await.retried_by, Some(retry.id.clone()));
        let twice = world.engine.retry(&world.key(Permission::Ingest), &accepted.operation).await.unwrap_err();
        assert_eq!((twice.code(), twice.status()), ("not_final", 409));
        world.work().await;
        let done = world.engine.operation(&world.key(Permission::Ingest), &retry.id).await.unwrap();
        assert_eq!((done.state, done.candidates.len()), ("succeeded", 1));
        world.verify().await;
    }

    async fn a_job_that_ends_its_worker_each_time_is_given_up(db: &TestDb) {
        let world = World::new(db).await;
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        for _ in 0..5 {
            db.db.claim(world.engine.now(), Span::seconds(30)).await.unwrap().unwrap();
            world.pass(Span::seconds(31));
        }
        world.work().await;
        let given_up = world.operation(&accepted).await;
        assert_eq!((given_up.state, given_up.error.unwrap().code.as_str()), ("failed", "crashed"));
        world.script.says(&oslo());
        world.engine.retry(&world.key(Permission::Ingest), &accepted.operation).await.unwrap();
        world.work().await;
        assert_eq!(world.waiting().await.len(), 1);
        world.verify().await;
    }

    async fn what_will_never_work_fails_at_once(db: &TestDb) {
        let world = World::new(db).await;
        world.script.fails(fails(Retry::Never, "refused"));
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        let failed = world.operation(&accepted).await;
        assert_eq!((failed.state, failed.attempt), ("failed", 1));
        // What comes later is read; the failed stretch is not.
        world.script.says(&oslo());
        let later = world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        assert_eq!(world.operation(&later).await.state, "succeeded");
    }

    // F11
    async fn an_answer_that_cannot_be_read_is_kept_for_a_look(db: &TestDb) {
        let world = World::new(db).await;
        world.script.says_text("I am afraid I cannot do that.");
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        let failed = world.operation(&accepted).await;
        assert_eq!(failed.state, "failed");
        let raw = world.engine.raw_answers(&world.mia(Permission::Decide), &accepted.operation).await.unwrap();
        assert_eq!(raw, ["I am afraid I cannot do that."]);

        // A cut-off answer keeps what was whole of it.
        world.script.says_text(r#"{"candidates": [{"kind": "fact", "content": "User lives in Oslo", "confidence": 0.9, "importance": 0.7, "evidence": "I live in Oslo"}, {"kind": "fact", "content": "User has a d"#);
        let cut = world.say("ana", &["I live in Oslo and I have a dog"]).await;
        world.work().await;
        let cut = world.operation(&cut).await;
        assert_eq!((cut.state, cut.candidates.len(), cut.can_retry), ("truncated", 1, true));
        world.verify().await;
    }

    async fn a_database_that_cannot_be_reached_is_told_so_and_servings_are_kept(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.context("ana").await;
        world.engine.ready().await.unwrap();
        db.db.close().await;
        for error in [
            world.engine.ready().await.unwrap_err(),
            world.engine.agents(&world.mia(Permission::ReadAgents)).await.unwrap_err(),
            world.engine.flush().await.unwrap_err(),
            world.engine.work_once().await.unwrap_err(),
        ] {
            assert_eq!((error.code(), error.status()), ("unavailable", 503));
        }
        assert!(world.engine.flush().await.is_err(), "the serving still waits to be written");
    }

    async fn a_running_worker_does_what_comes_and_stops_when_told(db: &TestDb) {
        let world = World::new(db).await;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let engine = world.engine.clone();
        let worker = tokio::spawn(async move { engine.run(async { drop(stopped.await) }).await });
        world.script.says(&oslo());
        let accepted = world.say("ana", &["I live in Oslo"]).await;
        let done = async {
            while world.operation(&accepted).await.state != "succeeded" {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), done).await.expect("the worker does the job");
        world.context("ana").await;
        stop.send(()).unwrap();
        tokio::time::timeout(Duration::from_secs(20), worker).await.expect("it stops").unwrap();
        let user = world.waiting().await[0].user.clone();
        let timeline = world.engine.timeline(&world.mia(Permission::ReadUsers), &engine::UserRef::Id(user), None, &engine::Page::default()).await.unwrap();
        assert!(timeline.data.iter().any(|event| event.r#type == domain::audit::EventType::CandidateProposed));
        world.verify().await;
    }
}
