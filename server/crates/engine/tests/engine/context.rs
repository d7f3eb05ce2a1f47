//! What an agent is told, and the record of it.

use domain::{
    permission::Permission,
    render::{CutFor, Layout, Why},
};
use engine::{
    AgentPatch, Approval, ContextAnswer, ContextRequest, PreviewRequest, Standing, Version,
};
use futures::FutureExt;
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, ask, system};

impl World {
    async fn approved(&self, user: &str, kind: &str, content: &str) -> domain::id::MemoryId {
        let candidate = self.proposed(user, kind, None, content).await;
        let approved = self
            .engine
            .approve(
                &self.mia(Permission::Decide),
                &candidate.id,
                None,
                Approval::default(),
            )
            .await
            .unwrap();
        approved.memory.unwrap()
    }

    async fn told(&self, request: ContextRequest) -> ContextAnswer {
        self.engine
            .context(&self.key(Permission::ReadContext), &self.agent, request)
            .await
            .unwrap()
    }
}

store::both! {
    // A8, F8
    async fn a_block_holds_the_approved_and_its_serving_is_recorded(db: &TestDb) {
        let world = World::new(db).await;
        let memory = world.approved("ana", "preference", "User prefers Python").await;
        let context = world.context("ana").await;
        assert!(context.block.starts_with("<entity_memory>"), "{}", context.block);
        assert!(context.block.contains("User prefers Python"));
        assert!(context.tokens > 0);
        assert_eq!((context.items[0].memory.clone(), context.items[0].revision), (memory.clone(), 1));

        let detail = world.engine.memory_detail(&world.mia(Permission::ReadMemories), &memory).await.unwrap();
        assert_eq!(detail.told.len(), 1);
        assert_eq!(detail.told[0].serving, context.serving);

        // With the etag the agent has, nothing is sent again.
        let unchanged = world.told(ContextRequest { if_changed: Some(context.etag.clone()), ..ask("ana") }).await;
        assert_eq!(serde_json::to_value(&unchanged).unwrap(), json!({"unchanged": true, "etag": context.etag}));
        world.approved("ana", "fact", "User lives in Oslo").await;
        let changed = world.told(ContextRequest { if_changed: Some(context.etag), ..ask("ana") }).await;
        assert!(matches!(changed, ContextAnswer::Block(_)));
        world.verify().await;
    }

    // F7, F8
    async fn a_flush_that_is_cut_off_or_under_way_hides_no_serving(db: &TestDb) {
        let world = World::new(db).await;
        let memory = world.approved("ana", "preference", "User prefers Python").await;
        let told = async || {
            world.engine.memory_detail(&world.mia(Permission::ReadMemories), &memory).await.unwrap().told.len()
        };
        world.context("ana").await;
        // The caller goes away after the first step.
        let _cut_off = world.engine.flush().now_or_never();
        assert_eq!(told().await, 1, "what a dropped caller was writing is written");

        // The caller stays, and is slow.
        world.context("ana").await;
        let mut slow = Box::pin(world.engine.flush());
        let _first_step = (&mut slow).now_or_never();
        assert_eq!(told().await, 2, "what another is writing is waited for");
    }

    // A8, C7
    async fn a_query_ranks_and_the_budget_cuts_with_a_reason(db: &TestDb) {
        let world = World::new(db).await;
        world.approved("ana", "preference", "User prefers short answers").await;
        world.approved("ana", "context", "User launches a bakery website in March").await;
        world.approved("ana", "context", "User trains for a marathon in Tokyo").await;
        let ContextAnswer::Block(context) = world.told(ContextRequest { query: Some("the bakery website".into()), ..ask("ana") }).await else { panic!() };
        let contents: Vec<_> = context.items.iter().map(|item| item.content.as_str()).collect();
        assert!(contents.contains(&"User prefers short answers"), "preferences are in whatever the query");
        assert!(contents.contains(&"User launches a bakery website in March"));
        assert!(!contents.contains(&"User trains for a marathon in Tokyo"));
        assert_eq!(context.cut[0].why, CutFor::Irrelevant);

        let ContextAnswer::Block(small) = world.told(ContextRequest { model_window: Some(300), ..ask("ana") }).await else { panic!() };
        assert!(small.tokens <= 30, "at most a tenth of the window: {}", small.tokens);
        assert!(small.cut.iter().all(|cut| cut.why == CutFor::Budget));
    }

    // A1
    async fn serving_off_gives_an_empty_block_with_the_reason(db: &TestDb) {
        let world = World::new(db).await;
        world.approved("ana", "preference", "User prefers Python").await;
        let learning_off = AgentPatch { learn: Some(false), ..AgentPatch::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, learning_off).await.unwrap();
        assert_eq!(world.served("ana").await.len(), 1, "memory off turns learning off; what is approved is still served");
        let off = AgentPatch { serve: Some(false), ..AgentPatch::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, off).await.unwrap();
        let context = world.context("ana").await;
        assert_eq!((context.block.as_str(), context.reason), ("", Some("serving_off")));
    }

    // F6
    async fn what_was_served_is_never_extracted_again(db: &TestDb) {
        let world = World::new(db).await;
        world.approved("ana", "preference", "User prefers Python").await;
        let context = world.context("ana").await;
        world.script.says(&json!({"candidates": [
            {"kind": "preference", "content": "User prefers the Python language", "confidence": 0.9, "importance": 0.7, "evidence": "User prefers Python"}]}));
        let accepted = world.say("ana", &[&format!("You told me this: {}", context.block)]).await;
        world.work().await;
        let operation = world.operation(&accepted).await;
        assert!(operation.candidates.is_empty(), "{operation:?}");
        let window = world.script.windows().pop().unwrap();
        assert!(!window.turns[0].text.contains("prefers Python"), "an extractor does not even read it: {}", window.turns[0].text);

        // The line alone, without its fence, is known by its keyed hash.
        world.script.says(&json!({"candidates": [
            {"kind": "preference", "content": "User prefers the Python language", "confidence": 0.9, "importance": 0.7, "evidence": "User prefers Python"}]}));
        let accepted = world.say("ana", &["- User prefers Python"]).await;
        world.work().await;
        assert!(world.operation(&accepted).await.candidates.is_empty());
    }

    // C10, D6, F6
    async fn a_profile_is_a_layout_of_its_own_and_stands_in_no_other(db: &TestDb) {
        let world = World::new(db).await;
        let schema = json!({"type": "object", "properties": {"technical_stack": {"type": "string"}, "job_status": {"enum": ["student", "employed"]}}});
        world.engine.put_schema(&world.mia(Permission::Administer), &world.agent, "user-profile", schema, None).await.unwrap();
        world.approved("ana", "preference", "User prefers short answers").await;
        let said = "As a student I build everything with ADK";
        world.script.says(&json!({"candidates": [], "fields": [
            {"schema": "user-profile", "field": "job_status", "value": "student", "confidence": 0.9, "evidence": said},
            {"schema": "user-profile", "field": "technical_stack", "value": "ADK", "confidence": 0.9, "evidence": said}]}));
        world.say("ana", &[said]).await;
        world.work().await;
        for candidate in world.waiting().await {
            world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, Approval::default()).await.unwrap();
        }
        let laid_out = async |layout| match world.told(ContextRequest { layout, query: Some("the weather".into()), ..ask("ana") }).await {
            ContextAnswer::Block(context) => *context,
            ContextAnswer::Unchanged { .. } => panic!("nothing was compared"),
        };
        let profile = laid_out(Layout::Profile).await;
        assert_eq!(json!(profile.profiles), json!({"user-profile": {"job_status": "student", "technical_stack": "ADK"}}));
        assert!(profile.block.starts_with("<user_profile>") && profile.block.contains(r#""technical_stack": "ADK""#), "{}", profile.block);
        assert!(profile.items.iter().all(|item| item.kind == "profile_field") && profile.items.len() == 2);
        for layout in [Layout::ByKind, Layout::PriorKnowledge] {
            let context = laid_out(layout).await;
            let contents: Vec<_> = context.items.iter().map(|item| item.content.as_str()).collect();
            assert_eq!((contents, context.cut.len()), (vec!["User prefers short answers"], 0), "{layout:?}");
            assert!(context.profiles.is_none() && !context.block.contains("ADK"));
        }

        // What was served as a profile is no more evidence than any other block.
        world.script.says(&json!({"candidates": [
            {"kind": "fact", "content": "User is a student", "confidence": 0.9, "importance": 0.7, "evidence": "student"}]}));
        let accepted = world.say("ana", &[&format!("You told me: {}", profile.block)]).await;
        world.work().await;
        assert!(world.operation(&accepted).await.candidates.is_empty());

        world.engine.remove_schema(&world.mia(Permission::Administer), &world.agent, "user-profile", Some(Version::Any)).await.unwrap();
        let gone = laid_out(Layout::Profile).await;
        assert_eq!((gone.block.as_str(), json!(gone.profiles)), ("", json!({})));
    }

    // A12
    async fn an_agent_says_how_many_memories_a_user_may_have(db: &TestDb) {
        let world = World::new(db).await;
        let patch = AgentPatch { max_memories: Some(1), ..AgentPatch::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, patch).await.unwrap();
        world.approved("ana", "fact", "User lives in Oslo").await;
        let second = world.proposed("ana", "fact", None, "User has a dog called Rex").await;
        let full = world.engine.approve(&world.mia(Permission::Decide), &second.id, None, Approval::default()).await.unwrap_err();
        assert_eq!((full.code(), full.status()), ("memory_limit", 409));
        let figures = world.engine.agent_figures(&world.mia(Permission::ReadAgents), &world.agent).await.unwrap();
        assert_eq!((figures.approved, figures.pending, figures.users), (1, 2, 1), "beside the second the retirement of the first waits");
    }

    async fn a_search_finds_two_letters_of_japanese(db: &TestDb) {
        let world = World::new(db).await;
        world.approved("yuki", "fact", "ユーザーは東京に住んでいる").await;
        world.approved("yuki", "preference", "ユーザーは珈琲が好き").await;
        let filter = engine::MemoryFilter { agent: Some(world.agent.clone()), ..Default::default() };
        let found = world.engine.search(&world.key(Permission::ReadMemories), filter, "東京", 10).await.unwrap();
        let contents: Vec<_> = found.data.iter().map(|found| found.memory.content.as_str()).collect();
        assert_eq!(contents, ["ユーザーは東京に住んでいる"]);
        let theirs = engine::MemoryFilter { scope: Some(domain::user::Scope::user_id("yuki").unwrap()), ..Default::default() };
        let found = world.engine.search(&world.key(Permission::ReadMemories), theirs, "珈琲", 10).await.unwrap();
        assert_eq!(found.data[0].memory.content, "ユーザーは珈琲が好き");
    }
}

store::both! {
    // F12
    async fn the_preview_is_what_an_agent_gets_and_says_why_each_memory_is_in_or_out(db: &TestDb) {
        let world = World::new(db).await;
        let mia = world.mia(Permission::Decide);
        for (kind, content) in [("preference", "User prefers tea"), ("context", "User moves house in May"), ("context", "User plans a trip to Oslo")] {
            let candidate = world.proposed("ana", kind, None, content).await;
            world.engine.approve(&mia, &candidate.id, None, Approval::default()).await.unwrap();
        }
        let reads = world.mia(Permission::ReadUsers);
        let user = world.engine.users(&reads, None, None, &Default::default()).await.unwrap().data.remove(0).id;
        let asks = |max_tokens, query: Option<&str>| PreviewRequest { query: query.map(str::to_owned), max_tokens, ..Default::default() };
        let seen = world.engine.context_preview(&reads, &user, asks(None, Some("a trip to Oslo"))).await.unwrap();
        let key = world.key(Permission::ReadContext);
        let told = world.engine.context(&key, &world.agent, ContextRequest { query: Some("a trip to Oslo".into()), ..ask("ana") });
        let ContextAnswer::Block(told) = told.await.unwrap() else { panic!() };
        assert_eq!((seen.block.as_str(), seen.tokens), (told.block.as_str(), told.tokens));
        let standing = |content: &str| seen.lines.iter().find(|line| line.content == content).unwrap().standing;
        assert_eq!(standing("User prefers tea"), Standing::Told(Why::Always));
        assert_eq!(standing("User plans a trip to Oslo"), Standing::Told(Why::Relevant));
        assert_eq!(standing("User moves house in May"), Standing::LeftOut(CutFor::Irrelevant));
        let small = world.engine.context_preview(&reads, &user, asks(Some(40), None)).await.unwrap();
        assert!(small.lines.iter().any(|line| line.standing == Standing::LeftOut(CutFor::Budget)), "{small:?}");
        assert_eq!(small.budget, 40);

        world.engine.flush().await.unwrap();
        let memory = &told.items[0].memory;
        let detail = world.engine.memory_detail(&world.mia(Permission::ReadHistory), memory).await.unwrap();
        assert_eq!(detail.told.len(), 1, "a preview is no serving");
        assert!(world.engine.context_preview(&reads, &user, asks(Some(0), None)).await.is_err());
    }
}
