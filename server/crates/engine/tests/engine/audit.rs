//! The audit chain against somebody with access to the database, and lists against cursors of other lists.

use domain::{
    audit::FaultKind,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    user::Scope,
};
use engine::{Approval, CandidateFilter, EngineError, EventFilter, MemoryFilter, Page, UserRef};
use store::testing::TestDb;

use crate::world::{World, all, system};

store::both! {
    // F8
    async fn a_chain_whose_head_is_gone_does_not_pass(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.verify().await;
        let refused = db.behind_the_back("delete from heads").await.unwrap_err();
        assert!(refused.to_string().contains("never deleted"), "{refused}");

        let off = if db.db.is_sqlite() { "drop trigger heads_no_delete" } else { "drop trigger heads_no_delete on heads" };
        db.behind_the_back(off).await.unwrap();
        db.behind_the_back("delete from heads where agent = 'support'").await.unwrap();
        let whole = world.engine.verify(&system(Permission::ReadAudit)).await.unwrap();
        assert!(!whole.ok);
        let faults: Vec<_> = whole.faults.iter().map(|fault| (fault.agent.as_str(), fault.kind)).collect();
        assert_eq!(faults, [("support", FaultKind::Truncated)]);
        assert!(!world.engine.verify(&auditor("support")).await.unwrap().ok);
        // Another agent's chain is none of this auditor's business.
        assert!(world.engine.verify(&auditor("sales")).await.unwrap().ok);
    }

    async fn a_cursor_of_another_list_is_refused(db: &TestDb) {
        let world = World::new(db).await;
        for user in ["ana", "bo"] {
            for city in ["Oslo", "Lima"] {
                let candidate = world.proposed(user, "fact", None, &format!("User has been to {city}")).await;
                world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, Approval::default()).await.unwrap();
            }
        }
        let ana = UserRef::Scope(Scope::user_id("ana").unwrap());
        // A page of each list, with its cursor.
        let list = async |number: usize, cursor: Option<String>| -> Result<Option<String>, EngineError> {
            let page = Page { cursor, limit: 1 };
            Ok(match number {
                0 => world.engine.candidates(&world.mia(Permission::ReadCandidates), &all(), &page).await?.next,
                1 => world.engine.candidates(&world.mia(Permission::ReadCandidates), &CandidateFilter { status: Some(domain::candidate::Status::Approved), ..CandidateFilter::default() }, &page).await?.next,
                2 => world.engine.memories(&world.mia(Permission::ReadMemories), &MemoryFilter::default(), &page).await?.next,
                3 => world.engine.users(&world.mia(Permission::ReadUsers), None, None, &page).await?.next,
                4 => world.engine.events(&world.mia(Permission::ReadAudit), &EventFilter::default(), &page).await?.next,
                5 => world.engine.events(&world.mia(Permission::ReadAudit), &EventFilter { agent: Some("support".into()), ..EventFilter::default() }, &page).await?.next,
                _ => world.engine.timeline(&world.mia(Permission::ReadUsers), &ana, Some(&world.agent), &page).await?.next,
            })
        };
        // Candidates are one list under every filter, and so are the events of one agent.
        let families = [0, 0, 2, 3, 4, 5, 5];
        let mut cursors = Vec::new();
        for number in 0..families.len() {
            cursors.push(list(number, None).await.unwrap().expect("a second page"));
        }
        for (number, family) in families.iter().enumerate() {
            for (other, cursor) in cursors.iter().enumerate() {
                match list(number, Some(cursor.clone())).await {
                    Ok(_) => assert_eq!(*family, families[other], "{cursor} in list {number}"),
                    Err(refused) => {
                        assert_ne!(*family, families[other], "{cursor} in list {number}");
                        assert_eq!((refused.status(), refused.fields()[0].pointer.as_str()), (422, "/cursor"), "{cursor}");
                    }
                }
            }
        }
    }
}

pub fn auditor(agent: &str) -> Permit {
    let actor = Actor::Person {
        id: domain::id::PersonId::new(crate::world::start(), &engine::OsEntropy),
        name: "Ida".to_owned(),
        grants: vec![Grant {
            agent: Some(domain::agent::AgentName::parse(agent).unwrap()),
            ..Grant::everywhere(RoleName::Admin)
        }],
    };
    Permit::ask(actor, Permission::ReadAudit).unwrap()
}
