//! What is known is not stored twice, and when extraction starts.

use domain::{
    agent::AgentSettings,
    conversation::{NewMessage, Role, Source},
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{AgentPatch, EngineError, Incoming};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, message, system};

fn with_id(id: &str, content: &str) -> NewMessage {
    NewMessage {
        external_id: Some(id.into()),
        role: Role::User,
        source: Source::Human,
        at: None,
        content: content.into(),
    }
}

fn post(conversation: Option<&str>, messages: Vec<NewMessage>) -> Incoming {
    Incoming {
        scope: Scope::user_id("ana").unwrap(),
        conversation_id: conversation.map(str::to_owned),
        messages,
        time_zone: None,
        end: false,
        flush: false,
    }
}

impl World {
    async fn ingest(&self, incoming: Incoming) -> Result<engine::Accepted, EngineError> {
        self.engine
            .ingest(&self.key(Permission::Ingest), &self.agent, incoming)
            .await
    }
}

store::both! {
    async fn sending_again_is_harmless_with_ids_and_without(db: &TestDb) {
        let world = World::new(db).await;
        let first = vec![with_id("m1", "I live in Oslo."), message(Role::Assistant, "Noted!")];
        let accepted = world.ingest(post(Some("c-1"), first.clone())).await.unwrap();
        assert_eq!((accepted.accepted, accepted.known), (2, 0));
        let again = world.ingest(post(Some("c-1"), first.clone())).await.unwrap();
        assert_eq!((again.accepted, again.known), (0, 2));
        assert_eq!(again.operation, accepted.operation, "with nothing new, the last one");

        let grown = [first.clone(), vec![message(Role::User, "thanks")]].concat();
        let grown = world.ingest(post(Some("c-1"), grown)).await.unwrap();
        assert_eq!((grown.accepted, grown.known), (1, 2));
        assert_eq!(grown.operation, accepted.operation, "a later post joins the job that nobody claimed");

        // The whole history once more, after more was said: the turn without an id follows one that is known.
        let again = world.ingest(post(Some("c-1"), first)).await.unwrap();
        assert_eq!((again.accepted, again.known), (0, 2));

        // Without ids the longest stored tail that equals the head is known.
        let tail = vec![message(Role::User, "thanks"), message(Role::User, "bye")];
        let tail = world.ingest(post(Some("c-1"), tail)).await.unwrap();
        assert_eq!((tail.accepted, tail.known), (1, 1));

        let changed = world.ingest(post(Some("c-1"), vec![with_id("m1", "I live in Bergen.")])).await.unwrap_err();
        assert_eq!((changed.code(), changed.status()), ("message_changed", 409));

        // Without a conversation id each post is a new conversation.
        let one = world.ingest(post(None, vec![message(Role::User, "hi")])).await.unwrap();
        let two = world.ingest(post(None, vec![message(Role::User, "hi")])).await.unwrap();
        assert_ne!(one.conversation, two.conversation);
        world.verify().await;
    }

    async fn extraction_starts_at_the_end_by_count_and_after_quiet(db: &TestDb) {
        let world = World::new(db).await;
        let accepted = world.ingest(post(Some("quiet"), vec![message(Role::User, "one")])).await.unwrap();
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "queued", "it waits for quiet");
        world.pass(Span::seconds(40));
        world.ingest(post(Some("quiet"), vec![message(Role::User, "two")])).await.unwrap();
        world.pass(Span::seconds(40));
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "queued", "a later message starts the quiet anew");
        world.pass(Span::seconds(20));
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "succeeded");
        assert_eq!(world.script.windows().len(), 1);

        let many = (0..20).map(|number| message(Role::User, &format!("line {number}"))).collect();
        let accepted = world.ingest(post(Some("count"), many)).await.unwrap();
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "succeeded", "twenty new messages start it");

        let accepted = world.ingest(post(Some("end"), vec![message(Role::User, "bye")])).await.unwrap();
        let ended = world.ingest(Incoming { end: true, ..post(Some("end"), vec![]) }).await.unwrap();
        assert_eq!(ended.operation, accepted.operation);
        world.work().await;
        assert_eq!(world.operation(&ended).await.state, "succeeded", "the end starts it, with nothing new too");
        assert!(world.script.windows().last().unwrap().ended);

        // A post while the first is done gets a job of its own, from where that one ended.
        let next = world.ingest(Incoming { flush: true, ..post(Some("end"), vec![message(Role::User, "one more thing")]) }).await.unwrap();
        assert_ne!(next.operation, ended.operation);
        world.work().await;
        let window = world.script.windows().pop().unwrap();
        let new: Vec<_> = window.turns.iter().filter(|turn| !turn.reference).map(|turn| turn.text.as_str()).collect();
        assert_eq!(new, ["one more thing"]);
    }

    // A1
    async fn memory_off_stores_nothing_and_says_so(db: &TestDb) {
        let world = World::new(db).await;
        let off = AgentPatch { learn: Some(false), ..AgentPatch::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, off).await.unwrap();
        let accepted = world.say("ana", &["I live in Oslo."]).await;
        assert_eq!((accepted.conversation.as_ref(), accepted.skipped), (None, Some("memory_off")));
        let operation = world.operation(&accepted).await;
        assert_eq!((operation.state, operation.skipped), ("succeeded", Some("memory_off")));
        let users = world.engine.users(&world.mia(Permission::ReadUsers), None, None, &engine::Page::default()).await.unwrap();
        assert!(users.data.is_empty());
    }

    async fn what_cannot_be_is_refused_with_its_place(db: &TestDb) {
        let world = World::new(db).await;
        let refused = |error: EngineError| {
            let fields = error.fields();
            (error.code(), fields[0].pointer.clone(), fields[0].code)
        };
        let empty = world.ingest(post(None, vec![])).await.unwrap_err();
        assert_eq!(refused(empty), ("invalid", "/messages".into(), "required"));
        let many = world.ingest(post(None, vec![message(Role::User, "x"); 501])).await.unwrap_err();
        assert_eq!(refused(many), ("invalid", "/messages".into(), "too_long"));
        let long = world.ingest(post(None, vec![message(Role::User, &"x".repeat(32 * 1024 + 1))])).await.unwrap_err();
        assert_eq!(refused(long), ("invalid", "/messages/0/content".into(), "too_long"));
        let zone = world.ingest(Incoming { time_zone: Some("Mars/Olympus".into()), ..post(None, vec![message(Role::User, "x")]) }).await.unwrap_err();
        assert_eq!(refused(zone), ("invalid", "/time_zone".into(), "unknown"));
        let id = world.ingest(post(Some(&"c".repeat(10_000)), vec![message(Role::User, "x")])).await.unwrap_err();
        assert_eq!(refused(id), ("invalid", "/conversation_id".into(), "length"));
    }

    async fn an_agent_does_not_exist_for_the_key_of_another(db: &TestDb) {
        let world = World::new(db).await;
        let other = domain::agent::AgentName::parse("other").unwrap();
        world.engine.create_agent(&system(Permission::Administer), other.clone(), AgentSettings::default()).await.unwrap();
        let ours = world.say("ana", &["I live in Oslo."]).await;
        let theirs = world.engine.ingest(&world.key(Permission::Ingest), &other, post(None, vec![message(Role::User, "x")])).await;
        assert!(matches!(theirs, Err(EngineError::NotFound)));
        let permit = system(Permission::Ingest).within(&other).unwrap();
        assert!(matches!(world.engine.operation(&permit, &ours.operation).await, Err(EngineError::NotFound)));
    }

    // Two posts of the same thing at once store it once.
    async fn the_same_post_from_eight_tasks_is_stored_once(db: &TestDb) {
        let world = World::new(db).await;
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (engine, agent, permit) = (world.engine.clone(), world.agent.clone(), world.key(Permission::Ingest));
            tasks.spawn(async move { engine.ingest(&permit, &agent, post(Some("c-1"), vec![with_id("m1", "I live in Oslo.")])).await.unwrap() });
        }
        let all = tasks.join_all().await;
        assert_eq!(all.iter().map(|accepted| accepted.accepted).sum::<u32>(), 1);
        let first = &all[0];
        assert!(all.iter().all(|accepted| accepted.conversation == first.conversation && accepted.operation == first.operation));
        assert_eq!(json!(first)["known"].as_u64().map(|known| known <= 1), Some(true));
        world.verify().await;
    }
}
