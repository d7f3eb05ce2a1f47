//! Exports: what is in one, who may have it, and what becomes of it when a process dies, a person goes or time passes.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use domain::{
    agent::{AgentName, AgentSettings},
    candidate::Reason,
    export::{ExportSort, ExportState, ReportLanguage},
    id::{ExportId, KeyId},
    key::KeyScope,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
    user::Scope,
};
use engine::{
    Approval, Engine, EngineError, ExportView, Extractors, Fetched, Incoming, NewExport, OsEntropy,
    Page, Retention, Settings,
    export::{bundle::Part, verify},
};
use flate2::read::DeflateDecoder;
use serde_json::Value;
use store::{ExportFile, Stamp, testing::TestDb};

use crate::world::{World, message, settings, start, system};

/// An engine that writes exports into a folder of its own.
pub struct House {
    pub world: World,
    pub engine: Engine,
    folder: tempfile::TempDir,
}

impl House {
    pub async fn new(db: &TestDb) -> Self {
        let world = World::new(db).await;
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            exports: Some(folder.path().join("exports")),
            ..settings()
        };
        let engine = Engine::new(
            db.db.clone(),
            world.clock.clone(),
            Arc::new(OsEntropy),
            Extractors::builtin(),
            settings,
        );
        Self {
            world,
            engine,
            folder,
        }
    }

    pub fn mia(&self) -> Permit {
        self.world.mia(Permission::Export)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("exports").join(name)
    }

    pub async fn ask(&self, new: NewExport) -> ExportView {
        // What this engine serves waits with the engine that served it.
        self.world.engine.flush().await.unwrap();
        self.engine.request_export(&self.mia(), new).await.unwrap()
    }

    pub async fn made(&self, new: NewExport) -> ExportView {
        let asked = self.ask(new).await;
        self.written(&asked.id).await
    }

    pub async fn written(&self, id: &ExportId) -> ExportView {
        while self.engine.work_export_once().await.unwrap() {}
        self.engine.export(&self.mia(), id).await.unwrap()
    }

    pub async fn file(&self, export: &ExportView) -> PathBuf {
        assert_eq!(export.state, ExportState::Done, "{:?}", export.error);
        let file = self
            .engine
            .export_file(&self.mia(), &export.id)
            .await
            .unwrap();
        assert_eq!(fs::metadata(&file.path).unwrap().len(), file.bytes);
        file.path
    }

    /// The file of an export that holds what it claims; its counts.
    async fn verified(&self, export: &ExportView) -> (PathBuf, BTreeMap<String, u64>) {
        let path = self.file(export).await;
        let key = self.engine.db().audit_key().await.unwrap().public_key();
        let report = verify::verify(&path, Some(&key)).unwrap();
        assert!(report.ok, "{:#?}", report.faults);
        (path, report.counts)
    }

    /// Something is proposed and approved, something is rejected with a note, and the agent is told of it.
    pub async fn live(&self, user: &str, canary: &str) {
        let world = &self.world;
        let decides = world.mia(Permission::Decide);
        let content = format!("User keeps {canary}");
        let good = world.proposed(user, "fact", None, &content).await;
        world
            .engine
            .approve(&decides, &good.id, None, Approval::default())
            .await
            .unwrap();
        let bad = world
            .proposed(
                user,
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
            .reject(&decides, &bad.id, None, Reason::NotDurable, note)
            .await
            .unwrap();
        world
            .proposed(user, "fact", None, &format!("User once lost {canary}"))
            .await;
        assert_eq!(world.served(user).await, [content]);
    }
}

pub fn everything() -> NewExport {
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

pub fn of(name: &str) -> NewExport {
    NewExport {
        named: Some(Scope::user_id(name).unwrap()),
        ..everything()
    }
}

/// A second agent, with a user of a name that the first one knows as well.
pub async fn sales(world: &World) -> AgentName {
    let sales = AgentName::parse("sales").unwrap();
    world
        .engine
        .create_agent(
            &system(Permission::Administer),
            sales.clone(),
            AgentSettings::default(),
        )
        .await
        .unwrap();
    let actor = Actor::Key {
        id: KeyId::new(start(), &OsEntropy),
        agent: sales.clone(),
        scopes: KeyScope::OF_AN_AGENT.to_vec(),
    };
    let incoming = Incoming {
        scope: Scope::user_id("ana").unwrap(),
        conversation_id: None,
        messages: vec![message(
            domain::conversation::Role::User,
            "I buy tea, canary-ana",
        )],
        time_zone: None,
        end: true,
        flush: false,
    };
    let permit = Permit::ask(actor, Permission::Ingest).unwrap();
    world
        .engine
        .ingest(&permit, &sales, incoming)
        .await
        .unwrap();
    world.work().await;
    sales
}

fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    let part = bytes[at..at + length].iter().rev();
    part.fold(0, |sum, byte| (sum << 8) | usize::from(*byte))
}

/// The files of a zip, as its directory says.
pub fn unpacked(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let zip = fs::read(path).unwrap();
    let end = zip.len() - 22;
    let (count, mut at) = (number(&zip, end + 10, 2), number(&zip, end + 16, 4));
    let mut files = BTreeMap::new();
    for _ in 0..count {
        let (packed, name) = (number(&zip, at + 20, 4), number(&zip, at + 28, 2));
        let (extra, before) = (number(&zip, at + 30, 2), number(&zip, at + 42, 4));
        let begins = before + 30 + number(&zip, before + 26, 2) + number(&zip, before + 28, 2);
        let shown = String::from_utf8(zip[at + 46..at + 46 + name].to_vec()).unwrap();
        let mut bytes = Vec::new();
        DeflateDecoder::new(&zip[begins..begins + packed])
            .read_to_end(&mut bytes)
            .unwrap();
        files.insert(shown, bytes);
        at += 46 + name + extra;
    }
    files
}

pub fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

fn manifest(files: &BTreeMap<String, Vec<u8>>) -> Value {
    serde_json::from_slice(&files["manifest.json"]).unwrap()
}

store::both! {
    // G11, E4: masked in every file, and proven all the same.
    async fn a_secret_that_was_said_is_in_no_export(db: &TestDb) {
        let house = House::new(db).await;
        let said = [
            "My card is 4111 1111 1111 1111, and I drink green tea",
            "カードは４１１１ １１１１ １１１１ １１１１です。緑茶が好きです",
            "我的身份证是11010519491231002X，我喜欢喝绿茶",
            "token ghp_abcdefghijklmnopqrstuvwxyz0123456789 ok",
        ];
        let accepted = house.world.say("ana", &said).await;
        let made = house.made(everything()).await;
        let (path, counts) = house.verified(&made).await;
        assert_eq!(counts[Part::Conversations.name()], 1);
        let files = unpacked(&path);
        for (name, bytes) in &files {
            for secret in ["4111 1111", "４１１１", "11010519491231002X", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"] {
                assert!(!holds(bytes, secret), "{secret} in {name}");
            }
        }
        for kept in ["I drink green tea", "緑茶が好きです", "我喜欢喝绿茶", "███████████████████"] {
            assert!(holds(&files[Part::Conversations.name()], kept), "{kept}");
        }
        // What is stored is what was said: the words beside a secret keep their places.
        let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
        let conversation = tx.conversation(&accepted.conversation.unwrap()).await.unwrap().unwrap();
        let stored = tx.messages(&conversation, 1, 4).await.unwrap();
        assert_eq!(stored.iter().map(|message| message.content.as_str()).collect::<Vec<_>>(), said);
    }

    // E4
    async fn an_export_of_everything_holds_every_row_and_verifies(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        house.live("bo", "canary-bo").await;
        sales(&house.world).await;
        let made = house.made(NewExport { bom: true, language: ReportLanguage::Japanese, ..everything() }).await;
        let (path, counts) = house.verified(&made).await;
        let mut rows: BTreeMap<String, i64> = BTreeMap::new();
        for agent in ["sales", "support"] {
            for (table, count) in db.rows_of_agent(agent).await {
                *rows.entry(table).or_default() += count;
            }
        }
        for (part, table) in [(Part::Users, "users"), (Part::Candidates, "candidates"), (Part::Decisions, "decisions"), (Part::Remarks, "remarks"), (Part::Memories, "revisions"), (Part::Servings, "servings")] {
            assert_eq!(counts[part.name()], rows[table].unsigned_abs(), "{table}");
        }
        assert!(counts[Part::Servings.name()] > 0 && counts[Part::Remarks.name()] == 2);
        let files = unpacked(&path);
        assert_eq!(files.len(), Part::AUDIT.len());
        let manifest = manifest(&files);
        let chains: Vec<_> = manifest["chains"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(chains, ["sales", "support", "system"]);
        for chain in ["sales", "support"] {
            let chain = &manifest["chains"][chain];
            assert_eq!(chain["events"], chain["size"], "whole");
        }
        assert!(files["events.csv"].starts_with("\u{feff}chain,seq,".as_bytes()));
        let lines = files["events.csv"].iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(lines, counts[Part::Events.name()] + 1);
        assert!(holds(&files["report.html"], "監査エクスポート"));
        assert_eq!((made.done, made.total > 0), (made.total, true));
        assert_eq!(fs::read_dir(house.path("")).unwrap().count(), 1, "nothing is left beside it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        house.world.verify().await;
    }

    // E4
    async fn one_users_export_holds_no_byte_of_anybody_else(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        house.live("bo", "canary-bo").await;
        sales(&house.world).await;
        let bos = house.made(of("bo")).await;
        let (path, counts) = house.verified(&bos).await;
        assert_eq!(counts[Part::Users.name()], 1);
        assert_eq!(counts[Part::Candidates.name()], 3);
        for (name, bytes) in unpacked(&path) {
            assert!(!holds(&bytes, "canary-ana"), "{name}");
        }
        assert!(holds(&unpacked(&path)["report.html"], "User keeps canary-bo"));

        // By name it is whoever is called so, in every agent; by agent or id only there.
        let anas = house.made(of("ana")).await;
        let (path, counts) = house.verified(&anas).await;
        assert_eq!(counts[Part::Users.name()], 2);
        assert_eq!(anas.user_id.as_deref(), Some("ana"));
        for (name, bytes) in unpacked(&path) {
            assert!(!holds(&bytes, "canary-bo"), "{name}");
        }
        let here = house.made(NewExport { agent: Some(house.world.agent.clone()), ..of("ana") }).await;
        let (_, counts) = house.verified(&here).await;
        assert_eq!((counts[Part::Users.name()], here.agent.as_ref()), (1, Some(&house.world.agent)));
        assert!(here.user.is_some());
    }

    // E4
    async fn the_same_content_gives_the_same_files_and_a_span_takes_what_happened_in_it(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        let (one, two) = (house.made(of("ana")).await, house.made(of("ana")).await);
        let (one, two) = (house.verified(&one).await.0, house.verified(&two).await.0);
        let (one, two) = (unpacked(&one), unpacked(&two));
        for part in Part::AUDIT {
            // That an export was asked for and signed is itself told in the system's chain.
            let moves = matches!(part, Part::Checkpoint | Part::Sums | Part::Signature);
            assert_eq!(one[part.name()] == two[part.name()], !moves, "{}", part.name());
        }

        let before = house.world.engine.now() + Span::hours(1);
        house.world.pass(Span::hours(2));
        house.world.proposed("ana", "fact", None, "User owns a later canary").await;
        let later = house.made(NewExport { from: Some(before), ..everything() }).await;
        let (path, counts) = house.verified(&later).await;
        assert_eq!(counts[Part::Candidates.name()], 1);
        assert!(holds(&unpacked(&path)["candidates.ndjson"], "a later canary"));
        let earlier = house.made(NewExport { to: Some(before), ..of("ana") }).await;
        let (path, counts) = house.verified(&earlier).await;
        assert_eq!(counts[Part::Candidates.name()], 3);
        assert!(!holds(&unpacked(&path)["candidates.ndjson"], "a later canary"));
        // What was taken away since is told of, so that nothing seems to be missing.
        house.world.pass(Span::days(60));
        let gone = Some(Duration::from_secs(30 * 24 * 60 * 60));
        let settings = Settings { retention: Retention { conversations: gone, rejected: gone, ..Retention::default() }, ..settings() };
        let cleaner = Engine::new(db.db.clone(), house.world.clock.clone(), Arc::new(OsEntropy), Extractors::builtin(), settings);
        assert_eq!(cleaner.remove_old_conversations().await.unwrap(), 4);
        assert_eq!(cleaner.remove_old_rejections().await.unwrap(), 1);
        for new in [of("ana"), everything()] {
            let span = house.made(NewExport { to: Some(before), ..new }).await;
            let (path, counts) = house.verified(&span).await;
            assert_eq!((counts[Part::Conversations.name()], counts[Part::Candidates.name()]), (0, 2));
            let files = unpacked(&path);
            assert!(holds(&files["events.ndjson"], "conversation.removed") && holds(&files["events.csv"], "candidate.removed"));
            assert!(!holds(&files["events.ndjson"], "retention.applied"));
        }

        let wrong = NewExport { from: Some(before), to: Some(before), ..everything() };
        let refused = house.engine.request_export(&house.mia(), wrong).await.unwrap_err();
        assert_eq!(refused.fields()[0].code, "too_early");
    }

    // E4
    async fn nobody_of_that_name_is_told_at_once_and_whoever_goes_meanwhile_in_the_end(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        let refused = house.engine.request_export(&house.mia(), of("nobody")).await.unwrap_err();
        assert_eq!((refused.status(), refused.fields()[0].code, refused.fields()[0].pointer.as_str()), (422, "unknown", "/user_id"));
        let waits = house.ask(of("ana")).await;
        assert_eq!(waits.state, ExportState::Queued);
        // Her key is destroyed.
        db.behind_the_back("delete from user_keys").await.unwrap();
        let failed = house.written(&waits.id).await;
        assert_eq!((failed.state, failed.error.as_deref()), (ExportState::Failed, Some("user_unknown")));
        let erased = house.engine.request_export(&house.mia(), of("ana")).await.unwrap_err();
        assert_eq!(erased.fields()[0].code, "unknown");
        let file = house.engine.export_file(&house.mia(), &waits.id).await.unwrap_err();
        assert_eq!((file.code(), file.status()), ("export_not_ready", 409));
    }

    // E4
    async fn a_process_that_dies_in_the_middle_leaves_an_export_that_another_writes(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        let asked = house.ask(everything()).await;
        let now = house.engine.now();
        let dead = db.db.claim_work::<ExportId>(now, now + Span::seconds(30)).await.unwrap().unwrap();
        fs::create_dir_all(house.path("")).unwrap();
        let part = house.path(&format!("{}.{}.zip.part", asked.id, dead.epoch));
        fs::write(&part, "PK half of a zip, canary").unwrap();
        assert!(!house.engine.work_export_once().await.unwrap(), "the lease holds");
        house.world.pass(Span::seconds(31));
        let made = house.written(&asked.id).await;
        house.verified(&made).await;
        assert!(!part.exists());
        // The dead one wakes up.
        let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
        let file = ExportFile { name: "other.zip".into(), bytes: 1, sha256: "00".into() };
        let late = tx.finish_export(&dead, &file, 1, now, &Stamp::system(now)).await;
        assert!(matches!(late, Err(store::Error::LostClaim)));
        drop(tx);

        // One that ends its process each time is given up.
        let again = house.ask(everything()).await;
        for _ in 0..5 {
            let now = house.engine.now();
            db.db.claim_work::<ExportId>(now, now + Span::seconds(30)).await.unwrap().unwrap();
            house.world.pass(Span::seconds(31));
        }
        let given_up = house.written(&again.id).await;
        assert_eq!((given_up.state, given_up.error.as_deref()), (ExportState::Failed, Some("crashed")));
    }

    // E4
    async fn a_file_goes_in_time_or_by_hand_and_what_is_nobodys_is_swept(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        let (one, two) = (house.made(everything()).await, house.made(everything()).await);
        let (path, other) = (house.file(&one).await, house.file(&two).await);
        house.engine.note_download(&house.mia(), &one.id, Fetched::Whole).await.unwrap();
        assert_eq!(house.engine.export(&house.mia(), &one.id).await.unwrap().downloads, 1);
        house.engine.remove_export(&house.mia(), &two.id).await.unwrap();
        assert!(!other.exists());
        let stray = house.path(&format!("{}.1.zip.part", ExportId::new(start(), &OsEntropy)));
        fs::write(&stray, "nobody's").unwrap();
        assert_eq!(house.engine.expire_exports().await.unwrap(), 0);
        assert!(!stray.exists() && path.exists());
        house.world.pass(Span::days(7));
        let over = house.engine.export_file(&house.mia(), &one.id).await.unwrap_err();
        assert_eq!((over.code(), over.status()), ("export_expired", 410), "also before anybody removes it");
        assert_eq!(house.engine.expire_exports().await.unwrap(), 1);
        assert!(!path.exists());
        let gone = house.engine.export(&house.mia(), &one.id).await.unwrap();
        assert_eq!((gone.state, gone.sha256), (ExportState::Expired, None));

        let stopped = house.ask(everything()).await;
        house.engine.remove_export(&house.mia(), &stopped.id).await.unwrap();
        assert!(!house.engine.work_export_once().await.unwrap());
        let stopped = house.engine.export(&house.mia(), &stopped.id).await.unwrap();
        assert_eq!((stopped.state, stopped.error.as_deref()), (ExportState::Failed, Some("stopped")));
        house.world.verify().await;
    }

    // E4, G7
    async fn nobody_exports_more_than_they_may_see(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        let sales = sales(&house.world).await;
        let all = house.made(everything()).await;
        let of_support = house.made(NewExport { agent: Some(house.world.agent.clone()), ..everything() }).await;
        let may = |role, agents: &[&AgentName]| {
            let grants = agents.iter().map(|agent| Grant { agent: Some((*agent).clone()), ..Grant::everywhere(role) });
            match house.world.mia.clone() {
                Actor::Person { id, name, .. } => Permit::ask(Actor::Person { id, name, grants: grants.collect() }, Permission::Export),
                _ => unreachable!("Mia is a person"),
            }
        };
        assert!(may(RoleName::Reviewer, &[&sales]).is_err() && may(RoleName::Viewer, &[&sales]).is_err());
        let limited = may(RoleName::Auditor, &[&sales]).unwrap();
        for id in [&all.id, &of_support.id] {
            for refused in [
                house.engine.export(&limited, id).await.map(drop),
                house.engine.export_file(&limited, id).await.map(drop),
                house.engine.remove_export(&limited, id).await,
            ] {
                assert!(matches!(refused, Err(EngineError::NotFound)), "{refused:?}");
            }
        }
        assert!(house.engine.exports(&limited, &Page::default()).await.unwrap().data.is_empty());
        let there = NewExport { agent: Some(house.world.agent.clone()), ..everything() };
        assert!(matches!(house.engine.request_export(&limited, there).await, Err(EngineError::NotFound)));
        // Without a word on the agent it is the only one that they may export.
        let own = house.engine.request_export(&limited, everything()).await.unwrap();
        assert_eq!(own.agent, Some(sales.clone()));
        let two = may(RoleName::Auditor, &[&sales, &house.world.agent]).unwrap();
        let which = house.engine.request_export(&two, everything()).await.unwrap_err();
        assert_eq!(which.fields()[0].pointer, "/agent");
        let agents_key = Actor::Key { id: KeyId::new(start(), &OsEntropy), agent: sales, scopes: KeyScope::ALL.to_vec() };
        assert!(Permit::ask(agents_key, Permission::Export).is_err());
    }
}
