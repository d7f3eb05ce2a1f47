//! "What was known and served about Ana at …": asked about every moment of a story (G6), and told in one list (F8).

use domain::{
    Timestamp, audit::EventType, candidate::Edit, id::MemoryId, permission::Permission, time::Span,
};
use engine::{Approval, AsOf, CandidateView, MemoryEdit, Page, TimelineEntry, UserRef, Version};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, start};

fn hour(hours: i64) -> Timestamp {
    start() + Span::hours(hours)
}

/// Half an hour later.
fn past(hours: i64) -> Timestamp {
    hour(hours) + Span::minutes(30)
}

fn ana() -> UserRef {
    UserRef::parse("ana").unwrap()
}

impl World {
    fn clock_says(&self, hours: i64) {
        self.clock.set(hour(hours));
    }

    async fn approved_by_mia(&self, candidate: &CandidateView) -> MemoryId {
        let mia = self.mia(Permission::Decide);
        let approved = self
            .engine
            .approve(&mia, &candidate.id, None, Approval::default())
            .await;
        approved.unwrap().memory.unwrap()
    }

    async fn held_at(&self, at: Timestamp) -> AsOf {
        let reads = self.mia(Permission::ReadUsers);
        self.engine
            .as_of(&reads, &ana(), Some(&self.agent), at, &Page::default())
            .await
            .unwrap()
    }

    /// What was known at an instant: each statement with its revision and who approved it.
    async fn known_at(&self, at: Timestamp) -> Vec<(String, i64, String)> {
        let held = self.held_at(at).await;
        let known = held.memories.into_iter().map(|memory| {
            let by = memory.approved_by.name.unwrap_or_default();
            (memory.content, memory.revision, by)
        });
        known.collect()
    }
}

store::both! {
    // G6
    async fn every_moment_of_a_story_is_told_as_it_was(db: &TestDb) {
        let world = World::new(db).await;
        let (mia, aiko) = (world.mia(Permission::Decide), world.aiko(Permission::Decide));
        let lives = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.clock_says(1);
        let home = world.approved_by_mia(&lives).await;
        world.clock.set(past(1));
        world.context("ana").await;
        let early = world.known_at(past(1)).await;
        world.clock_says(2);
        let edit = Edit { content: Some("User lives in Bergen".into()), ..Edit::default() };
        world.engine.edit_memory(&aiko, &home, Version::Is(1), edit, None).await.unwrap();
        world.clock_says(3);
        let plays = world.proposed("ana", "fact", None, "User plays the cello").await;
        let cello = world.approved_by_mia(&plays).await;
        world.clock_says(4);
        let together = "put these together for me";
        let both = "User lives in Bergen and plays the cello";
        world.script.says(&json!({"candidates": [
            {"action": "merge", "targets": [home, cello], "kind": "fact", "content": both, "confidence": 0.9, "importance": 0.7, "evidence": together}]}));
        let accepted = world.say("ana", &[together]).await;
        world.work().await;
        let merge = world.candidate(&world.operation(&accepted).await.candidates[0]).await;
        let into = world.approved_by_mia(&merge).await;
        let merged = if into == home { 3 } else { 2 };
        world.clock_says(5);
        world.engine.retire_memory(&mia, &into, Version::Any, None).await.unwrap();
        world.clock_says(6);
        world.engine.restore_memory(&aiko, &into, Version::Any, None, None).await.unwrap();
        world.clock_says(7);
        let ends = MemoryEdit { expires_at: Some(Some(hour(8))), ..MemoryEdit::default() };
        world.engine.edit_memory(&mia, &into, Version::Any, ends, None).await.unwrap();
        world.clock.set(past(8));
        assert!(world.known_at(past(8)).await.is_empty(), "its end has passed, whether or not the clock's work was done");
        world.clock_says(9);
        world.engine.tick().await.unwrap();

        let told = |content: &str, revision: i64, by: &str| vec![(content.to_owned(), revision, by.to_owned())];
        let oslo = told("User lives in Oslo", 1, "Mia");
        let bergen = told("User lives in Bergen", 2, "Aiko");
        let two = [bergen.clone(), told("User plays the cello", 1, "Mia")].concat();
        assert_eq!(early, oslo);
        for (at, wanted) in [
            (hour(0), vec![]),
            (past(0), vec![]),
            (hour(1), oslo.clone()),
            (past(1), oslo),
            (past(2), bergen),
            (past(3), two),
            (past(4), told(both, merged, "Mia")),
            (past(5), vec![]),
            (past(6), told(both, merged + 2, "Aiko")),
            (past(7), told(both, merged + 3, "Mia")),
            (past(8), vec![]),
            (hour(9), vec![]),
        ] {
            assert_eq!(world.known_at(at).await, wanted, "{at}");
        }
        let ending = world.held_at(past(7)).await;
        assert_eq!(ending.memories[0].expires_at, Some(hour(8)));
        assert_eq!(ending.memories[0].approved_at, hour(7));

        let before = world.held_at(past(0)).await;
        assert_eq!((before.waiting.len(), before.servings.len()), (1, 0));
        assert_eq!((&before.waiting[0].candidate, before.waiting[0].since), (&lives.id, hour(0)));
        let after = world.held_at(hour(2)).await;
        assert_eq!((after.waiting.len(), after.servings.len()), (0, 1));
        let serving = &after.servings[0];
        assert_eq!((serving.at, serving.conversation.as_deref()), (past(1), Some("c-next")));
        assert_eq!((&serving.items[0].memory, serving.items[0].revision), (&home, 1));
        assert_eq!(serving.items[0].content.as_deref(), Some("User lives in Oslo"), "as it was told, not as it is");
        let same = world.engine.serving(&world.mia(Permission::ReadUsers), &serving.id).await.unwrap();
        assert_eq!(same.items.len(), 1);
        assert_eq!(world.held_at(hour(1)).await.servings.len(), 0);

        let reads = world.mia(Permission::ReadUsers);
        let future = world.engine.as_of(&reads, &ana(), None, hour(99), &Page::default()).await.unwrap_err();
        assert_eq!((future.fields()[0].pointer.as_str(), future.fields()[0].code), ("/at", "future"));
        let nobody = UserRef::parse("nobody").unwrap();
        let unknown = world.engine.as_of(&reads, &nobody, Some(&world.agent), hour(1), &Page::default()).await.unwrap_err();
        assert_eq!(unknown.code(), "not_found");
        let by_a_key = world.engine.as_of(&world.key(Permission::ReadMemories), &ana(), None, hour(1), &Page::default()).await.unwrap_err();
        assert_eq!(by_a_key.code(), "forbidden");
        world.verify().await;
    }

    // F8
    async fn the_timeline_tells_events_and_servings_in_their_order_page_by_page(db: &TestDb) {
        let world = World::new(db).await;
        let lives = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.clock_says(1);
        let home = world.approved_by_mia(&lives).await;
        for hours in [2, 3] {
            world.clock_says(hours);
            world.context("ana").await;
        }
        world.clock_says(4);
        world.engine.retire_memory(&world.mia(Permission::Decide), &home, Version::Any, None).await.unwrap();
        world.clock_says(5);
        world.context("ana").await;
        let reads = world.mia(Permission::ReadUsers);
        let mut told: Vec<(Timestamp, String)> = Vec::new();
        let mut page = Page { cursor: None, limit: 2 };
        loop {
            let part = world.engine.timeline_with_servings(&reads, &ana(), Some(&world.agent), &page).await.unwrap();
            assert!(part.data.len() <= 2);
            for entry in part.data {
                told.push(match entry {
                    TimelineEntry::Event { event, said } => {
                        if event.r#type == EventType::MemoryCreated {
                            assert_eq!(said.unwrap().content, "User lives in Oslo");
                        }
                        (event.at, event.r#type.to_string())
                    }
                    TimelineEntry::Served(serving) => (serving.at, format!("served {}", serving.items.len())),
                });
            }
            page.cursor = part.next;
            if page.cursor.is_none() {
                break;
            }
        }
        let times: Vec<Timestamp> = told.iter().map(|(at, _)| *at).collect();
        assert!(times.is_sorted_by(|newer, older| newer >= older), "{told:?}");
        let words: Vec<&str> = told.iter().map(|(_, word)| word.as_str()).collect();
        assert_eq!(words[..4], ["served 0", "memory.retired", "served 1", "served 1"]);
        for there in ["memory.created", "candidate.approved", "candidate.proposed", "user.created"] {
            assert_eq!(words.iter().filter(|word| **word == there).count(), 1, "{there} in {words:?}");
        }
        assert_eq!(words.iter().filter(|word| word.starts_with("served")).count(), 3);
        let cursor = Page { cursor: Some("7.e".into()), limit: 2 };
        let odd = world.engine.timeline_with_servings(&reads, &ana(), Some(&world.agent), &cursor).await.unwrap_err();
        assert_eq!(odd.code(), "invalid");
    }
}
