//! Profile schemas and fields: versions, one query for a profile, and what the natural-language lists leave out.

mod actors;

use actors::*;
use domain::{agent::AgentScope, profile, user::User};
use serde_json::json;
use store::{Error, MemoryFilter, Page, Write, testing::TestDb};

fn field(field: &str, value: &str) -> Write {
    Write {
        kind: profile::KIND.into(),
        name: Some(profile::name("user-profile", field)),
        metadata: profile::metadata("user-profile", field, &json!(value), &json!(value)),
        ..statement(value, hour(1))
    }
}

async fn people(db: &TestDb) -> (User, User) {
    let support = agent(&db.db, "support").await;
    let ana = user(&db.db, &support, "ana").await;
    (ana, user(&db.db, &support, "bo").await)
}

store::both! {
    // D1, C8
    async fn a_schema_has_a_version_that_every_change_raises(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let (first, second) = (json!({"properties": {"b": {}, "a": {}}}), json!({"properties": {"a": {}}}));
        let mut tx = db.db.write(AgentScope::One(support.clone())).await.unwrap();
        let made = tx.create_profile_schema(&support, "user-profile", &first, &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();
        let mut tx = db.db.write(AgentScope::One(support.clone())).await.unwrap();
        let taken = tx.create_profile_schema(&support, "user-profile", &second, &by_system(hour(2))).await;
        assert!(matches!(taken, Err(Error::Exists)));
        drop(tx);

        let mut tx = db.db.write(AgentScope::One(support.clone())).await.unwrap();
        let changed = tx.change_profile_schema(&support, &made, &second, &by_system(hour(2))).await.unwrap();
        assert_eq!((changed.version, changed.created_at, changed.updated_at), (2, hour(1), hour(2)));
        let stale = tx.change_profile_schema(&support, &made, &first, &by_system(hour(3))).await;
        assert!(matches!(stale, Err(Error::Stale)));
        let stale = tx.remove_profile_schema(&support, &made, &by_system(hour(3))).await;
        assert!(matches!(stale, Err(Error::Stale)));
        tx.create_profile_schema(&support, "plans", &first, &by_system(hour(3))).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let ids: Vec<_> = tx.profile_schemas(&support).await.unwrap().into_iter().map(|schema| schema.id).collect();
        assert_eq!(ids, ["plans", "user-profile"]);
        let plans = tx.profile_schema(&support, "plans").await.unwrap().unwrap();
        assert_eq!(plans.fields().count(), 2);
        assert!(tx.profile_schemas(&sales).await.unwrap().is_empty());
        tx.remove_profile_schema(&support, &changed, &by_system(hour(4))).await.unwrap();
        assert!(tx.profile_schema(&support, "user-profile").await.unwrap().is_none());
        tx.commit().await.unwrap();
        let mut tx = db.db.write(AgentScope::One(sales.clone())).await.unwrap();
        assert!(matches!(tx.profile_schemas(&support).await, Err(Error::OutOfScope)));
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    // D4, D5, D6
    async fn a_profile_is_the_fields_of_one_user(db: &TestDb) {
        let (ana, bo) = people(db).await;
        let stack = memory(&db.db, &ana, &field("technical_stack", "ADK"), hour(1)).await;
        let mut short = field("job_status", "student");
        short.expires_at = Some(hour(5));
        let status = memory(&db.db, &ana, &short, hour(1)).await;
        let oslo = memory(&db.db, &ana, &statement("User lives in Oslo", hour(1)), hour(1)).await;
        let other = memory(&db.db, &bo, &field("technical_stack", "Rust"), hour(1)).await;
        let mut tx = db.db.read(AgentScope::One(ana.agent.clone())).await.unwrap();
        assert_eq!(tx.profile(&ana.agent, &ana.id, hour(4)).await.unwrap(), [stack.clone(), status.clone()]);
        assert_eq!(tx.profile(&ana.agent, &ana.id, hour(5)).await.unwrap(), std::slice::from_ref(&stack));
        assert!(tx.profile(&ana.agent, &bo.id, hour(4)).await.unwrap() == std::slice::from_ref(&other));

        let natural = MemoryFilter { natural: true, ..MemoryFilter::default() };
        let found = tx.memories(&natural, &Page::first(10), hour(4)).await.unwrap().rows;
        assert_eq!(found, [oslo]);
        assert_eq!(tx.memory_count(&MemoryFilter::default(), hour(4)).await.unwrap(), 4);
        let asked = MemoryFilter { kinds: vec![profile::KIND.into()], ..natural };
        assert_eq!(tx.memory_count(&asked, hour(4)).await.unwrap(), 3);

        // All of a kind, whomever they are about, part by part.
        let first = tx.memories_of_kind(&ana.agent, profile::KIND, None, 2, hour(4)).await.unwrap();
        let rest = tx.memories_of_kind(&ana.agent, profile::KIND, Some(&first[1].id), 2, hour(4)).await.unwrap();
        assert_eq!([first, rest].concat(), [stack, status, other]);
    }
}
