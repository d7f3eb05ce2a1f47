//! What two different people must agree to (G9).

use domain::{
    agent::{AgentName, AgentSettings},
    audit::EventType,
    candidate::{Edit, Reason, Status},
    permission::{Grant, Permission, RoleName},
};
use engine::{
    AgentPatch, Approval, CandidateView, Choice, EngineError, EventFilter, OneDecision, Page,
    PersonPatch, Version,
};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::world::{World, id_of, system};

fn says(content: &str) -> Approval {
    Approval {
        edit: Edit {
            content: Some(content.to_owned()),
            ..Edit::default()
        },
        ..Approval::default()
    }
}

fn plain() -> Approval {
    Approval::default()
}

impl World {
    async fn asks_two(&self, four_eyes: Value) {
        let patch: AgentPatch = serde_json::from_value(json!({ "four_eyes": four_eyes })).unwrap();
        let administers = self.mia(Permission::Administer);
        self.engine
            .change_agent(&administers, &self.agent, None, patch)
            .await
            .unwrap();
    }

    async fn mia_approves(
        &self,
        candidate: &CandidateView,
        version: i64,
        approval: Approval,
    ) -> Result<CandidateView, EngineError> {
        let mia = self.mia(Permission::Decide);
        let seen = Some(Version::Is(version));
        self.engine
            .approve(&mia, &candidate.id, seen, approval)
            .await
    }

    async fn aiko_approves(
        &self,
        candidate: &CandidateView,
        version: i64,
        approval: Approval,
    ) -> Result<CandidateView, EngineError> {
        let aiko = self.aiko(Permission::Decide);
        let seen = Some(Version::Is(version));
        self.engine
            .approve(&aiko, &candidate.id, seen, approval)
            .await
    }

    async fn told_of(&self, candidate: &CandidateView) -> Vec<EventType> {
        let filter = EventFilter {
            subject: Some(candidate.id.to_string()),
            ..EventFilter::default()
        };
        let audit = self.mia(Permission::ReadAudit);
        let events = self
            .engine
            .events(&audit, &filter, &Page::default())
            .await
            .unwrap();
        let mut types: Vec<_> = events.data.into_iter().map(|event| event.r#type).collect();
        types.reverse();
        types
    }
}

/// Mia has this role from now on, and no other.
async fn makes_of_mia(world: &World, grant: Grant) {
    let patch = PersonPatch {
        grants: Some(vec![grant]),
        ..PersonPatch::default()
    };
    let manages = system(Permission::ManagePeople);
    world
        .engine
        .change_person(&manages, &id_of(&world.mia), None, patch)
        .await
        .unwrap();
}

fn first(view: &CandidateView) -> Option<&str> {
    view.agreed_by.as_ref()?.by.name.as_deref()
}

store::both! {
    // G9
    async fn two_different_people_agree_before_it_is_approved(db: &TestDb) {
        let world = World::new(db).await;
        world.asks_two(json!({"kinds": ["fact"]})).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let python = world.proposed("ana", "preference", None, "User prefers Python").await;
        assert_eq!(world.mia_approves(&python, 1, plain()).await.unwrap().status, Status::Approved, "another kind");

        let agreed = world.mia_approves(&oslo, 1, plain()).await.unwrap();
        assert_eq!((agreed.status, agreed.version, first(&agreed)), (Status::Pending, 2, Some("Mia")));
        assert_eq!(world.served("ana").await, ["User prefers Python"]);
        let again = world.mia_approves(&oslo, 2, plain()).await.unwrap_err();
        assert_eq!((again.code(), again.status()), ("second_person_needed", 409));
        let unseen = world.aiko_approves(&oslo, 1, plain()).await.unwrap_err();
        assert_eq!(unseen.code(), "stale", "who decides has seen who agreed to what");

        let approved = world.aiko_approves(&oslo, 2, plain()).await.unwrap();
        assert_eq!((approved.status, approved.version, first(&approved)), (Status::Approved, 3, Some("Mia")));
        assert_eq!(approved.decided_by.as_ref().unwrap().name.as_deref(), Some("Aiko"));
        assert_eq!(world.served("ana").await, ["User lives in Oslo", "User prefers Python"]);
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &oslo.id).await.unwrap();
        assert_eq!(detail.decisions.len(), 1);
        assert_eq!(detail.decisions[0].agreed_by.as_ref().unwrap().name.as_deref(), Some("Mia"));
        assert_eq!(world.told_of(&oslo).await, [EventType::CandidateProposed, EventType::CandidateAgreed, EventType::CandidateApproved]);
        let filter = EventFilter { types: vec![EventType::CandidateApproved], ..EventFilter::default() };
        let events = world.engine.events(&world.mia(Permission::ReadAudit), &filter, &Page::default()).await.unwrap();
        assert_eq!(events.data[0].data["agreed_by"], json!(id_of(&world.mia)));
        world.verify().await;
    }

    // G9
    async fn the_second_agrees_to_what_the_first_changed_or_takes_their_place(db: &TestDb) {
        let world = World::new(db).await;
        world.asks_two(json!({"all": true})).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.mia_approves(&oslo, 1, says("User lives in Oslo, Norway")).await.unwrap();
        let other = world.aiko_approves(&oslo, 2, says("User lives in Norway")).await.unwrap();
        assert_eq!((other.status, other.version, first(&other)), (Status::Pending, 3, Some("Aiko")));
        assert_eq!(other.agreed_by.as_ref().unwrap().edit.as_ref().unwrap().content.as_deref(), Some("User lives in Norway"));

        // The same, written out or not.
        let approved = world.mia_approves(&oslo, 3, plain()).await.unwrap();
        assert_eq!((approved.status, first(&approved)), (Status::Approved, Some("Aiko")));
        assert_eq!(world.served("ana").await, ["User lives in Norway"]);

        let dog = world.proposed("ana", "fact", None, "User has a dog").await;
        world.mia_approves(&dog, 1, says("User has two dogs")).await.unwrap();
        let same = Approval {
            edit: Edit { kind: Some("fact".into()), ..says("User has two dogs").edit },
            ..plain()
        };
        assert_eq!(world.aiko_approves(&dog, 2, same).await.unwrap().status, Status::Approved);
        assert_eq!(world.served("ana").await, ["User has two dogs", "User lives in Norway"]);

        // Who agreed may think again, and is still one person.
        let cat = world.proposed("ana", "fact", None, "User has a cat").await;
        world.mia_approves(&cat, 1, plain()).await.unwrap();
        let anew = world.mia_approves(&cat, 2, says("User has a grey cat")).await.unwrap();
        assert_eq!((anew.status, anew.version, first(&anew)), (Status::Pending, 3, Some("Mia")));
        world.verify().await;
    }

    // G9, F2
    async fn what_was_agreed_about_another_value_does_not_count(db: &TestDb) {
        let world = World::new(db).await;
        let ronaldo = world.proposed("ana", "preference", Some("favourite player"), "User's favourite player is Ronaldo").await;
        let memory = world.mia_approves(&ronaldo, 1, plain()).await.unwrap().memory.unwrap();
        world.asks_two(json!({"flags": ["contradiction"]})).await;
        let messi = world.proposed("ana", "preference", Some("favourite player"), "User's favourite player is Messi").await;
        world.mia_approves(&messi, 1, plain()).await.unwrap();
        let change = Edit { content: Some("User's favourite player is Zidane".into()), ..Edit::default() };
        world.engine.edit_memory(&world.aiko(Permission::Decide), &memory, Version::Is(1), change, None).await.unwrap();

        let of_revision = |seen| Approval { seen_target: Some(seen), ..plain() };
        assert_eq!(world.aiko_approves(&messi, 2, of_revision(1)).await.unwrap_err().code(), "stale");
        let aiko = world.aiko_approves(&messi, 2, of_revision(2)).await.unwrap();
        assert_eq!((aiko.status, first(&aiko)), (Status::Pending, Some("Aiko")), "Mia had seen another value");
        let mia = world.mia_approves(&messi, 3, of_revision(2)).await.unwrap();
        assert_eq!(mia.status, Status::Approved);
        assert_eq!(world.served("ana").await, ["User's favourite player is Messi"]);
        world.verify().await;
    }

    // G9
    async fn who_agreed_takes_it_back_and_nobody_else(db: &TestDb) {
        let world = World::new(db).await;
        world.asks_two(json!({"all": true})).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.mia_approves(&oslo, 1, plain()).await.unwrap();
        let waits = world.engine.reopen(&world.aiko(Permission::Decide), &oslo.id, None, None).await.unwrap_err();
        assert_eq!(waits.code(), "still_waiting");
        let back = world.engine.reopen(&world.mia(Permission::Decide), &oslo.id, Some(Version::Is(2)), None).await.unwrap();
        assert_eq!((back.candidate.status, back.candidate.version, first(&back.candidate)), (Status::Pending, 3, None));
        let late = world.aiko_approves(&oslo, 2, plain()).await.unwrap_err();
        assert_eq!(late.code(), "stale", "Aiko would have been the second a moment ago");
        assert_eq!(first(&world.aiko_approves(&oslo, 3, plain()).await.unwrap()), Some("Aiko"));

        // A rejection drops it, and so does a new week.
        world.engine.reject(&world.mia(Permission::Decide), &oslo.id, None, Reason::Wrong, None).await.unwrap();
        assert_eq!(first(&world.candidate(&oslo.id).await), None, "nobody agreed to a rejection");
        let again = world.engine.reopen(&world.mia(Permission::Decide), &oslo.id, None, None).await.unwrap().candidate;
        assert_eq!(first(&world.mia_approves(&oslo, again.version, plain()).await.unwrap()), Some("Mia"));
        world.verify().await;
    }

    // G9
    async fn an_agreement_ends_with_the_setting_and_with_the_person(db: &TestDb) {
        let world = World::new(db).await;
        world.asks_two(json!({"all": true})).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let dog = world.proposed("ana", "fact", None, "User has a dog").await;
        for candidate in [&oslo, &dog] {
            world.mia_approves(candidate, 1, plain()).await.unwrap();
        }
        db.behind_the_back("update people set deactivated_at = 1 where id in (select person_id from agreements)").await.unwrap();
        let aiko = world.aiko_approves(&oslo, 2, plain()).await.unwrap();
        assert_eq!((aiko.status, first(&aiko)), (Status::Pending, Some("Aiko")));

        world.asks_two(json!({"all": false})).await;
        let alone = world.mia_approves(&oslo, 3, says("User lives in Bergen")).await.unwrap();
        assert_eq!((alone.status, first(&alone)), (Status::Approved, None), "one decided, and one is named");
        let alone = world.aiko_approves(&dog, 2, plain()).await.unwrap();
        assert_eq!((alone.status, first(&alone)), (Status::Approved, None));
        world.verify().await;
    }

    // G9, G7
    async fn who_may_decide_here_no_more_is_no_first_of_two(db: &TestDb) {
        let world = World::new(db).await;
        world.asks_two(json!({"all": true})).await;
        let sales = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), sales.clone(), AgentSettings::default()).await.unwrap();
        let reviewer = Grant::everywhere(RoleName::Reviewer);
        let nothing_here = [
            ("ana", Grant::everywhere(RoleName::Viewer)),
            ("bo", Grant { agent: Some(sales), ..reviewer.clone() }),
            ("cy", Grant { languages: vec!["ja".into()], ..reviewer.clone() }),
        ];
        for (user, grant) in nothing_here {
            makes_of_mia(&world, reviewer.clone()).await;
            let oslo = world.proposed(user, "fact", None, "User lives in Oslo").await;
            world.mia_approves(&oslo, 1, plain()).await.unwrap();
            makes_of_mia(&world, grant).await;
            let aiko = world.aiko_approves(&oslo, 2, plain()).await.unwrap();
            assert_eq!((aiko.status, first(&aiko)), (Status::Pending, Some("Aiko")), "{user}");
            assert!(world.served(user).await.is_empty(), "{user}");
        }

        // By another role that decides here, it counts.
        let oslo = world.proposed("dee", "fact", None, "User lives in Oslo").await;
        world.mia_approves(&oslo, 1, plain()).await.unwrap();
        makes_of_mia(&world, Grant { agent: Some(world.agent.clone()), languages: vec!["en".into()], ..reviewer }).await;
        let both = world.aiko_approves(&oslo, 2, plain()).await.unwrap();
        assert_eq!((both.status, first(&both)), (Status::Approved, Some("Mia")));
        world.verify().await;
    }

    // G9, A12
    async fn a_policy_never_decides_what_two_people_must_agree_to(db: &TestDb) {
        let world = World::new(db).await;
        let policy = json!({"auto_approve": [{"name": "sure", "kinds": ["fact", "preference"], "min_confidence": 0.5}]});
        let patch: AgentPatch = serde_json::from_value(policy).unwrap();
        world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, patch).await.unwrap();
        world.asks_two(json!({"kinds": ["fact"]})).await;
        assert_eq!(world.proposed("ana", "fact", None, "User lives in Oslo").await.status, Status::Pending);
        assert_eq!(world.proposed("ana", "preference", None, "User prefers Python").await.status, Status::Approved);
    }

    // G9
    async fn a_change_of_kind_is_no_way_around(db: &TestDb) {
        let world = World::new(db).await;
        world.asks_two(json!({"kinds": ["preference"]})).await;
        let oslo = world.proposed("ana", "fact", None, "User likes Oslo").await;
        let edit = Edit { kind: Some("preference".into()), ..Edit::default() };
        let into = world.mia_approves(&oslo, 1, Approval { edit, ..plain() }).await.unwrap();
        assert_eq!(into.status, Status::Pending, "what becomes one");
        let tea = world.proposed("ana", "preference", None, "User drinks tea").await;
        let edit = Edit { kind: Some("fact".into()), ..Edit::default() };
        let from = world.mia_approves(&tea, 1, Approval { edit, ..plain() }).await.unwrap();
        assert_eq!(from.status, Status::Pending, "what was one");
    }

    // G9, F7
    async fn of_many_decisions_one_that_was_only_agreed_to_is_done_and_says_so(db: &TestDb) {
        let world = World::new(db).await;
        world.asks_two(json!({"kinds": ["fact"]})).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let python = world.proposed("ana", "preference", None, "User prefers Python").await;
        let decisions = [&oslo, &python].map(|one| OneDecision { id: one.id.clone(), version: None, choice: Choice::Approve(Box::default()) });
        let results = world.engine.decide(&world.mia(Permission::Decide), decisions.to_vec()).await.unwrap();
        let ended: Vec<_> = results.iter().map(|result| (result.status, result.code)).collect();
        assert_eq!(ended, [("done", Some("agreed")), ("done", None)]);
        let unknown: AgentPatch = serde_json::from_value(json!({"four_eyes": {"kinds": ["mood"]}})).unwrap();
        let refused = world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, unknown).await.unwrap_err();
        assert_eq!(refused.fields()[0].pointer, "/four_eyes/kinds/0");
    }
}
