//! The audit chain: what happened is told in the same transaction, in order, and stays.

mod actors;

use actors::*;
use domain::{agent::AgentScope, audit::EventType};
use store::{EventFilter, Page, testing::TestDb};

store::both! {
    async fn events_can_be_neither_changed_nor_deleted(db: &TestDb) {
        agent(&db.db, "support").await;
        for sql in ["update events set body = '{}'", "delete from events", "update events set seq = seq + 1"] {
            let refused = behind_the_back(db, sql).await.unwrap_err();
            assert!(refused.to_string().contains("append-only"), "{refused}");
        }
        assert_eq!(every_chain_verifies(&db.db).await, 1);
    }

    async fn a_transaction_that_is_dropped_leaves_neither_change_nor_event(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let before = every_chain_verifies(&db.db).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let made = tx.create_memory(fresh_memory(), &support, &ana.id, &statement("User lives in Oslo", hour(1)), &by_system(hour(1))).await.unwrap();
        drop(tx);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.memory(&made.id).await.unwrap(), None);
        drop(tx);
        assert_eq!(every_chain_verifies(&db.db).await, before);
    }

    async fn writers_at_once_make_one_chain_without_gaps(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let sales = agent(&db.db, "sales").await;
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..8 {
            let db = db.db.clone();
            let agent = if task % 2 == 0 { support.clone() } else { sales.clone() };
            tasks.spawn(async move {
                let ana = user(&db, &agent, &format!("ana {task}")).await;
                for number in 0..10 {
                    memory(&db, &ana, &statement(&format!("User has {number} cats and {task} dogs"), hour(1)), hour(number)).await;
                }
            });
        }
        tasks.join_all().await;
        // Two agents made, eight users, eighty memories.
        assert_eq!(every_chain_verifies(&db.db).await, 90);
    }

    async fn a_timeline_holds_what_is_about_its_user_newest_first_in_pages(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let bo = user(&db.db, &support, "bo").await;
        for number in 0..5 {
            memory(&db.db, &ana, &statement(&format!("User has {number} cats"), hour(1)), hour(number)).await;
            memory(&db.db, &bo, &statement(&format!("User has {number} dogs"), hour(1)), hour(number)).await;
        }
        let mut tx = db.db.read(AgentScope::One(support.clone())).await.unwrap();
        let mut page = Page::first(2);
        let mut seqs = Vec::new();
        loop {
            let part = tx.timeline(&support, &ana.id, &page).await.unwrap();
            seqs.extend(part.rows.iter().map(|event| event.seq));
            assert!(part.rows.iter().all(|event| event.user.as_deref() == Some(ana.id.as_str())));
            let Some(next) = part.next else { break };
            page.after = Some(next);
        }
        assert_eq!(seqs.len(), 6);
        assert!(seqs.is_sorted_by(|a, b| a > b));
    }

    async fn events_of_several_agents_come_in_the_order_of_time(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let sales = agent(&db.db, "sales").await;
        for number in 0..4 {
            let agent = if number % 2 == 0 { &support } else { &sales };
            let ana = user(&db.db, agent, "ana").await;
            memory(&db.db, &ana, &statement(&format!("User has {number} cats"), hour(1)), hour(number + 1)).await;
        }
        let filter = EventFilter { types: vec![EventType::MemoryCreated], ..EventFilter::default() };
        let mut tx = db.db.read(AgentScope::Some(vec![support, sales])).await.unwrap();
        let mut page = Page::first(3);
        let first = tx.events(&filter, &page).await.unwrap();
        page.after = first.next.clone();
        let second = tx.events(&filter, &page).await.unwrap();
        let times: Vec<_> = first.rows.iter().chain(&second.rows).map(|event| event.at).collect();
        assert_eq!(times, [hour(4), hour(3), hour(2), hour(1)]);
        assert!(second.next.is_none());
    }
}
