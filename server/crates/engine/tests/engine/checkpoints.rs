//! What is signed of the audit chains, and everything that somebody with access to the database could do to them.

use std::{path::Path, sync::Arc};

use domain::{
    agent::{AgentName, AgentSettings},
    audit::{EventType, FaultKind, Notes, Signer},
    permission::{Grant, Permission, RoleName},
    time::Span,
};
use engine::{
    Approval, CheckpointView, Engine, EventFilter, Extractors, OsEntropy, Page, Settings,
};
use store::testing::TestDb;
use tempfile::TempDir;

use crate::{
    audit::auditor,
    world::{World, settings, system},
};

/// An installation that writes its checkpoints into a folder.
struct House {
    world: World,
    engine: Engine,
    folder: TempDir,
}

impl House {
    async fn new(db: &TestDb) -> Self {
        let world = World::new(db).await;
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(
            db.db.clone(),
            world.clock.clone(),
            Arc::new(OsEntropy),
            Extractors::builtin(),
            Settings {
                checkpoints: Some(folder.path().join("checkpoints")),
                ..settings()
            },
        );
        Self {
            world,
            engine,
            folder,
        }
    }

    /// Two agents, two checkpoints, and something before, between and after them.
    async fn lived_in(db: &TestDb) -> Self {
        let house = Self::new(db).await;
        let sales = AgentName::parse("sales").unwrap();
        let administers = system(Permission::Administer);
        let made = house
            .world
            .engine
            .create_agent(&administers, sales, AgentSettings::default());
        made.await.unwrap();
        for city in ["Oslo", "Lima", "Kyoto"] {
            house.approves(city).await;
        }
        house.engine.checkpoint().await.unwrap();
        house.world.pass(Span::hours(1));
        house.approves("Turin").await;
        house.engine.checkpoint().await.unwrap();
        house.world.pass(Span::hours(1));
        house.approves("Accra").await;
        house
    }

    async fn approves(&self, city: &str) {
        let content = format!("User has been to {city}");
        let candidate = self.world.proposed("ana", "fact", None, &content).await;
        let mia = self.world.mia(Permission::Decide);
        let approved = self
            .engine
            .approve(&mia, &candidate.id, None, Approval::default());
        approved.await.unwrap();
    }

    /// What a walk finds: chain, number and kind, as they are told.
    async fn faults(&self) -> Vec<(String, i64, FaultKind)> {
        let audit = system(Permission::ReadAudit);
        let found = self.engine.verify(&audit).await.unwrap();
        assert_eq!(found.ok, found.faults.is_empty());
        let faults = found.faults.into_iter();
        faults
            .map(|fault| (fault.agent, fault.seq, fault.kind))
            .collect()
    }

    fn file(&self) -> std::path::PathBuf {
        let mut files = std::fs::read_dir(self.folder.path().join("checkpoints")).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none(), "one month, one file");
        file
    }

    async fn listed(&self) -> Vec<CheckpointView> {
        let audit = system(Permission::ReadAudit);
        let list = self.engine.checkpoints(&audit, &Page::default()).await;
        list.unwrap().data
    }
}

/// Something that is done to the database, and what has to be found: chain, kind, and where, unless it does not matter.
struct Damage {
    sql: &'static [&'static str],
    found: (&'static str, FaultKind, Option<i64>),
}

const fn damage(
    sql: &'static [&'static str],
    chain: &'static str,
    kind: FaultKind,
    seq: Option<i64>,
) -> Damage {
    Damage {
        sql,
        found: (chain, kind, seq),
    }
}

/// A chain ends with this event, and its head says the same.
macro_rules! cut {
    ($chain:literal, $seq:literal) => {
        &[
            concat!(
                "delete from events where agent = '",
                $chain,
                "' and seq > ",
                $seq
            ),
            concat!(
                "update heads set seq = ",
                $seq,
                ", hash = (select hash from events where agent = '",
                $chain,
                "' and seq = ",
                $seq,
                ") where agent = '",
                $chain,
                "'"
            ),
        ]
    };
}

/// One event of a chain, by its number.
macro_rules! at {
    ($begin:literal, $chain:literal, $seq:literal) => {
        concat!($begin, " where agent = '", $chain, "' and seq = ", $seq)
    };
}

const DAMAGES: &[Damage] = &[
    // What links and columns show.
    damage(
        &[at!(
            "update events set body = replace(body, '\"v\":1', '\"v\":2')",
            "support",
            3
        )],
        "support",
        FaultKind::Hash,
        Some(3),
    ),
    damage(
        &[at!(
            "update events set body = replace(body, '\"user\":\"usr_', '\"user\":\"usr_0')",
            "support",
            2
        )],
        "support",
        FaultKind::Hash,
        Some(2),
    ),
    damage(
        &[at!(
            "update events set body = replace(body, '\"at_us\":1', '\"at_us\":2')",
            "system",
            1
        )],
        "system",
        FaultKind::Hash,
        Some(1),
    ),
    damage(
        &[at!("update events set body = body || ' '", "support", 2)],
        "support",
        FaultKind::Hash,
        Some(2),
    ),
    damage(
        &[at!("update events set body = 'gone'", "support", 6)],
        "support",
        FaultKind::Body,
        Some(6),
    ),
    damage(
        &[at!(
            "update events set body = (select e.body from events e where e.agent = 'support' and e.seq = 5)",
            "support",
            4
        )],
        "support",
        FaultKind::Link,
        Some(4),
    ),
    damage(
        &[at!("update events set hash = prev_hash", "support", 4)],
        "support",
        FaultKind::Hash,
        Some(4),
    ),
    damage(
        &[at!("update events set subject = 'cand_x'", "support", 3)],
        "support",
        FaultKind::Column,
        Some(3),
    ),
    damage(
        &[at!("update events set user_id = 'usr_x'", "support", 3)],
        "support",
        FaultKind::Column,
        Some(3),
    ),
    damage(
        &[at!("update events set user_id = null", "support", 3)],
        "support",
        FaultKind::Column,
        Some(3),
    ),
    damage(
        &[at!("update events set at = at + 1", "support", 3)],
        "support",
        FaultKind::Column,
        Some(3),
    ),
    damage(
        &[at!(
            "update events set type = 'memory.retired'",
            "support",
            5
        )],
        "support",
        FaultKind::Column,
        Some(5),
    ),
    damage(
        &[
            "update events set prev_hash = hash where agent = 'support' and seq = (select seq from heads where agent = 'support')",
        ],
        "support",
        FaultKind::Column,
        None,
    ),
    // What was taken out, put in or moved.
    damage(
        &[at!("delete from events", "support", 3)],
        "support",
        FaultKind::Gap,
        Some(3),
    ),
    damage(
        &[at!("delete from events", "system", 2)],
        "system",
        FaultKind::Gap,
        Some(2),
    ),
    damage(
        &[at!("delete from events", "support", 1)],
        "support",
        FaultKind::Genesis,
        Some(1),
    ),
    damage(
        &["delete from events where agent = 'support' and seq <= 4"],
        "support",
        FaultKind::Genesis,
        Some(1),
    ),
    damage(
        &["delete from events where agent = 'support' and seq in (4, 5, 6)"],
        "support",
        FaultKind::Link,
        Some(7),
    ),
    damage(
        &[
            at!("update events set seq = 1003", "support", 3),
            at!("update events set seq = 3", "support", 4),
            at!("update events set seq = 4", "support", 1003),
        ],
        "support",
        FaultKind::Link,
        Some(3),
    ),
    damage(
        &[
            "update events set seq = seq + 1 where agent = 'support' and seq = (select seq from heads where agent = 'support')",
        ],
        "support",
        FaultKind::Gap,
        None,
    ),
    damage(
        &[
            "insert into events (agent, seq, prev_hash, hash, type, user_id, subject, at, body) \
           select agent, seq + 1, hash, prev_hash, type, user_id, subject, at, body from events \
           where agent = 'support' and seq = (select seq from heads where agent = 'support')",
        ],
        "support",
        FaultKind::Truncated,
        None,
    ),
    // The end of a chain against its head.
    damage(
        &[
            "delete from events where agent = 'support' and seq = (select seq from heads where agent = 'support')",
        ],
        "support",
        FaultKind::Truncated,
        None,
    ),
    damage(
        &["update heads set seq = seq - 1 where agent = 'support'"],
        "support",
        FaultKind::Truncated,
        None,
    ),
    damage(
        &[
            "update heads set hash = (select h.hash from heads h where h.agent = 'system') where agent = 'support'",
        ],
        "support",
        FaultKind::Truncated,
        None,
    ),
    damage(
        &["delete from heads where agent = 'support'"],
        "support",
        FaultKind::Truncated,
        None,
    ),
    // What only the checkpoints show: everything that is left fits together.
    damage(cut!("support", 5), "support", FaultKind::Truncated, Some(5)),
    damage(cut!("support", 1), "support", FaultKind::Truncated, Some(1)),
    damage(cut!("system", 2), "system", FaultKind::Truncated, Some(2)),
    damage(
        &[
            "delete from events where agent = 'sales'",
            "delete from heads where agent = 'sales'",
        ],
        "sales",
        FaultKind::Missing,
        Some(0),
    ),
    damage(
        &[
            "delete from events where agent = 'support'",
            "delete from heads where agent = 'support'",
        ],
        "support",
        FaultKind::Missing,
        Some(0),
    ),
    damage(
        &[
            "delete from events",
            "delete from heads",
            "delete from checkpoints",
        ],
        "system",
        FaultKind::Missing,
        Some(0),
    ),
    // The checkpoints themselves.
    damage(
        &["delete from checkpoints"],
        "system",
        FaultKind::Missing,
        None,
    ),
    damage(
        &["delete from checkpoints where size = (select max(c.size) from checkpoints c)"],
        "system",
        FaultKind::Missing,
        None,
    ),
    damage(
        &["update checkpoints set note = replace(note, 'sales', 'salem')"],
        "system",
        FaultKind::Signature,
        None,
    ),
    damage(
        &["update checkpoints set note = ''"],
        "system",
        FaultKind::Signature,
        None,
    ),
    damage(
        &["update checkpoints set at = at - 1"],
        "system",
        FaultKind::Column,
        None,
    ),
    damage(
        &["update checkpoints set root = (select h.hash from heads h where h.agent = 'system')"],
        "system",
        FaultKind::Column,
        None,
    ),
];

store::both! {
    // E2, E4
    async fn every_damage_to_what_happened_is_found_and_named(db: &TestDb) {
        let house = House::lived_in(db).await;
        assert_eq!(house.faults().await, []);
        db.unlock_history().await;
        db.keep_history().await;
        const { assert!(DAMAGES.len() >= 30) };
        for Damage { sql, found: (chain, kind, seq) } in DAMAGES {
            for &step in *sql {
                let touched = db.behind_the_back(step).await.unwrap();
                assert!(touched > 0, "{step}");
            }
            let faults = house.faults().await;
            let named = |fault: &(String, i64, FaultKind)| {
                fault.0 == *chain && fault.2 == *kind && seq.is_none_or(|seq| fault.1 == seq)
            };
            assert!(faults.iter().any(named), "{sql:?}: {faults:?}");
            db.restore_history().await;
        }
        assert_eq!(house.faults().await, []);
    }

    // E2
    async fn a_chain_that_was_written_anew_and_linked_is_another_than_the_one_that_was_signed(db: &TestDb) {
        let house = House::lived_in(db).await;
        let signed = house.listed().await;
        let of_support = |checkpoint: &CheckpointView| checkpoint.agents.iter().find(|one| one.agent == "support").unwrap().size as i64;
        let (last, first) = (of_support(&signed[0]), of_support(&signed[1]));
        db.unlock_history().await;
        db.keep_history().await;
        // From the first event, from the middle, and only after the first checkpoint: it shows at the first that says otherwise.
        for (from, shows) in [(1, first), (3, first), (first, first), (first + 1, last), (last, last)] {
            db.rewrite_chain("support", from, |body| if body.seq == from { body.subject.push('x') }).await;
            assert_eq!(house.faults().await, [("support".to_owned(), shows, FaultKind::Fork)], "from {from}");
            db.restore_history().await;
        }
        // What came after the last checkpoint is protected by the next one.
        db.rewrite_chain("support", last + 1, |body| body.subject.push('x')).await;
        assert_eq!(house.faults().await, []);
        db.restore_history().await;

        db.rewrite_chain("system", 1, |body| if body.seq == 1 { body.subject.push('x') }).await;
        assert_eq!(house.faults().await, [("system".to_owned(), signed[1].size, FaultKind::Fork)]);
        // Without the table the folder still tells, and of the table too.
        db.behind_the_back("delete from checkpoints").await.unwrap();
        let faults = house.faults().await;
        for found in [(signed[1].size, FaultKind::Fork), (signed[0].size, FaultKind::Missing), (signed[1].size, FaultKind::Missing)] {
            assert!(faults.contains(&("system".to_owned(), found.0, found.1)), "{faults:?}");
        }
        db.restore_history().await;
        assert_eq!(house.faults().await, []);
    }

    async fn a_note_in_the_folder_that_this_installation_did_not_sign_is_named(db: &TestDb) {
        let house = House::lived_in(db).await;
        let whole = std::fs::read_to_string(house.file()).unwrap();
        let signature = |seq| ("system".to_owned(), seq, FaultKind::Signature);
        let sizes: Vec<i64> = house.listed().await.iter().map(|checkpoint| checkpoint.size).collect();
        let written = |text: &str| std::fs::write(house.file(), text).unwrap();

        written(&whole.replacen("\nsupport ", "\nsuppers ", 1));
        assert_eq!(house.faults().await, [signature(sizes[1])]);
        // Signed all the same, but by another.
        let key = db.db.audit_key().await.unwrap();
        let forger = Signer::from_seed(&[7; 32], key.public_key().name()).unwrap();
        let forged = key.public_key().open(Notes::split(&whole).whole[0]).unwrap().sign(&forger).unwrap();
        written(&format!("{whole}{forged}"));
        assert_eq!(house.faults().await, [signature(sizes[1])]);
        written(&format!("{whole}hello\n"));
        assert_eq!(house.faults().await, [signature(0)]);
        // One whose writing broke off is the beginning of one that is known.
        for left in 1..100 {
            let bytes = &whole.as_bytes()[..whole.len() - left];
            std::fs::write(house.file(), bytes).unwrap();
            assert_eq!(house.faults().await, [], "{left} bytes are missing");
        }
        // The next look at the clock makes it whole, and without a folder the database stands alone.
        assert!(house.engine.checkpoint_if_grown().await.unwrap().is_some());
        let again = std::fs::read_to_string(house.file()).unwrap();
        assert!(again.starts_with(&whole) && Notes::split(&again).whole.len() == 3);
        std::fs::remove_dir_all(house.folder.path().join("checkpoints")).unwrap();
        assert_eq!(house.faults().await, []);
        assert!(house.engine.checkpoint_if_grown().await.unwrap().is_none());
        assert_eq!(std::fs::read_to_string(house.file()).unwrap(), again);
        // A copy kept elsewhere does as well.
        let copy = tempfile::tempdir().unwrap();
        std::fs::copy(house.file(), copy.path().join("checkpoints-copy.txt")).unwrap();
        let audit = system(Permission::ReadAudit);
        let found = house.engine.verify_against(&audit, Some(copy.path())).await.unwrap();
        assert!(found.ok && found.checkpoints == 3, "{found:?}");
        let nowhere = Path::new("/dev/null/checkpoints");
        assert!(house.engine.verify_against(&audit, Some(nowhere)).await.is_err());
    }

    async fn the_clock_signs_where_something_happened_and_a_signature_is_nothing_that_happened(db: &TestDb) {
        let house = House::new(db).await;
        house.approves("Oslo").await;
        let first = house.engine.checkpoint_if_grown().await.unwrap().unwrap();
        let events = house.engine.verify(&system(Permission::ReadAudit)).await.unwrap().events;
        for _ in 0..3 {
            house.world.pass(Span::hours(1));
            assert!(house.engine.checkpoint_if_grown().await.unwrap().is_none());
        }
        assert_eq!(house.engine.verify(&system(Permission::ReadAudit)).await.unwrap().events, events);
        house.approves("Lima").await;
        let second = house.engine.checkpoint_if_grown().await.unwrap().unwrap();
        assert_eq!(second.checkpoint.system.size, first.checkpoint.system.size + 1);
        assert!(second.checkpoint.agents["support"].size > first.checkpoint.agents["support"].size);
        let told = EventFilter { types: vec![EventType::AuditCheckpointed], ..EventFilter::default() };
        let told = house.engine.events(&system(Permission::ReadAudit), &told, &Page::default()).await.unwrap().data;
        let heads = &told[0].data["heads"];
        assert_eq!(heads[0]["agent"], "support");
        assert_eq!(heads[0]["size"], second.checkpoint.agents["support"].size);
        assert_eq!(heads[0]["root"], domain::audit::hex(&second.checkpoint.agents["support"].root));
        let listed = house.listed().await;
        assert_eq!(listed.iter().map(|one| one.note.clone().unwrap()).collect::<Vec<_>>(), [second.note, first.note]);
    }

    async fn whoever_verifies_while_things_happen_finds_nothing(db: &TestDb) {
        let house = Arc::new(House::lived_in(db).await);
        let busy = tokio::spawn({
            let house = house.clone();
            async move {
                for city in ["Quito", "Hanoi", "Perth", "Dakar", "Minsk", "Sofia", "Tunis", "Cusco"] {
                    house.approves(city).await;
                    house.engine.checkpoint().await.unwrap();
                }
            }
        });
        let mut walks = 0;
        while !busy.is_finished() || walks < 3 {
            assert_eq!(house.faults().await, []);
            walks += 1;
        }
        busy.await.unwrap();
        assert_eq!(house.faults().await, []);
        assert_eq!(house.listed().await.len(), 10);
    }

    async fn the_last_walk_is_kept_told_and_seen_by_whom_it_concerns(db: &TestDb) {
        let house = House::lived_in(db).await;
        let all = system(Permission::ReadAudit);
        assert!(house.engine.last_verification(&all).await.unwrap().is_none());
        house.engine.verify_by_the_clock().await.unwrap();
        let well = house.engine.last_verification(&all).await.unwrap().unwrap();
        assert!(well.ok && well.faults.is_empty() && well.checkpoints == 2, "{well:?}");

        db.unlock_history().await;
        db.behind_the_back("update events set subject = 'cand_x' where agent = 'support' and seq = 3").await.unwrap();
        let found = house.engine.verify_now(&house.world.mia(Permission::ReadAudit)).await.unwrap();
        assert!(!found.ok);
        let last = house.engine.last_verification(&all).await.unwrap().unwrap();
        assert_eq!((last.ok, last.found, last.events), (false, 1, Some(found.events)));
        let told = EventFilter { types: vec![EventType::AuditVerified], ..EventFilter::default() };
        let events = async || house.engine.events(&all, &told, &Page::default()).await.unwrap().data;
        let kept = events().await;
        let outcome = |event: &engine::EventView| (event.data["ok"].as_bool(), event.data["faults"].as_i64(), event.actor.name.clone());
        let outcomes: Vec<_> = kept.iter().map(outcome).collect();
        assert_eq!(outcomes, [(Some(false), Some(1), Some("Mia".to_owned())), (Some(true), Some(0), None)]);

        // Who audits one agent hears of that one alone, and keeps no word about all of them.
        for (agent, ok) in [("support", false), ("sales", true)] {
            let limited = auditor(agent);
            let seen = house.engine.last_verification(&limited).await.unwrap().unwrap();
            assert_eq!((seen.ok, seen.events), (ok, None), "{agent}");
            assert_eq!(house.engine.verify_now(&limited).await.unwrap().ok, ok);
            let listed = house.engine.checkpoints(&limited, &Page::default()).await.unwrap().data;
            assert_eq!(listed.len(), 2);
            for checkpoint in listed {
                assert_eq!(checkpoint.note, None);
                assert_eq!(checkpoint.agents.iter().map(|one| one.agent.as_str()).collect::<Vec<_>>(), [agent]);
            }
        }
        assert_eq!(events().await.len(), kept.len());
        let decides = Grant::everywhere(RoleName::Reviewer);
        assert!(domain::permission::authorize(&with(decides), Permission::ReadAudit).is_err());
    }

    async fn events_are_found_by_who_did_them_and_when(db: &TestDb) {
        let house = House::lived_in(db).await;
        let all = system(Permission::ReadAudit);
        let found = async |filter: EventFilter| house.engine.events(&all, &filter, &Page { limit: 200, ..Page::default() }).await.unwrap().data;
        let whole = found(EventFilter::default()).await;
        let mut counted = 0;
        for actor in engine::audit::ACTORS {
            let of_actor = found(EventFilter { actor: Some(actor.to_owned()), ..EventFilter::default() }).await;
            assert!(of_actor.iter().all(|event| event.actor.r#type == actor), "{actor}");
            counted += of_actor.len();
        }
        assert_eq!(counted, whole.len());
        assert!(found(EventFilter { actor: Some("%".to_owned()), ..EventFilter::default() }).await.is_empty());

        let middle = crate::world::start() + Span::minutes(30);
        for chain in [None, Some("support".to_owned())] {
            let before = found(EventFilter { agent: chain.clone(), until: Some(middle), ..EventFilter::default() }).await;
            let after = found(EventFilter { agent: chain.clone(), since: Some(middle), ..EventFilter::default() }).await;
            assert!(before.iter().all(|event| event.at < middle) && after.iter().all(|event| event.at >= middle));
            let both = found(EventFilter { agent: chain, ..EventFilter::default() }).await;
            assert_eq!(before.len() + after.len(), both.len());
            assert!(!before.is_empty() && !after.is_empty());
            assert!(after.is_sorted_by(|newer, older| newer.at >= older.at));
        }
        // Page by page it is the same list.
        let filter = EventFilter { agent: Some("support".to_owned()), since: Some(middle), ..EventFilter::default() };
        let wanted = found(filter.clone()).await;
        let (mut page, mut listed) = (Page { limit: 2, ..Page::default() }, Vec::new());
        loop {
            let part = house.engine.events(&all, &filter, &page).await.unwrap();
            listed.extend(part.data);
            if part.next.is_none() {
                break;
            }
            page.cursor = part.next;
        }
        let numbers = |events: &[engine::EventView]| events.iter().map(|event| event.seq).collect::<Vec<_>>();
        assert_eq!(numbers(&listed), numbers(&wanted));
    }
}

fn with(grant: Grant) -> domain::permission::Actor {
    domain::permission::Actor::Person {
        id: domain::id::PersonId::new(crate::world::start(), &OsEntropy),
        name: "Rei".to_owned(),
        grants: vec![grant],
    }
}
