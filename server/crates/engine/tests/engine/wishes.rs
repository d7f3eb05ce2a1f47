//! "Forget that I …" (G1): what is stored is proposed for retirement before everything else that waits, and what waits gives way.

use domain::{
    candidate::{Action, Flag, Reason, Status},
    conversation::Role,
    id::MemoryId,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{Approval, CandidateFilter, CandidateView, Page, ProposeAnswer, Proposed, Version};
use serde_json::json;
use store::testing::TestDb;

use crate::world::{World, message};

impl World {
    async fn knows_oslo(&self) -> MemoryId {
        let oslo = self
            .proposed("ana", "fact", None, "User lives in Oslo")
            .await;
        let approved = self
            .engine
            .approve(
                &self.mia(Permission::Decide),
                &oslo.id,
                None,
                Approval::default(),
            )
            .await;
        approved.unwrap().memory.unwrap()
    }

    async fn first_page(&self, limit: u32, cursor: Option<String>) -> engine::List<CandidateView> {
        let read = self.mia(Permission::ReadCandidates);
        let page = Page { limit, cursor };
        self.engine
            .candidates(&read, &CandidateFilter::default(), &page)
            .await
            .unwrap()
    }
}

store::both! {
    // G1
    async fn a_wish_comes_before_sixty_that_have_waited_longer(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.knows_oslo().await;
        let mut older = Vec::new();
        for number in 0..60 {
            older.push(world.proposed("bo", "fact", None, &format!("User owns painting number {number}")).await.id);
            world.pass(Span::minutes(1));
        }
        let accepted = world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let wish = world.operation(&accepted).await.candidates.remove(0);

        let first = world.first_page(1, None).await;
        let shown = &first.data[0];
        assert_eq!((&shown.id, shown.action, shown.target.as_ref()), (&wish, Action::Retire, Some(&oslo)));
        assert_eq!(shown.flags, [Flag::AskedToForget], "the reviewer sees why it is first");
        assert_eq!(shown.evidence[0].quote, "Please forget that I live in Oslo");
        assert_eq!(shown.expires_at, shown.created_at + Span::days(7));
        let second = world.first_page(1, first.next).await;
        assert_eq!(second.data[0].id, older[0], "then what has waited longest");
        assert_eq!(world.waiting().await.len(), 61);
        let desk = world.engine
            .desk(&world.mia(Permission::ReadCandidates), &CandidateFilter::default(), &Page { limit: 50, cursor: None })
            .await
            .unwrap();
        assert_eq!((desk.waiting, &desk.rows.data[0].id), (61, &wish));
        let oldest = world.candidate(&older[0]).await.created_at;
        assert_eq!(desk.oldest, Some(oldest), "the oldest is still the oldest");

        // Whoever claims it, hands it over or takes a decision back leaves it there.
        let decide = world.mia(Permission::Decide);
        world.engine.claim(&decide, &wish).await.unwrap();
        world.engine.hand_over(&decide, &wish, None, None).await.unwrap();
        assert_eq!(world.first_page(1, None).await.data[0].id, wish);
        world.engine.reject(&decide, &wish, None, Reason::Wrong, None).await.unwrap();
        assert_eq!(world.first_page(1, None).await.data[0].id, older[0]);
        world.engine.reopen(&decide, &wish, None, None).await.unwrap();
        assert_eq!(world.first_page(1, None).await.data[0].id, wish);
        world.verify().await;
    }

    // G1
    async fn a_wish_that_the_model_proposed_is_one_too(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.knows_oslo().await;
        world.pass(Span::seconds(1));
        world.proposed("ana", "fact", None, "User has a dog").await;
        world.script.says(&json!({"candidates": [
            {"action": "retire", "target": oslo, "kind": "fact", "content": "User lives in Oslo", "confidence": 0.9, "importance": 0.7,
             "evidence": "forget that I live in Oslo"},
        ]}));
        world.pass(Span::seconds(1));
        world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let waiting = world.waiting().await;
        assert_eq!(waiting.len(), 2, "one retirement, whoever found the wish");
        assert_eq!((waiting[0].action, waiting[0].flags.as_slice()), (Action::Retire, [Flag::AskedToForget].as_slice()));
        // What is over is proposed for retirement as well, and was not wished.
        world.engine.reject(&world.mia(Permission::Decide), &waiting[0].id, None, Reason::Wrong, None).await.unwrap();
        world.script.says(&json!({"candidates": [
            {"action": "retire", "target": oslo, "kind": "fact", "content": "User lives in Oslo", "confidence": 0.9, "importance": 0.7,
             "evidence": "I moved away from Oslo"},
        ]}));
        world.pass(Span::seconds(1));
        world.say("ana", &["I moved away from Oslo."]).await;
        world.work().await;
        let waiting = world.waiting().await;
        assert_eq!((waiting[1].action, waiting[1].flags.as_slice()), (Action::Retire, [].as_slice()), "it stands where its end is");
    }

    // G1, A3
    async fn a_wish_takes_the_place_of_another_retirement(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.knows_oslo().await;
        world.pass(Span::seconds(1));
        world.proposed("ana", "fact", None, "User has a dog").await;
        let by_hand = Proposed {
            action: Some(Action::Retire),
            target: Some(oslo),
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: None,
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, by_hand).await.unwrap();
        let ProposeAnswer::Proposed { candidate: by_hand } = answer else { panic!("{answer:?}") };
        world.pass(Span::seconds(1));
        let accepted = world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let wish = world.operation(&accepted).await.candidates.remove(0);
        assert_eq!(world.first_page(1, None).await.data[0].id, wish);
        let by_hand = world.candidate(&by_hand.id).await;
        assert_eq!((by_hand.status, by_hand.reason), (Status::Rejected, Some(Reason::Superseded)));
        // Said again, it is the same wish.
        world.pass(Span::seconds(1));
        let again = world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let again = world.operation(&again).await;
        assert_eq!((again.candidates.len(), again.sightings), (0, 1));
        world.verify().await;
    }

    // G1
    async fn what_waits_and_is_to_be_forgotten_cannot_be_approved_any_more(db: &TestDb) {
        let world = World::new(db).await;
        world.pass(Span::seconds(1));
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.pass(Span::seconds(1));
        let dog = world.proposed("ana", "fact", None, "User has a dog").await;
        world.pass(Span::seconds(1));
        let others = world.proposed("bo", "fact", None, "User lives in Oslo").await;
        world.pass(Span::seconds(1));
        let accepted = world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let done = world.operation(&accepted).await;
        assert!(done.candidates.is_empty(), "there is nothing stored to retire");
        assert_eq!(done.dropped.get("asked_not_to_remember"), Some(&1), "it is counted");

        let read = world.mia(Permission::ReadCandidates);
        let detail = world.engine.candidate(&read, &oslo.id).await.unwrap();
        assert_eq!((detail.candidate.status, detail.candidate.reason), (Status::Rejected, Some(Reason::Superseded)));
        assert_eq!(detail.decisions[0].note.as_deref(), Some("Please forget that I live in Oslo"), "and says why");
        let decide = world.mia(Permission::Decide);
        let late = world.engine.approve(&decide, &oslo.id, Some(Version::Is(1)), Approval::default()).await.unwrap_err();
        assert_eq!(late.code(), "already_decided");
        let waiting: Vec<_> = world.waiting().await.into_iter().map(|candidate| candidate.id).collect();
        assert_eq!(waiting, [dog.id, others.id], "what else she said, and what somebody else said, waits on");
        // It was no person's rejection: who says it again is heard again.
        world.pass(Span::seconds(1));
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.verify().await;
    }

    // G1
    async fn what_waits_gives_way_to_the_retirement_of_what_is_stored(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.knows_oslo().await;
        world.pass(Span::seconds(1));
        let change = world.proposed("ana", "fact", None, "User lives in Oslo with cats").await;
        world.pass(Span::seconds(1));
        let accepted = world.say("ana", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let wish = world.operation(&accepted).await.candidates.remove(0);
        let read = world.mia(Permission::ReadCandidates);
        let detail = world.engine.candidate(&read, &change.id).await.unwrap();
        assert_eq!((detail.candidate.status, detail.superseded_by.as_ref()), (Status::Rejected, Some(&wish)));
        let detail = world.engine.candidate(&read, &wish).await.unwrap();
        assert_eq!(detail.candidate.target.as_ref(), Some(&oslo));
        assert_eq!(detail.supersedes[0].id, change.id, "who looks at the wish sees it beside");
        world.verify().await;
    }

    // G1
    async fn a_wish_takes_out_nothing_that_only_shares_a_word_with_it(db: &TestDb) {
        let world = World::new(db).await;
        let colleague = world.proposed("ana", "fact", None, "User works with a vegetarian colleague").await;
        world.pass(Span::seconds(1));
        let boat = world.proposed("ana", "fact", None, "User sails a boat from Bergen to Stavanger every summer").await;
        for wish in ["Please forget that I am vegetarian.", "Please forget about my boat."] {
            world.pass(Span::seconds(1));
            let accepted = world.say("ana", &[wish]).await;
            world.work().await;
            assert_eq!(world.operation(&accepted).await.dropped.get("asked_not_to_remember"), None, "{wish}");
        }
        for id in [&colleague.id, &boat.id] {
            assert_eq!(world.candidate(id).await.status, Status::Pending);
        }
    }

    // G1
    async fn what_was_proposed_by_hand_after_a_wish_is_not_meant_by_it(db: &TestDb) {
        let world = World::new(db).await;
        let by_hand = async |user: &str| {
            let proposed = Proposed {
                action: None,
                target: None,
                scope: Scope::user_id(user).unwrap(),
                kind: "fact".into(),
                name: None,
                content: Some("User lives in Oslo".into()),
                metadata: Default::default(),
                tags: vec![],
                confidence: None,
                importance: None,
                explanation: None,
            };
            let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, proposed).await.unwrap();
            let ProposeAnswer::Proposed { candidate } = answer else { panic!("{answer:?}") };
            candidate.id
        };
        let before = by_hand("ana").await;
        world.pass(Span::seconds(1));
        for user in ["ana", "bo"] {
            world.say(user, &["Please forget that I live in Oslo."]).await;
        }
        world.pass(Span::seconds(1));
        let after = by_hand("bo").await;
        world.work().await;
        assert_eq!(world.candidate(&before).await.status, Status::Rejected);
        assert_eq!(world.candidate(&after).await.status, Status::Pending);
    }

    // G1
    async fn only_what_was_said_before_a_wish_is_meant_by_it(db: &TestDb) {
        let world = World::new(db).await;
        let talk = |first: &str, second: &str| vec![message(Role::User, first), message(Role::User, second)];
        let draft = |quote: &str| json!({"candidates": [
            {"kind": "fact", "content": "User lives in Oslo", "confidence": 0.9, "importance": 0.7, "evidence": quote},
        ]});
        world.script.says(&draft("I live in Oslo"));
        world.pass(Span::seconds(1));
        let before = world.post("ana", talk("I live in Oslo.", "Please forget that I live in Oslo."), true).await;
        world.work().await;
        let before = world.operation(&before).await;
        assert_eq!(world.candidate(&before.candidates[0]).await.reason, Some(Reason::Superseded));
        assert_eq!(before.dropped.get("asked_not_to_remember"), Some(&1));

        world.script.says(&draft("I live in Oslo again"));
        world.pass(Span::seconds(1));
        let after = world.post("bo", talk("Please forget that I live in Oslo.", "We moved back, I live in Oslo again."), true).await;
        world.work().await;
        let after = world.operation(&after).await;
        assert_eq!(world.candidate(&after.candidates[0]).await.status, Status::Pending);
        assert!(after.dropped.is_empty(), "{after:?}");
        world.verify().await;
    }
}
