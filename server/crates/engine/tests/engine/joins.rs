//! Ids of one person (G15): told as one while they are joined, each with its own again after a split; decided by people alone.

use domain::{
    agent::AgentSettings,
    audit::EventType,
    candidate::{Cause, Flag, Status},
    erasure::ErasureReason,
    id::{MemoryId, UserId},
    join::{JoinState, JoinVerdict},
    permission::{Permission, Permit},
    render::{CutFor, Layout},
    request::{RequestOutcome, RequestSort},
    time::Span,
    user::Scope,
};
use engine::{
    Approval, ContextAnswer, Current, EngineError, Erase, JoinFilter, JoinView, MemoryFilter,
    NewHold, NewJoin, NewMemory, NewRequest, Page, ProposeAnswer, Proposed, UserRef, Version,
};
use serde_json::{Map, json};
use store::testing::TestDb;

use crate::world::{World, ask, system};

impl World {
    fn decides(&self) -> Permit {
        self.mia(Permission::Decide)
    }

    async fn knows(&self, user: &str, kind: &str, content: &str) -> MemoryId {
        let new = NewMemory {
            scope: Scope::user_id(user).unwrap(),
            kind: kind.into(),
            name: None,
            content: content.into(),
            metadata: Map::new(),
            tags: vec![],
            importance: None,
            note: None,
        };
        let mia = self.decides();
        let made = self.engine.add_memory(&mia, &self.agent, new).await;
        made.unwrap().id
    }

    fn two(&self, guest: &str, main: &str) -> NewJoin {
        NewJoin {
            agent: Some(self.agent.clone()),
            guest: UserRef::parse(guest).unwrap(),
            main: UserRef::parse(main).unwrap(),
            reason: Some("signed in with the same cookie".into()),
        }
    }

    async fn joined(&self, guest: &str, main: &str) -> JoinView {
        let new = self.two(guest, main);
        self.engine.join_ids(&self.decides(), &new).await.unwrap()
    }

    async fn decide(&self, join: &JoinView, verdict: JoinVerdict) -> Result<JoinView, EngineError> {
        let seen = Some(Version::Is(join.version));
        self.engine
            .decide_join(
                &self.decides(),
                &join.id,
                seen,
                verdict,
                Some("I asked her"),
            )
            .await
    }

    async fn id_of(&self, user: &str) -> UserId {
        let user = UserRef::parse(user).unwrap();
        let read = self.mia(Permission::ReadUsers);
        let found = self.engine.user(&read, &user, Some(&self.agent)).await;
        found.unwrap().user.id
    }

    /// What one conversation of a user came to, of which the extractor found this.
    async fn comes_of(&self, user: &str, kind: &str, content: &str) -> engine::OperationView {
        self.script.says(&json!({"candidates": [
            {"kind": kind, "content": content, "confidence": 0.9, "importance": 0.7, "evidence": content}]}));
        let accepted = self.say(user, &[content]).await;
        self.work().await;
        self.operation(&accepted).await
    }
}

store::both! {
    // G15
    async fn two_ids_are_told_as_one_and_a_split_gives_back_what_each_had(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.knows("ana", "fact", "User lives in Oslo").await;
        world.knows("ana", "preference", "User prefers dark mode").await;
        let bergen = world.knows("guest-1", "fact", "User lives in Bergen").await;
        world.knows("guest-1", "fact", "User has two children").await;
        let apart = (world.served("ana").await, world.served("guest-1").await);
        assert_eq!((apart.0.len(), apart.1.len()), (2, 2));

        let join = world.joined("guest-1", "ana").await;
        assert_eq!((join.state, join.version, join.decided_by.as_ref().unwrap().name.as_deref()), (JoinState::Joined, 1, Some("Mia")));
        let both = ["User has two children", "User lives in Oslo", "User prefers dark mode"];
        for user in ["ana", "guest-1"] {
            assert_eq!(world.served(user).await, both, "{user}");
            let cut = world.context(user).await.cut;
            assert_eq!((cut.len(), &cut[0].memory, cut[0].why), (1, &bergen, CutFor::OtherId));
        }
        assert!(world.served("bo").await.is_empty(), "nobody else");

        let filter = MemoryFilter { scope: Some(Scope::user_id("guest-1").unwrap()), ..MemoryFilter::default() };
        let found = world.engine.search(&world.key(Permission::ReadMemories), filter.clone(), "Oslo or Bergen", 10).await.unwrap().data;
        let contents: Vec<_> = found.iter().map(|found| found.memory.content.as_str()).collect();
        assert!(contents.contains(&"User lives in Oslo") && !contents.contains(&"User lives in Bergen"), "{contents:?}");
        let filter = MemoryFilter { agent: Some(world.agent.clone()), ..filter };
        let found = world.engine.search(&world.mia(Permission::ReadHistory), filter, "Oslo or Bergen", 10).await.unwrap().data;
        assert!(found.iter().any(|found| found.memory.id == bergen), "a reviewer sees both");

        let read = world.mia(Permission::ReadUsers);
        let ana = UserRef::parse("ana").unwrap();
        let detail = world.engine.user(&read, &ana, Some(&world.agent)).await.unwrap();
        let conflict = &detail.conflicts[0];
        assert_eq!((detail.conflicts.len(), &conflict.told.id, &conflict.silent.id), (1, &oslo, &bergen));
        assert_eq!((detail.joins.len(), detail.joins[0].guest.who.as_str()), (1, "guest-1"));

        let split = world.decide(&join, JoinVerdict::Split).await.unwrap();
        assert_eq!((split.state, split.ended.as_deref()), (JoinState::Split, Some("I asked her")));
        assert_eq!((world.served("ana").await, world.served("guest-1").await), apart);
        let again = world.decide(&split, JoinVerdict::Undo).await.unwrap();
        assert_eq!((again.state, again.version, again.ended.as_deref()), (JoinState::Joined, 3, None));
        assert_eq!(world.served("guest-1").await, both);

        // A person decides which is true.
        world.engine.retire_memory(&world.decides(), &oslo, Version::Any, None).await.unwrap();
        assert!(world.served("ana").await.contains(&"User lives in Bergen".to_owned()));
        let undone = world.decide(&again, JoinVerdict::Undo).await.unwrap();
        assert_eq!(undone.state, JoinState::Split);
        assert_eq!(world.served("guest-1").await, apart.1);

        for user in ["ana", "guest-1"] {
            let user = UserRef::parse(user).unwrap();
            let events = world.engine.timeline(&read, &user, Some(&world.agent), &Page::default()).await.unwrap().data;
            let told: Vec<_> = events.iter().filter(|event| event.subject == join.id.as_str()).map(|event| event.r#type).collect();
            assert_eq!(told, [EventType::UserSplit, EventType::UserJoined, EventType::UserSplit, EventType::UserJoined]);
        }
        world.verify().await;
    }

    // G15
    async fn an_agent_proposes_and_a_person_decides(db: &TestDb) {
        let world = World::new(db).await;
        for user in ["ana", "guest-1", "guest-2"] {
            world.knows(user, "fact", &format!("User has met {user}")).await;
        }
        let key = world.key(Permission::Propose);
        let proposed = world.engine.propose_join(&key, &world.two("guest-1", "ana")).await.unwrap();
        assert_eq!((proposed.state, proposed.by.r#type.as_str()), (JoinState::Proposed, "key"));
        let again = world.engine.propose_join(&key, &world.two("guest-1", "ana")).await.unwrap();
        assert_eq!(again.id, proposed.id, "what waits is answered");
        assert_eq!(world.served("guest-1").await.len(), 1, "and joins nobody");
        for refused in [
            world.engine.join_ids(&key, &world.two("guest-1", "ana")).await,
            world.engine.decide_join(&key, &proposed.id, None, JoinVerdict::Join, Some("I am sure")).await,
        ] {
            assert!(matches!(refused, Err(EngineError::Forbidden)), "{refused:?}");
        }
        assert_eq!(world.engine.joins_waiting(&world.mia(Permission::ReadUsers)).await.unwrap(), 1);

        let read = world.mia(Permission::ReadUsers);
        let waiting = JoinFilter { waiting: true, ..JoinFilter::default() };
        let listed = world.engine.joins(&read, &waiting, &Page::default()).await.unwrap().data;
        assert_eq!((listed.len(), listed[0].proposed.as_deref()), (1, Some("signed in with the same cookie")));
        let silent = world.engine.decide_join(&world.decides(), &proposed.id, None, JoinVerdict::Join, Some("  ")).await;
        assert!(matches!(&silent, Err(error) if error.fields()[0].pointer == "/reason"), "{silent:?}");
        let declined = world.decide(&proposed, JoinVerdict::Decline).await.unwrap();
        assert_eq!(declined.state, JoinState::Declined);
        let kept_out = world.engine.propose_join(&key, &world.two("guest-1", "ana")).await.unwrap();
        assert_eq!((kept_out.id, kept_out.state), (declined.id.clone(), JoinState::Declined), "a person said no");
        assert_eq!((kept_out.ended, kept_out.decided_by.is_none()), (None, true), "what people wrote is not the agent's");
        let by_mia = world.engine.propose_join(&world.mia(Permission::Propose), &world.two("guest-2", "ana")).await.unwrap();
        assert!(by_mia.by.name.is_some() && by_mia.proposed.is_some());
        let told = world.engine.propose_join(&key, &world.two("guest-2", "ana")).await.unwrap();
        assert_eq!((told.id, told.by.name, told.proposed), (by_mia.id, None, None), "nor what they proposed");
        let late = world.decide(&proposed, JoinVerdict::Join).await;
        assert!(matches!(&late, Err(EngineError::Stale { current: Current::Join(now) }) if now.version == 2), "{late:?}");
        let waits = world.decide(&declined, JoinVerdict::Undo).await.unwrap();
        let moved = world.decide(&waits, JoinVerdict::Split).await;
        assert!(matches!(moved, Err(EngineError::MovedOn { .. })), "{moved:?}");
        // Joining by hand is deciding what was proposed.
        let joined = world.joined("guest-1", "ana").await;
        assert_eq!((&joined.id, joined.state, joined.proposed.is_some()), (&proposed.id, JoinState::Joined, true));
        assert_eq!(world.served("guest-1").await.len(), 2);

        let of_user = JoinFilter { agent: Some(world.agent.clone()), user: Some(UserRef::parse("guest-1").unwrap()), waiting: false };
        assert_eq!(world.engine.joins(&read, &of_user, &Page::default()).await.unwrap().data.len(), 1);
        world.verify().await;
    }

    // G15
    async fn chains_shared_ids_and_other_agents_are_refused(db: &TestDb) {
        let world = World::new(db).await;
        for user in ["ana", "bo", "guest-1", "guest-2"] {
            world.knows(user, "fact", &format!("User has met {user}")).await;
        }
        world.joined("guest-1", "ana").await;
        let code = async |guest: &str, main: &str| {
            let refused = world.engine.join_ids(&world.decides(), &world.two(guest, main)).await.unwrap_err();
            (refused.code(), refused.status())
        };
        assert_eq!(code("guest-1", "ana").await, ("already_joined", 409));
        assert_eq!(code("guest-1", "bo").await, ("join_chain", 409), "a guest id belongs to one person");
        assert_eq!(code("guest-2", "guest-1").await, ("join_chain", 409), "a guest is no main id");
        assert_eq!(code("ana", "bo").await, ("join_chain", 409), "a main id is no guest");
        assert_eq!(code("bo", "bo").await, ("invalid", 422));
        assert_eq!(code("bo", "nobody").await, ("not_found", 404));
        world.joined("guest-2", "ana").await;
        assert_eq!(world.served("guest-2").await.len(), 3, "several guests may be one person");

        let sales = domain::agent::AgentName::parse("sales").unwrap();
        let admin = system(Permission::Administer);
        let shared = AgentSettings { shared_ids: vec!["kiosk-*".into()], ..AgentSettings::default() };
        world.engine.create_agent(&admin, sales.clone(), shared).await.unwrap();
        for user in ["kiosk-1", "cy"] {
            let permit = system(Permission::Decide);
            let new = NewMemory {
                scope: Scope::user_id(user).unwrap(),
                kind: "fact".into(),
                name: None,
                content: format!("User has met {user}"),
                metadata: Map::new(),
                tags: vec![],
                importance: None,
                note: None,
            };
            world.engine.add_memory(&permit, &sales, new).await.unwrap();
        }
        let kiosk = NewJoin { agent: Some(sales.clone()), ..world.two("kiosk-1", "cy") };
        let refused = world.engine.join_ids(&world.decides(), &kiosk).await.unwrap_err();
        assert_eq!((refused.code(), refused.fields()[0].code), ("invalid", "shared_id"));
        let across = NewJoin { agent: None, guest: UserRef::Id(world.id_of("bo").await), ..kiosk };
        let refused = world.engine.join_ids(&world.decides(), &across).await.unwrap_err();
        assert_eq!(refused.code(), "not_found", "the other agent's id is none of this one's");
        let of_sales = world.key(Permission::Propose);
        let elsewhere = NewJoin { agent: Some(sales), ..world.two("kiosk-1", "cy") };
        let refused = world.engine.propose_join(&of_sales, &elsewhere).await.unwrap_err();
        assert_eq!(refused.code(), "not_found");
    }

    // G15, F5
    async fn nothing_is_proposed_twice_and_what_is_said_belongs_to_the_id_it_was_said_under(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.knows("ana", "fact", "User lives in Oslo").await;
        world.knows("guest-1", "fact", "User has two children").await;
        let join = world.joined("guest-1", "ana").await;

        let known = world.comes_of("guest-1", "fact", "User lives in Oslo").await;
        assert_eq!((known.candidates.len(), known.sightings), (0, 1));
        let told = world.script.windows().pop().unwrap().nearest;
        assert!(told.iter().any(|memory| memory.id == oslo), "the extractor is told what the other id has");
        let otherwise = world.comes_of("guest-1", "fact", "User lives in Bergen").await;
        let read = world.mia(Permission::ReadCandidates);
        let bergen = world.engine.candidate(&read, &otherwise.candidates[0]).await.unwrap();
        assert_eq!((bergen.candidate.user_id.as_deref(), bergen.candidate.target.as_ref()), (Some("guest-1"), None), "nothing of ana's is changed by it");
        assert!(bergen.candidate.flags.contains(&Flag::Contradiction));
        assert_eq!(bergen.elsewhere.iter().map(|memory| &memory.id).collect::<Vec<_>>(), [&oslo], "shown to who decides");
        world.engine.approve(&world.decides(), &bergen.candidate.id, None, Approval::default()).await.unwrap();
        assert_eq!(world.served("guest-1").await, ["User has two children", "User lives in Oslo"], "the main id comes first until that is decided");

        let by_hand = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: Some("User has two children".into()),
            metadata: Map::new(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, by_hand.clone()).await.unwrap();
        assert!(matches!(answer, ProposeAnswer::SeenAgain { memory: Some(_), .. }), "{answer:?}");

        // What the agent was told under one id it may propose to change under that id.
        let change = Proposed {
            action: Some(domain::candidate::Action::Retire),
            target: Some(oslo.clone()),
            scope: Scope::user_id("guest-1").unwrap(),
            content: None,
            ..by_hand
        };
        let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, change).await.unwrap();
        let ProposeAnswer::Proposed { candidate } = answer else { panic!("{answer:?}") };
        assert_eq!(candidate.user_id.as_deref(), Some("ana"), "it is about her memory");

        world.decide(&join, JoinVerdict::Split).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        assert_eq!(world.served("guest-1").await, ["User has two children", "User lives in Bergen"]);
        world.verify().await;
    }

    // G15, G1
    async fn a_wish_to_forget_goes_for_the_other_id_too_until_they_are_split(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.knows("ana", "fact", "User lives in Oslo").await;
        world.knows("guest-1", "fact", "User has two children").await;
        let join = world.joined("guest-1", "ana").await;
        let accepted = world.say("guest-1", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let wish = world.operation(&accepted).await.candidates;
        assert_eq!(wish.len(), 1);
        let wish = world.candidate(&wish[0]).await;
        assert_eq!((wish.user_id.as_deref(), wish.target.as_ref(), wish.cause), (Some("ana"), Some(&oslo), Some(Cause::OtherId)));
        assert_eq!(wish.flags, [domain::candidate::Flag::AskedToForget], "it stands before everything else there too");
        assert!(wish.evidence.is_empty(), "the words stay with the id under which they were said");
        world.decide(&join, JoinVerdict::Split).await.unwrap();
        let wish = world.candidate(&wish.id).await;
        assert_eq!(wish.status, Status::Rejected, "two people: nobody else's wish waits");
        world.verify().await;
    }

    // G15, G1
    async fn a_wish_to_forget_takes_out_what_waits_under_the_other_id(db: &TestDb) {
        let world = World::new(db).await;
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.knows("guest-1", "fact", "User has two children").await;
        world.joined("guest-1", "ana").await;
        world.pass(Span::seconds(1));
        let accepted = world.say("guest-1", &["Please forget that I live in Oslo."]).await;
        world.work().await;
        let done = world.operation(&accepted).await;
        assert_eq!((done.candidates.len(), done.dropped.get("asked_not_to_remember")), (0, Some(&1)));
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &oslo.id).await.unwrap();
        assert_eq!(detail.candidate.status, Status::Rejected);
        assert_eq!(detail.decisions[0].note, None, "the words stay with the id under which they were said");
        world.verify().await;
    }

    // G15, D5
    async fn a_profile_is_that_of_all_ids_the_main_one_first(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        world.field("ana", "technical_stack", "ADK").await;
        world.field("guest-1", "technical_stack", "Rust").await;
        world.field("guest-1", "job_status", "student").await;
        world.joined("guest-1", "ana").await;
        for user in ["ana", "guest-1"] {
            let told = world.profile(user).await;
            assert_eq!(told["profiles"]["user-profile"], json!({"technical_stack": "ADK", "job_status": "student"}), "{user}");
            let asked = engine::ContextRequest { layout: Layout::Profile, ..ask(user) };
            let answer = world.engine.context(&world.key(Permission::ReadContext), &world.agent, asked).await.unwrap();
            let ContextAnswer::Block(context) = answer else { panic!("nothing was compared") };
            assert!(context.block.contains("ADK") && !context.block.contains("Rust"), "{}", context.block);
        }
    }

    // G15, G2
    async fn an_opt_out_of_either_holds_for_both_while_they_are_joined(db: &TestDb) {
        let world = World::new(db).await;
        world.knows("ana", "fact", "User lives in Oslo").await;
        world.knows("guest-1", "fact", "User has two children").await;
        let join = world.joined("guest-1", "ana").await;
        let admin = system(Permission::Administer);
        let guest = UserRef::parse("guest-1").unwrap();
        world.engine.set_opt_out(&admin, &guest, true).await.unwrap();
        for user in ["ana", "guest-1"] {
            assert_eq!(world.context(user).await.reason, Some("opted_out"), "{user}");
            assert_eq!(world.say(user, &["I have a dog"]).await.skipped, Some("opted_out"), "{user}");
            assert_eq!(world.profile(user).await["reason"], "opted_out");
        }
        let filter = MemoryFilter { scope: Some(Scope::user_id("ana").unwrap()), ..MemoryFilter::default() };
        let listed = world.engine.memories(&world.key(Permission::ReadMemories), &filter, &Page::default()).await.unwrap();
        assert!(listed.data.is_empty());
        world.decide(&join, JoinVerdict::Split).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        assert_eq!(world.context("guest-1").await.reason, Some("opted_out"));
    }

    // G15, F9, G5
    async fn a_request_finds_all_ids_a_hold_on_one_keeps_them_and_the_main_id_takes_the_guests_along(db: &TestDb) {
        let world = World::new(db).await;
        world.knows("ana", "fact", "User lives in Oslo").await;
        world.knows("guest-1", "fact", "User has two children").await;
        world.knows("guest-2", "fact", "User has a dog").await;
        world.joined("guest-1", "ana").await;
        world.joined("guest-2", "ana").await;
        let exports = world.mia(Permission::Export);
        let asked = NewRequest {
            sort: RequestSort::Erase,
            agent: None,
            named: Scope::user_id("ana").unwrap(),
            words: None,
            note: None,
            received_at: None,
            due_at: None,
        };
        let request = world.engine.open_request(&exports, asked).await.unwrap();
        assert_eq!(request.users.len(), 3, "whatever they are called");

        let admin = world.mia(Permission::Administer);
        let guest = UserRef::Id(world.id_of("guest-1").await);
        let hold = NewHold { agent: None, user: Some(guest.clone()), everywhere: false, until: None, reason: "Case 12-345".into() };
        let hold = world.engine.place_hold(&admin, &hold).await.unwrap();
        let ana = UserRef::Id(world.id_of("ana").await);
        let seen = world.engine.preview_erasure(&admin, &ana, None).await.unwrap();
        assert_eq!(seen.holds.len(), 1);
        let mut with: Vec<_> = seen.with.iter().map(|other| (other.id.who.as_str(), other.counts.memories)).collect();
        with.sort_unstable();
        assert_eq!(with, [("guest-1", 1), ("guest-2", 1)], "the confirmation says whom it takes");
        let wanted = |confirm: &str, version| Erase { reason: ErasureReason::AskedFor, confirm: confirm.into(), version, request: None };
        let held = world.engine.erase(&admin, &ana, None, &wanted("ana", seen.version)).await;
        assert!(matches!(held, Err(EngineError::Held { .. })), "{held:?}");
        world.engine.release_hold(&admin, &hold.id).await.unwrap();

        // A guest id goes alone.
        let second = UserRef::Id(world.id_of("guest-2").await);
        let seen = world.engine.preview_erasure(&admin, &second, None).await.unwrap();
        assert_eq!((seen.with.len(), seen.stays.as_ref().map(|main| main.who.as_str())), (0, Some("ana")));
        world.engine.erase(&admin, &second, None, &wanted("guest-2", seen.version)).await.unwrap();
        assert_eq!(world.served("ana").await, ["User has two children", "User lives in Oslo"]);

        let seen = world.engine.preview_erasure(&admin, &ana, None).await.unwrap();
        // What happens about the other id is not erased unseen.
        world.knows("guest-1", "fact", "User plays the cello").await;
        let stale = world.engine.erase(&admin, &ana, None, &wanted("ana", seen.version)).await;
        assert!(matches!(stale, Err(EngineError::Stale { .. })), "{stale:?}");
        let seen = world.engine.preview_erasure(&admin, &ana, None).await.unwrap();
        let gone = world.engine.erase(&admin, &ana, None, &wanted("ana", seen.version)).await.unwrap();
        assert_eq!(gone.with.len(), 1);
        for user in [&ana, &guest, &second] {
            let found = world.engine.user(&world.mia(Permission::ReadUsers), user, None).await;
            assert!(matches!(found, Err(EngineError::Erased { .. })), "{found:?}");
        }
        let closed = world.engine.close_request(&exports, &request.request.id, RequestOutcome::Done, None).await.unwrap();
        assert!(closed.users.iter().all(|user| user.erased));
        world.verify().await;
    }

    // G15, A12
    async fn ids_of_one_person_have_together_what_one_may_have(db: &TestDb) {
        let world = World::new(db).await;
        let patch = engine::AgentPatch { max_memories: Some(2), ..Default::default() };
        world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, patch).await.unwrap();
        world.knows("ana", "fact", "User lives in Oslo").await;
        world.knows("ana", "fact", "User has a dog").await;
        world.knows("guest-1", "fact", "User has two children").await;
        world.joined("guest-1", "ana").await;
        assert_eq!(world.served("guest-1").await.len(), 2);
        let cut = world.context("guest-1").await.cut;
        assert_eq!((cut.len(), cut[0].why), (1, CutFor::Cap));
        let dog = world.comes_of("guest-1", "fact", "User plays the cello").await;
        let full = world.engine.approve(&world.decides(), &dog.candidates[0], None, Approval::default()).await.unwrap_err();
        assert_eq!(full.code(), "memory_limit");
    }
}
