//! A proposal meets a memory that has moved on: both are seen, and what is decided is decided on the present one.

use std::collections::BTreeMap;

use domain::{
    candidate::{Action, Cause, Edit, Flag, Status},
    id::MemoryId,
    memory::{MemoryStatus, RetiredFor, RevisionAction},
    permission::Permission,
    time::Span,
};
use engine::{AgentPatch, Approval, CandidateView, Current, EngineError, MemoryEdit, Version};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, system};

fn seen(revision: i64) -> Approval {
    Approval {
        seen_target: Some(revision),
        ..Approval::default()
    }
}

fn content(content: &str) -> Edit {
    Edit {
        content: Some(content.to_owned()),
        ..Edit::default()
    }
}

impl World {
    async fn kept(&self, kind: &str, name: Option<&str>, content: &str) -> MemoryId {
        let candidate = self.proposed("ana", kind, name, content).await;
        self.yes(&candidate, Approval::default())
            .await
            .unwrap()
            .memory
            .unwrap()
    }

    async fn yes(
        &self,
        candidate: &CandidateView,
        approval: Approval,
    ) -> Result<CandidateView, EngineError> {
        self.engine
            .approve(&self.mia(Permission::Decide), &candidate.id, None, approval)
            .await
    }

    async fn merge_of(&self, one: &MemoryId, other: &MemoryId, content: &str) -> CandidateView {
        let words = "put these together for me";
        self.script.says(&json!({"candidates": [
            {"action": "merge", "targets": [one, other], "kind": "fact", "content": content, "confidence": 0.9, "importance": 0.7, "evidence": words}]}));
        let accepted = self.say("ana", &[words]).await;
        self.work().await;
        let merge = self
            .candidate(&self.operation(&accepted).await.candidates[0])
            .await;
        assert_eq!(merge.action, Action::Merge);
        merge
    }

    async fn by_hand(&self, memory: &MemoryId, edit: Edit) {
        let present = self
            .engine
            .memory(&self.mia(Permission::ReadMemories), memory)
            .await
            .unwrap()
            .revision;
        self.engine
            .edit_memory(
                &self.aiko(Permission::Decide),
                memory,
                Version::Is(present),
                MemoryEdit::from(edit),
                None,
            )
            .await
            .unwrap();
    }
}

store::both! {
    // F2, B5
    async fn a_change_that_nobody_looked_at_again_does_not_replace_a_newer_value(db: &TestDb) {
        let world = World::new(db).await;
        let memory = world.kept("fact", Some("lives in"), "User lives in Oslo").await;
        let change = world.proposed("ana", "fact", Some("lives in"), "User lives in Bergen").await;
        assert_eq!((change.target.as_ref(), change.target_revision), (Some(&memory), Some(1)));
        world.by_hand(&memory, content("User lives in Kyoto")).await;

        let blind = world.yes(&change, Approval::default()).await.unwrap_err();
        assert_eq!((blind.code(), blind.status()), ("stale", 412));
        let Some(Current::Memory(current)) = blind.current() else { panic!("{blind:?}") };
        assert_eq!(current.content, "User lives in Kyoto");
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &change.id).await.unwrap();
        assert!(detail.candidate.flags.contains(&Flag::TargetMoved));
        assert_eq!(detail.was.unwrap().content, "User lives in Oslo", "what it was proposed against");
        assert_eq!(detail.base.unwrap().content, "User lives in Kyoto", "what is there");
        world.yes(&change, seen(2)).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Bergen"]);
        world.verify().await;
    }

    // F2, B6
    async fn a_change_of_what_is_retired_meanwhile_leaves_something_behind(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let memory = world.kept("fact", Some("lives in"), "User lives in Oslo").await;
        let change = world.proposed("ana", "fact", Some("lives in"), "User lives in Bergen").await;
        world.engine.retire_memory(&decide, &memory, Version::Is(1), None).await.unwrap();
        let gone = world.yes(&change, Approval::default()).await.unwrap_err();
        assert_eq!((gone.code(), gone.status()), ("moved_on", 409));
        let Some(Current::Memory(current)) = gone.current() else { panic!("{gone:?}") };
        assert_eq!((current.status, current.revision), (MemoryStatus::Retired, 2));
        assert!(world.served("ana").await.is_empty());

        // Who has seen that it is retired, and says yes, has the new value served.
        let approved = world.yes(&change, seen(2)).await.unwrap();
        assert_eq!(approved.memory.as_ref(), Some(&memory));
        assert_eq!(world.served("ana").await, ["User lives in Bergen"]);
        // Undone, it is as it was: retired.
        world.engine.reopen(&decide, &change.id, None, None).await.unwrap();
        assert!(world.served("ana").await.is_empty());
        let now = world.engine.memory(&world.mia(Permission::ReadMemories), &memory).await.unwrap();
        assert_eq!((now.status, now.revision), (MemoryStatus::Retired, 4));
        world.verify().await;
    }

    // F2
    async fn a_retirement_is_of_what_was_seen(db: &TestDb) {
        let world = World::new(db).await;
        let memory = world.kept("fact", None, "User lives in Oslo").await;
        let accepted = world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let retire = world.candidate(&world.operation(&accepted).await.candidates[0]).await;
        world.by_hand(&memory, content("User lives in Oslo and works in Bergen")).await;
        assert_eq!(world.yes(&retire, Approval::default()).await.unwrap_err().code(), "stale");
        assert_eq!(world.served("ana").await.len(), 1);
        world.yes(&retire, seen(2)).await.unwrap();
        assert!(world.served("ana").await.is_empty());
    }

    // F2
    async fn a_merge_leaves_one_memory_and_tells_where_it_came_from(db: &TestDb) {
        let world = World::new(db).await;
        let one = world.kept("fact", None, "User lives in Oslo").await;
        let other = world.kept("fact", None, "User works at a bakery").await;
        let merge = world.merge_of(&one, &other, "User lives in Oslo and works at a bakery there").await;
        assert_eq!((merge.target.as_ref(), merge.absorbed.as_slice()), (Some(&one), [other.clone()].as_slice()));
        let done = world.yes(&merge, Approval::default()).await.unwrap();
        assert_eq!(done.memory.as_ref(), Some(&one));
        assert_eq!(world.served("ana").await, ["User lives in Oslo and works at a bakery there"]);
        let read = world.mia(Permission::ReadMemories);
        let absorbed = world.engine.memory(&read, &other).await.unwrap();
        assert_eq!((absorbed.status, absorbed.reason), (MemoryStatus::Retired, Some(RetiredFor::Merged)));
        let kept = world.engine.revisions(&read, &one).await.unwrap().data;
        assert_eq!((kept[0].action, kept[0].candidate.as_ref()), (RevisionAction::Merge, Some(&merge.id)));
        let lost = world.engine.revisions(&read, &other).await.unwrap().data;
        assert_eq!((lost[0].action, lost[0].candidate.as_ref()), (RevisionAction::Retire, Some(&merge.id)));

        world.engine.reopen(&world.mia(Permission::Decide), &merge.id, None, None).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo", "User works at a bakery"]);
        world.verify().await;
    }

    // F2
    async fn a_merge_retires_only_what_was_seen(db: &TestDb) {
        let world = World::new(db).await;
        let one = world.kept("fact", None, "User lives in Oslo").await;
        let other = world.kept("fact", None, "User works at a bakery").await;
        let merge = world.merge_of(&one, &other, "User lives in Oslo and works at a bakery there").await;
        world.by_hand(&other, content("User works at a bakery and paints on Sundays")).await;

        let blind = world.yes(&merge, Approval::default()).await.unwrap_err();
        assert_eq!((blind.code(), blind.status()), ("stale", 412));
        let Some(Current::Memory(current)) = blind.current() else { panic!("{blind:?}") };
        assert_eq!(current.id, other);
        assert_eq!(world.served("ana").await.len(), 2, "nothing was retired on the way");
        assert_eq!(world.candidate(&merge.id).await.status, Status::Pending);

        let with_both_in_view = Approval {
            seen_absorbed: BTreeMap::from([(other.clone(), 2)]),
            edit: content("User lives in Oslo, works at a bakery there and paints on Sundays"),
            ..seen(1)
        };
        world.yes(&merge, with_both_in_view).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo, works at a bakery there and paints on Sundays"]);
        world.verify().await;
    }

    // F2
    async fn a_memory_that_takes_a_statement_in_stays_what_it_is(db: &TestDb) {
        let world = World::new(db).await;
        let drinks = world.kept("preference", Some("morning drink"), "User drinks green tea in the morning").await;
        let fact = world.proposed("ana", "fact", None, "User owns a samovar").await;
        let into = Approval { merge_into: Some(drinks.clone()), edit: content("User drinks green tea in the morning, from a samovar"), ..Approval::default() };
        world.yes(&fact, into).await.unwrap();
        let memory = world.engine.memory(&world.mia(Permission::ReadMemories), &drinks).await.unwrap();
        assert_eq!((memory.kind.as_str(), memory.name.as_deref()), ("preference", Some("morning drink")));
        assert_eq!(memory.content, "User drinks green tea in the morning, from a samovar");

        let accepted = world.say("ana", &["Please forget that I drink green tea in the morning."]).await;
        world.work().await;
        let retire = world.candidate(&world.operation(&accepted).await.candidates[0]).await;
        let odd = world.yes(&retire, Approval { merge_into: Some(drinks), ..Approval::default() }).await.unwrap_err();
        assert_eq!(odd.fields()[0].pointer, "/merge_into");
    }

    // B4, B5
    async fn a_contradiction_never_leaves_both(db: &TestDb) {
        let world = World::new(db).await;
        // Both wait, are approved in turn, and the second is judged by what the first has become.
        let one = world.proposed("ana", "preference", None, "User likes coffee").await;
        world.engine.reject(&world.mia(Permission::Decide), &one.id, None, domain::candidate::Reason::Duplicate, None).await.unwrap();
        let other = world.proposed("ana", "preference", None, "User does not like coffee").await;
        let kept = world.yes(&other, Approval::default()).await.unwrap().memory.unwrap();
        world.engine.reopen(&world.mia(Permission::Decide), &one.id, None, None).await.unwrap();
        let both = world.yes(&one, Approval::default()).await.unwrap_err();
        assert!(matches!(&both, EngineError::SlotTaken { memory } if *memory == kept), "{both:?}");
        assert_eq!(world.served("ana").await, ["User does not like coffee"], "and never nothing");
        world.yes(&one, Approval { merge_into: Some(kept), ..Approval::default() }).await.unwrap();
        assert_eq!(world.served("ana").await, ["User likes coffee"]);
        world.verify().await;
    }

    // A12
    async fn at_the_limit_the_memory_worth_least_is_proposed_for_retirement(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let limit = AgentPatch { max_memories: Some(2), ..AgentPatch::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, limit).await.unwrap();
        let old = world.kept("fact", None, "User lives in Oslo").await;
        world.pass(Span::days(100));
        let new = world.kept("fact", None, "User works at a bakery").await;
        let third = world.proposed("ana", "fact", None, "User has a dog called Rex").await;
        let full = world.yes(&third, Approval::default()).await.unwrap_err();
        assert_eq!((full.code(), full.status()), ("memory_limit", 409));
        let room = world.candidate(full.candidate().unwrap()).await;
        assert_eq!((room.action, room.target.as_ref(), room.cause), (Action::Retire, Some(&old), Some(Cause::Limit)));
        assert_eq!(room.content, "User lives in Oslo");
        assert_eq!(world.served("ana").await.len(), 2, "nothing is thrown out in silence");

        // The same proposal, not a second one.
        let again = world.yes(&third, Approval::default()).await.unwrap_err();
        assert_eq!(again.candidate(), Some(&room.id));
        // A person wants to keep it: the next one is proposed.
        world.engine.reject(&decide, &room.id, None, domain::candidate::Reason::Wrong, None).await.unwrap();
        let next = world.yes(&third, Approval::default()).await.unwrap_err();
        let room = world.candidate(next.candidate().unwrap()).await;
        assert_eq!(room.target.as_ref(), Some(&new));
        world.yes(&room, Approval::default()).await.unwrap();
        world.yes(&third, Approval::default()).await.unwrap();
        assert_eq!(world.served("ana").await, ["User has a dog called Rex", "User lives in Oslo"]);

        // By hand as well.
        let by_hand = engine::NewMemory {
            scope: domain::user::Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: "User plays the piano".into(),
            metadata: Default::default(),
            tags: vec![],
            importance: None,
            note: None,
        };
        let full = world.engine.add_memory(&decide, &world.agent, by_hand).await.unwrap_err();
        assert!(full.candidate().is_some(), "{full:?}");
        world.verify().await;
    }
}
