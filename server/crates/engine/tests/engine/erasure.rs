//! Erasing a person (F9): whatever was kept of them is gone, everything else stays provable, a legal hold keeps them, and a backup that is
//! restored does not bring them back.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use domain::{
    agent::AgentName,
    audit::EventType,
    bulk::BulkVerdict,
    candidate::{Edit, Reason},
    erasure::ErasureReason,
    export::{ExportSort, ExportState, ReportLanguage},
    id::{ExportId, UserId},
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
    user::Scope,
};
use engine::{
    Approval, Current, Engine, EngineError, Erase, ErasurePreview, ErasureView, EventFilter,
    ExportView, Extractors, Feedback, Gathering, NewBulk, NewExport, NewHold, OsEntropy, Page,
    Proposed, Settings, UserRef, export::verify,
};
use store::{Db, testing::TestDb};

use crate::world::{World, settings, start, system};

/// A name and a word that stand nowhere else.
const NAME: &str = "ana.quuxington@example.org";
const CANARY: &str = "zanzibarquartz";

/// An installation with a folder for exports, and one for what is written outside the database.
struct House {
    world: World,
    engine: Engine,
    folder: tempfile::TempDir,
}

impl House {
    async fn new(db: &TestDb) -> Self {
        let world = World::new(db).await;
        let folder = tempfile::tempdir().unwrap();
        let engine = over(db.db.clone(), &world, folder.path());
        Self {
            world,
            engine,
            folder,
        }
    }

    fn admin(&self) -> Permit {
        self.world.mia(Permission::Administer)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The list of erasures, without whose it is.
    fn listed(&self) -> String {
        let list = fs::read_to_string(self.path("checkpoints/erasures.txt")).unwrap_or_default();
        let marks = list.split_inclusive('\n');
        marks.filter(|line| !line.starts_with("of ")).collect()
    }

    async fn user(&self, name: &str) -> UserId {
        let permit = self.world.mia(Permission::ReadUsers);
        let agent = Some(&self.world.agent);
        let found = self.engine.user(&permit, &of(name), agent).await;
        found.unwrap().user.id
    }

    async fn previews(&self, name: &str) -> Result<ErasurePreview, EngineError> {
        let agent = Some(&self.world.agent);
        let admin = self.admin();
        self.engine.preview_erasure(&admin, &of(name), agent).await
    }

    /// Looks at what would go with somebody, and has it go.
    async fn erases(&self, name: &str) -> Result<ErasureView, EngineError> {
        // What an engine served waits in that engine for a second.
        self.world.engine.flush().await.unwrap();
        let seen = self.previews(name).await?;
        let wanted = Erase {
            reason: ErasureReason::AskedFor,
            confirm: name.to_owned(),
            version: seen.version,
            request: None,
        };
        let agent = Some(&self.world.agent);
        let admin = self.admin();
        self.engine.erase(&admin, &of(name), agent, &wanted).await
    }

    async fn exported(&self, named: Option<&str>) -> ExportView {
        self.world.engine.flush().await.unwrap();
        let permit = self.world.mia(Permission::Export);
        let new = NewExport {
            named: named.map(|name| Scope::user_id(name).unwrap()),
            ..everything()
        };
        let asked = self.engine.request_export(&permit, new).await.unwrap();
        while self.engine.work_export_once().await.unwrap() {}
        self.engine.export(&permit, &asked.id).await.unwrap()
    }

    /// The file of an export, which holds what it claims.
    async fn verified(&self, export: &ExportView) -> PathBuf {
        assert_eq!(export.state, ExportState::Done, "{:?}", export.error);
        let permit = self.world.mia(Permission::Export);
        let file = self.engine.export_file(&permit, &export.id).await.unwrap();
        let key = self.engine.db().audit_key().await.unwrap().public_key();
        let report = verify::verify(&file.path, Some(&key)).unwrap();
        assert!(report.ok, "{:#?}", report.faults);
        file.path
    }

    /// Every sort of call about somebody that takes words: what they said, what people wrote about it, what agents were told.
    async fn live(&self, name: &str, canary: &str) {
        let world = &self.world;
        let decides = world.mia(Permission::Decide);
        let content = format!("User keeps {canary}");
        let good = world.proposed(name, "fact", None, &content).await;
        let approval = Approval {
            edit: Edit {
                content: Some(format!("User keeps {canary} at home")),
                ..Edit::default()
            },
            note: Some(format!("{canary}, as they said")),
            ..Approval::default()
        };
        let approved = world
            .engine
            .approve(&decides, &good.id, None, approval)
            .await
            .unwrap();
        let bad = world
            .proposed(
                name,
                "preference",
                None,
                &format!("User prefers {canary} blue"),
            )
            .await;
        let note = Some(format!("{canary} is a passing thing"));
        world
            .engine
            .hand_over(&decides, &bad.id, None, note.clone())
            .await
            .unwrap();
        world
            .engine
            .reject(&decides, &bad.id, None, Reason::NotDurable, note.clone())
            .await
            .unwrap();
        let many = world
            .proposed(name, "fact", None, &format!("User sold {canary}"))
            .await;
        let bulk = NewBulk {
            verdict: BulkVerdict::Reject,
            reason: Some(Reason::NotDurable),
            note,
            insist: false,
            confirmed: None,
            of: Gathering::Picked(vec![(many.id, many.version)]),
        };
        world.engine.start_bulk(&decides, bulk).await.unwrap();
        while world.engine.work_bulk_once().await.unwrap() {}
        world
            .proposed(name, "fact", None, &format!("User once lost {canary}"))
            .await;
        let by_hand = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id(name).unwrap(),
            kind: "fact".into(),
            name: None,
            content: Some(format!("User collects {canary}")),
            metadata: Default::default(),
            tags: vec![canary.to_owned()],
            confidence: None,
            importance: None,
            explanation: Some(format!("they wrote of {canary}")),
        };
        let proposes = world.mia(Permission::Propose);
        world
            .engine
            .propose(&proposes, &world.agent, by_hand)
            .await
            .unwrap();
        let told = world.context(name).await;
        assert!(told.block.contains(canary));
        let feedback = Feedback {
            serving: told.serving,
            memory: approved.memory.unwrap(),
            helped: true,
        };
        let agent = world.key(Permission::ReadContext);
        world
            .engine
            .feedback(&agent, &world.agent, &feedback)
            .await
            .unwrap();
        let looks = world.mia(Permission::ReadCandidates);
        let query = format!("user={name}&q={canary}");
        world
            .engine
            .save_view(&looks, &format!("{canary} of them"), &query)
            .await
            .unwrap();
    }

    async fn serves(&self, name: &str, canary: &str) {
        let told = self.world.context(name).await;
        assert!(told.block.contains(canary), "{name} is told as before");
    }
}

fn over(db: Db, world: &World, folder: &Path) -> Engine {
    Engine::new(
        db,
        world.clock.clone(),
        Arc::new(OsEntropy),
        Extractors::builtin(),
        Settings {
            exports: Some(folder.join("exports")),
            checkpoints: Some(folder.join("checkpoints")),
            ..settings()
        },
    )
}

fn of(name: &str) -> UserRef {
    UserRef::Scope(Scope::user_id(name).unwrap())
}

/// An export of the whole audit.
fn everything() -> NewExport {
    NewExport {
        sort: ExportSort::Audit,
        agent: None,
        user: None,
        named: None,
        from: None,
        to: None,
        as_of: None,
        bom: false,
        language: ReportLanguage::English,
    }
}

/// On a user of the agent `support`; on all of them.
fn hold(name: Option<&str>) -> NewHold {
    NewHold {
        agent: Some(AgentName::parse("support").unwrap()),
        user: name.map(of),
        everywhere: false,
        until: None,
        reason: "Case 12-345, by order of the court".into(),
    }
}

/// The files under a folder in which one of the texts stands.
fn holders(folder: &Path, texts: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holders(&path, texts));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let stands = |text: &&str| {
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        };
        if texts.iter().any(stands) {
            found.push(path);
        }
    }
    found
}

async fn found_in_chain(engine: &Engine, r#type: EventType) -> Vec<engine::EventView> {
    let filter = EventFilter {
        types: vec![r#type],
        ..EventFilter::default()
    };
    let permit = system(Permission::ReadAudit);
    let listed = engine.events(&permit, &filter, &Page::default()).await;
    listed.unwrap().data
}

store::both! {
    // F9
    async fn neither_the_name_nor_a_word_is_left_in_any_column(db: &TestDb) {
        let house = House::new(db).await;
        house.live(NAME, CANARY).await;
        house.live("bo", "obsidian").await;
        let user = house.user(NAME).await;
        let (whole, theirs) = (house.exported(None).await, house.exported(Some(NAME)).await);
        let files = [house.verified(&whole).await, house.verified(&theirs).await];

        let seen = house.previews(NAME).await.unwrap();
        let counts = seen.counts;
        assert_eq!((counts.candidates, counts.memories, counts.servings, counts.exports), (5, 1, 1, 2));
        let erased = house.erases(NAME).await.unwrap();
        assert_eq!((erased.user.clone(), erased.erased, erased.by.name.as_deref()), (user.clone(), counts, Some("Mia")));

        assert_eq!(db.columns_with(&[NAME, CANARY]).await, Vec::<String>::new());
        let left: Vec<String> = db.rows_of_user(user.as_str()).await.into_iter().filter(|(_, rows)| *rows > 0).map(|(table, _)| table).collect();
        assert_eq!(left, ["erasures", "events"], "ids, counts and hashes");
        assert!(files.iter().all(|file| !file.exists()));
        if let Some(dir) = &db.dir {
            assert_eq!(holders(dir.path(), &[NAME, CANARY]), Vec::<PathBuf>::new());
        }
        assert_eq!(holders(house.folder.path(), &[NAME, CANARY, user.as_str()]), Vec::<PathBuf>::new());
        assert_eq!(house.listed().lines().count(), 1);

        // Words in places of their own are opened with the key of the installation: there are none of hers.
        let mia = house.world.mia(Permission::ReadCandidates);
        let views = house.engine.saved_views(&mia).await.unwrap();
        assert_eq!(views.iter().map(|view| view.query.as_str()).collect::<Vec<_>>(), ["user=bo&q=obsidian"]);
        let mia = house.world.mia(Permission::Decide);
        for bulk in house.engine.bulks(&mia, &Page::default()).await.unwrap().data {
            assert!(bulk.note.is_none_or(|note| !note.contains(CANARY)), "{}", bulk.id);
        }
        let told = found_in_chain(&house.engine, EventType::UserErased).await;
        assert_eq!((told.len(), told[0].subject.as_str(), told[0].data["candidates"].as_i64()), (1, user.as_str(), Some(5)));
        house.serves("bo", "obsidian").await;
        house.world.verify().await;
    }

    // F9
    async fn who_is_erased_is_erased_once_by_who_typed_the_name_and_saw_the_counts(db: &TestDb) {
        let house = House::new(db).await;
        house.live(NAME, CANARY).await;
        house.world.engine.flush().await.unwrap();
        let (admin, user) = (house.admin(), house.user(NAME).await);
        let seen = house.previews(NAME).await.unwrap();
        let wanted = Erase { reason: ErasureReason::Objected, confirm: NAME.into(), version: seen.version, request: None };
        let agent = Some(&house.world.agent);
        let erase = async |wanted: &Erase| house.engine.erase(&admin, &of(NAME), agent, wanted).await.map(drop).unwrap_err();
        let own = erase(&Erase { reason: ErasureReason::Restored, ..wanted.clone() }).await;
        assert_eq!(own.fields()[0].pointer, "/reason");
        let other = erase(&Erase { confirm: "bo".into(), ..wanted.clone() }).await;
        assert_eq!((other.fields()[0].pointer.as_str(), other.fields()[0].code), ("/confirm", "not_the_name"));
        house.world.say(NAME, &["And another thing"]).await;
        let stale = erase(&wanted).await;
        let now = match stale {
            EngineError::Stale { current: Current::Erasure(now) } => now,
            other => panic!("{other:?}"),
        };
        assert!(now.version > seen.version && now.counts.messages == seen.counts.messages + 1);

        // Whoever only reviews may not even look.
        let Actor::Person { id, name, .. } = house.world.aiko.clone() else { unreachable!("a person") };
        let reviewer = Actor::Person { id, name, grants: vec![Grant::everywhere(RoleName::Reviewer)] };
        let reviewer = Permit::ask(reviewer, Permission::Decide).unwrap();
        let refused = house.engine.preview_erasure(&reviewer, &of(NAME), agent).await.unwrap_err();
        assert!(matches!(refused, EngineError::Forbidden), "{refused:?}");

        let wanted = Erase { version: now.version, ..wanted };
        let done = house.engine.erase(&admin, &UserRef::Id(user.clone()), None, &wanted).await.unwrap();
        let by_id = house.engine.erase(&admin, &UserRef::Id(user.clone()), None, &wanted).await.unwrap_err();
        assert!(matches!(by_id, EngineError::Erased { at } if at == done.erased_at), "{by_id:?}");
        let by_name = erase(&wanted).await;
        assert!(matches!(by_name, EngineError::NotFound), "{by_name:?}");
        let reads = house.world.mia(Permission::ReadUsers);
        let gone = house.engine.user(&reads, &UserRef::Id(user.clone()), None).await.map(drop).unwrap_err();
        assert_eq!((gone.code(), gone.status()), ("erased", 410));
        let kept = house.engine.erasure(&reads, &user).await.unwrap();
        assert_eq!((kept.reason, kept.erased, kept.erased_at), (ErasureReason::Objected, done.erased, done.erased_at));

        // What was on its way to a worker is gone with the job, and whoever comes back is somebody new.
        house.world.work().await;
        let back = house.world.proposed(NAME, "fact", None, "User is back").await;
        assert_ne!(back.user, user);
        house.world.verify().await;
    }

    // F9
    async fn a_hold_keeps_and_says_who_why_and_until_when(db: &TestDb) {
        let house = House::new(db).await;
        house.live(NAME, CANARY).await;
        let (admin, until) = (house.admin(), start() + Span::days(30));
        let placed = house.engine.place_hold(&admin, &NewHold { until: Some(until), ..hold(Some(NAME)) }).await.unwrap();
        assert_eq!((placed.user_id.as_deref(), placed.keeps), (Some(NAME), true));
        let refused = house.erases(NAME).await.unwrap_err();
        let said = refused.to_string();
        assert_eq!((refused.code(), refused.status()), ("held", 409));
        for part in ["Mia", "Case 12-345, by order of the court", &domain::time::rfc3339(until)] {
            assert!(said.contains(part), "{said}");
        }
        let seen = house.previews(NAME).await.unwrap();
        assert_eq!(seen.holds.len(), 1);

        // Also whoever is kept under that name everywhere, and everybody of an agent.
        house.engine.release_hold(&admin, &placed.id).await.unwrap();
        let named = NewHold { everywhere: true, ..hold(Some(NAME)) };
        for new in [named, hold(None)] {
            let placed = house.engine.place_hold(&admin, &new).await.unwrap();
            assert_eq!(house.erases(NAME).await.unwrap_err().code(), "held");
            let released = house.engine.release_hold(&admin, &placed.id).await.unwrap();
            assert_eq!((released.keeps, released.released_by.unwrap().name.as_deref()), (false, Some("Mia")));
        }
        let short = NewHold { until: Some(start() + Span::hours(1)), ..hold(Some(NAME)) };
        house.engine.place_hold(&admin, &short).await.unwrap();
        assert_eq!(house.erases(NAME).await.unwrap_err().code(), "held");
        house.world.pass(Span::hours(1));
        house.erases(NAME).await.unwrap();
        let listed = house.engine.holds(&house.world.mia(Permission::ReadAudit), &Page::default()).await.unwrap().data;
        assert_eq!(listed.iter().map(|hold| hold.user.is_none() && hold.agent.is_some()).collect::<Vec<_>>(), [true], "those that name them are gone with them");

        for (new, pointer) in [
            (NewHold { reason: " ".into(), ..hold(Some("bo")) }, "/reason"),
            (NewHold { until: Some(start()), ..hold(Some("bo")) }, "/until"),
            (NewHold { everywhere: true, ..hold(None) }, "/user_id"),
        ] {
            let wrong = house.engine.place_hold(&admin, &new).await.unwrap_err();
            assert_eq!(wrong.fields()[0].pointer, pointer);
        }
        house.world.verify().await;
    }

    // F9, E4
    async fn an_export_made_before_of_somebody_else_still_verifies_and_so_does_a_new_one(db: &TestDb) {
        let house = House::new(db).await;
        house.live(NAME, CANARY).await;
        house.live("bo", "obsidian").await;
        let bos = house.exported(Some("bo")).await;
        let key = house.engine.db().audit_key().await.unwrap().public_key();
        // Somebody took a copy of everything away before.
        let whole = house.exported(None).await;
        let taken = house.path("taken.zip");
        fs::copy(house.verified(&whole).await, &taken).unwrap();

        house.world.pass(Span::hours(1));
        house.erases(NAME).await.unwrap();
        house.verified(&bos).await;
        assert!(verify::verify(&taken, Some(&key)).unwrap().ok);
        let permit = house.world.mia(Permission::Export);
        let over = house.engine.export_file(&permit, &whole.id).await.map(drop).unwrap_err();
        assert_eq!(over.code(), "export_expired");
        assert_eq!(house.engine.export(&permit, &whole.id).await.unwrap().error.as_deref(), Some("outdated"));

        let new = house.exported(None).await;
        let path = house.verified(&new).await;
        let report = verify::verify(&path, Some(&key)).unwrap();
        assert!(report.counts["users.ndjson"] == 2 && report.counts["candidates.ndjson"] == 5, "{:?}", report.counts);
        // One that ends before the erasure tells of it as well.
        let asked = NewExport { to: Some(start() + Span::minutes(30)), ..everything() };
        let asked = house.engine.request_export(&permit, asked).await.unwrap();
        while house.engine.work_export_once().await.unwrap() {}
        let early = house.engine.export(&permit, &asked.id).await.unwrap();
        house.verified(&early).await;
        house.world.verify().await;
    }

    // F9, E4
    async fn an_export_that_another_server_is_writing_is_begun_anew_and_done(db: &TestDb) {
        let house = House::new(db).await;
        house.live(NAME, CANARY).await;
        house.live("bo", "obsidian").await;
        house.world.engine.flush().await.unwrap();
        let permit = house.world.mia(Permission::Export);
        let asked = house.engine.request_export(&permit, everything()).await.unwrap();
        let now = house.engine.now();
        let slow = db.db.claim_work::<ExportId>(now, now + Span::days(1)).await.unwrap().unwrap();
        let half = house.path(&format!("exports/{}.{}.zip.part", asked.id, slow.epoch));
        fs::create_dir_all(house.path("exports")).unwrap();
        fs::write(&half, CANARY).unwrap();
        house.erases(NAME).await.unwrap();
        assert!(!half.exists());

        // The other server begins it anew, dies, and what it had written by then is nobody's.
        let next = db.db.claim_work::<ExportId>(now, now + Span::seconds(30)).await.unwrap().unwrap();
        assert_eq!(next.id, asked.id);
        fs::write(&half, CANARY).unwrap();
        house.world.pass(Span::minutes(1));
        while house.engine.work_export_once().await.unwrap() {}
        let made = house.engine.export(&permit, &asked.id).await.unwrap();
        let path = house.verified(&made).await;
        assert_eq!(fs::read_dir(house.path("exports")).unwrap().count(), 1, "the slow one's file is taken away as well");
        assert!(!path.ends_with(format!("{}.{}.zip", asked.id, slow.epoch)), "each claim has names of its own");
    }

    // F9
    async fn the_first_start_makes_a_list_that_says_whose_it_is_and_no_later_one_empties_it(db: &TestDb) {
        let house = House::new(db).await;
        let list = house.path("checkpoints/erasures.txt");
        assert!(!list.exists());
        assert!(!house.engine.has_list_of_erasures().await.unwrap());
        for _ in 0..2 {
            house.engine.start().await.unwrap();
            let key = db.db.audit_key().await.unwrap();
            assert_eq!(fs::read_to_string(&list).unwrap(), format!("of {}\n", key.instance()));
        }
        assert!(house.engine.has_list_of_erasures().await.unwrap());
        house.live(NAME, CANARY).await;
        house.erases(NAME).await.unwrap();
        house.engine.start().await.unwrap();
        assert_eq!(house.listed().lines().count(), 1);
        fs::remove_file(&list).unwrap();
        house.engine.start().await.unwrap();
        assert_eq!(house.listed().lines().count(), 1, "what the database knows is written down again");
        // One that another installation made, in the place of the lost one.
        fs::write(&list, "of 0123456789abcdef\n").unwrap();
        assert!(!house.engine.has_list_of_erasures().await.unwrap());
    }

    // F9
    async fn a_restored_backup_loses_whom_it_should_not_hold(db: &TestDb) {
        const TABLES: [&str; 4] = [
            "create table kept_users as select * from users",
            "create table kept_keys as select * from user_keys",
            "create table kept_conversations as select * from conversations",
            "create table kept_messages as select * from messages",
        ];
        const BACK: [&str; 9] = [
            "insert into users select * from kept_users where id not in (select id from users)",
            "insert into user_keys select * from kept_keys where user_id not in (select user_id from user_keys)",
            "insert into conversations select * from kept_conversations where id not in (select id from conversations)",
            "insert into messages select * from kept_messages where id not in (select id from messages)",
            "delete from erasures",
            "drop table kept_users",
            "drop table kept_keys",
            "drop table kept_conversations",
            "drop table kept_messages",
        ];
        let house = House::new(db).await;
        house.live(NAME, CANARY).await;
        house.live("bo", "obsidian").await;
        let user = house.user(NAME).await;
        for copy in TABLES {
            db.behind_the_back(copy).await.unwrap();
        }
        house.world.pass(Span::hours(1));
        house.erases(NAME).await.unwrap();
        for back in BACK {
            db.behind_the_back(back).await.unwrap();
        }
        assert_eq!(house.user(NAME).await, user, "the backup holds her");

        house.world.pass(Span::hours(1));
        let engine = over(db.again().await, &house.world, house.folder.path());
        engine.start().await.unwrap();
        let reads = house.world.mia(Permission::ReadUsers);
        let gone = engine.user(&reads, &UserRef::Id(user.clone()), None).await.map(drop).unwrap_err();
        assert_eq!(gone.code(), "erased");
        let erasure = engine.erasure(&reads, &user).await.unwrap();
        assert_eq!((erasure.reason, erasure.by.name), (ErasureReason::Restored, None));
        assert_eq!(found_in_chain(&engine, EventType::UserErased).await.len(), 2);
        assert_eq!(house.listed().lines().count(), 2);
        house.serves("bo", "obsidian").await;

        // Once is enough, and whoever comes under that name again is somebody new.
        let back = house.world.proposed(NAME, "fact", None, "User is back").await;
        assert_eq!(engine.apply_erasures().await.unwrap(), 0);
        assert_eq!(house.user(NAME).await, back.user);
        house.world.verify().await;
    }

    // F9
    async fn who_comes_back_without_a_key_loses_what_the_installation_itself_could_open(db: &TestDb) {
        const TABLES: [&str; 4] = [
            "create table kept_users as select * from users",
            "create table kept_views as select * from saved_views",
            "create table kept_holds as select * from holds",
            "create table kept_exports as select id, sealed from exports",
        ];
        // The key does not come back: it is in the newest file of keys no more.
        const BACK: [&str; 9] = [
            "insert into users select * from kept_users where id not in (select id from users)",
            "insert into saved_views select * from kept_views where id not in (select id from saved_views)",
            "insert into holds select * from kept_holds where id not in (select id from holds)",
            "update exports set sealed = (select kept_exports.sealed from kept_exports where kept_exports.id = exports.id)",
            "delete from erasures",
            "drop table kept_users",
            "drop table kept_views",
            "drop table kept_holds",
            "drop table kept_exports",
        ];
        let house = House::new(db).await;
        house.live(NAME, CANARY).await;
        house.live("bo", "obsidian").await;
        let admin = house.admin();
        for name in [NAME, "bo"] {
            let placed = house.engine.place_hold(&admin, &NewHold { everywhere: true, ..hold(Some(name)) }).await.unwrap();
            house.engine.release_hold(&admin, &placed.id).await.unwrap();
        }
        let (theirs, bos) = (house.exported(Some(NAME)).await, house.exported(Some("bo")).await);
        assert_eq!((theirs.user.as_ref(), theirs.user_id.as_deref()), (None, Some(NAME)));
        for copy in TABLES {
            db.behind_the_back(copy).await.unwrap();
        }
        house.world.pass(Span::hours(1));
        house.erases(NAME).await.unwrap();
        for back in BACK {
            db.behind_the_back(back).await.unwrap();
        }

        house.world.pass(Span::hours(1));
        let engine = over(db.again().await, &house.world, house.folder.path());
        engine.start().await.unwrap();
        let permit = house.world.mia(Permission::ReadCandidates);
        assert!(engine.saved_views(&permit).await.unwrap().is_empty(), "whom they name cannot be told");
        let holds = engine.holds(&house.world.mia(Permission::ReadAudit), &Page::default()).await.unwrap().data;
        assert_eq!(holds.iter().map(|hold| hold.user_id.as_deref()).collect::<Vec<_>>(), [Some("bo")]);
        let permit = house.world.mia(Permission::Export);
        assert_eq!(engine.export(&permit, &theirs.id).await.unwrap().user_id, None);
        let bos = engine.export(&permit, &bos.id).await.unwrap();
        assert_eq!((bos.state, bos.user_id.as_deref()), (ExportState::Done, Some("bo")));
        house.world.verify().await;
    }

    // F9
    async fn a_name_that_ends_in_a_space_is_erased_too(db: &TestDb) {
        let house = House::new(db).await;
        house.world.say(" cy ", &["Hello"]).await;
        assert_eq!(house.previews(" cy ").await.unwrap().confirm, " cy ");
        house.erases(" cy ").await.unwrap();
    }
}
