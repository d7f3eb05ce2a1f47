//! What the clock does: candidates expire, memories outlive their kind, downtime is given back.

use std::{sync::Arc, time::Duration};

use domain::{
    Timestamp,
    agent::AgentScope,
    candidate::{Reason, Status},
    permission::Permission,
    schedule::ScheduleName,
    time::Span,
    user::Scope,
};
use engine::{
    Approval, CandidateFilter, DigestSettings, Engine, Extractors, OsEntropy, Outgoing, SentBy,
    Settings, Shape, outside::Allowed,
};
use store::testing::TestDb;
use tokio::{io::AsyncWriteExt, net::TcpListener};

use crate::world::{World, rejected, settings};

/// When a schedule comes next.
async fn next_turn(db: &TestDb, name: ScheduleName) -> Timestamp {
    let mut tx = db.db.read(AgentScope::All).await.unwrap();
    let rows = tx.schedule_rows().await.unwrap();
    let row = rows.into_iter().find(|row| row.name == name.as_str());
    row.unwrap().next_at
}

store::both! {
    // A6
    async fn what_nobody_decided_in_seven_days_is_rejected_as_expired(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.pass(Span::days(6));
        // Saying it again does not extend it.
        world.script.says(&serde_json::json!({"candidates": [
            {"kind": "fact", "content": "User lives in Oslo", "confidence": 0.9, "importance": 0.5, "evidence": "I live in Oslo"}]}));
        let again = world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        assert_eq!(world.operation(&again).await.sightings, 1);
        assert_eq!(world.waiting().await.len(), 1);

        world.pass(Span::days(1));
        assert!(world.waiting().await.is_empty(), "waiting means not past its time, whether or not the expiry ran");
        let decide = world.mia(Permission::Decide);
        let late = world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap_err();
        assert_eq!((late.code(), late.status()), ("expired", 409));

        world.engine.tick().await.unwrap();
        let expired = world.candidate(&candidate.id).await;
        assert_eq!((expired.status, expired.reason), (Status::Rejected, Some(Reason::Expired)));
        assert_eq!(expired.decided_by.unwrap().r#type, "system");
        assert_eq!(world.queue(rejected()).await.len(), 1);
        let unseen = CandidateFilter { expired_unseen: true, ..CandidateFilter::default() };
        assert_eq!(world.queue(unseen).await.len(), 1);

        // Reopened it has a new seven days and can be approved.
        let reopened = world.engine.reopen(&decide, &candidate.id, None, None).await.unwrap();
        assert_eq!(reopened.candidate.expires_at, world.engine.now() + Span::days(7));
        world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap();
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        world.verify().await;
    }

    // A6
    async fn downtime_is_given_back_to_what_waited(db: &TestDb) {
        let world = World::new(db).await;
        world.engine.start().await.unwrap();
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.pass(Span::days(8));
        world.engine.start().await.unwrap();
        let extended = world.candidate(&candidate.id).await;
        assert_eq!(extended.status, Status::Pending);
        assert_eq!(extended.expires_at, candidate.expires_at + Span::days(8));
        assert_eq!(extended.version, candidate.version, "only a change of status raises the version");
        world.engine.tick().await.unwrap();
        assert_eq!(world.waiting().await.len(), 1);

        // A short restart gives nothing.
        world.pass(Span::minutes(9));
        world.engine.start().await.unwrap();
        assert_eq!(world.candidate(&candidate.id).await.expires_at, extended.expires_at);
        world.verify().await;
    }

    // B6
    async fn a_memory_past_its_kinds_time_is_not_served_and_can_be_said_again(db: &TestDb) {
        let world = World::new(db).await;
        let admin = crate::world::system(Permission::Administer);
        let patch = engine::AgentPatch {
            kinds: Some(engine::KindsPatch { sets: Some(vec!["assistant".into(), "business".into()]), enabled: None }),
            ..Default::default()
        };
        world.engine.change_agent(&admin, &world.agent, None, patch).await.unwrap();
        let candidate = world.proposed("ana", "metric", Some("CPA of Alpha"), "CPA of Alpha was 45 dollars in May").await;
        world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, Approval::default()).await.unwrap();
        assert_eq!(world.served("ana").await.len(), 1);
        world.pass(Span::days(30));
        assert!(world.served("ana").await.is_empty());
        world.engine.tick().await.unwrap();
        let again = world.proposed("ana", "metric", Some("CPA of Alpha"), "CPA of Alpha was 45 dollars in May").await;
        assert_eq!(again.action, domain::candidate::Action::Create);
        world.verify().await;
    }

    // A6
    async fn the_expiry_does_not_wait_for_a_walk_through_users(db: &TestDb) {
        if db.db.is_sqlite() {
            // There one writer keeps all others waiting; on PostgreSQL one who writes about a user does not.
            return;
        }
        let world = World::new(db).await;
        world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        world.pass(Span::hours(1));
        let candidate = world.proposed("bo", "fact", None, "User lives in Rome").await;
        let ticks = Settings { expiry_tick: Duration::from_millis(10), ..settings() };
        let engine = Engine::new(db.db.clone(), world.clock.clone(), Arc::new(OsEntropy), Extractors::builtin(), ticks);

        let mut held = db.db.write(AgentScope::All).await.unwrap();
        let ana = held.find_user(&world.agent, &Scope::user_id("ana").unwrap()).await.unwrap().unwrap();
        held.lock_user(&ana.agent, &ana.id).await.unwrap();
        let expired = async {
            let now = world.engine.now();
            while !matches!(db.db.write(AgentScope::All).await.unwrap().take_turn("patterns", Span::hours(1), now).await, Ok(false)) {}
            // The look for patterns has begun, and stands still at ana.
            world.pass(Span::days(8));
            while world.candidate(&candidate.id).await.decided_by.is_none() {}
            drop(held);
        };
        let limit = Duration::from_secs(20);
        tokio::time::timeout(limit, engine.run(expired)).await.expect("rejected while the look stands still");
        assert_eq!(world.candidate(&candidate.id).await.reason, Some(Reason::Expired));
        world.verify().await;
    }

    // C1
    async fn a_turn_that_failed_is_had_again_soon_and_later_each_time(db: &TestDb) {
        let world = World::new(db).await;
        world.say("ana", &["I live in Oslo"]).await;
        world.work().await;
        world.pass(Span::hours(1));
        let ana = Scope::user_id("ana").unwrap();
        let ana = db.db.read(AgentScope::All).await.unwrap().find_user(&world.agent, &ana).await.unwrap().unwrap();
        let patterns = ScheduleName::Patterns;
        let breaks = "alter table conversations rename column ended_at to lost_at";
        let mends = "alter table conversations rename column lost_at to ended_at";

        // The hour's look for patterns cannot be made.
        db.behind_the_back(breaks).await.unwrap();
        let mut waits = Vec::new();
        for _ in 0..12 {
            assert!(world.engine.turn_once(patterns).await.is_err());
            assert!(!world.engine.turn_once(patterns).await.unwrap(), "not at once");
            let wait = next_turn(db, patterns).await - world.engine.now();
            waits.push(wait);
            world.pass(wait);
        }
        let soon = Span::seconds(5)..Span::seconds(7);
        let hour = Span::hours(1);
        assert!(soon.contains(&waits[0]), "{waits:?}");
        assert!(waits.windows(2).all(|two| two[1] > two[0] || two[1] == hour), "{waits:?}");
        assert_eq!(waits[11], hour, "no longer than it waits when all is well");

        db.behind_the_back(mends).await.unwrap();
        assert!(world.engine.turn_once(patterns).await.unwrap());
        assert_eq!(next_turn(db, patterns).await, world.engine.now() + hour);
        world.work().await;
        let looked = db.db.read(AgentScope::All).await.unwrap().patterns_at(&ana.agent, &ana.id).await.unwrap();
        assert!(looked.is_some(), "the look is made once it can be");

        // What went well since is not held against it.
        world.pass(hour);
        db.behind_the_back(breaks).await.unwrap();
        assert!(world.engine.turn_once(patterns).await.is_err());
        assert!(soon.contains(&(next_turn(db, patterns).await - world.engine.now())));
        db.behind_the_back(mends).await.unwrap();
    }

    // G8
    async fn a_turn_that_lasts_is_nobody_elses(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let peer = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let outgoing = Outgoing {
            public_url: "https://keep.example".to_owned(),
            allowed_private: Allowed::parse("127.0.0.0/8").unwrap(),
            ..Outgoing::default()
        };
        let reaching = Settings { outgoing, ..settings() };
        let process = || Engine::new(db.db.clone(), world.clock.clone(), Arc::new(OsEntropy), Extractors::builtin(), reaching.clone());
        let (engine, other) = (process(), process());
        let mia = world.mia(Permission::Decide);
        let webhook = DigestSettings {
            on: true,
            hour: 9,
            by: SentBy::Webhook,
            shape: Shape::Slack,
            url: format!("http://{}", peer.local_addr().unwrap()),
            ..DigestSettings::default()
        };
        engine.set_digest(&mia, &webhook).await.unwrap();
        world.pass(engine.digest(&mia).await.unwrap().next_at.unwrap() - engine.now());

        let digests = ScheduleName::Digests;
        let taken = world.engine.now();
        let turn = tokio::spawn(async move { engine.turn_once(digests).await });
        // The digest is on its way, and its reader is in no hurry.
        let (mut slow, _) = peer.accept().await.unwrap();
        let lease = Span::seconds(30);
        for _ in 0..6 {
            world.pass(Span::seconds(20));
            let held = async {
                while next_turn(db, digests).await != world.engine.now() + lease {
                    tokio::time::sleep(settings().heartbeat).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(10), held).await.expect("held while it lasts");
            assert!(!other.turn_once(digests).await.unwrap());
        }
        slow.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        assert!(turn.await.unwrap().unwrap());
        assert_eq!(next_turn(db, digests).await, taken + Span::minutes(1));
    }
}
