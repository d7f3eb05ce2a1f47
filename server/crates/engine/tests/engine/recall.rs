//! A memory that was found to be wrong: served no more, with everybody named who was told, and what was made from it (G4).

use domain::{
    audit::EventType,
    memory::{MemoryStatus, RetiredFor},
    permission::Permission,
    time::Span,
};
use engine::{Approval, CandidateView, ContextRequest, EventFilter, MadeBy, Page, Version};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, ask};

impl World {
    async fn keeps(&self, candidate: &CandidateView) -> domain::id::MemoryId {
        let mia = self.mia(Permission::Decide);
        let approved = self
            .engine
            .approve(&mia, &candidate.id, None, Approval::default())
            .await;
        approved.unwrap().memory.unwrap()
    }

    async fn tells(&self, conversation: &str) {
        let request = ContextRequest {
            conversation_id: Some(conversation.to_owned()),
            ..ask("ana")
        };
        let reads = self.key(Permission::ReadContext);
        self.engine
            .context(&reads, &self.agent, request)
            .await
            .unwrap();
        self.pass(Span::minutes(1));
    }
}

store::both! {
    // G4
    async fn a_memory_that_was_told_in_three_sessions_stops_at_once_and_the_three_are_named(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.keeps(&candidate).await;
        for conversation in ["c-1", "c-2", "c-1", "c-3"] {
            world.tells(conversation).await;
        }
        let decide = world.mia(Permission::Decide);
        let silent = world.engine.recall(&decide, &memory, Version::Any, "  ").await.unwrap_err();
        assert_eq!(silent.fields()[0].pointer, "/reason");
        let stale = world.engine.recall(&decide, &memory, Version::Is(7), "wrong").await.unwrap_err();
        assert_eq!(stale.code(), "stale");

        let recall = world.engine.recall(&decide, &memory, Version::Is(1), "It is her sister who lives there").await.unwrap();
        assert!(world.served("ana").await.is_empty());
        assert_eq!((recall.memory.status, recall.memory.reason), (MemoryStatus::Retired, Some(RetiredFor::Recalled)));
        let told: Vec<_> = recall.told.iter().map(|session| (session.conversation.as_deref().unwrap(), session.times, session.revisions.clone())).collect();
        assert_eq!(told, [("c-3", 1, vec![1]), ("c-1", 2, vec![1]), ("c-2", 1, vec![1])]);
        assert_eq!((recall.times_told, recall.made.len()), (4, 0));
        let recalled = recall.recalled.as_ref().unwrap();
        assert_eq!((recalled.by.name.as_deref(), recalled.reason.as_deref()), (Some("Mia"), Some("It is her sister who lives there")));

        let again = world.engine.recall(&decide, &memory, Version::Any, "wrong").await.unwrap_err();
        assert_eq!((again.code(), again.status()), ("moved_on", 409));
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &candidate.id).await.unwrap();
        assert!(detail.recalled.is_some(), "its candidate says so");
        let filter = EventFilter { types: vec![EventType::MemoryRecalled], ..EventFilter::default() };
        let events = world.engine.events(&world.mia(Permission::ReadAudit), &filter, &Page::default()).await.unwrap();
        assert_eq!((&events.data[0].data["told"], &events.data[0].data["made"]), (&json!(4), &json!(0)));

        world.engine.restore_memory(&decide, &memory, Version::Is(2), None, None).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo"], "undone by a restore");
        let reach = world.engine.recall_of(&world.mia(Permission::ReadHistory), &memory).await.unwrap();
        assert!(reach.recalled.is_none());
        assert_eq!(reach.times_told, 5);
        world.verify().await;
    }

    // G4
    async fn what_was_made_from_it_is_named_and_what_stands_beside_it_is_not(db: &TestDb) {
        let world = World::new(db).await;
        let words = "make me a comparison table";
        world.script.says(&json!({
            "candidates": [
                {"kind": "fact", "name": "table", "content": "User wants a comparison table", "confidence": 0.9, "importance": 0.7, "evidence": words},
                {"kind": "fact", "content": "User has a deadline", "confidence": 0.9, "importance": 0.7, "evidence": "before the deadline"},
            ],
            "summary": {"content": "The user planned, with a table.", "importance": 0.6},
        }));
        let accepted = world.say("ana", &["make me a comparison table before the deadline"]).await;
        world.work().await;
        let mut made = Vec::new();
        for id in world.operation(&accepted).await.candidates {
            made.push(world.candidate(&id).await);
        }
        let of = |kind: &str, content: &str| made.iter().find(|one| one.kind == kind && one.content.contains(content)).unwrap().clone();
        let (table, deadline) = (world.keeps(&of("fact", "table")).await, world.keeps(&of("fact", "deadline")).await);
        let summary = of("session_summary", "planned");
        world.pass(Span::hours(1));
        world.say("ana", &["a comparison table again, please"]).await;
        world.work().await;
        world.script.sees(&json!({"candidates": [{
            "kind": "pattern", "content": "User asks for a comparison table in every session", "confidence": 0.7, "importance": 0.6,
            "evidence": [{"message": "m1", "quote": "comparison table"}, {"message": "m2", "quote": "comparison table again"}],
        }]}));
        world.engine.ask_for_patterns().await.unwrap();
        world.work().await;
        let pattern = world.waiting().await.into_iter().find(|one| one.kind == "pattern").unwrap();
        let pattern = world.keeps(&pattern).await;
        let change = world.proposed("ana", "fact", Some("table"), "User wants a comparison chart").await;
        assert_eq!(change.target.as_ref(), Some(&table));

        let reads = world.mia(Permission::ReadHistory);
        let reach = world.engine.recall_of(&reads, &table).await.unwrap();
        let found = |how: MadeBy| {
            let made = reach.made.iter().filter(move |made| made.how == how);
            made.map(|made| (made.memory.as_ref().map(|memory| memory.id.clone()), made.candidate.as_ref().map(|one| one.id.clone()))).collect::<Vec<_>>()
        };
        assert_eq!(found(MadeBy::Pattern), [(Some(pattern), None)]);
        assert_eq!(found(MadeBy::Summary), [(None, Some(summary.id.clone()))]);
        assert_eq!(found(MadeBy::Change), [(None, Some(change.id.clone()))]);
        assert_eq!(reach.made.len(), 3, "{:?}", reach.made);
        let beside = world.engine.recall_of(&reads, &deadline).await.unwrap();
        let hows: Vec<_> = beside.made.iter().map(|made| made.how).collect();
        assert_eq!(hows, [MadeBy::Summary], "its words are not in the pattern");

        // A merge takes it in.
        world.engine.reject(&world.mia(Permission::Decide), &change.id, None, domain::candidate::Reason::Wrong, None).await.unwrap();
        let together = "put these together for me";
        world.script.says(&json!({"candidates": [
            {"action": "merge", "targets": [deadline, table], "kind": "fact", "content": "User wants a comparison table before the deadline", "confidence": 0.9, "importance": 0.7, "evidence": together}]}));
        let accepted = world.say("ana", &[together]).await;
        world.work().await;
        let merge = world.candidate(&world.operation(&accepted).await.candidates[0]).await;
        let into = world.keeps(&merge).await;
        let absorbed = if into == table { &deadline } else { &table };
        let reach = world.engine.recall_of(&reads, absorbed).await.unwrap();
        let first = reach.made.iter().find(|made| made.how == MadeBy::Merge).unwrap();
        assert_eq!(first.memory.as_ref().map(|memory| &memory.id), Some(&into));
        world.verify().await;
    }
}
