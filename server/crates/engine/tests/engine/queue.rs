//! The queue's filters, counts and pages; proposals by hand.

use domain::{
    candidate::{Action, Flag},
    permission::Permission,
    user::Scope,
};
use engine::{
    AgentPatch, Approval, CandidateFilter, CandidateView, EngineError, KindPatch, MemoryChange,
    MemoryView, NewMemory, Page, ProposeAnswer, Proposed, UserRef,
};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, all, system};

fn by_hand(user: &str, content: &str) -> Proposed {
    Proposed {
        action: None,
        target: None,
        scope: Scope::user_id(user).unwrap(),
        kind: "fact".into(),
        name: None,
        content: Some(content.into()),
        metadata: Default::default(),
        tags: vec![],
        confidence: Some(0.8),
        importance: None,
        explanation: None,
    }
}

impl World {
    async fn writes_down(&self, user: &str, content: &str) -> MemoryView {
        let new = NewMemory {
            scope: Scope::user_id(user).unwrap(),
            kind: "fact".into(),
            name: None,
            content: content.into(),
            metadata: Default::default(),
            tags: vec![],
            importance: None,
            note: None,
        };
        let decide = self.mia(Permission::Decide);
        self.engine
            .add_memory(&decide, &self.agent, new)
            .await
            .unwrap()
    }

    /// What waits after an agent's key asked that it be forgotten.
    async fn forgets(&self, memory: &MemoryView) -> CandidateView {
        let key = self.key(Permission::Propose);
        let answer = self
            .engine
            .propose_change(&key, &memory.id, MemoryChange::Retire)
            .await;
        match answer.unwrap() {
            ProposeAnswer::Proposed { candidate } => *candidate,
            other => panic!("{other:?}"),
        }
    }
}

store::both! {
    async fn a_windows_candidates_wait_in_the_order_in_which_they_were_said(db: &TestDb) {
        let world = World::new(db).await;
        let cities = ["Oslo", "Lisbon", "Kyoto", "Nairobi", "Lima", "Turin", "Graz", "Cork"];
        let said: Vec<String> = cities.iter().map(|city| format!("I have visited {city}.")).collect();
        let drafts: Vec<_> = cities.iter().map(|city| serde_json::json!({
            "kind": "fact", "content": format!("User has visited {city}"), "confidence": 0.9, "importance": 0.5,
            "evidence": format!("I have visited {city}"),
        })).collect();
        world.script.says(&serde_json::json!({ "candidates": drafts }));
        world.say("ana", &said.iter().map(String::as_str).collect::<Vec<_>>()).await;
        world.work().await;
        let waiting: Vec<_> = world.waiting().await.into_iter().map(|candidate| candidate.content).collect();
        assert_eq!(waiting, cities.map(|city| format!("User has visited {city}")));
    }

    // F5, F7
    async fn every_row_is_reached_by_the_cursor_while_rows_arrive(db: &TestDb) {
        let world = World::new(db).await;
        let propose = world.key(Permission::Propose);
        for number in 0..25 {
            world.engine.propose(&propose, &world.agent, by_hand("ana", &format!("User has visited the city number {number}"))).await.unwrap();
        }
        let read = world.mia(Permission::ReadCandidates);
        let mut seen = Vec::new();
        let mut page = Page { cursor: None, limit: 10 };
        loop {
            let list = world.engine.candidates(&read, &CandidateFilter::default(), &page).await.unwrap();
            seen.extend(list.data.into_iter().map(|candidate| candidate.id));
            world.engine.propose(&propose, &world.agent, by_hand("bo", &format!("User owns {} horses", seen.len()))).await.unwrap();
            match list.next {
                Some(next) => page.cursor = Some(next),
                None => break,
            }
        }
        let unique: std::collections::BTreeSet<_> = seen.iter().collect();
        assert_eq!(unique.len(), seen.len(), "no row twice");
        assert!(seen.len() >= 25, "every row once");

        let ana = CandidateFilter { scope: Some(Scope::user_id("ana").unwrap()), agent: Some(world.agent.clone()), ..CandidateFilter::default() };
        assert_eq!(world.engine.count_candidates(&read, &ana).await.unwrap(), 25);
        let nobody = CandidateFilter { scope: Some(Scope::user_id("nobody").unwrap()), agent: Some(world.agent.clone()), ..CandidateFilter::default() };
        assert_eq!(world.engine.count_candidates(&read, &nobody).await.unwrap(), 0);
        let flagged = CandidateFilter { flag: Some(Flag::NoEvidence), ..CandidateFilter::default() };
        assert!(world.engine.count_candidates(&read, &flagged).await.unwrap() > 25, "by hand without words behind it is flagged");
        let wrong = Page { cursor: Some("nonsense".into()), limit: 10 };
        assert_eq!(world.engine.candidates(&read, &CandidateFilter::default(), &wrong).await.unwrap_err().code(), "invalid");

        let overview = world.engine.overview(&read, world.engine.now()).await.unwrap();
        assert_eq!(overview.waiting, overview.by_kind.iter().map(|kind| kind.waiting).sum::<i64>());
        world.verify().await;
    }

    async fn a_proposal_by_hand_is_compared_like_any_other(db: &TestDb) {
        let world = World::new(db).await;
        let propose = world.key(Permission::Propose);
        let first = world.engine.propose(&propose, &world.agent, by_hand("ana", "User lives in Oslo")).await.unwrap();
        let ProposeAnswer::Proposed { candidate } = first else { panic!("{first:?}") };
        let again = world.engine.propose(&propose, &world.agent, by_hand("ana", "user lives in oslo.")).await.unwrap();
        assert!(matches!(again, ProposeAnswer::SeenAgain { candidate: Some(id), .. } if id == candidate.id));
        let secret = world.engine.propose(&propose, &world.agent, by_hand("ana", "User's card is 4111 1111 1111 1111")).await.unwrap_err();
        assert_eq!(secret.code(), "secret");
        let kind = Proposed { kind: "nonsense".into(), ..by_hand("ana", "User sings") };
        assert_eq!(world.engine.propose(&propose, &world.agent, kind).await.unwrap_err().fields()[0].pointer, "/kind");

        // An agent's key cannot read the queue or decide.
        let refused = world.engine.candidates(&propose, &all(), &Page::default()).await;
        assert!(matches!(refused, Err(EngineError::Forbidden)));
        assert_eq!(world.queue(all()).await.len(), 1);
    }

    // A1
    async fn memory_off_takes_proposals_of_people_alone(db: &TestDb) {
        let world = World::new(db).await;
        let off = engine::AgentPatch { learn: Some(false), ..Default::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, off).await.unwrap();
        let skipped = world.engine.propose(&world.key(Permission::Propose), &world.agent, by_hand("ana", "User lives in Oslo")).await.unwrap();
        assert_eq!(serde_json::to_value(&skipped).unwrap(), serde_json::json!({"outcome": "skipped", "skipped": "memory_off"}));
        let users = world.engine.users(&world.mia(Permission::ReadUsers), None, None, &Page::default()).await.unwrap();
        assert!(users.data.is_empty(), "nothing is stored");
        let person = world.engine.propose(&world.mia(Permission::Propose), &world.agent, by_hand("ana", "User lives in Oslo")).await.unwrap();
        assert!(matches!(person, ProposeAnswer::Proposed { .. }), "{person:?}");
    }

    // A1, G2
    async fn that_something_be_forgotten_is_proposed_also_where_nothing_is_learnt(db: &TestDb) {
        let world = World::new(db).await;
        let (ana, guest) = (world.writes_down("ana", "User lives in Oslo").await, world.writes_down("guest-7", "User lives in Bergen").await);
        let off = AgentPatch { learn: Some(false), shared_ids: Some(vec!["guest-*".into()]), ..AgentPatch::default() };
        world.engine.change_agent(&system(Permission::Administer), &world.agent, None, off).await.unwrap();
        for memory in [&ana, &guest] {
            let waits = world.forgets(memory).await;
            assert_eq!((waits.action, waits.target.as_ref()), (Action::Retire, Some(&memory.id)));
        }
        let change = MemoryChange::Update { kind: None, content: "User lives in Rome".into(), metadata: None };
        let changed = world.engine.propose_change(&world.key(Permission::Propose), &ana.id, change).await.unwrap();
        assert!(matches!(changed, ProposeAnswer::Skipped { skipped: "memory_off" }), "{changed:?}");
        let of_ana = UserRef::Scope(Scope::user_id("ana").unwrap());
        world.engine.set_opt_out(&system(Permission::Administer), &of_ana, true).await.unwrap();
        let theirs = world.engine.propose_change(&world.key(Permission::Propose), &ana.id, MemoryChange::Retire).await;
        assert!(matches!(theirs, Err(EngineError::NotFound)), "an agent is told nothing of who opted out");
        world.verify().await;
    }

    // F2
    async fn that_something_be_forgotten_is_proposed_whatever_became_of_its_kind(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.writes_down("ana", "User lives in Oslo").await;
        let chess = world.writes_down("ana", "User plays chess").await;
        let patch = async |patch: serde_json::Value| {
            let patch: KindPatch = serde_json::from_value(patch).unwrap();
            world.engine.change_kind(&world.mia(Permission::Administer), &world.agent, "fact", None, patch).await.unwrap();
        };
        patch(json!({"metadata_schema": {"type": "object", "properties": {"since": {"type": "string"}}, "required": ["since"]}})).await;
        let unfit = world.forgets(&oslo).await;
        patch(json!({"enabled": false})).await;
        let of_no_kind = world.forgets(&chess).await;
        // By hand everything but the target is left to what is stored.
        let by_hand = Proposed {
            action: Some(Action::Retire),
            target: Some(chess.id.clone()),
            kind: "nonsense".into(),
            ..by_hand("ana", "User's card is 4111 1111 1111 1111")
        };
        let again = world.engine.propose(&world.key(Permission::Propose), &world.agent, by_hand).await.unwrap();
        assert!(matches!(&again, ProposeAnswer::SeenAgain { candidate: Some(id), .. } if *id == of_no_kind.id), "{again:?}");
        for (waits, memory) in [(&unfit, &oslo), (&of_no_kind, &chess)] {
            assert_eq!((&waits.kind, &waits.content), (&memory.kind, &memory.content));
            world.engine.approve(&world.mia(Permission::Decide), &waits.id, None, Approval::default()).await.unwrap();
        }
        assert!(world.served("ana").await.is_empty());
        world.verify().await;
    }

    // F13
    async fn a_change_to_what_a_memory_says_already_is_done_only_where_it_is_that_memory(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.writes_down("ana", "User lives in Oslo").await;
        world.writes_down("ana", "User plays chess").await;
        let key = world.key(Permission::Propose);
        let change = async |content: &str, metadata: serde_json::Value| {
            let change = MemoryChange::Update { kind: None, content: content.into(), metadata: metadata.as_object().cloned() };
            world.engine.propose_change(&key, &oslo.id, change).await.unwrap()
        };
        for metadata in [json!(null), json!({})] {
            let so_already = change("User lives in Oslo", metadata).await;
            assert!(matches!(&so_already, ProposeAnswer::SeenAgain { memory: Some(id), .. } if *id == oslo.id), "{so_already:?}");
        }
        for (content, metadata, why) in [
            ("User lives in Oslo", json!({"since": 2024}), "metadata_alone"),
            ("User plays chess", json!(null), "said_elsewhere"),
            ("User plays chess", json!({"since": 2024}), "said_elsewhere"),
        ] {
            let nothing = change(content, metadata).await;
            assert!(matches!(&nothing, ProposeAnswer::Skipped { skipped } if *skipped == why), "{why}: {nothing:?}");
        }
        assert!(world.waiting().await.is_empty());
        world.verify().await;
    }

    // A14
    async fn a_reviewer_sees_the_turns_around_the_words(db: &TestDb) {
        let world = World::new(db).await;
        let mut words: Vec<String> = (0..12).map(|number| format!("small talk {number}")).collect();
        words[6] = "By the way, I'm vegetarian. My key is sk-test-FAKE0123456789abcdefFAKE0123456789abcdef".into();
        world.script.says(&serde_json::json!({"candidates": [
            {"kind": "preference", "content": "User is vegetarian", "confidence": 0.9, "importance": 0.7, "evidence": "I'm vegetarian"}]}));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let accepted = world.say("ana", &words).await;
        world.work().await;
        let id = world.operation(&accepted).await.candidates[0].clone();
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &id).await.unwrap();
        let transcript = &detail.transcripts[0];
        assert_eq!(transcript.turns.iter().map(|turn| turn.position).collect::<Vec<_>>(), (4..=10).collect::<Vec<_>>());
        assert_eq!((transcript.before, transcript.after), (3, 2));
        let turn = transcript.turns.iter().find(|turn| turn.position == 7).unwrap();
        let mark = &turn.marks[0];
        let marked: String = turn.content.chars().skip(mark.start).take(mark.end - mark.start).collect();
        assert_eq!(marked, "I'm vegetarian");
        assert!(!turn.content.contains("FAKE"), "secrets are masked in transcripts");
        assert_eq!(detail.candidate.extractor.unwrap().name, "script");
    }
}
