//! The grace of an approval: it stands at once and agents are told later, so that an undo within it has nobody told.

use domain::{
    audit::EventType,
    candidate::{Edit, Status},
    id::{CandidateId, MemoryId},
    memory::MemoryStatus,
    permission::Permission,
    render::{CutFor, Layout},
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, Approval, CameOf, ContextAnswer, EngineError, EventFilter, MemoryChange,
    MemoryFilter, NewJoin, Page, PreviewRequest, ProposeAnswer, Proposed, Standing, UserRef,
    Version,
};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, ask};

impl World {
    async fn gives_grace(&self, seconds: u32) {
        let patch = AgentPatch {
            grace_seconds: Some(seconds),
            ..AgentPatch::default()
        };
        let admin = self.mia(Permission::Administer);
        let changed = self
            .engine
            .change_agent(&admin, &self.agent, None, patch)
            .await;
        assert_eq!(changed.unwrap().settings.grace_seconds, seconds);
    }

    async fn lets_in(&self, id: &CandidateId, edit: Edit) -> MemoryId {
        let approval = Approval {
            edit,
            ..Approval::default()
        };
        let decide = self.mia(Permission::Decide);
        let approved = self.engine.approve(&decide, id, None, approval).await;
        approved.unwrap().memory.unwrap()
    }

    /// The guest id is one person with the main one.
    async fn joins(&self, guest: &str, main: &str) {
        let new = NewJoin {
            agent: Some(self.agent.clone()),
            guest: UserRef::parse(guest).unwrap(),
            main: UserRef::parse(main).unwrap(),
            reason: Some("she signed in".into()),
        };
        let decide = self.mia(Permission::Decide);
        self.engine.join_ids(&decide, &new).await.unwrap();
    }

    async fn undoes(&self, id: &CandidateId) -> usize {
        let decide = self.mia(Permission::Decide);
        let undone = self.engine.reopen(&decide, id, None, None).await.unwrap();
        undone.told.len()
    }

    /// What the agent finds of ana, whichever way it asks.
    async fn finds(&self, memory: &MemoryId, word: &str) -> [bool; 5] {
        let reads = self.key(Permission::ReadMemories);
        let ana = MemoryFilter {
            scope: Some(Scope::user_id("ana").unwrap()),
            ..MemoryFilter::default()
        };
        let (everybody, engine) = (MemoryFilter::default(), &self.engine);
        let listed = engine.memories(&reads, &ana, &Page::default()).await;
        let found = engine.search(&reads, ana.clone(), word, 10).await;
        let over_all = engine.search(&reads, everybody, word, 10).await;
        let counted = engine.count_memories(&reads, &ana).await.unwrap();
        let shown = engine.memory(&reads, memory).await;
        assert_eq!(counted > 0, shown.is_ok());
        [
            !self.served("ana").await.is_empty(),
            !listed.unwrap().data.is_empty(),
            !found.unwrap().data.is_empty(),
            !over_all.unwrap().data.is_empty(),
            shown.is_ok(),
        ]
    }
}

store::both! {
    // F7
    async fn what_was_approved_is_told_to_agents_when_its_grace_is_over(db: &TestDb) {
        let world = World::new(db).await;
        world.gives_grace(60).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.lets_in(&oslo.id, Edit::default()).await;
        assert_eq!(world.finds(&memory, "oslo").await, [false; 5]);
        assert!(world.context("ana").await.cut.is_empty(), "an agent does not learn that there is something");
        let named = world.engine.came_of(&world.key(Permission::ReadMemories), &oslo.id).await.unwrap();
        assert!(matches!(named, CameOf::Waits { .. }), "to an agent it still waits");

        // People see it, and why it is not told.
        let reads = world.mia(Permission::ReadMemories);
        let seen = world.engine.memory(&reads, &memory).await.unwrap();
        assert_eq!((seen.status, seen.serve_from), (MemoryStatus::Approved, Some(seen.updated_at + Span::seconds(60))));
        let request = PreviewRequest { query: None, max_tokens: None, layout: Layout::ByKind };
        let preview = world.engine.context_preview(&world.mia(Permission::ReadUsers), &seen.user, request).await.unwrap();
        assert_eq!((preview.lines.len(), preview.lines[0].standing), (1, Standing::LeftOut(CutFor::Grace)));
        // It stands: the same is not proposed again.
        world.script.says(&json!({"candidates": [
            {"kind": "fact", "content": "User lives in Oslo", "confidence": 0.9, "importance": 0.7, "evidence": "I live in Oslo"},
        ]}));
        let again = world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        assert_eq!(world.operation(&again).await.sightings, 1);

        world.pass(Span::seconds(59));
        assert_eq!(world.finds(&memory, "oslo").await, [false; 5]);
        world.pass(Span::seconds(1));
        assert_eq!(world.finds(&memory, "oslo").await, [true; 5]);
        assert!(matches!(
            world.engine.came_of(&world.key(Permission::ReadMemories), &oslo.id).await.unwrap(),
            CameOf::Memory(_)
        ));
        world.verify().await;
    }

    // F7
    async fn who_undoes_within_the_grace_has_nobody_told(db: &TestDb) {
        let world = World::new(db).await;
        world.gives_grace(60).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.lets_in(&oslo.id, Edit::default()).await;
        world.pass(Span::seconds(30));
        assert!(world.served("ana").await.is_empty());
        assert_eq!(world.undoes(&oslo.id).await, 0, "no session was told");
        assert_eq!(world.candidate(&oslo.id).await.status, Status::Pending);
        world.pass(Span::minutes(5));
        assert_eq!(world.finds(&memory, "oslo").await, [false; 5]);

        // Without a grace it is told at once, and the undo says to whom.
        world.gives_grace(0).await;
        world.lets_in(&oslo.id, Edit::default()).await;
        assert_eq!(world.served("ana").await.len(), 1);
        assert_eq!(world.undoes(&oslo.id).await, 1);
        world.verify().await;
    }

    // F7
    async fn an_update_withholds_its_memory_until_it_is_told_or_undone(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.lets_in(&oslo.id, Edit::default()).await;
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        world.pass(Span::minutes(2));
        world.gives_grace(60).await;
        let bergen = world.proposed("ana", "fact", None, "User lives in Bergen").await;
        assert_eq!(world.lets_in(&bergen.id, Edit::default()).await, memory);
        assert!(world.served("ana").await.is_empty(), "neither the value that was overruled nor the new one");
        assert_eq!(world.undoes(&bergen.id).await, 0);
        assert_eq!(world.served("ana").await, ["User lives in Oslo"], "what stood before is told at once");

        // What was approved a moment before the change keeps its own grace when the change is undone.
        let dog = world.proposed("bo", "fact", None, "User has a dog").await;
        let dogs = world.lets_in(&dog.id, Edit::default()).await;
        world.pass(Span::seconds(40));
        world.script.says(&json!({"candidates": [
            {"action": "update", "target": dogs, "kind": "fact", "content": "User has a dog called Rex", "confidence": 0.9, "importance": 0.7,
             "evidence": "my dog is called Rex"},
        ]}));
        let said = world.say("bo", &["my dog is called Rex"]).await;
        world.work().await;
        let rex = world.operation(&said).await.candidates.remove(0);
        world.lets_in(&rex, Edit::default()).await;
        world.undoes(&rex).await;
        assert!(world.served("bo").await.is_empty());
        world.pass(Span::seconds(20));
        assert_eq!(world.served("bo").await, ["User has a dog"]);

        // What a person writes by hand is no approval, and told at once.
        let edit = Edit { content: Some("User has two dogs".into()), ..Edit::default() };
        world.engine.edit_memory(&world.mia(Permission::Decide), &dogs, Version::Any, edit, None).await.unwrap();
        assert_eq!(world.served("bo").await, ["User has two dogs"]);
        world.verify().await;
    }

    // F7, D5
    async fn a_field_of_a_profile_has_the_grace_too(db: &TestDb) {
        let world = World::new(db).await;
        let schema = json!({"type": "object", "properties": {"stack": {"type": "string"}}});
        world.engine.create_schema(&world.mia(Permission::Administer), &world.agent, "p", schema).await.unwrap();
        world.gives_grace(60).await;
        world.script.says(&json!({"candidates": [], "fields": [
            {"schema": "p", "field": "stack", "value": "Rust", "confidence": 0.9, "importance": 0.6, "evidence": "I write Rust"},
        ]}));
        let said = world.say("ana", &["I write Rust"]).await;
        world.work().await;
        world.lets_in(&world.operation(&said).await.candidates[0], Edit::default()).await;
        for (pass, told) in [(0, false), (60, true)] {
            world.pass(Span::seconds(pass));
            let who = UserRef::Scope(Scope::user_id("ana").unwrap());
            let profile = world.engine.profile(&world.key(Permission::ReadMemories), &who, None).await.unwrap();
            assert_eq!(!profile.profiles["p"].is_empty(), told);
            let asked = engine::ContextRequest { layout: Layout::Profile, ..ask("ana") };
            let answer = world.engine.context(&world.key(Permission::ReadContext), &world.agent, asked).await.unwrap();
            let ContextAnswer::Block(context) = answer else { panic!("nothing was compared") };
            assert_eq!(context.block.contains("Rust"), told);
        }
    }

    // F7, G15
    async fn a_change_in_its_grace_does_not_have_another_id_told_in_its_place(db: &TestDb) {
        let world = World::new(db).await;
        let berlin = world.proposed("ana", "fact", None, "User lives in Berlin").await;
        let memory = world.lets_in(&berlin.id, Edit::default()).await;
        let oslo = world.proposed("guest-1", "fact", None, "User lives in Oslo").await;
        world.lets_in(&oslo.id, Edit::default()).await;
        world.joins("guest-1", "ana").await;
        assert_eq!(world.served("ana").await, ["User lives in Berlin"]);
        world.pass(Span::minutes(2));
        world.gives_grace(3600).await;
        let bergen = world.proposed("ana", "fact", None, "User lives in Bergen").await;
        assert_eq!(world.lets_in(&bergen.id, Edit::default()).await, memory);
        let found = async |user: &str| {
            let filter = MemoryFilter { scope: Some(Scope::user_id(user).unwrap()), ..MemoryFilter::default() };
            let list = world.engine.search(&world.key(Permission::ReadMemories), filter, "Oslo Bergen", 10).await;
            list.unwrap().data.into_iter().map(|found| found.memory.content).collect::<Vec<_>>()
        };
        for user in ["ana", "guest-1"] {
            assert!(world.served(user).await.is_empty(), "nobody is told Oslo meanwhile");
            assert!(world.context(user).await.cut.is_empty(), "nor that there is something");
            assert!(found(user).await.is_empty());
        }
        world.pass(Span::hours(1));
        for user in ["ana", "guest-1"] {
            assert_eq!(world.served(user).await, ["User lives in Bergen"]);
            assert_eq!(found(user).await, ["User lives in Bergen"]);
        }
    }

    // F7, D5, G15
    async fn a_field_in_its_grace_does_not_have_another_id_told_in_its_place(db: &TestDb) {
        let world = World::new(db).await;
        let schema = json!({"type": "object", "properties": {"stack": {"type": "string"}}});
        world.engine.create_schema(&world.mia(Permission::Administer), &world.agent, "p", schema).await.unwrap();
        for (user, value, words) in [("guest-1", "Python", "I write Python"), ("ana", "Rust", "I write Rust")] {
            world.script.says(&json!({"candidates": [], "fields": [
                {"schema": "p", "field": "stack", "value": value, "confidence": 0.9, "importance": 0.6, "evidence": words},
            ]}));
            let said = world.say(user, &[words]).await;
            world.work().await;
            world.lets_in(&world.operation(&said).await.candidates[0], Edit::default()).await;
            world.gives_grace(60).await;
        }
        world.joins("guest-1", "ana").await;
        let told = async || {
            let asked = engine::ContextRequest { layout: Layout::Profile, ..ask("ana") };
            let answer = world.engine.context(&world.key(Permission::ReadContext), &world.agent, asked).await.unwrap();
            let ContextAnswer::Block(context) = answer else { panic!("nothing was compared") };
            assert!(!context.block.contains("Python"), "{}", context.block);
            (context.block.contains("Rust"), context.cut.len())
        };
        assert_eq!(told().await, (false, 0));
        world.pass(Span::seconds(60));
        assert_eq!(told().await, (true, 1));
    }

    // F7
    async fn who_proposes_does_not_learn_of_what_agents_are_not_told_yet(db: &TestDb) {
        let world = World::new(db).await;
        world.gives_grace(60).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.lets_in(&oslo.id, Edit::default()).await;
        let proposed = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: Some("User lives in Oslo".into()),
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        let key = world.key(Permission::Propose);
        let answer = world.engine.propose(&key, &world.agent, proposed.clone()).await.unwrap();
        let ProposeAnswer::SeenAgain { candidate, memory: None } = answer else { panic!("{answer:?}") };
        assert_eq!(candidate, Some(oslo.id), "to an agent it still waits");
        let change = world.engine.propose_change(&key, &memory, MemoryChange::Retire).await;
        assert!(matches!(change, Err(EngineError::NotFound)), "{change:?}");
        let named = Proposed { action: Some(domain::candidate::Action::Retire), target: Some(memory.clone()), content: None, ..proposed.clone() };
        let change = world.engine.propose(&key, &world.agent, named.clone()).await;
        assert!(matches!(change, Err(EngineError::NotFound)), "{change:?}");
        world.pass(Span::seconds(60));
        let answer = world.engine.propose(&key, &world.agent, proposed).await.unwrap();
        let ProposeAnswer::SeenAgain { candidate: None, memory: seen } = answer else { panic!("{answer:?}") };
        assert_eq!(seen.as_ref(), Some(&memory));
        let change = world.engine.propose(&key, &world.agent, named).await.unwrap();
        assert!(matches!(change, ProposeAnswer::Proposed { .. }), "{change:?}");
    }

    // A12
    async fn the_grace_is_a_setting_that_the_chain_tells_of(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let patch = AgentPatch { grace_seconds: Some(3601), ..AgentPatch::default() };
        let refused = world.engine.change_agent(&admin, &world.agent, None, patch).await.unwrap_err();
        assert!(matches!(refused, EngineError::Invalid(_)));
        assert_eq!((refused.fields()[0].pointer.as_str(), refused.fields()[0].code), ("/grace_seconds", "range"));
        world.gives_grace(3600).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.lets_in(&oslo.id, Edit::default()).await;
        let told = async |r#type: EventType| {
            let filter = EventFilter { types: vec![r#type], ..EventFilter::default() };
            let list = world.engine.events(&world.mia(Permission::ReadAudit), &filter, &Page::default()).await;
            list.unwrap().data.remove(0)
        };
        assert_eq!(told(EventType::AgentChanged).await.data["settings"], json!(["grace_seconds"]));
        let from = (world.engine.now() + Span::hours(1)).timestamp_micros();
        assert_eq!(told(EventType::MemoryCreated).await.data["serve_from"], json!(from));
    }
}
