//! Decisions, edits, undo, contradictions, and many reviewers at once.

use std::collections::BTreeSet;

use domain::{
    candidate::{Action, Edit, Flag, Reason, Status},
    memory::{MemoryStatus, RetiredFor, RevisionAction},
    permission::Permission,
    time::Span,
};
use engine::{Approval, Choice, Current, EngineError, OneDecision, Version};
use store::testing::TestDb;

use crate::world::{World, rejected, system};

fn edit(content: &str) -> Approval {
    Approval {
        edit: Edit {
            content: Some(content.into()),
            ..Edit::default()
        },
        note: Some("shortened".into()),
        ..Approval::default()
    }
}

store::both! {
    // A5, A7, A10
    async fn only_what_was_approved_is_served(db: &TestDb) {
        let world = World::new(db).await;
        let python = world.proposed("ana", "preference", None, "User prefers Python").await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let waits = world.proposed("ana", "fact", None, "User has a dog").await;
        assert_eq!(python.status, Status::Pending);
        assert!(world.served("ana").await.is_empty(), "what waits is not served");

        let decide = world.mia(Permission::Decide);
        let approved = world.engine.approve(&decide, &python.id, Some(Version::Is(1)), Approval::default()).await.unwrap();
        assert_eq!((approved.status, approved.version), (Status::Approved, 2));
        assert_eq!(approved.decided_by.as_ref().unwrap().name.as_deref(), Some("Mia"));
        world.engine.reject(&decide, &oslo.id, Some(Version::Is(1)), Reason::Wrong, None).await.unwrap();

        assert_eq!(world.served("ana").await, ["User prefers Python"]);
        assert!(world.served("bo").await.is_empty(), "another user has none of it");
        let waiting: Vec<_> = world.waiting().await.into_iter().map(|candidate| candidate.id).collect();
        assert_eq!(waiting, [waits.id]);
        world.verify().await;
    }

    // F3
    async fn an_edit_and_its_proposal_stay_apart(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "preference", None, "User prefers code examples in Python").await;
        let approved = world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, edit("User prefers Python")).await.unwrap();
        assert_eq!(approved.content, "User prefers code examples in Python", "the proposal never changes");
        let memory = approved.memory.unwrap();
        let detail = world.engine.memory_detail(&world.mia(Permission::ReadMemories), &memory).await.unwrap();
        assert_eq!(detail.memory.content, "User prefers Python");
        let first = &detail.revisions[0];
        assert_eq!(first.proposed.as_deref(), Some("User prefers code examples in Python"));
        assert_eq!(first.note.as_deref(), Some("shortened"));
        assert_eq!(first.by.as_ref().unwrap().name.as_deref(), Some("Mia"));
        assert_eq!(detail.transcripts[0].turns[0].marks.len(), 1);

        // An agent's key sees the revision without what was proposed, noted and by whom.
        let outward = world.engine.revisions(&world.key(Permission::ReadMemories), &memory).await.unwrap();
        let json = serde_json::to_value(&outward.data[0]).unwrap();
        for hidden in ["proposed", "note", "by"] {
            assert!(json.get(hidden).is_none(), "{hidden}");
        }
        let one = world.engine.candidate(&world.mia(Permission::ReadCandidates), &candidate.id).await.unwrap();
        assert_eq!(one.decisions[0].edit.as_ref().unwrap().content.as_deref(), Some("User prefers Python"));
        world.verify().await;
    }

    async fn an_edit_is_checked_like_a_proposal(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "fact", None, "User has a cat").await;
        let decide = world.mia(Permission::Decide);
        let secret = world.engine.approve(&decide, &candidate.id, None, edit("card 4111 1111 1111 1111")).await.unwrap_err();
        assert_eq!((secret.code(), secret.status()), ("secret", 422));
        let long = world.engine.approve(&decide, &candidate.id, None, edit(&"x".repeat(2001))).await.unwrap_err();
        assert_eq!(long.fields()[0].pointer, "/content");
        let empty = world.engine.approve(&decide, &candidate.id, None, edit("  ")).await.unwrap_err();
        assert_eq!(empty.code(), "invalid");
        let kind = Approval { edit: Edit { kind: Some("metric".into()), ..Edit::default() }, ..Approval::default() };
        let kind = world.engine.approve(&decide, &candidate.id, None, kind).await.unwrap_err();
        assert_eq!(kind.fields()[0].pointer, "/kind");
        assert_eq!(world.candidate(&candidate.id).await.status, Status::Pending, "a refused decision changes nothing");
    }

    // B4, B5, F2
    async fn a_change_of_mind_is_an_update_with_a_diff(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let old = world.proposed("ana", "preference", Some("favourite player"), "User's favourite player is Ronaldo").await;
        let memory = world.engine.approve(&decide, &old.id, None, Approval::default()).await.unwrap().memory.unwrap();
        let new = world.proposed("ana", "preference", Some("favourite player"), "User's favourite player is Messi").await;
        assert_eq!((new.action, new.target.as_ref()), (Action::Update, Some(&memory)));
        assert!(new.flags.contains(&Flag::Contradiction));
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &new.id).await.unwrap();
        assert_eq!(detail.base.as_ref().unwrap().content, "User's favourite player is Ronaldo");
        let added: String = detail.diff.iter().filter(|part| part.change == domain::diff::Change::Added).map(|part| part.text.as_str()).collect();
        assert_eq!(added.trim(), "Messi");
        assert_eq!(world.served("ana").await, ["User's favourite player is Ronaldo"], "nothing changes before a person decides");

        world.engine.approve(&decide, &new.id, None, Approval::default()).await.unwrap();
        assert_eq!(world.served("ana").await, ["User's favourite player is Messi"]);
        let revisions = world.engine.revisions(&world.mia(Permission::ReadMemories), &memory).await.unwrap().data;
        assert_eq!(revisions.iter().map(|revision| revision.revision).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(revisions[0].before.as_deref(), Some("User's favourite player is Ronaldo"));

        // Undo: the value before comes back, the candidate waits again where it waited.
        world.pass(Span::hours(1));
        let reopened = world.engine.reopen(&decide, &new.id, None, None).await.unwrap();
        assert_eq!(reopened.candidate.status, Status::Pending);
        assert_eq!(reopened.candidate.expires_at, new.expires_at);
        assert_eq!(world.served("ana").await, ["User's favourite player is Ronaldo"]);
        let revisions = world.engine.revisions(&world.mia(Permission::ReadMemories), &memory).await.unwrap().data;
        assert_eq!(revisions[0].action, RevisionAction::Restore);
        world.verify().await;
    }

    // F2, F7
    async fn an_update_does_not_replace_an_edit_that_the_reviewer_has_not_seen(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let old = world.proposed("ana", "preference", Some("favourite player"), "User's favourite player is Ronaldo").await;
        let memory = world.engine.approve(&decide, &old.id, None, Approval::default()).await.unwrap().memory.unwrap();
        let new = world.proposed("ana", "preference", Some("favourite player"), "User's favourite player is Messi").await;
        assert_eq!(new.target.as_ref(), Some(&memory));
        let change = Edit { content: Some("User's favourite player is Zidane".into()), ..Edit::default() };
        world.engine.edit_memory(&world.aiko(Permission::Decide), &memory, Version::Is(1), change, None).await.unwrap();

        let of_revision = |seen| Approval { seen_target: Some(seen), ..Approval::default() };
        let stale = world.engine.approve(&decide, &new.id, Some(Version::Is(1)), of_revision(1)).await.unwrap_err();
        assert_eq!((stale.code(), stale.status()), ("stale", 412));
        let Some(Current::Memory(current)) = stale.current() else { panic!("{stale:?}") };
        assert_eq!((current.revision, current.content.as_str()), (2, "User's favourite player is Zidane"));
        assert_eq!(world.served("ana").await, ["User's favourite player is Zidane"]);

        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &new.id).await.unwrap();
        assert_eq!((detail.candidate.status, detail.base.unwrap().revision), (Status::Pending, 2));
        world.engine.approve(&decide, &new.id, Some(Version::Is(1)), of_revision(2)).await.unwrap();
        assert_eq!(world.served("ana").await, ["User's favourite player is Messi"]);
        world.verify().await;
    }

    // F7, G12
    async fn what_comes_back_is_as_it_was_said(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let mut ids = Vec::new();
        for (content, confidence, tag) in [("User lives in Oslo", 0.95, "norway"), ("User lives in Bergen", 0.75, "coast")] {
            world.script.says(&serde_json::json!({"candidates": [
                {"kind": "fact", "name": "lives in", "content": content, "confidence": confidence, "importance": 0.7,
                 "tags": [tag], "evidence": content}]}));
            let accepted = world.say("ana", &[content]).await;
            world.work().await;
            ids.push(world.operation(&accepted).await.candidates[0].clone());
            world.engine.approve(&decide, ids.last().unwrap(), None, Approval::default()).await.unwrap();
            world.pass(Span::days(90));
        }
        let id = world.candidate(&ids[0]).await.memory.unwrap();
        let memory = async || world.engine.memory(&world.mia(Permission::ReadMemories), &id).await.unwrap();
        let was = |memory: engine::MemoryView| (memory.content, memory.tags, memory.confidence, memory.said_at, memory.conversation);
        let bergen = was(memory().await);
        assert_eq!((bergen.0.as_str(), bergen.2, bergen.3), ("User lives in Bergen", 0.75, crate::world::start() + Span::days(90)));

        world.engine.reopen(&decide, &ids[1], None, None).await.unwrap();
        let oslo = was(memory().await);
        assert_eq!((oslo.0.as_str(), oslo.2, oslo.3), ("User lives in Oslo", 0.95, crate::world::start()));
        assert_eq!(oslo.1, ["norway"]);
        assert_ne!(oslo.4, bergen.4, "each was said in its own conversation");

        // By hand, each of them again.
        world.engine.restore_memory(&decide, &id, Version::Is(3), Some(2), None).await.unwrap();
        assert_eq!(was(memory().await), bergen);
        world.engine.restore_memory(&decide, &id, Version::Is(4), Some(1), None).await.unwrap();
        assert_eq!(was(memory().await), oslo);
        world.verify().await;
    }

    // F7
    async fn an_undone_approval_is_gone_and_tells_who_was_told(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap().memory.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);

        let reopened = world.engine.reopen(&decide, &candidate.id, Some(Version::Is(2)), None).await.unwrap();
        assert_eq!(reopened.told.len(), 1);
        assert_eq!(reopened.told[0].conversation.as_deref(), Some("c-next"));
        assert!(world.served("ana").await.is_empty());
        let retired = world.engine.memory(&world.mia(Permission::ReadMemories), &memory).await.unwrap();
        assert_eq!((retired.status, retired.reason), (MemoryStatus::Retired, Some(RetiredFor::Undone)));
        let hidden = world.engine.memory(&world.key(Permission::ReadMemories), &memory).await;
        assert!(matches!(hidden, Err(EngineError::NotFound)), "a retired memory is 404 for an agent");

        // It can be approved again, and makes a memory of its own.
        let again = world.engine.approve(&decide, &candidate.id, Some(Version::Is(3)), Approval::default()).await.unwrap();
        assert_ne!(again.memory, Some(memory));
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        world.verify().await;
    }

    async fn nothing_is_undone_under_the_feet_of_a_later_change(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap().memory.unwrap();
        let change = Edit { content: Some("User lives in Bergen".into()), ..Edit::default() };
        world.engine.edit_memory(&decide, &memory, Version::Is(1), change.clone(), None).await.unwrap();
        let moved = world.engine.reopen(&decide, &candidate.id, None, None).await.unwrap_err();
        assert_eq!((moved.code(), moved.status()), ("moved_on", 409));
        let stale = world.engine.edit_memory(&decide, &memory, Version::Is(1), change, None).await.unwrap_err();
        assert_eq!((stale.code(), stale.status()), ("stale", 412));
        assert_eq!(world.served("ana").await, ["User lives in Bergen"]);

        // By hand: retired, and restored as a new revision.
        world.engine.retire_memory(&decide, &memory, Version::Is(2), None).await.unwrap();
        assert!(world.served("ana").await.is_empty());
        let restored = world.engine.restore_memory(&decide, &memory, Version::Is(3), Some(1), None).await.unwrap();
        assert_eq!((restored.revision, restored.content.as_str()), (4, "User lives in Oslo"));
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        world.verify().await;
    }

    // A3
    async fn a_newer_statement_takes_the_place_of_the_one_that_waits(db: &TestDb) {
        let world = World::new(db).await;
        let old = world.proposed("ana", "fact", Some("lives in"), "User lives in Oslo").await;
        world.pass(Span::days(3));
        let new = world.proposed("ana", "fact", Some("lives in"), "User lives in Bergen").await;
        let old = world.candidate(&old.id).await;
        assert_eq!((old.status, old.reason), (Status::Rejected, Some(Reason::Superseded)));
        assert_eq!(new.expires_at, world.engine.now() + Span::days(7), "its own seven days");
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &new.id).await.unwrap();
        assert_eq!(detail.supersedes.iter().map(|candidate| &candidate.id).collect::<Vec<_>>(), [&old.id]);
        // What was superseded does not come back while its successor waits.
        let moved = world.engine.reopen(&world.mia(Permission::Decide), &old.id, None, None).await.unwrap_err();
        assert_eq!(moved.code(), "moved_on");
        world.verify().await;
    }

    // F4
    async fn a_persons_rejection_keeps_the_statement_out_for_ninety_days(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "preference", None, "User loves pineapple pizza").await;
        world.engine.reject(&world.mia(Permission::Decide), &candidate.id, None, Reason::Wrong, Some("said in jest".into())).await.unwrap();
        let said = serde_json::json!({"candidates": [
            {"kind": "preference", "content": "User loves pineapple pizza!", "confidence": 0.9, "importance": 0.5, "evidence": "I love pineapple pizza"}]});
        world.script.says(&said);
        let accepted = world.say("ana", &["I love pineapple pizza"]).await;
        world.work().await;
        let operation = world.operation(&accepted).await;
        assert_eq!((operation.candidates.len(), operation.suppressed), (0, 1));
        world.pass(Span::days(91));
        world.script.says(&said);
        let accepted = world.say("ana", &["I love pineapple pizza"]).await;
        world.work().await;
        assert_eq!(world.operation(&accepted).await.candidates.len(), 1);
        world.verify().await;
    }

    // G1, F2
    async fn a_wish_to_forget_becomes_a_proposal_to_retire(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let memory = world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap().memory.unwrap();
        let accepted = world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let id = world.operation(&accepted).await.candidates[0].clone();
        let retire = world.candidate(&id).await;
        assert_eq!((retire.action, retire.target.as_ref()), (Action::Retire, Some(&memory)));
        assert_eq!(world.served("ana").await.len(), 1, "only a person retires it");
        world.engine.approve(&decide, &id, None, Approval::default()).await.unwrap();
        assert!(world.served("ana").await.is_empty());
        world.engine.reopen(&decide, &id, None, None).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        world.verify().await;
    }

    async fn a_statement_is_merged_into_a_memory_and_taken_out_again(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let drinks = world.proposed("ana", "preference", None, "User drinks green tea in the morning").await;
        let into = world.engine.approve(&decide, &drinks.id, None, Approval::default()).await.unwrap().memory.unwrap();
        let evening = world.proposed("ana", "preference", None, "User enjoys herbal infusions before sleep").await;
        let merge = Approval {
            merge_into: Some(into.clone()),
            edit: Edit { content: Some("User drinks green tea in the morning and herbal tea at night".into()), ..Edit::default() },
            ..Approval::default()
        };
        let merged = world.engine.approve(&decide, &evening.id, None, merge).await.unwrap();
        assert_eq!(merged.memory.as_ref(), Some(&into));
        assert_eq!(world.served("ana").await, ["User drinks green tea in the morning and herbal tea at night"]);
        let revisions = world.engine.revisions(&world.mia(Permission::ReadMemories), &into).await.unwrap().data;
        assert_eq!(revisions[0].action, RevisionAction::Merge);
        world.engine.reopen(&decide, &evening.id, None, None).await.unwrap();
        assert_eq!(world.served("ana").await, ["User drinks green tea in the morning"]);

        // A memory of somebody else takes nothing in.
        let other = world.proposed("bo", "fact", None, "User lives in Kyoto").await;
        let stolen = Approval { merge_into: Some(into), ..Approval::default() };
        assert!(matches!(world.engine.approve(&decide, &other.id, None, stolen).await, Err(EngineError::NotFound)));
        world.verify().await;
    }

    async fn two_values_under_one_name_are_never_stored_side_by_side(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let candidate = world.proposed("ana", "fact", Some("lives in"), "User lives in Oslo").await;
        let new = engine::NewMemory {
            scope: domain::user::Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: Some("lives in".into()),
            content: "User lives in Bergen".into(),
            metadata: Default::default(),
            tags: vec![],
            importance: None,
            note: None,
        };
        let held = world.engine.add_memory(&decide, &world.agent, new).await.unwrap();
        let taken = world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap_err();
        assert!(matches!(&taken, EngineError::SlotTaken { memory } if *memory == held.id), "{taken:?}");
        assert_eq!(taken.status(), 409);
        let into = Approval { merge_into: Some(held.id), ..Approval::default() };
        world.engine.approve(&decide, &candidate.id, None, into).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
    }

    async fn a_stale_version_learns_who_decided(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.engine.approve(&world.aiko(Permission::Decide), &candidate.id, Some(Version::Is(1)), Approval::default()).await.unwrap();
        world.pass(Span::seconds(12));
        let lost = world.engine.reject(&world.mia(Permission::Decide), &candidate.id, Some(Version::Is(1)), Reason::Wrong, None).await.unwrap_err();
        assert_eq!((lost.code(), lost.status()), ("already_decided", 412));
        assert_eq!(lost.to_string(), "Aiko approved this 12 seconds ago");
        assert!(lost.current().is_some());
        let without = world.engine.reject(&world.mia(Permission::Decide), &candidate.id, None, Reason::Wrong, None).await.unwrap_err();
        assert_eq!((without.code(), without.status()), ("not_pending", 409));
    }

    async fn many_are_decided_with_a_result_for_each(db: &TestDb) {
        let world = World::new(db).await;
        let mut decisions = Vec::new();
        for number in ["one", "two", "three"] {
            let candidate = world.proposed("ana", "fact", None, &format!("User has a boat called {number}")).await;
            decisions.push(OneDecision { id: candidate.id, version: Some(1), choice: Choice::Approve(Box::default()) });
        }
        decisions[1].version = Some(7);
        decisions[2].choice = Choice::Reject { reason: Reason::NotDurable, note: None };
        let results = world.engine.decide(&world.mia(Permission::Decide), decisions).await.unwrap();
        let words: Vec<_> = results.iter().map(|result| (result.status, result.code)).collect();
        assert_eq!(words, [("done", None), ("failed", Some("stale")), ("done", None)]);
        assert!(results[0].memory.is_some());
        assert_eq!(world.served("ana").await.len(), 1);
    }

    // F7
    async fn eight_reviewers_on_fifty_candidates_decide_each_once(db: &TestDb) {
        let world = World::new(db).await;
        let mut ids = Vec::new();
        for number in 0..50 {
            let user = format!("user-{}", number % 5);
            let new = engine::Proposed {
                action: None,
                target: None,
                scope: domain::user::Scope::user_id(&user).unwrap(),
                kind: "fact".into(),
                name: None,
                content: Some(format!("User owns the house number {number} of street {number}")),
                metadata: Default::default(),
                tags: vec![],
                confidence: None,
                importance: None,
                explanation: None,
            };
            match world.engine.propose(&system(Permission::Propose), &world.agent, new).await.unwrap() {
                engine::ProposeAnswer::Proposed { candidate } => ids.push(candidate.id),
                other => panic!("{other:?}"),
            }
        }
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..8 {
            let engine = world.engine.clone();
            let permit = if task % 2 == 0 { world.mia(Permission::Decide) } else { world.aiko(Permission::Decide) };
            let mut ids = ids.clone();
            ids.rotate_left(task * 6);
            tasks.spawn(async move {
                let (mut won, mut lost) = (Vec::new(), 0);
                for id in ids {
                    let done = if task < 4 {
                        engine.approve(&permit, &id, Some(Version::Is(1)), Approval::default()).await
                    } else {
                        engine.reject(&permit, &id, Some(Version::Is(1)), Reason::NotDurable, None).await
                    };
                    match done {
                        Ok(_) => won.push(id),
                        Err(EngineError::AlreadyDecided { by, .. }) => {
                            assert!(["Mia", "Aiko"].contains(&by.as_deref().unwrap()), "losers are told by whom");
                            lost += 1;
                        }
                        Err(other) => panic!("{other:?}"),
                    }
                }
                (won, lost)
            });
        }
        let all = tasks.join_all().await;
        let won: Vec<_> = all.iter().flat_map(|(won, _)| won).collect();
        assert_eq!(won.len(), 50);
        assert_eq!(won.iter().collect::<BTreeSet<_>>().len(), 50);
        assert_eq!(all.iter().map(|(_, lost)| lost).sum::<usize>(), 7 * 50);
        assert!(world.waiting().await.is_empty());
        let approved = world.queue(engine::CandidateFilter { status: Some(Status::Approved), ..Default::default() }).await.len();
        assert_eq!(approved + world.queue(rejected()).await.len(), 50);
        world.verify().await;
    }
}
