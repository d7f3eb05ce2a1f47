//! What held at an earlier instant: read from rows that never change, and from the events that moved an end.

mod actors;

use actors::*;
use domain::{
    Timestamp,
    agent::AgentScope,
    candidate::{Reason, Verdict},
    id::DecisionId,
    memory::{RetiredFor, RevisionAction},
    time::Span,
    user::User,
};
use store::{
    Db, NewCandidate, Seen, Stamp, Write,
    testing::{Seeded, TestDb},
};

/// What was served about a user: each statement with its revision and its end.
async fn known(db: &Db, user: &User, then: Timestamp) -> Vec<(String, i64, Option<Timestamp>)> {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let stood = tx
        .memories_as_of(&user.agent, &user.id, then)
        .await
        .unwrap();
    stood
        .into_iter()
        .map(|stood| {
            (
                stood.revision.content,
                stood.revision.number,
                stood.expires_at,
            )
        })
        .collect()
}

/// Since when and until when each candidate of a user waited.
async fn waited(db: &Db, user: &User, then: Timestamp) -> Vec<(Timestamp, Timestamp)> {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let waited = tx
        .candidates_as_of(&user.agent, &user.id, then)
        .await
        .unwrap();
    waited
        .into_iter()
        .map(|waited| (waited.since, waited.until))
        .collect()
}

store::both! {
    // G6, B6
    async fn a_memory_stands_as_it_stood_until_the_end_it_had_then(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let bo = user(&db.db, &agent(&db.db, "sales").await, "bo").await;
        memory(&db.db, &bo, &statement("User sings", hour(1)), hour(1)).await;
        let short = Write { expires_at: Some(hour(5)), ..statement("User has a cold", hour(1)) };
        let cold = memory(&db.db, &ana, &short, hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.see_again(&ana.agent, &ana.id, Seen::Memory(cold.id.clone()), &[], None, Some(hour(7)), &by_system(hour(3))).await.unwrap();
        tx.commit().await.unwrap();
        assert!(known(&db.db, &ana, hour(0)).await.is_empty());
        let one = |end| vec![("User has a cold".to_owned(), 1, Some(hour(end)))];
        for (then, wanted) in [(1, one(5)), (2, one(5)), (3, one(7)), (6, one(7)), (7, vec![])] {
            assert_eq!(known(&db.db, &ana, hour(then)).await, wanted, "{then}");
        }

        // Another value has an end of its own; the repetition of before it counts no more.
        let by_mia = |at| Stamp::by(&reviewer(1), hour(at));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let present = tx.memory(&cold.id).await.unwrap().unwrap();
        let worse = Write { expires_at: Some(hour(6)), ..statement("User has a bad cold", hour(4)) };
        let present = tx.revise_memory(&present, RevisionAction::Update, &worse, &by_mia(4)).await.unwrap();
        let retired = tx.retire_memory(&present, RetiredFor::Deleted, None, None, None, &by_mia(5)).await.unwrap();
        tx.revise_memory(&retired, RevisionAction::Restore, &statement("User has a cold", hour(8)), &by_mia(8)).await.unwrap();
        tx.commit().await.unwrap();
        let two = ("User has a bad cold".to_owned(), 2, Some(hour(6)));
        let four = ("User has a cold".to_owned(), 4, None);
        for (then, wanted) in [(3, one(7)), (4, vec![two]), (5, vec![]), (7, vec![]), (8, vec![four.clone()]), (900, vec![four])] {
            assert_eq!(known(&db.db, &ana, hour(then)).await, wanted, "{then}");
        }
        every_chain_verifies(&db.db).await;
    }

    // G6, A6
    async fn a_candidate_waits_as_it_waited_with_the_downtime_it_got_back(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let ten = Span::minutes(10);
        let candidate = proposed(&db.db, &ana, proposal("User plays the cello"), hour(0)).await;
        db.db.extend_after_gap(ten, &by_system(hour(100))).await.unwrap();
        db.db.extend_after_gap(ten, &by_system(hour(150))).await.unwrap().unwrap();
        let by_mia = |at| Stamp::by(&reviewer(1), hour(at));
        let entropy = Seeded::default();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let before = tx.candidate_for_update(&candidate.id).await.unwrap().unwrap();
        assert_eq!(before.expires_at, hour(218), "what is worked out is what is stored");
        let after = before.clone().reject(DecisionId::new(hour(210), &entropy), Reason::Wrong, hour(210)).unwrap();
        tx.decide(&before, &after, &Verdict::Reject(Reason::Wrong), None, &by_mia(210)).await.unwrap();
        let reopened = after.clone().reopen(hour(220)).unwrap();
        tx.decide(&after, &reopened, &Verdict::Reopen, None, &by_mia(220)).await.unwrap();
        tx.commit().await.unwrap();
        let first = |until| vec![(hour(0), hour(until))];
        for (then, wanted) in [
            (0, first(168)), (99, first(168)), (120, first(218)), (200, first(218)), (210, vec![]), (219, vec![]),
            (220, vec![(hour(220), hour(388))]), (387, vec![(hour(220), hour(388))]), (388, vec![]),
        ] {
            assert_eq!(waited(&db.db, &ana, hour(then)).await, wanted, "{then}");
        }
        assert!(waited(&db.db, &ana, hour(0) - Span::seconds(1)).await.is_empty());
    }

    // G6, G13
    async fn what_waits_longer_than_a_week_waited_that_long(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let new = NewCandidate {
            agent: ana.agent.clone(),
            user: ana.id.clone(),
            proposal: proposal("User plays the cello"),
            extraction: None,
            supersedes: vec![],
        };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.propose_for(&new, Span::days(30), &by_system(hour(0))).await.unwrap();
        tx.commit().await.unwrap();
        db.db.extend_after_gap(Span::minutes(10), &by_system(hour(400))).await.unwrap();
        db.db.extend_after_gap(Span::minutes(10), &by_system(hour(410))).await.unwrap().unwrap();
        let days = |until| vec![(hour(0), hour(until))];
        for (then, wanted) in [(0, days(720)), (240, days(720)), (410, days(730)), (729, days(730)), (730, vec![])] {
            assert_eq!(waited(&db.db, &ana, hour(then)).await, wanted, "{then}");
        }
        every_chain_verifies(&db.db).await;
    }

    // G6, A6, F7
    async fn what_was_taken_back_within_its_time_waits_until_the_end_it_had(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let candidate = proposed(&db.db, &ana, proposal("User plays the cello"), hour(0)).await;
        let by_mia = |at| Stamp::by(&reviewer(1), hour(at));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let before = tx.candidate_for_update(&candidate.id).await.unwrap().unwrap();
        let after = before.clone().reject(DecisionId::new(hour(10), &Seeded::default()), Reason::Wrong, hour(10)).unwrap();
        tx.decide(&before, &after, &Verdict::Reject(Reason::Wrong), None, &by_mia(10)).await.unwrap();
        let reopened = after.clone().reopen(hour(20)).unwrap();
        assert_eq!(reopened.expires_at, candidate.expires_at);
        tx.decide(&after, &reopened, &Verdict::Reopen, None, &by_mia(20)).await.unwrap();
        tx.commit().await.unwrap();
        db.db.extend_after_gap(Span::minutes(10), &by_system(hour(30))).await.unwrap();
        db.db.extend_after_gap(Span::minutes(10), &by_system(hour(40))).await.unwrap().unwrap();
        let again = |until| vec![(hour(20), hour(until))];
        for (then, wanted) in [(5, vec![(hour(0), hour(168))]), (15, vec![]), (25, again(168)), (35, again(178)), (177, again(178)), (178, vec![])] {
            assert_eq!(waited(&db.db, &ana, hour(then)).await, wanted, "{then}");
        }
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.candidate(&candidate.id).await.unwrap().unwrap().candidate.expires_at, hour(178), "what is worked out is what is stored");
    }
}
