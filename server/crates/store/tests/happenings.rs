//! Who has a desk open hears that something happened; and what people set for themselves.

mod actors;

use std::time::Duration;

use actors::*;
use domain::{
    agent::AgentScope,
    permission::{Grant, RoleName},
};
use store::{Db, Error, NewPerson, testing::TestDb};

/// Longer than any of it takes; what must not be heard is waited for by hearing something later.
const LIMIT: Duration = Duration::from_secs(20);

store::both! {
    async fn a_candidate_rings_at_the_desks_of_every_process_and_a_message_does_not(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let mut own = db.db.happenings();
        // SQLite is used by one process; PostgreSQL's other one listens.
        let other = if db.db.is_sqlite() { None } else { Some(db.again().await) };
        let mut others = other.as_ref().map(Db::happenings);
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        assert!(tokio::time::timeout(Duration::ZERO, own.next()).await.is_err(), "a message is nothing for a desk");
        proposed(&db.db, &ana, resting_on(proposal("User lives in Oslo"), &talk, "one"), hour(2)).await;
        tokio::time::timeout(LIMIT, own.next()).await.expect("rung");
        if let Some(others) = &mut others {
            tokio::time::timeout(LIMIT, others.next()).await.expect("rung");
        }
        if let Some(other) = other {
            other.close().await;
        }
    }

    async fn who_leaves_rings_too_so_that_their_stream_ends(db: &TestDb) {
        let new = NewPerson {
            email: "mia@example.com".into(),
            name: "Mia".into(),
            password_hash: None,
            grants: vec![Grant::everywhere(RoleName::Reviewer)],
        };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mia = tx.create_person(&new, &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();
        let mut rings = db.db.happenings();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.signed_out(&mia.id, &by_system(hour(2))).await.unwrap();
        tx.commit().await.unwrap();
        tokio::time::timeout(LIMIT, rings.next()).await.expect("rung");
    }

    async fn what_a_person_sets_is_kept_with_them_alone(db: &TestDb) {
        let person = |name: &str| NewPerson {
            email: format!("{name}@example.com"),
            name: name.into(),
            password_hash: None,
            grants: vec![],
        };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mia = tx.create_person(&person("mia"), &by_system(hour(1))).await.unwrap().id;
        let aiko = tx.create_person(&person("aiko"), &by_system(hour(1))).await.unwrap().id;
        assert_eq!(tx.person_settings(&mia).await.unwrap(), Some(serde_json::json!({})));
        let set = serde_json::json!({"keys": {"on": false}});
        tx.set_person_settings(&mia, &set).await.unwrap();
        assert_eq!(tx.person_settings(&mia).await.unwrap(), Some(set.clone()));
        assert_eq!(tx.person_settings(&aiko).await.unwrap(), Some(serde_json::json!({})));
        let nobody = domain::id::PersonId::new(hour(9), &store::testing::Seeded::default());
        assert_eq!(tx.person_settings(&nobody).await.unwrap(), None);
        assert!(matches!(tx.set_person_settings(&nobody, &set).await, Err(Error::Stale)));
    }
}
