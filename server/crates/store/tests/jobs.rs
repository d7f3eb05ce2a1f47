//! Jobs: each is done once, in order, by one worker at a time.

mod actors;

use std::collections::BTreeMap;

use actors::*;
use domain::{agent::AgentScope, candidate::Dropped, conversation::Conversation, time::Span};
use store::{
    Claimed, Db, Error, ExtractionState, JobState, JobType, NewExtraction, Operation, Outcome,
    Provenance, Skipped, testing::TestDb,
};

const LEASE: Span = Span::seconds(30);

async fn enqueue(db: &Db, conversation: &Conversation, due: i64, now: i64) -> Operation {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let job = tx
        .enqueue_extract(
            conversation,
            conversation.messages,
            hour(due),
            &by_system(hour(now)),
        )
        .await
        .unwrap();
    tx.commit().await.unwrap();
    job
}

async fn finish(db: &Db, claimed: &Claimed, state: JobState) -> store::Result<()> {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let error = (state == JobState::Failed).then_some("provider_down");
    tx.finish_job(claimed, state, error, &Outcome::default(), hour(5))
        .await?;
    tx.commit().await
}

async fn look(db: &Db, job: &Operation) -> Operation {
    db.read(AgentScope::All)
        .await
        .unwrap()
        .operation(&job.id)
        .await
        .unwrap()
        .unwrap()
}

fn builtin() -> Provenance {
    Provenance {
        name: "builtin".into(),
        version: "1".into(),
        model: None,
        prompt_version: None,
        schema_version: None,
    }
}

store::both! {
    // A2
    async fn a_later_post_joins_the_job_nobody_has_claimed(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        let first = enqueue(&db.db, &talk, 3, 1).await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("two"), says("three")], hour(2)).await;

        // Quiet begins anew with each post.
        let joined = enqueue(&db.db, &talk, 4, 2).await;
        assert_eq!((joined.id.clone(), joined.upto, joined.next_at), (first.id.clone(), 3, Some(hour(4))));
        // An end makes it due now, and a later quiet post does not put that off.
        assert_eq!(enqueue(&db.db, &talk, 2, 2).await.next_at, Some(hour(2)));
        assert_eq!(enqueue(&db.db, &talk, 9, 2).await.next_at, Some(hour(2)));

        let claimed = db.db.claim(hour(2), LEASE).await.unwrap().unwrap();
        assert_eq!(claimed.operation.id, first.id);
        let talk = conversation(&db.db, &ana, "c-1", &[says("four")], hour(2)).await;
        let behind = enqueue(&db.db, &talk, 2, 2).await;
        assert_ne!(behind.id, first.id);
        assert!(db.db.claim(hour(2), LEASE).await.unwrap().is_none(), "it waits for the one before it");
        finish(&db.db, &claimed, JobState::Succeeded).await.unwrap();
        assert_eq!(db.db.claim(hour(2), LEASE).await.unwrap().unwrap().operation.id, behind.id);
    }

    async fn eight_workers_claim_each_job_once_and_one_a_user(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let mut made = Vec::new();
        for person in 0..10 {
            let who = user(&db.db, &support, &format!("user {person}")).await;
            for talk in 0..3 {
                let talk = conversation(&db.db, &who, &format!("c-{talk}"), &[says("hello")], hour(1)).await;
                made.push(enqueue(&db.db, &talk, 1, 1).await.id);
            }
        }
        let running = std::sync::Arc::new(std::sync::Mutex::new(std::collections::HashSet::new()));
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (db, running) = (db.db.clone(), running.clone());
            workers.spawn(async move {
                let mut done = Vec::new();
                let mut idle = 0;
                // A worker that finds nothing may have met the others in the same moment; it looks again.
                while idle < 50 {
                    let Some(claimed) = db.claim(hour(2), LEASE).await.unwrap() else {
                        idle += 1;
                        tokio::task::yield_now().await;
                        continue;
                    };
                    idle = 0;
                    let who = claimed.operation.user.clone().unwrap();
                    assert!(running.lock().unwrap().insert(who.clone()), "one job runs a user");
                    tokio::task::yield_now().await;
                    running.lock().unwrap().remove(&who);
                    finish(&db, &claimed, JobState::Succeeded).await.unwrap();
                    done.push(claimed.operation.id);
                }
                done
            });
        }
        let mut done: Vec<_> = workers.join_all().await.into_iter().flatten().collect();
        done.sort();
        made.sort();
        assert_eq!(done, made);
    }

    async fn a_worker_that_was_overtaken_can_change_nothing(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        let job = enqueue(&db.db, &talk, 1, 1).await;
        let slow = db.db.claim(hour(1), LEASE).await.unwrap().unwrap();
        assert!(db.db.claim(hour(1) + LEASE - Span::seconds(1), LEASE).await.unwrap().is_none());
        let quick = db.db.claim(hour(1) + LEASE, LEASE).await.unwrap().unwrap();
        assert_eq!((quick.operation.id.clone(), quick.operation.attempt, quick.epoch), (job.id.clone(), 2, 2));

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(!tx.heartbeat(&slow, hour(2), LEASE).await.unwrap());
        assert!(matches!(tx.hold_claim(&slow, hour(2), LEASE).await, Err(Error::LostClaim)));
        assert!(matches!(tx.save_outcome(&slow, &Outcome::default()).await, Err(Error::LostClaim)));
        assert!(matches!(tx.postpone_job(&slow, hour(9), "slow").await, Err(Error::LostClaim)));
        drop(tx);
        assert!(matches!(finish(&db.db, &slow, JobState::Failed).await, Err(Error::LostClaim)));
        finish(&db.db, &quick, JobState::Succeeded).await.unwrap();
        assert!(matches!(finish(&db.db, &quick, JobState::Failed).await, Err(Error::LostClaim)), "final is final");
        assert_eq!(look(&db.db, &job).await.state, JobState::Succeeded);
    }

    async fn a_postponed_job_shows_why_and_when_and_holds_back_what_came_later(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        let job = enqueue(&db.db, &talk, 1, 1).await;
        let claimed = db.db.claim(hour(1), LEASE).await.unwrap().unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.postpone_job(&claimed, hour(4), "rate_limited").await.unwrap();
        assert_eq!(tx.next_due().await.unwrap(), Some(hour(4)));
        tx.commit().await.unwrap();
        let waiting = look(&db.db, &job).await;
        assert_eq!((waiting.state, waiting.attempt, waiting.next_at, waiting.error.as_deref()), (JobState::Queued, 1, Some(hour(4)), Some("rate_limited")));

        let talk = conversation(&db.db, &ana, "c-1", &[says("two")], hour(2)).await;
        let later = enqueue(&db.db, &talk, 2, 2).await;
        assert_ne!(later.id, job.id, "a job that was claimed is not joined");
        assert!(db.db.claim(hour(3), LEASE).await.unwrap().is_none());
        assert_eq!(db.db.claim(hour(4), LEASE).await.unwrap().unwrap().operation.id, job.id);
    }

    async fn a_worker_that_stops_gives_the_attempt_back(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        let job = enqueue(&db.db, &talk, 1, 1).await;
        let claimed = db.db.claim(hour(1), LEASE).await.unwrap().unwrap();
        // Meanwhile another one was queued, which nobody has claimed.
        let talk = conversation(&db.db, &ana, "c-1", &[says("two")], hour(2)).await;
        enqueue(&db.db, &talk, 2, 2).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.release_claim(&claimed, hour(2)).await.unwrap();
        tx.commit().await.unwrap();
        let again = db.db.claim(hour(2), LEASE).await.unwrap().unwrap();
        assert_eq!((again.operation.id, again.operation.attempt), (job.id, 1));
    }

    async fn a_failed_stretch_is_passed_and_only_a_retry_takes_it_up(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one"), says("two")], hour(1)).await;
        let job = enqueue(&db.db, &talk, 1, 1).await;
        let claimed = db.db.claim(hour(1), LEASE).await.unwrap().unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let id = tx.begin_extraction_id(hour(2));
        let failed = NewExtraction {
            conversation: &talk,
            operation: &job.id,
            from: 1,
            upto: 2,
            state: ExtractionState::Failed,
            provenance: builtin(),
            error: Some("not_json".into()),
            raw: Some("I cannot help with that".into()),
            tokens_in: 10,
            tokens_out: 5,
            candidates: 0,
            dropped: BTreeMap::from([(Dropped::NoEvidence, 2)]),
            summary: None,
            moves: true,
        };
        tx.hold_claim(&claimed, hour(2), LEASE).await.unwrap();
        tx.record_extraction(&id, &failed, &by_system(hour(2))).await.unwrap();
        tx.finish_job(&claimed, JobState::Failed, Some("not_json"), &Outcome::default(), hour(2)).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let kept = tx.extractions_of(&talk).await.unwrap();
        assert_eq!(kept[0].raw.as_deref(), Some("I cannot help with that"));
        assert_eq!(kept[0].dropped[&Dropped::NoEvidence], 2);
        let passed = tx.conversation(&talk.id).await.unwrap().unwrap();
        assert_eq!(passed.extracted_upto, 2);
        assert_eq!(tx.given_up_by_reason().await.unwrap().len(), 1);
        let ended = tx.operation(&job.id).await.unwrap().unwrap();
        let retry = tx.retry(&ended, 1, &by_system(hour(3))).await.unwrap();
        assert!(matches!(tx.retry(&ended, 1, &by_system(hour(3))).await, Err(Error::Stale)), "once");
        tx.commit().await.unwrap();

        assert_eq!(look(&db.db, &job).await.retried_by, Some(retry.id.clone()));
        // A new post does not join the retry, whose stretch is its own.
        let talk = conversation(&db.db, &ana, "c-1", &[says("three")], hour(4)).await;
        assert_ne!(enqueue(&db.db, &talk, 4, 4).await.id, retry.id);
        let again = db.db.claim(hour(4), LEASE).await.unwrap().unwrap();
        assert_eq!((again.operation.id, again.operation.from, again.operation.upto), (retry.id, Some(1), 2));
        assert_eq!(again.operation.retry_of, Some(job.id));
        every_chain_verifies(&db.db).await;
    }

    // A1
    async fn a_skipped_request_leaves_an_operation_and_nothing_else(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let mut tx = db.db.write(AgentScope::One(support.clone())).await.unwrap();
        let job = tx.skipped_operation(&support, Skipped::MemoryOff, &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();
        let read = look(&db.db, &job).await;
        assert_eq!((read.state, read.outcome.skipped, read.user), (JobState::Succeeded, Some(Skipped::MemoryOff), None));
        assert!(db.db.claim(hour(9), LEASE).await.unwrap().is_none());
    }

    async fn a_commit_that_enqueues_wakes_workers_also_of_another_process(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        let mut own = db.db.wakeups();
        // SQLite is used by one process; PostgreSQL's other one listens.
        let other = if db.db.is_sqlite() { None } else { Some(db.again().await) };
        let mut others = other.as_ref().map(Db::wakeups);
        enqueue(&db.db, &talk, 1, 1).await;
        let limit = std::time::Duration::from_secs(20);
        tokio::time::timeout(limit, own.next()).await.expect("woken");
        if let Some(others) = &mut others {
            tokio::time::timeout(limit, others.next()).await.expect("woken");
        }
        if let Some(other) = other {
            other.close().await;
        }
    }

    async fn one_process_of_many_runs_a_schedule(db: &TestDb) {
        let mut turns = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let db = db.db.clone();
            turns.spawn(async move {
                let mut tx = db.write(AgentScope::All).await.unwrap();
                let turn = tx.take_turn("expiry", Span::minutes(1), hour(1)).await.unwrap();
                tx.commit().await.unwrap();
                turn
            });
        }
        assert_eq!(turns.join_all().await.into_iter().filter(|turn| *turn).count(), 1);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(!tx.take_turn("expiry", Span::minutes(1), hour(1)).await.unwrap());
        assert!(tx.take_turn("expiry", Span::minutes(1), hour(1) + Span::minutes(1)).await.unwrap());
    }

    async fn who_has_a_turn_says_when_the_next_one_is(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.take_turn("report", Span::hours(1), hour(1)).await.unwrap());
        tx.next_turn("report", hour(1), hour(1)).await.unwrap();
        assert!(tx.take_turn("report", Span::hours(1), hour(1) + Span::seconds(1)).await.unwrap(), "given back");
        tx.next_turn("report", hour(1), hour(1)).await.unwrap();
        assert!(!tx.take_turn("report", Span::hours(1), hour(1) + Span::seconds(2)).await.unwrap(), "not by who had it before");
        tx.next_turn("report", hour(1) + Span::seconds(1), hour(25)).await.unwrap();
        assert!(!tx.take_turn("report", Span::hours(1), hour(24)).await.unwrap());
        assert!(tx.take_turn("report", Span::hours(1), hour(25)).await.unwrap());
    }

    async fn a_turn_is_held_for_as_long_as_its_work_lasts(db: &TestDb) {
        let minutes = |minutes| hour(1) + Span::minutes(minutes);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.take_turn("verification", Span::minutes(2), hour(1)).await.unwrap());
        for gone in 1..=90 {
            assert!(tx.next_turn("verification", hour(1), minutes(gone + 2)).await.unwrap());
            assert!(!tx.take_turn("verification", Span::minutes(2), minutes(gone)).await.unwrap(), "{gone}");
        }
        // Nothing was heard of who had it.
        assert!(tx.take_turn("verification", Span::minutes(2), minutes(92)).await.unwrap());
        assert!(!tx.next_turn("verification", hour(1), hour(9)).await.unwrap(), "not by who had it before");
        assert_eq!(tx.note_turn("verification", hour(1), false).await.unwrap(), None);
        assert!(!tx.take_turn("verification", Span::minutes(2), minutes(93)).await.unwrap());
    }

    async fn turns_that_fail_in_a_row_are_counted(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        for (hours, failed, failures) in [(1, true, 1), (2, true, 2), (3, false, 0), (4, true, 1)] {
            assert!(tx.take_turn("report", Span::minutes(1), hour(hours)).await.unwrap());
            assert_eq!(tx.note_turn("report", hour(hours), failed).await.unwrap(), Some(failures));
        }
    }

    // C1
    async fn who_has_a_look_waiting_gives_way_to_others_with_news(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let ana = user(&db.db, &support, "ana").await;
        let bo = user(&db.db, &support, "bo").await;
        let carl = user(&db.db, &sales, "carl").await;
        for (at, who) in (2..).zip([&ana, &bo, &carl]) {
            let talk = conversation(&db.db, who, "c-1", &[says("one")], hour(1)).await;
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            tx.receive(&talk, &[says("two").into()], true, &by_system(hour(at))).await.unwrap();
            tx.commit().await.unwrap();
        }
        let of = |who: &domain::user::User| (who.agent.clone(), who.id.clone());
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let (since, now) = (hour(1), hour(4));
        assert_eq!(tx.users_with_news(since, now, 1).await.unwrap(), [of(&ana)], "the oldest news");
        tx.enqueue(&ana.agent, Some(&ana.id), JobType::Patterns, &by_system(hour(5))).await.unwrap();
        tx.enqueue(&bo.agent, Some(&bo.id), JobType::Migrate, &by_system(hour(5))).await.unwrap();
        tx.enqueue(&bo.agent, None, JobType::Migrate, &by_system(hour(5))).await.unwrap();
        assert_eq!(tx.users_with_news(since, now, 1).await.unwrap(), [of(&bo)]);
        assert_eq!(tx.users_with_news(since, now, 9).await.unwrap(), [of(&bo), of(&carl)]);
        assert_eq!(tx.users_with_news(since, hour(5), 9).await.unwrap(), [of(&carl)], "whatever is due about bo comes first");
        tx.commit().await.unwrap();
        for (scope, who) in [(AgentScope::One(sales), &carl), (AgentScope::Some(vec![support]), &bo)] {
            let mut tx = db.db.read(scope).await.unwrap();
            assert_eq!(tx.users_with_news(since, now, 9).await.unwrap(), [of(who)]);
        }
    }

    // C1, G14
    async fn what_a_reading_finds_is_news_when_it_is_done_and_one_that_is_put_off_hides_nobody(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let (talk, _) = tx.receive(&talk, &[says("two").into()], true, &by_system(hour(2))).await.unwrap();
        tx.commit().await.unwrap();
        let news = async |now: i64| {
            let mut tx = db.db.read(AgentScope::All).await.unwrap();
            let due = tx.has_due_work(&ana.agent, &ana.id, hour(now)).await.unwrap();
            (tx.users_with_news(hour(1), hour(now), 9).await.unwrap().len(), due)
        };
        enqueue(&db.db, &talk, 3, 2).await;
        assert_eq!(news(2).await, (1, false), "it waits for quiet");
        assert_eq!(news(3).await, (0, true));
        let claimed = db.db.claim(hour(3), LEASE).await.unwrap().unwrap();
        assert_eq!(news(3).await, (0, false), "under way");
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.put_off_job(&claimed, hour(24), "budget").await.unwrap();
        tx.commit().await.unwrap();
        enqueue(&db.db, &talk, 4, 4).await;
        assert_eq!(news(4).await, (1, false), "what waits behind it waits as long");

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert_eq!(tx.newest_news(&ana.agent, &ana.id).await.unwrap(), Some(hour(2)));
        tx.looked_for_patterns(&ana.agent, &ana.id, hour(2)).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(news(4).await.0, 0);
        let claimed = db.db.claim(hour(24), LEASE).await.unwrap().unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.finish_job(&claimed, JobState::Succeeded, None, &Outcome::default(), hour(24)).await.unwrap();
        assert_eq!(tx.newest_news(&ana.agent, &ana.id).await.unwrap(), Some(hour(24)));
        tx.commit().await.unwrap();
        assert_eq!(news(24).await, (0, true), "the next one is due");
        let claimed = db.db.claim(hour(24), LEASE).await.unwrap().unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.finish_job(&claimed, JobState::Succeeded, None, &Outcome::default(), hour(24)).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(news(24).await, (1, false));
    }
}
