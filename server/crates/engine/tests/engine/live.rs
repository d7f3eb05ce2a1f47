//! What people hear while it happens.

use std::time::Duration;

use domain::{
    agent::AgentSettings,
    audit::EventType,
    candidate::Reason,
    id::CandidateId,
    permission::{Actor, Grant, Permission, Permit, RoleName},
};
use engine::{Heard, News};
use store::testing::TestDb;

use crate::world::{World, id_of, system};

fn happened(news: News) -> Vec<(EventType, String)> {
    match news {
        News::Happened(all) => all.into_iter().map(|one| (one.r#type, one.id)).collect(),
        News::Much => panic!("so much did not happen"),
    }
}

async fn fact(world: &World, content: &str) -> CandidateId {
    world.proposed("ana", "fact", None, content).await.id
}

store::both! {
    async fn what_became_of_candidates_is_heard_once_and_from_where_one_left_off(db: &TestDb) {
        let world = World::new(db).await;
        let read = world.mia(Permission::ReadCandidates);
        fact(&world, "User lives in Oslo").await;
        let mut heard = world.engine.heard_all(&read).await.unwrap();
        assert_eq!(happened(world.engine.news(&read, &mut heard).await.unwrap()), []);

        let candidate = fact(&world, "User keeps bees").await;
        let left_off = heard.to_string();
        world.engine.reject(&world.mia(Permission::Decide), &candidate, None, Reason::Wrong, None).await.unwrap();
        let both = [
            (EventType::CandidateProposed, candidate.to_string()),
            (EventType::CandidateRejected, candidate.to_string()),
        ];
        assert_eq!(happened(world.engine.news(&read, &mut heard).await.unwrap()), both);
        assert_eq!(happened(world.engine.news(&read, &mut heard).await.unwrap()), []);

        let mut again: Heard = left_off.parse().unwrap();
        assert_eq!(happened(world.engine.news(&read, &mut again).await.unwrap()), both);
        assert_eq!(again, heard);
    }

    async fn other_agents_are_not_heard_of(db: &TestDb) {
        let world = World::new(db).await;
        let travel = domain::agent::AgentName::parse("travel").unwrap();
        world.engine.create_agent(&system(Permission::Administer), travel.clone(), AgentSettings::default()).await.unwrap();
        let guest = Actor::Person {
            id: id_of(&world.aiko),
            name: "Aiko".into(),
            grants: vec![Grant { agent: Some(travel), role: RoleName::Reviewer, languages: vec![] }],
        };
        let guest = Permit::ask(guest, Permission::ReadCandidates).unwrap();
        let mut heard = world.engine.heard_all(&guest).await.unwrap();
        fact(&world, "User lives in Oslo").await;
        assert_eq!(happened(world.engine.news(&guest, &mut heard).await.unwrap()), []);
        assert!(!heard.to_string().contains(world.agent.as_str()), "{heard}");
        // Nor where they say that they had heard of them before.
        let mut forged: Heard = format!("{}:0", world.agent).parse().unwrap();
        let news = happened(world.engine.news(&guest, &mut forged).await.unwrap());
        assert!(news.is_empty(), "{news:?}");
    }

    async fn who_missed_much_is_told_to_look_at_everything(db: &TestDb) {
        let world = World::new(db).await;
        let read = world.mia(Permission::ReadCandidates);
        fact(&world, "User lives in Oslo").await;
        let mut long_ago: Heard = format!("{}:-500", world.agent).parse().unwrap();
        assert_eq!(world.engine.news(&read, &mut long_ago).await.unwrap(), News::Much);
        assert_eq!(happened(world.engine.news(&read, &mut long_ago).await.unwrap()), []);
        assert_eq!(long_ago, world.engine.heard_all(&read).await.unwrap());
    }

    async fn what_is_committed_rings(db: &TestDb) {
        let world = World::new(db).await;
        let mut rings = world.engine.happenings();
        fact(&world, "User lives in Oslo").await;
        tokio::time::timeout(Duration::from_secs(20), rings.next()).await.expect("rung");
    }
}
