//! The agent with made-up people: what is in it, that it is there once, and that nothing of it stays.

use std::collections::BTreeSet;

use domain::{
    agent::{AgentName, AgentScope, AgentSettings},
    candidate::{Action, Dropped, Flag},
    kind::Kind,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{CandidateFilter, CandidateView, EngineError, Filled, Proposed};
use store::{Stamp, testing::TestDb};

use crate::world::{World, all, system};

fn demo() -> AgentName {
    AgentName::parse("demo").unwrap()
}

async fn filled(world: &World) {
    let admin = world.mia(Permission::Administer);
    world.engine.fill_demo(&admin).await.unwrap();
    world.work().await;
}

async fn waiting(world: &World) -> Vec<CandidateView> {
    world
        .queue(CandidateFilter {
            agent: Some(demo()),
            ..CandidateFilter::default()
        })
        .await
}

store::both! {
    async fn the_demo_has_forty_candidates_in_three_languages_with_every_sort_of_risk(db: &TestDb) {
        let world = World::builtin(db).await;
        filled(&world).await;
        let waiting = waiting(&world).await;
        let told: Vec<_> = waiting.iter().map(|one| format!("{} {:?} {} {:?}", one.who, one.action, one.content, one.flags)).collect();
        assert_eq!(waiting.len(), 40, "{told:#?}");
        let languages: BTreeSet<_> = waiting.iter().map(|one| one.language.as_str()).collect();
        assert!(["en", "ja", "zh"].iter().all(|tag| languages.contains(tag)), "{languages:?}");
        let people: BTreeSet<_> = waiting.iter().map(|one| one.who.as_str()).collect();
        assert_eq!(people.len(), 3);
        for flag in [Flag::PossibleDuplicate, Flag::Contradiction, Flag::Instruction, Flag::SpecialCategory, Flag::HiddenCharacters] {
            assert!(waiting.iter().any(|one| one.flags.contains(&flag)), "no {flag} in {told:#?}");
        }
        for action in [Action::Create, Action::Update, Action::Merge, Action::Retire] {
            assert!(waiting.iter().any(|one| one.action == action), "no {action}");
        }
        assert!(waiting.iter().any(|one| one.kind == "profile_field"));
        let without = waiting.iter().filter(|one| one.flags.contains(&Flag::NoEvidence)).count();
        assert!(without <= 1, "{without} rest on nothing: {told:#?}");
        for one in waiting.iter().filter(|one| !one.flags.contains(&Flag::NoEvidence)) {
            let words = &one.evidence[0];
            // A summary rests on its conversation as a whole.
            let Some(id) = &words.message else { continue };
            let seen = world.engine.conversation(&world.mia(Permission::ReadUsers), &words.conversation).await.unwrap();
            let turn = seen.turns.iter().find(|turn| turn.message == *id).unwrap_or_else(|| panic!("no message of {}", one.content));
            assert_eq!(domain::text::slice(&turn.content, words.start, words.end), words.quote, "{}", one.content);
        }
        let soon = world.engine.now() + Span::hours(24);
        assert!(waiting.iter().any(|one| one.expires_at < soon), "one is about to expire");
        world.verify().await;
    }

    async fn the_clock_leaves_alone_what_is_being_filled(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let (agent, token) = (world.agent.clone(), [7; 32]);
        world.clock.advance(Span::days(8));
        let now = world.engine.now();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.take_filling(&agent, &token, now + Span::seconds(30), now).await.unwrap());
        tx.commit().await.unwrap();
        let ran_out = async || {
            world.engine.tick().await.unwrap();
            let filter = CandidateFilter { status: Some(domain::candidate::Status::Rejected), ..CandidateFilter::default() };
            world.queue(filter).await.len()
        };
        assert_eq!(ran_out().await, 0);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.end_filling(&agent, &token).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(ran_out().await, 1);
    }

    async fn a_secret_that_was_dropped_is_seen_on_its_conversation(db: &TestDb) {
        let world = World::builtin(db).await;
        filled(&world).await;
        let users = world.engine.users(&world.mia(Permission::ReadUsers), Some(&demo()), None, &Default::default()).await.unwrap().data;
        let lena = users.iter().find(|user| user.who == "demo-lena").unwrap();
        let detail = world.engine.user(&world.mia(Permission::ReadUsers), &engine::UserRef::Id(lena.id.clone()), None).await.unwrap();
        let conversation = &detail.conversations_list[0].id;
        let seen = world.engine.conversation(&world.mia(Permission::ReadUsers), conversation).await.unwrap();
        let dropped: Vec<_> = seen.operations.iter().flat_map(|one| one.dropped.keys().cloned()).collect();
        assert!(dropped.iter().any(|reason| reason == Dropped::Secret.as_str()), "{dropped:?}");
    }

    async fn filled_twice_it_is_there_once_and_removed_nothing_of_it_stays_but_its_chain(db: &TestDb) {
        let world = World::builtin(db).await;
        world.say("ana", &["I prefer code examples in Python rather than pseudocode."]).await;
        world.work().await;
        let before = world.waiting().await.len();
        filled(&world).await;
        let once = waiting(&world).await.len();
        filled(&world).await;
        assert_eq!(waiting(&world).await.len(), once);

        let admin = world.mia(Permission::Administer);
        let looks = world.mia(Permission::ReadCandidates);
        for (name, query) in [("Theirs", "agent=demo&kind=fact"), ("Ours", "kind=fact")] {
            world.engine.save_view(&looks, name, query).await.unwrap();
        }
        world.engine.remove_demo(&admin).await.unwrap();
        let views = world.engine.saved_views(&looks).await.unwrap();
        assert_eq!(views.iter().map(|view| view.name.as_str()).collect::<Vec<_>>(), ["Ours"]);
        assert!(!world.engine.has_demo(&admin).await.unwrap());
        for (table, rows) in db.rows_of_agent("demo").await {
            let stays = ["events", "heads"].contains(&table.as_str());
            assert_eq!(rows > 0, stays, "{table} has {rows} rows");
        }
        assert_eq!(world.waiting().await.len(), before, "the agent beside it is untouched");
        assert!(matches!(world.engine.remove_demo(&admin).await, Err(EngineError::NotFound)));
        world.verify().await;

        filled(&world).await;
        assert_eq!(waiting(&world).await.len(), once, "it can be filled again");
        world.verify().await;
    }

    async fn what_died_in_the_middle_is_completed_by_another_press_and_nothing_is_there_twice(db: &TestDb) {
        let world = World::builtin(db).await;
        let admin = world.mia(Permission::Administer);
        // One of the people had said the first thing when the process died.
        let stamp = Stamp::system(world.engine.now());
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.create_demo(&demo(), &AgentSettings::default(), &Kind::assistant(), &stamp).await.unwrap();
        tx.commit().await.unwrap();
        let first = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("demo-xiaoyun").unwrap(),
            kind: "fact".into(),
            name: None,
            content: Some("用户有两名兼职员工".into()),
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        world.engine.propose(&system(Permission::Propose), &demo(), first).await.unwrap();
        assert_eq!(waiting(&world).await.len(), 1);
        assert!(world.engine.has_demo(&admin).await.unwrap());
        assert!(!world.engine.demo_is_whole(&admin).await.unwrap());

        filled(&world).await;
        assert!(world.engine.demo_is_whole(&admin).await.unwrap());
        assert_eq!(waiting(&world).await.len(), 40);
        world.verify().await;
    }

    async fn two_presses_at_once_fill_it_in_once_and_who_died_with_it_in_hand_is_not_waited_for(db: &TestDb) {
        let world = World::builtin(db).await;
        let admin = world.mia(Permission::Administer);
        let (one, other) = tokio::join!(world.engine.fill_demo(&admin), world.engine.fill_demo(&admin));
        let came = [one.unwrap(), other.unwrap()];
        assert!(came.contains(&Filled::Whole), "{came:?}");
        world.work().await;
        assert_eq!(waiting(&world).await.len(), 40);
        world.engine.remove_demo(&admin).await.unwrap();

        let (now, dead) = (world.engine.now(), [1; 32]);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.take_filling(&demo(), &dead, now + Span::seconds(30), now).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(world.engine.fill_demo(&admin).await.unwrap(), Filled::Underway);
        assert!(!world.engine.has_demo(&admin).await.unwrap());
        world.pass(Span::seconds(30));
        assert_eq!(world.engine.fill_demo(&admin).await.unwrap(), Filled::Whole);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let back = tx.keep_filling(&demo(), &dead, now + Span::minutes(1)).await;
        assert!(matches!(back, Err(store::Error::LostClaim)), "{back:?}");
        drop(tx);
        world.work().await;
        assert_eq!(waiting(&world).await.len(), 40);
        world.verify().await;
    }

    async fn an_agent_of_ones_own_by_that_name_is_neither_filled_nor_removed(db: &TestDb) {
        let world = World::builtin(db).await;
        let admin = system(Permission::Administer);
        world.engine.create_agent(&admin, demo(), AgentSettings::default()).await.unwrap();
        assert!(matches!(world.engine.fill_demo(&admin).await, Err(EngineError::NameTaken)));
        assert!(matches!(world.engine.remove_demo(&admin).await, Err(EngineError::NotFound)));
        assert!(world.queue(all()).await.is_empty());
    }
}
