//! What is signed of the audit chains, the frontiers from which their trees grow on, and what walking the chains found.

mod actors;

use actors::*;
use domain::{
    agent::AgentScope,
    audit::{Checkpoint, Extent, Fault, FaultKind, SYSTEM_CHAIN, leaf_hash, tree},
};
use store::{Db, Error, EventFilter, KeptCheckpoint, Page, Verification, testing::TestDb};

async fn signed(db: &Db, at: i64) -> (KeptCheckpoint, Checkpoint) {
    let key = db.audit_key().await.unwrap();
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let chains = tx.grown().await.unwrap();
    drop(tx);
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let stamp = by_system(hour(at));
    let kept = tx.sign_checkpoint(&chains, &key, &stamp).await.unwrap();
    tx.commit().await.unwrap();
    let said = key.public_key().open(&kept.note).unwrap();
    (kept, said)
}

async fn has_grown(db: &Db) -> bool {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    tx.has_grown().await.unwrap()
}

/// The tree over the first events of a chain, counted up from nothing.
async fn from_scratch(db: &Db, chain: &str, size: u64) -> Extent {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let mut tree = tree::Frontier::default();
    for event in tx.chain(chain, 0, u32::MAX).await.unwrap() {
        if tree.size() < size {
            tree.push(leaf_hash(&event.body));
        }
    }
    tree.extent()
}

/// What the last checkpoint's event says it left out.
async fn left_out(db: &Db) -> serde_json::Value {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let filter = EventFilter {
        chain: Some(SYSTEM_CHAIN.to_owned()),
        types: vec![domain::audit::EventType::AuditCheckpointed],
        ..EventFilter::default()
    };
    let last = tx.events(&filter, &Page::first(1)).await.unwrap().rows;
    let body: serde_json::Value = serde_json::from_str(&last[0].body).unwrap();
    body["data"]["left_out"].clone()
}

store::both! {
    async fn a_root_by_the_frontier_is_the_root_over_every_event(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let sales = agent(&db.db, "sales").await;
        let ana = user(&db.db, &support, "ana").await;
        let bo = user(&db.db, &sales, "bo").await;
        let mut told = 0;
        for round in 0..20_i64 {
            // Sizes around powers of two, and rounds in which a chain does not grow.
            let (ours, theirs) = ((round * 7919 + 13) % 11, if round % 3 == 0 { (round * 31) % 5 } else { 0 });
            for number in 0..ours {
                told += 1;
                memory(&db.db, &ana, &statement(&format!("User has {told} cats"), hour(1)), hour(number)).await;
            }
            for number in 0..theirs {
                told += 1;
                memory(&db.db, &bo, &statement(&format!("User has {told} dogs"), hour(1)), hour(number)).await;
            }
            let (kept, said) = signed(&db.db, round).await;
            assert_eq!(u64::try_from(kept.size).unwrap(), said.system.size);
            assert_eq!((said.agents.len(), said.time_us), (2, hour(round).timestamp_micros()));
            for (chain, extent) in said.chains() {
                assert_eq!(from_scratch(&db.db, chain, extent.size).await, extent, "{chain} in round {round}");
            }
        }
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let heads = tx.heads().await.unwrap();
        let size = |chain: &str| heads.iter().find(|head| head.chain == chain).unwrap().seq;
        assert_eq!(size("support") + size("sales"), told + 4);
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    async fn only_what_came_since_the_last_checkpoint_is_read(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        memory(&db.db, &ana, &statement("User has a cat", hour(1)), hour(1)).await;
        let (_, before) = signed(&db.db, 1).await;
        db.unlock_history().await;
        db.behind_the_back("delete from events where agent = 'support' and seq = 2").await.unwrap();
        memory(&db.db, &ana, &statement("User has a dog", hour(2)), hour(2)).await;
        let (_, after) = signed(&db.db, 2).await;
        assert_eq!((before.agents["support"].size, after.agents["support"].size), (3, 4));
        assert_eq!(left_out(&db.db).await, serde_json::Value::Null);

        // Without the frontier everything is read, and a chain with a gap has no tree. The others are signed all the same.
        db.behind_the_back("delete from tree_frontiers").await.unwrap();
        agent(&db.db, "sales").await;
        let (_, said) = signed(&db.db, 3).await;
        assert_eq!(said.agents.keys().collect::<Vec<_>>(), ["sales"]);
        assert_eq!(left_out(&db.db).await, serde_json::json!(["support"]));
        assert!(!has_grown(&db.db).await, "damage alone is no reason for the next one");
        let (_, said) = signed(&db.db, 4).await;
        assert_eq!(said.agents.keys().collect::<Vec<_>>(), ["sales"]);
    }

    async fn a_chain_that_was_cut_and_has_grown_again_is_signed_as_it_is_now(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        for number in 0..5 {
            memory(&db.db, &ana, &statement(&format!("User has {number} cats"), hour(1)), hour(number)).await;
        }
        let (_, before) = signed(&db.db, 1).await;
        db.unlock_history().await;
        for cut in [
            "delete from events where agent = 'support' and seq > 3",
            "update heads set seq = 3, hash = (select hash from events where agent = 'support' and seq = 3) where agent = 'support'",
        ] {
            db.behind_the_back(cut).await.unwrap();
        }
        assert!(has_grown(&db.db).await);
        memory(&db.db, &ana, &statement("User has a dog", hour(2)), hour(2)).await;
        let (_, after) = signed(&db.db, 2).await;
        assert_eq!((before.agents["support"].size, after.agents["support"].size), (7, 4));
        assert_eq!(from_scratch(&db.db, "support", 4).await, after.agents["support"]);
    }

    async fn a_checkpoint_is_no_growth_and_anything_else_is(db: &TestDb) {
        assert!(!has_grown(&db.db).await, "nothing has happened");
        let support = agent(&db.db, "support").await;
        assert!(has_grown(&db.db).await);
        let (first, _) = signed(&db.db, 1).await;
        assert!(!has_grown(&db.db).await);
        user(&db.db, &support, "ana").await;
        assert!(has_grown(&db.db).await);
        let (second, _) = signed(&db.db, 2).await;
        assert!(!has_grown(&db.db).await);
        assert_eq!((first.size, second.size), (1, 2));
    }

    async fn what_happens_between_reading_and_signing_is_in_the_chain_of_the_system(db: &TestDb) {
        agent(&db.db, "support").await;
        signed(&db.db, 1).await;
        let key = db.db.audit_key().await.unwrap();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let chains = tx.grown().await.unwrap();
        drop(tx);
        // Another process is quicker.
        signed(&db.db, 2).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let kept = tx.sign_checkpoint(&chains, &key, &by_system(hour(3))).await.unwrap();
        tx.commit().await.unwrap();
        let said = key.public_key().open(&kept.note).unwrap();
        assert_eq!(said.system.size, 3);
        assert_eq!(from_scratch(&db.db, SYSTEM_CHAIN, 3).await, said.system);
    }

    async fn checkpoints_can_be_neither_changed_nor_deleted_and_are_listed_newest_first(db: &TestDb) {
        agent(&db.db, "support").await;
        let mut made = Vec::new();
        for at in 1..=5 {
            made.push(signed(&db.db, at).await.0);
        }
        for sql in ["update checkpoints set note = ''", "delete from checkpoints"] {
            let refused = behind_the_back(db, sql).await.unwrap_err();
            assert!(refused.to_string().contains("append-only"), "{refused}");
        }
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let mut page = Page::first(2);
        let mut listed = Vec::new();
        loop {
            let part = tx.checkpoints(&page).await.unwrap();
            listed.extend(part.rows);
            let Some(next) = part.next else { break };
            page.after = Some(next);
        }
        listed.reverse();
        assert_eq!(listed, made);
        assert_eq!(tx.checkpoints_after(2, 10).await.unwrap(), made[2..]);
        let elsewhere = tx.events(&EventFilter::default(), &Page::first(1)).await.unwrap().next;
        let refused = tx.checkpoints(&Page { after: elsewhere, limit: 1 }).await.unwrap_err();
        assert!(matches!(refused, Error::Cursor), "{refused}");
    }

    async fn an_installation_has_one_key_for_every_process(db: &TestDb) {
        let key = db.db.audit_key().await.unwrap();
        let again = db.again().await;
        assert_eq!(again.audit_key().await.unwrap().public_key(), key.public_key());
        again.close().await;
        let other = TestDb::sqlite().await;
        assert_ne!(other.db.audit_key().await.unwrap().instance(), key.instance());
        other.close().await;
    }

    async fn what_a_walk_found_is_kept_and_told_as_far_as_it_can_be_read(db: &TestDb) {
        let key = db.db.audit_key().await.unwrap();
        let fault = |seq| Fault { agent: "support".into(), seq, kind: FaultKind::Fork };
        let walk = |found: i64| Verification {
            started_at: hour(1),
            finished_at: hour(2),
            events: 12,
            checkpoints: 3,
            ok: found == 0,
            found,
            faults: (0..found).map(fault).collect(),
        };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert_eq!(tx.last_verification().await.unwrap(), None);
        for found in [1, 5000, 0] {
            tx.keep_verification(&walk(found), &key, &by_system(hour(2))).await.unwrap();
            let last = tx.last_verification().await.unwrap().unwrap();
            assert_eq!((last.found, last.ok, last.faults.len()), (found, found == 0, found.min(200) as usize));
            assert_eq!(last.faults[..], walk(found).faults[..last.faults.len()]);
        }
        tx.commit().await.unwrap();
        assert_eq!(every_chain_verifies(&db.db).await, 3);
    }
}
