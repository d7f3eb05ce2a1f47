//! Two agents: what one does, the other never sees.

mod actors;

use actors::*;
use domain::{agent::AgentScope, audit::EventType, user::Scope};
use store::{
    Error, EventFilter, MemoryFilter, NewKey, Page, QueueFilter, UserFilter, testing::TestDb,
};

store::both! {
    async fn another_agents_ids_are_as_good_as_unknown(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let ana = user(&db.db, &sales, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("I live in Oslo")], hour(1)).await;
        let candidate = proposed(&db.db, &ana, resting_on(proposal("User lives in Oslo"), &talk, "I live in Oslo"), hour(1)).await;
        let cello = memory(&db.db, &ana, &statement("User plays the cello", hour(1)), hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let job = tx.enqueue_extract(&talk, 1, hour(1), &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();

        for scope in [AgentScope::One(support.clone()), AgentScope::Some(vec![support.clone()])] {
            let mut tx = db.db.write(scope).await.unwrap();
            let page = Page::first(10);
            assert!(tx.agent(&sales).await.unwrap().is_none());
            assert_eq!(tx.agents().await.unwrap().len(), 1);
            assert!(tx.user(&ana.id).await.unwrap().is_none());
            assert!(tx.conversation(&talk.id).await.unwrap().is_none());
            assert!(tx.candidate(&candidate.id).await.unwrap().is_none());
            assert!(tx.candidate_for_update(&candidate.id).await.unwrap().is_none());
            assert!(tx.memory(&cello.id).await.unwrap().is_none());
            assert!(tx.memory_for_update(&cello.id).await.unwrap().is_none());
            assert!(tx.revisions(&cello.id).await.unwrap().is_empty());
            assert!(tx.operation(&job.id).await.unwrap().is_none());
            assert!(tx.users(&UserFilter::default(), &page, hour(1)).await.unwrap().rows.is_empty());
            assert!(tx.queue(&QueueFilter::default(), &page, hour(1)).await.unwrap().rows.is_empty());
            assert!(tx.memories(&MemoryFilter::default(), &page, hour(1)).await.unwrap().rows.is_empty());
            assert_eq!(tx.queue_figures(hour(1)).await.unwrap().waiting, 0);
            assert!(tx.events(&EventFilter { user: Some(ana.id.clone()), ..EventFilter::default() }, &page).await.unwrap().rows.is_empty());
            assert!(tx.chain("sales", 0, 10).await.unwrap().is_empty());
            assert!(tx.chain("system", 0, 10).await.unwrap().is_empty());
            // A filter narrows the scope; it never widens it.
            let other = QueueFilter { agent: Some(sales.clone()), ..QueueFilter::default() };
            assert_eq!(tx.queue_count(&other, hour(1)).await.unwrap(), 0);

            let refused = tx.ensure_user(&sales, &Scope::user_id("eve").unwrap(), &by_system(hour(2))).await;
            assert!(matches!(refused, Err(Error::OutOfScope)));
            assert!(matches!(tx.approved(&sales, &ana.id, hour(1)).await, Err(Error::OutOfScope)));
            assert!(matches!(tx.known(&sales, &ana.id, hour(1)).await, Err(Error::OutOfScope)));
            assert!(matches!(tx.kinds(&sales).await, Err(Error::OutOfScope)));
            assert!(matches!(tx.receive(&talk, &[says("hi").into()], false, &by_system(hour(2))).await, Err(Error::OutOfScope)));
        }
        let mut tx = db.db.read(AgentScope::Some(vec![support, sales])).await.unwrap();
        assert!(tx.candidate(&candidate.id).await.unwrap().is_some());
        assert!(tx.memory(&cello.id).await.unwrap().is_some());
    }

    async fn work_in_one_agent_changes_nothing_in_the_other(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        // The same name, in each agent another person.
        let (ana, other) = (user(&db.db, &support, "ana").await, user(&db.db, &sales, "ana").await);
        assert_ne!(ana.id, other.id);
        memory(&db.db, &other, &statement("User lives in Oslo", hour(1)), hour(1)).await;
        let look = async || {
            let mut tx = db.db.read(AgentScope::One(sales.clone())).await.unwrap();
            let heads = tx.heads().await.unwrap();
            let figures = tx.figures(&sales, hour(1)).await.unwrap();
            let memories = tx.approved(&sales, &other.id, hour(1)).await.unwrap();
            (heads, figures, memories)
        };
        let before = look().await;
        for number in 0..20 {
            // Also the very same statement about a user of the same name.
            let text = if number == 0 { "User lives in Oslo".to_owned() } else { format!("User has {number} cats") };
            memory(&db.db, &ana, &statement(&text, hour(1)), hour(number)).await;
            proposed(&db.db, &ana, proposal(&format!("User has {number} dogs")), hour(number)).await;
            conversation(&db.db, &ana, &format!("c-{number}"), &[says("hello")], hour(number)).await;
        }
        assert_eq!(look().await, before);
        every_chain_verifies(&db.db).await;
    }

    async fn keys_are_listed_and_revoked_within_the_scope(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mut made = Vec::new();
        for (number, agent) in [(1_u8, Some(support.clone())), (2, Some(sales.clone())), (3, None)] {
            let new = NewKey {
                hash: [number; 32],
                hint: "keep_live_abcd…".into(),
                agent,
                scopes: key_scopes(),
                person: None,
                label: "test".into(),
                expires_at: Some(hour(10)),
            };
            made.push(tx.create_key(&new, &by_system(hour(1))).await.unwrap());
        }
        tx.commit().await.unwrap();

        let mut tx = db.db.write(AgentScope::One(support.clone())).await.unwrap();
        assert_eq!(tx.keys(None).await.unwrap(), [made[0].clone()]);
        assert!(matches!(tx.revoke_key(&made[1].id, &by_system(hour(2))).await, Err(Error::OutOfScope)));
        drop(tx);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.revoke_key(&made[0].id, &by_system(hour(2))).await.unwrap());
        assert!(!tx.revoke_key(&made[0].id, &by_system(hour(3))).await.unwrap());
        tx.touch_key(&made[1].id, hour(2)).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let revoked = tx.key_by_hash(&[1; 32]).await.unwrap().unwrap();
        assert!(!revoked.usable(hour(2)));
        let used = tx.key_by_hash(&[2; 32]).await.unwrap().unwrap();
        assert_eq!(used.last_used_at, Some(hour(2)));
        assert!(used.usable(hour(9)) && !used.usable(hour(10)));
        assert!(tx.key_by_hash(&[9; 32]).await.unwrap().is_none());
        let events = tx.events(&EventFilter { types: vec![EventType::KeyRevoked], ..EventFilter::default() }, &Page::first(5)).await.unwrap();
        assert_eq!(events.rows.len(), 1);
        assert_eq!(events.rows[0].agent, "support");
    }
}
