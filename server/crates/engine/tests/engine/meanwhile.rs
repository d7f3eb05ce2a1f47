//! What is switched off or opted out of while something is under way holds for it as well.

use std::sync::{Arc, Mutex};

use domain::{
    agent::{AgentScope, Budget},
    conversation::Role,
    memory::RevisionAction,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, Extractor, Extractors, Incoming, MemoryChange, NewMemory, ProposeAnswer, Proposed,
    Provenance,
    extractor::{Extract, ExtractError, Extracted, Window},
};
use futures::future::BoxFuture;
use serde_json::json;
use store::{Stamp, Write, testing::TestDb};

use crate::world::{Script, World, message, start};

/// Answers as the script does, after something else was done.
#[derive(Default)]
struct Meanwhile {
    script: Script,
    deed: Mutex<Option<BoxFuture<'static, ()>>>,
}

impl Extract for Meanwhile {
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        let deed = self.deed.lock().unwrap().take();
        Box::pin(async move {
            if let Some(deed) = deed {
                deed.await;
            }
            self.script.extract(window).await
        })
    }

    fn provenance(&self) -> Provenance {
        self.script.provenance()
    }
}

/// A conversation of two windows, with a patch of the settings while the first is read.
async fn patched(db: &TestDb, patch: AgentPatch) -> (World, Arc<Meanwhile>, engine::Accepted) {
    let extractor = Arc::new(Meanwhile::default());
    let extractors = Extractors::new(Extractor::Custom(extractor.clone()));
    let world = World::with_extractors(db, extractors).await;
    let (engine, agent) = (world.engine.clone(), world.agent.clone());
    let permit = world.mia(Permission::Administer);
    *extractor.deed.lock().unwrap() = Some(Box::pin(async move {
        engine
            .change_agent(&permit, &agent, None, patch)
            .await
            .unwrap();
    }));
    extractor.script.says(&json!({"candidates": [
        {"kind": "fact", "content": "User is at line 3", "confidence": 0.9, "importance": 0.7, "evidence": "line 3"}
    ]}));
    let messages = (0..30)
        .map(|number| message(Role::User, &format!("line {number}")))
        .collect();
    let accepted = world.post("ana", messages, true).await;
    world.work().await;
    (world, extractor, accepted)
}

async fn keeps_nothing(db: &TestDb, patch: AgentPatch, why: &str) {
    let (world, extractor, accepted) = patched(db, patch).await;
    let done = world.operation(&accepted).await;
    assert_eq!(
        (done.state, done.skipped, done.candidates.len()),
        ("succeeded", Some(why), 0)
    );
    assert_eq!(extractor.script.windows().len(), 1);
    assert!(world.waiting().await.is_empty());
    world.verify().await;
}

fn incoming() -> Incoming {
    Incoming {
        scope: Scope::user_id("ana").unwrap(),
        conversation_id: None,
        messages: vec![message(Role::User, "I live in Oslo")],
        time_zone: None,
        end: true,
        flush: false,
    }
}

store::both! {
    // A1
    async fn learning_that_is_switched_off_while_a_window_is_read_keeps_nothing_of_it(db: &TestDb) {
        keeps_nothing(db, AgentPatch { learn: Some(false), ..AgentPatch::default() }, "memory_off").await;
    }

    // G2
    async fn an_id_that_is_told_as_shared_while_a_window_is_read_keeps_nothing_of_it(db: &TestDb) {
        keeps_nothing(db, AgentPatch { shared_ids: Some(vec!["an*".into()]), ..AgentPatch::default() }, "shared_id").await;
    }

    // G14
    async fn a_budget_that_was_lowered_holds_from_the_next_window_on(db: &TestDb) {
        let budget = Budget { tokens_per_day: Some(1), ..Budget::default() };
        let (world, extractor, accepted) = patched(db, AgentPatch { budget: Some(budget.into()), ..AgentPatch::default() }).await;
        let waits = world.operation(&accepted).await;
        assert_eq!((waits.state, waits.error.unwrap().code.as_str()), ("queued", "budget"));
        assert_eq!((extractor.script.windows().len(), world.waiting().await.len()), (1, 1));
        world.pass(Span::days(1));
        world.work().await;
        assert_eq!(extractor.script.windows().len(), 2);
    }

    // G2
    async fn who_opts_out_while_a_post_waits_for_them_has_opted_out(db: &TestDb) {
        let world = World::new(db).await;
        world.say("ana", &["hi"]).await;
        let scope = Scope::user_id("ana").unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.set_opt_out(&scope, true, &Stamp::system(start())).await.unwrap();
        let posts = {
            let (engine, agent, key) = (world.engine.clone(), world.agent.clone(), world.key(Permission::Ingest));
            tokio::spawn(async move { engine.ingest(&key, &agent, incoming()).await })
        };
        let proposes = {
            let (engine, agent, key) = (world.engine.clone(), world.agent.clone(), world.key(Permission::Propose));
            let proposed = Proposed {
                action: None,
                target: None,
                scope,
                kind: "fact".into(),
                name: None,
                content: Some("User lives in Oslo".into()),
                metadata: Default::default(),
                tags: vec![],
                confidence: None,
                importance: None,
                explanation: None,
            };
            tokio::spawn(async move { engine.propose(&key, &agent, proposed).await })
        };
        // Both are on their way to the lock, which the opt-out holds.
        let both = async { (posts.await.unwrap().unwrap(), proposes.await.unwrap().unwrap()) };
        tokio::pin!(both);
        let early = tokio::time::timeout(std::time::Duration::from_millis(300), &mut both).await;
        assert!(early.is_err(), "they wait");
        tx.commit().await.unwrap();
        let (accepted, answer) = both.await;
        assert_eq!((accepted.skipped, accepted.conversation), (Some("opted_out"), None));
        assert!(matches!(answer, ProposeAnswer::Skipped { skipped: "opted_out" }), "{answer:?}");
        world.verify().await;
    }

    // F3
    async fn what_a_person_edits_while_a_change_waits_for_it_is_not_reverted_by_the_change(db: &TestDb) {
        let world = World::new(db).await;
        let since = |year: i64| json!({"since": year}).as_object().unwrap().clone();
        let new = NewMemory {
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: "User lives in Oslo".into(),
            metadata: since(2020),
            tags: vec![],
            importance: None,
            note: None,
        };
        let id = world.engine.add_memory(&world.mia(Permission::Decide), &world.agent, new).await.unwrap().id;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let before = tx.memory_for_update(&id).await.unwrap().unwrap();
        let edit = Write {
            kind: before.kind.clone(),
            name: None,
            content: before.content.clone(),
            metadata: since(2024),
            tags: vec![],
            confidence: before.confidence,
            importance: before.importance,
            language: before.language.clone(),
            expires_at: None,
            serve_from: None,
            conversation: None,
            said_at: before.said_at,
            candidate: None,
            decision: None,
            note: None,
        };
        tx.revise_memory(&before, RevisionAction::Update, &edit, &Stamp::system(start())).await.unwrap();
        let proposes = {
            let (engine, key, id) = (world.engine.clone(), world.key(Permission::Propose), id.clone());
            let change = MemoryChange::Update { kind: None, content: "User lives in Bergen".into(), metadata: None };
            tokio::spawn(async move { engine.propose_change(&key, &id, change).await })
        };
        // It is on its way to the lock, which the edit holds.
        tokio::pin!(proposes);
        let early = tokio::time::timeout(std::time::Duration::from_millis(300), &mut proposes).await;
        assert!(early.is_err(), "it waits");
        tx.commit().await.unwrap();
        let answer = proposes.await.unwrap().unwrap();
        let ProposeAnswer::Proposed { candidate } = answer else { panic!("{answer:?}") };
        assert_eq!((&candidate.content, &candidate.metadata), (&"User lives in Bergen".to_owned(), &since(2024)));
        world.verify().await;
    }
}
