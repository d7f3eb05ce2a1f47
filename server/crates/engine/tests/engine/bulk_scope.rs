//! A bulk over several agents, where its person sees some of them or none any more (F7, G7).

use domain::{
    agent::{AgentName, AgentSettings},
    bulk::{BulkState, BulkVerdict},
    candidate::Reason,
    id::{BulkId, KeyId},
    key::KeyScope,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    user::Scope,
};
use engine::{
    CandidateView, EngineError, Gathering, Listing, NewBulk, OsEntropy, Page, ProposeAnswer,
    Proposed,
};
use store::testing::TestDb;

use crate::world::{World, start, system};

async fn another(world: &World, name: &str) -> AgentName {
    let name = AgentName::parse(name).unwrap();
    let administers = system(Permission::Administer);
    world
        .engine
        .create_agent(&administers, name.clone(), AgentSettings::default())
        .await
        .unwrap();
    name
}

async fn proposed(world: &World, agent: &AgentName, content: &str) -> CandidateView {
    let new = Proposed {
        action: None,
        target: None,
        scope: Scope::user_id("ana").unwrap(),
        kind: "fact".into(),
        name: None,
        content: Some(content.to_owned()),
        metadata: Default::default(),
        tags: vec![],
        confidence: None,
        importance: None,
        explanation: None,
    };
    let mia = world.mia(Permission::Propose);
    let answer = world.engine.propose(&mia, agent, new).await.unwrap();
    let ProposeAnswer::Proposed { candidate } = answer else {
        panic!("{answer:?}")
    };
    *candidate
}

/// Reviews one agent.
fn of(agent: &AgentName) -> Grant {
    Grant {
        agent: Some(agent.clone()),
        ..Grant::everywhere(RoleName::Reviewer)
    }
}

/// Aiko with these roles.
fn aiko(world: &World, grants: Vec<Grant>) -> Permit {
    let Actor::Person { id, name, .. } = world.aiko.clone() else {
        unreachable!()
    };
    Permit::ask(Actor::Person { id, name, grants }, Permission::Decide).unwrap()
}

/// Aiko, who reviews everything, through a key that names one agent.
fn through_a_key(world: &World, agent: &AgentName) -> Permit {
    let Actor::Person { id, name, .. } = world.aiko.clone() else {
        unreachable!()
    };
    let key = Actor::PersonKey {
        key: KeyId::new(start(), &OsEntropy),
        person: id,
        name,
        grants: vec![Grant::everywhere(RoleName::Reviewer)],
        agent: Some(agent.clone()),
        scopes: vec![KeyScope::ReviewWrite],
    };
    Permit::ask(key, Permission::Decide).unwrap()
}

fn reject(of: Gathering) -> NewBulk {
    NewBulk {
        verdict: BulkVerdict::Reject,
        reason: Some(Reason::NotDurable),
        note: None,
        insist: false,
        confirmed: None,
        of,
    }
}

async fn neither_undoes_nor_stops(world: &World, permit: &Permit, bulks: [&BulkId; 2]) {
    for id in bulks {
        for refused in [
            world.engine.undo_bulk(permit, id).await.map(drop),
            world.engine.stop_bulk(permit, id).await.map(drop),
        ] {
            assert!(
                matches!(refused, Err(EngineError::NotFound)),
                "{permit:?}: {refused:?}"
            );
        }
    }
}

/// One bulk that is done and one that has not begun, both over two agents, asked for with these roles.
async fn belongs_to_who_sees_all_of_it(world: &World, sales: &AgentName, grants: Vec<Grant>) {
    let travel = another(world, "travel").await;
    let all = aiko(world, grants);
    let ours = proposed(world, &world.agent, "User lives in Oslo").await;
    let theirs = proposed(world, sales, "User lives in Bergen").await;
    let picks = [&ours, &theirs].map(|one| (one.id.clone(), one.version));
    let picked = reject(Gathering::Picked(picks.to_vec()));
    let done = world.engine.start_bulk(&all, picked).await.unwrap();
    assert_eq!((done.state, done.done), (BulkState::Done, 2));
    proposed(world, &world.agent, "User keeps bees").await;
    proposed(world, sales, "User keeps cats").await;
    let matching = reject(Gathering::Matching(Box::default(), None));
    let open = world.engine.start_bulk(&all, matching).await.unwrap();
    assert_eq!((open.state, open.total), (BulkState::Collecting, 2));
    let both = [&done.id, &open.id];

    for part in [aiko(world, vec![of(sales)]), through_a_key(world, sales)] {
        let read = world.engine.bulk(&part, &done.id).await.unwrap();
        assert_eq!(read.id, done.id, "a part is enough to read it");
        neither_undoes_nor_stops(world, &part, both).await;
    }
    for outside in [
        aiko(world, vec![of(&travel)]),
        through_a_key(world, &travel),
    ] {
        for id in both {
            let page = Page::default();
            for refused in [
                world.engine.bulk(&outside, id).await.map(drop),
                world
                    .engine
                    .bulk_items(&outside, id, Listing::Failed, &page)
                    .await
                    .map(drop),
            ] {
                assert!(matches!(refused, Err(EngineError::NotFound)), "{refused:?}");
            }
        }
        let listed = world.engine.bulks(&outside, &Page::default()).await;
        assert!(listed.unwrap().data.is_empty());
        neither_undoes_nor_stops(world, &outside, both).await;
    }

    let untouched = world.engine.bulk(&all, &done.id).await.unwrap();
    assert_eq!(untouched.undone_by, None);
    let stopped = world.engine.stop_bulk(&all, &open.id).await.unwrap();
    assert_eq!((stopped.state, stopped.done), (BulkState::Stopped, 0));
    let undone = world.engine.undo_bulk(&all, &done.id).await.unwrap();
    assert_eq!((undone.state, undone.done), (BulkState::Done, 2));
    world.verify().await;
}

store::both! {
    // F7, G7
    async fn a_bulk_over_every_agent_is_taken_back_by_who_reviews_every_agent(db: &TestDb) {
        let world = World::new(db).await;
        let sales = another(&world, "sales").await;
        let grants = vec![Grant::everywhere(RoleName::Reviewer)];
        belongs_to_who_sees_all_of_it(&world, &sales, grants).await;
    }

    // F7, G7
    async fn a_bulk_over_two_agents_is_taken_back_by_who_reviews_both(db: &TestDb) {
        let world = World::new(db).await;
        let sales = another(&world, "sales").await;
        let grants = vec![of(&world.agent), of(&sales)];
        belongs_to_who_sees_all_of_it(&world, &sales, grants).await;
    }
}
