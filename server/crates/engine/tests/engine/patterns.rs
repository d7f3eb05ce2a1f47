//! Behaviour that repeats over sessions (C1): the extractor is asked about sessions that ended, and what it sees goes through the same
//! gate and queue as everything else.

use domain::{
    candidate::{Action, Dropped},
    conversation::Role,
    permission::Permission,
    time::Span,
};
use engine::{
    AgentPatch, Approval, CandidateFilter, CandidateView, Engine, Extractor, Extractors,
    Provenance, UserRef,
    extractor::{Extract, ExtractError, Extracted, Retry, Sessions, Window},
};
use futures::future::BoxFuture;
use serde_json::json;
use store::testing::TestDb;

use crate::world::{Script, World, message, system};

const TABLE: &str = "User asks for a comparison table at the start of every planning session";

fn table(quotes: &[(&str, &str)]) -> serde_json::Value {
    let quotes: Vec<_> = quotes
        .iter()
        .map(|(message, quote)| json!({"message": message, "quote": quote}))
        .collect();
    json!({"kind": "pattern", "content": TABLE, "confidence": 0.7, "importance": 0.6, "evidence": quotes})
}

/// Answers as the script does; over sessions, after the person has opted out.
#[derive(Default)]
struct OptsOut {
    script: Script,
    engine: std::sync::OnceLock<Engine>,
}

impl Extract for OptsOut {
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        self.script.extract(window)
    }

    fn patterns<'a>(
        &'a self,
        sessions: &'a Sessions,
    ) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        Box::pin(async move {
            let ana = UserRef::parse("ana").unwrap();
            let engine = self.engine.get().unwrap();
            engine
                .set_opt_out(&system(Permission::Administer), &ana, true)
                .await
                .unwrap();
            self.script.patterns(sessions).await
        })
    }

    fn finds_patterns(&self) -> bool {
        true
    }

    fn provenance(&self) -> Provenance {
        self.script.provenance()
    }
}

impl World {
    async fn planning(&self, words: &str) {
        let messages = vec![
            message(Role::User, words),
            message(Role::Assistant, "Here it is."),
        ];
        self.post("ana", messages, true).await;
        self.work().await;
        self.pass(Span::hours(1));
    }

    async fn look(&self) -> Vec<CandidateView> {
        self.engine.ask_for_patterns().await.unwrap();
        self.work().await;
        let filter = CandidateFilter {
            agent: Some(self.agent.clone()),
            kind: Some("pattern".to_owned()),
            ..CandidateFilter::default()
        };
        self.queue(filter).await
    }
}

store::both! {
    // C1, C6, F5
    async fn what_repeats_over_two_sessions_is_proposed_with_a_quote_from_each(db: &TestDb) {
        let world = World::new(db).await;
        world.planning("Before anything else make me a comparison table").await;
        assert!(world.look().await.is_empty());
        assert!(world.script.sessions().is_empty(), "one session is none to compare");
        world.planning("Start with a comparison table again, please").await;
        world.script.sees(&json!({"candidates": [
            table(&[("m1", "make me a comparison table"), ("m2", "a comparison table again")]),
            {"kind": "pattern", "content": "User is in a hurry", "confidence": 0.8, "importance": 0.6, "evidence": [{"message": "m1", "quote": "Before anything else"}]},
            {"kind": "fact", "content": "User plans", "confidence": 0.9, "importance": 0.6, "evidence": [{"message": "m1", "quote": "a comparison table"}]},
        ]}));
        let found = world.look().await;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].content.as_str(), found[0].action), (TABLE, Action::Create));
        assert_eq!(found[0].evidence.len(), 2);
        assert_ne!(found[0].evidence[0].conversation, found[0].evidence[1].conversation);
        assert_eq!(found[0].extractor.as_ref().unwrap().model.as_deref(), Some("written-down"));

        // It read what the user said, and nothing else; and it is not asked again before another session has ended.
        let asked = world.script.sessions();
        assert_eq!(asked.len(), 1);
        let said: Vec<_> = asked[0].turns().map(|turn| (turn.role, turn.text.as_str())).collect();
        assert_eq!(said, [
            (Role::User, "Before anything else make me a comparison table"),
            (Role::User, "Start with a comparison table again, please"),
        ]);
        world.look().await;
        assert_eq!(world.script.sessions().len(), 1);

        let decide = world.mia(Permission::Decide);
        let approved = world.engine.approve(&decide, &found[0].id, None, Approval::default()).await.unwrap();
        let memory = world.engine.memory(&world.mia(Permission::ReadMemories), &approved.memory.unwrap()).await.unwrap();
        assert_eq!(memory.expires_at, Some(memory.updated_at + Span::days(90)));

        // Known patterns go along, so that a change is proposed as one.
        world.planning("And the comparison table first, with prices").await;
        let changed = format!("{TABLE}, with prices");
        let mut update = table(&[("m2", "a comparison table again"), ("m3", "the comparison table first")]);
        update["action"] = json!("update");
        update["target"] = json!(memory.id);
        update["content"] = json!(changed);
        world.script.sees(&json!({"candidates": [update]}));
        let found = world.look().await;
        assert_eq!((found[0].action, found[0].target.as_ref()), (Action::Update, Some(&memory.id)));
        assert_eq!(world.script.sessions()[1].patterns[0].id, memory.id);
        world.verify().await;
    }

    // C1, F5
    async fn a_pattern_without_words_from_two_sessions_is_dropped_and_counted(db: &TestDb) {
        let world = World::new(db).await;
        world.planning("Make me a comparison table").await;
        world.planning("A comparison table, please").await;
        world.script.sees(&json!({"candidates": [table(&[("m1", "Make me a comparison table"), ("m2", "words nobody said")])]}));
        assert!(world.look().await.is_empty());
        let permit = system(Permission::ReadUsers);
        let user = engine::UserRef::parse("ana").unwrap();
        let detail = world.engine.user(&permit, &user, Some(&world.agent)).await.unwrap();
        let conversation = &detail.conversations_list[0].id;
        let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
        let conversation = tx.conversation(conversation).await.unwrap().unwrap();
        let extractions = tx.extractions_of(&conversation).await.unwrap();
        let dropped: Vec<_> = extractions.iter().filter_map(|one| one.dropped.get(&Dropped::NoEvidence)).collect();
        assert_eq!(dropped, [&1]);
    }

    // C1, A1, G2
    async fn nobody_is_looked_at_while_the_agent_does_not_learn(db: &TestDb) {
        let world = World::new(db).await;
        world.planning("Make me a comparison table").await;
        world.planning("A comparison table, please").await;
        let off: AgentPatch = serde_json::from_value(json!({"learn": false})).unwrap();
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, off).await.unwrap();
        world.look().await;
        assert!(world.script.sessions().is_empty());
    }

    // C1, G2
    async fn nobody_is_looked_at_who_opted_out_after_the_sessions(db: &TestDb) {
        let world = World::new(db).await;
        world.planning("Make me a comparison table").await;
        world.planning("A comparison table, please").await;
        let ana = engine::UserRef::parse("ana").unwrap();
        world.engine.set_opt_out(&system(Permission::Administer), &ana, true).await.unwrap();
        assert!(world.look().await.is_empty());
        assert!(world.script.sessions().is_empty());
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 0, "what was passed over is no news any more");
    }

    // C1
    async fn a_session_that_ends_in_the_moment_of_a_look_is_news_for_the_next(db: &TestDb) {
        let world = World::new(db).await;
        world.planning("Make me a comparison table").await;
        world.say("ana", &["A comparison table, please"]).await;
        world.work().await;
        world.look().await;
        assert_eq!(world.script.sessions().len(), 1);
        world.say("ana", &["And a comparison table once more"]).await;
        world.work().await;
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 1, "its time is that of the look");
        world.work().await;
        assert_eq!(world.script.sessions()[1].sessions.len(), 3);
        // A while later all of it was looked at.
        world.pass(Span::minutes(1));
        world.look().await;
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 0);
    }

    // C1
    async fn a_provider_that_does_not_answer_is_asked_again_later(db: &TestDb) {
        let world = World::new(db).await;
        world.planning("Make me a comparison table").await;
        world.planning("A comparison table, please").await;
        world.script.sees_nothing_for_now(ExtractError { retry: Retry::After(None), code: "timeout", raw: None, tokens_in: 0, tokens_out: 0 });
        world.script.sees(&json!({"candidates": [table(&[("m1", "a comparison table"), ("m2", "A comparison table")])]}));
        assert!(world.look().await.is_empty());
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 0);
        let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
        assert_eq!(tx.depths(world.engine.now()).await.unwrap()[0].queued, 1, "the try that waits stands for the next look");
        drop(tx);
        world.pass(Span::minutes(1));
        world.work().await;
        assert_eq!(world.script.sessions().len(), 2);
        assert_eq!(world.look().await.len(), 1);
    }

    // C1
    async fn what_fails_inside_each_time_is_given_up_until_there_is_news(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.pass(Span::hours(1));
        world.planning("Make me a comparison table").await;
        world.planning("A comparison table, please").await;
        // What waits cannot be read, so nothing can be kept of what the model says.
        db.behind_the_back("update candidates set sealed = (select wrapped from user_keys limit 1)").await.unwrap();
        for _ in 0..9 {
            world.script.sees(&json!({"candidates": [table(&[("m2", "a comparison table"), ("m3", "A comparison table")])]}));
        }
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 1);
        for _ in 0..8 {
            world.work().await;
            world.pass(Span::hours(1));
        }
        let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
        assert_eq!(tx.given_up_by_reason().await.unwrap()[0].count, 1);
        drop(tx);
        assert_eq!(world.script.sessions().len(), 5, "each try");
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 0, "no try each hour of each day");
        world.planning("Now something else").await;
        assert_eq!(world.engine.ask_for_patterns().await.unwrap(), 1, "a session that ended since");
    }

    // C1, G2, G14
    async fn who_opts_out_while_the_model_is_asked_is_left_alone_and_the_tokens_are_counted(db: &TestDb) {
        let extractor = std::sync::Arc::new(OptsOut::default());
        let world = World::with_extractors(db, Extractors::new(Extractor::Custom(extractor.clone()))).await;
        world.planning("Make me a comparison table").await;
        world.planning("A comparison table, please").await;
        assert!(extractor.engine.set(world.engine.clone()).is_ok());
        extractor.script.sees(&json!({"candidates": [table(&[("m1", "a comparison table"), ("m2", "A comparison table")])]}));
        assert!(world.look().await.is_empty());
        assert_eq!(extractor.script.sessions().len(), 1);
        let figures = world.engine.agent_figures(&world.mia(Permission::ReadAgents), &world.agent).await.unwrap();
        // A window reads 10 tokens and writes 5, a look over sessions reads 100 and writes 20.
        assert_eq!((figures.today.tokens_in, figures.today.tokens_out), (120, 30));
    }
}
