//! Summaries of sessions (C4): one candidate a conversation, at its end, whenever that comes.

use domain::{
    candidate::{Action, Flag},
    conversation::{NewMessage, Role},
    gate::SUMMARY,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    Accepted, Approval, CandidateView, Incoming,
    extractor::{ExtractError, Retry, WindowTurn},
};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::world::{World, all, message};

fn sums_up(words: &str) -> Value {
    json!({"candidates": [], "summary": {"content": words, "importance": 0.6}})
}

fn said(words: &[&str]) -> Vec<NewMessage> {
    words
        .iter()
        .map(|words| message(Role::User, words))
        .collect()
}

/// Into the conversation `c-1`, read at once.
async fn post(world: &World, words: &[&str], end: bool) -> Accepted {
    let incoming = Incoming {
        scope: Scope::user_id("ana").unwrap(),
        conversation_id: Some("c-1".into()),
        messages: said(words),
        time_zone: None,
        end,
        flush: true,
    };
    let accepted = world
        .engine
        .ingest(&world.key(Permission::Ingest), &world.agent, incoming)
        .await
        .unwrap();
    world.work().await;
    accepted
}

async fn summaries(world: &World) -> Vec<CandidateView> {
    let mut waiting = world.waiting().await;
    waiting.retain(|candidate| candidate.kind == SUMMARY);
    waiting
}

async fn approve(world: &World, candidate: &CandidateView) -> CandidateView {
    world
        .engine
        .approve(
            &world.mia(Permission::Decide),
            &candidate.id,
            None,
            Approval::default(),
        )
        .await
        .unwrap()
}

store::both! {
    // C4, F5, C1
    async fn an_ended_session_gets_a_summary_that_is_served_once_approved(db: &TestDb) {
        let world = World::new(db).await;
        world.script.says(&sums_up("The user planned a launch in May."));
        let accepted = post(&world, &["We launch in May, help me plan"], true).await;
        let [summary] = &summaries(&world).await[..] else { panic!("one summary") };
        assert_eq!((summary.action, summary.content.as_str()), (Action::Create, "The user planned a launch in May."));
        assert_eq!(summary.name, accepted.conversation.as_ref().map(ToString::to_string));
        assert_eq!((summary.evidence.len(), summary.evidence[0].message.clone()), (1, None), "it names its session");
        assert!(summary.flags.is_empty(), "{:?}", summary.flags);
        assert_eq!(world.operation(&accepted).await.candidates, std::slice::from_ref(&summary.id));
        assert!(world.served("ana").await.is_empty(), "not before it is approved");
        approve(&world, summary).await;
        assert_eq!(world.served("ana").await, ["The user planned a launch in May."]);
        world.verify().await;
    }

    // C4
    async fn one_that_nobody_approved_is_kept_and_not_served(db: &TestDb) {
        let world = World::new(db).await;
        world.script.says(&sums_up("The user planned a launch."));
        post(&world, &["help me plan a launch"], true).await;
        world.pass(Span::days(8));
        world.engine.tick().await.unwrap();
        assert!(summaries(&world).await.is_empty() && world.served("ana").await.is_empty());
        let kept = world.queue(all()).await;
        assert_eq!(kept[0].content, "The user planned a launch.");
    }

    // C4, C3
    async fn an_end_that_comes_later_needs_no_second_reading(db: &TestDb) {
        let world = World::new(db).await;
        world.script.says(&sums_up("The user asked about tea."));
        post(&world, &["which tea is good?"], false).await;
        assert!(summaries(&world).await.is_empty(), "the session goes on");
        world.script.says(&sums_up("The user asked about tea and coffee."));
        post(&world, &["and which coffee?"], false).await;
        assert_eq!(world.script.windows()[1].summary_so_far.as_deref(), Some("The user asked about tea."));
        let ended = post(&world, &[], true).await;
        let [summary] = &summaries(&world).await[..] else { panic!("one summary") };
        assert_eq!(summary.content, "The user asked about tea and coffee.");
        assert!(summary.extractor.is_some(), "it says what made it");
        assert_eq!((world.script.windows().len(), world.operation(&ended).await.state), (2, "succeeded"));
        // Ended once is ended.
        post(&world, &[], true).await;
        assert_eq!((summaries(&world).await.len(), world.script.windows().len()), (1, 2));
    }

    // C4
    async fn where_no_summary_was_kept_the_end_asks_for_one(db: &TestDb) {
        let world = World::new(db).await;
        post(&world, &["which tea is good?"], false).await;
        world.script.says(&json!({
            "candidates": [{"kind": "preference", "content": "User likes tea", "confidence": 0.9, "importance": 0.7, "evidence": "which tea is good?"}],
            "summary": {"content": "The user asked about tea.", "importance": 0.4},
        }));
        let ended = post(&world, &[], true).await;
        let waiting = world.waiting().await;
        assert_eq!((waiting.len(), waiting[0].content.as_str()), (1, "The user asked about tea."), "statements were read before");
        let window = &world.script.windows()[1];
        assert!(window.ended && window.turns.iter().all(|turn: &WindowTurn| turn.reference));
        let done = world.operation(&ended).await;
        assert_eq!((done.tokens_in, done.candidates.len()), (Some(10), 1));
        world.verify().await;
    }

    // C4
    async fn a_summary_that_could_not_be_had_is_visible_and_can_be_retried(db: &TestDb) {
        let world = World::new(db).await;
        post(&world, &["which tea is good?"], false).await;
        world.script.fails(ExtractError { retry: Retry::Never, code: "refused", raw: None, tokens_in: 0, tokens_out: 0 });
        let ended = post(&world, &[], true).await;
        let failed = world.operation(&ended).await;
        assert_eq!((failed.state, failed.error.map(|error| error.code)), ("failed", Some("refused".to_owned())));
        world.script.says(&sums_up("The user asked about tea."));
        let retry = world.engine.retry(&world.key(Permission::Ingest), &ended.operation).await.unwrap();
        world.work().await;
        let done = world.engine.operation(&world.key(Permission::Ingest), &retry.id).await.unwrap();
        assert_eq!((done.state, summaries(&world).await.len()), ("succeeded", 1));
        let again = world.script.windows().pop().unwrap();
        assert!(again.turns.iter().all(|turn| turn.reference), "no message is read twice");
        world.verify().await;
    }

    // C4, B4
    async fn a_session_that_goes_on_changes_its_summary(db: &TestDb) {
        let world = World::new(db).await;
        world.script.says(&sums_up("The user asked about tea."));
        post(&world, &["which tea is good?"], true).await;
        let first = approve(&world, &summaries(&world).await[0]).await;

        world.script.says(&sums_up("The user asked about tea, then chose Sencha."));
        post(&world, &["Sencha it is"], false).await;
        assert!(summaries(&world).await.is_empty(), "it is open again");
        post(&world, &[], true).await;
        let [update] = &summaries(&world).await[..] else { panic!("one summary") };
        assert_eq!((update.action, update.target.as_ref()), (Action::Update, first.memory.as_ref()));
        assert!(!update.flags.contains(&Flag::Contradiction));
        let second = approve(&world, update).await;
        assert_eq!((second.memory, world.served("ana").await), (first.memory, vec!["The user asked about tea, then chose Sencha.".to_owned()]));

        // Another session has a summary of its own, even in the same words.
        world.script.says(&sums_up("The user asked about tea, then chose Sencha."));
        world.say("ana", &["which tea was it?"]).await;
        world.work().await;
        assert_eq!(summaries(&world).await[0].action, Action::Create);
    }

    // C3, C4
    async fn a_long_session_has_one_summary_that_grows(db: &TestDb) {
        let world = World::new(db).await;
        for part in ["one", "two", "three"] {
            world.script.says(&sums_up(&format!("Up to part {part}.")));
        }
        let words: Vec<String> = (1..=45).map(|n| format!("message number {n}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        post(&world, &words, true).await;
        let so_far: Vec<_> = world.script.windows().into_iter().map(|window| window.summary_so_far).collect();
        assert_eq!(so_far, [None, Some("Up to part one.".to_owned()), Some("Up to part two.".to_owned())]);
        let summaries = summaries(&world).await;
        assert_eq!((summaries.len(), summaries[0].content.as_str()), (1, "Up to part three."));
    }

    // G1, C4
    async fn what_was_off_the_record_stays_out_of_a_summary(db: &TestDb) {
        let world = World::new(db).await;
        let words = &["help me plan a trip to Oslo", "Don't remember this: I have diabetes and need insulin on the way"];
        world.script.says(&sums_up("The user with diabetes planned a trip to Oslo."));
        let accepted = post(&world, words, true).await;
        assert!(summaries(&world).await.is_empty());
        assert_eq!(world.operation(&accepted).await.dropped.get("asked_not_to_remember"), Some(&1));
        world.script.says(&sums_up("The user planned a trip to Oslo."));
        world.say("ana", words).await;
        world.work().await;
        assert_eq!(summaries(&world).await.len(), 1);
    }

    // C4, A1
    async fn an_agent_without_the_kind_is_asked_for_none(db: &TestDb) {
        let world = World::new(db).await;
        let patch = engine::AgentPatch {
            kinds: Some(engine::KindsPatch { enabled: Some([(SUMMARY.to_owned(), false)].into()), ..Default::default() }),
            ..Default::default()
        };
        world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, patch).await.unwrap();
        world.script.says(&sums_up("The user asked about tea."));
        post(&world, &["which tea is good?"], true).await;
        assert!(world.waiting().await.is_empty() && !world.script.windows()[0].wants_summary());
    }
}
