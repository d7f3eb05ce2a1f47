//! An export that is taken in by another installation (E4): whole agents live on there with their ids, times, states and chains; what is
//! no whole, or no proof, is refused, and a refusal leaves nothing behind.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope, AgentSettings},
    audit::{EventType, PublicKey, hex},
    candidate::{Edit, Status},
    erasure::ErasureReason,
    export::{ExportSort, ExportState},
    id::{DecisionId, MemoryId, UserId},
    join::JoinVerdict,
    kind::{EvidenceRule, Kind},
    permission::{Actor, Permission, Permit},
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, Approval, CandidateFilter, Context, ContextAnswer, Engine, Erase, EventFilter,
    Extractors, Incoming, JoinFilter, MemoryEdit, MemoryFilter, NewExport, NewHold, NewJoin,
    NewKind, OsEntropy, Page, Retention, Settings, TimelineEntry, UserRef, Version,
    export::{
        ImportError, Imported, SignedBy,
        bundle::{Part, canonical},
        verify::{self, BundleFaultKind},
    },
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{Stamp, testing::TestDb};

use crate::{
    bundle::{
        builder::{Bundle, signer},
        story::Story,
    },
    exports::{House, everything, holds, of, sales, unpacked},
    world::{World, ask, message, person, settings, start, system},
};

/// A name and a word that stand nowhere else.
const ANA: &str = "ana.quuxington@example.org";
const CANARY: &str = "zanzibarquartz";

/// Another installation, in which no agent has ever been.
struct There {
    db: TestDb,
    engine: Engine,
    mia: Actor,
    _folder: tempfile::TempDir,
}

impl There {
    /// On a database of the same sort as the first one.
    async fn beside(db: &TestDb, world: &World) -> Self {
        let db = if db.dir.is_some() {
            TestDb::sqlite().await
        } else {
            let there = TestDb::postgres("imports::there").await;
            there.expect("the server on which the first one is")
        };
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
        let mia = person(&db, "Noor").await;
        Self {
            db,
            engine,
            mia,
            _folder: folder,
        }
    }

    fn permit(&self, permission: Permission) -> Permit {
        Permit::ask(self.mia.clone(), permission).unwrap()
    }

    async fn import(
        &self,
        bundle: &Path,
        key: Option<&PublicKey>,
    ) -> Result<Imported, ImportError> {
        let administers = system(Permission::Administer);
        let fingerprint = verify::verify(bundle, None).ok();
        let fingerprint = fingerprint
            .and_then(|report| report.key)
            .unwrap_or_default();
        let signed_by = key.map_or(SignedBy::Fingerprint(&fingerprint), SignedBy::Key);
        self.engine
            .import_bundle(&administers, bundle, signed_by)
            .await
    }

    /// Nothing of these agents, and nothing told.
    async fn is_as_before(&self, agents: &[&str]) {
        for agent in agents {
            let rows = self.db.rows_of_agent(agent).await;
            let left: Vec<_> = rows.iter().filter(|(_, rows)| *rows > 0).collect();
            assert!(left.is_empty(), "{agent}: {left:?}");
        }
        assert!(self.imports().await.is_empty());
        self.chains_hold().await;
    }

    async fn imports(&self) -> Vec<engine::EventView> {
        let filter = EventFilter {
            types: vec![EventType::BundleImported],
            ..EventFilter::default()
        };
        let audits = system(Permission::ReadAudit);
        let told = self.engine.events(&audits, &filter, &Page::default()).await;
        told.unwrap().data
    }

    async fn chains_hold(&self) {
        let audits = system(Permission::ReadAudit);
        let verified = self.engine.verify(&audits).await.unwrap();
        assert!(verified.ok, "{:?}", verified.faults);
    }

    /// The file of an export of this installation, in which both verifiers find nothing wrong.
    async fn exported(&self, new: NewExport) -> PathBuf {
        let exports = self.permit(Permission::Export);
        self.engine.flush().await.unwrap();
        let asked = self.engine.request_export(&exports, new).await.unwrap();
        while self.engine.work_export_once().await.unwrap() {}
        let made = self.engine.export(&exports, &asked.id).await.unwrap();
        assert_eq!(made.state, ExportState::Done, "{:?}", made.error);
        let file = self.engine.export_file(&exports, &made.id).await.unwrap();
        let key = self.db.db.audit_key().await.unwrap().public_key();
        let report = verify::verify(&file.path, Some(&key)).unwrap();
        assert!(report.ok, "{:#?}", report.faults);
        let python = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/verify.py");
        let said = Command::new("python3")
            .args(["-B", python, "--key", key.to_string().as_str()])
            .arg(&file.path)
            .output()
            .expect("python3 is there");
        assert!(said.status.success(), "{said:?}");
        file.path
    }
}

/// An export that lies, made by the installation itself: changed where no proof reaches, so that no verifier finds anything wrong.
async fn lie(house: &House, bundle: &Path, change: impl FnOnce(&mut Bundle)) -> PathBuf {
    let mut forged = Bundle::read(bundle);
    change(&mut forged);
    forged.count();
    let key = house.engine.db().audit_key().await.unwrap();
    forged.seal_of(key.instance(), key.signer());
    let path = bundle.with_extension("forged");
    fs::write(&path, forged.zip()).unwrap();
    let report = verify::verify(&path, Some(&key.public_key())).unwrap();
    assert!(report.ok, "{:#?}", report.faults);
    path
}

/// The number of the first such line of a file, and what it says.
fn line_of(bundle: &Bundle, part: Part, wanted: impl Fn(&Value) -> bool) -> (usize, Value) {
    let lines = bundle.lines(part).into_iter();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let found = lines.by_ref().enumerate().find(|(_, line)| wanted(line));
    found.expect("there is such a line")
}

fn add(bundle: &mut Bundle, part: Part, line: &Value) {
    bundle.edit_lines(part, |lines| lines.push(canonical(line)));
}

async fn told_events(
    engine: &Engine,
    agent: &AgentName,
    r#type: EventType,
) -> Vec<engine::EventView> {
    let filter = EventFilter {
        types: vec![r#type],
        ..EventFilter::default()
    };
    let audits = system(Permission::ReadAudit);
    let told = engine.events(&audits, &filter, &Page::default()).await;
    let mut told = told.unwrap().data;
    told.retain(|event| event.agent == agent.as_str());
    told
}

/// One agent, the whole time.
fn whole(agent: &AgentName) -> NewExport {
    NewExport {
        agent: Some(agent.clone()),
        ..everything()
    }
}

fn named(name: &str) -> UserRef {
    UserRef::parse(name).unwrap()
}

/// Without what is in no export: names of people who decide, and what extracted something.
fn without_what_stays_behind(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|sort| sort == "person") {
                fields.insert("name".to_owned(), Value::Null);
            }
            fields.remove("made_by");
            fields.values_mut().for_each(without_what_stays_behind);
        }
        Value::Array(items) => items.iter_mut().for_each(without_what_stays_behind),
        _ => {}
    }
}

/// What people see of somebody: memories with their revisions, what a search finds, what was known at each moment, the queue, and the
/// timeline.
async fn seen(engine: &Engine, world: &World, name: &str, moments: &[Timestamp]) -> Value {
    let page = Page {
        limit: Page::MOST,
        ..Page::default()
    };
    let (agent, user) = (&world.agent, named(name));
    let scope = Scope::user_id(name).unwrap();
    let history = world.mia(Permission::ReadHistory);
    let mut memories = Vec::new();
    for retired in [false, true] {
        let filter = MemoryFilter {
            retired,
            agent: Some(agent.clone()),
            scope: Some(scope.clone()),
            ..MemoryFilter::default()
        };
        for memory in engine
            .memories(&history, &filter, &page)
            .await
            .unwrap()
            .data
        {
            let revisions = engine.revisions(&history, &memory.id).await.unwrap().data;
            memories.push(json!({ "memory": memory, "revisions": revisions }));
        }
    }
    let mut found = Vec::new();
    for search in [CANARY, "obsidian", "dark mode", "keeps"] {
        let filter = MemoryFilter {
            agent: Some(agent.clone()),
            search: Some(search.to_owned()),
            ..MemoryFilter::default()
        };
        let listed = engine
            .memories(&history, &filter, &page)
            .await
            .unwrap()
            .data;
        let ids: Vec<MemoryId> = listed.into_iter().map(|memory| memory.id).collect();
        found.push(json!([search, ids]));
    }
    let reads = world.mia(Permission::ReadUsers);
    let mut then = Vec::new();
    for at in moments {
        let held = engine.as_of(&reads, &user, Some(agent), *at, &page).await;
        then.push(json!(held.unwrap()));
    }
    let looks = world.mia(Permission::ReadCandidates);
    let mut queue = Vec::new();
    for text in [None, Some("lost".to_owned())] {
        let filter = CandidateFilter {
            status: if text.is_none() {
                None
            } else {
                CandidateFilter::default().status
            },
            agent: Some(agent.clone()),
            scope: Some(scope.clone()),
            text,
            ..CandidateFilter::default()
        };
        let listed = engine.candidates(&looks, &filter, &page).await.unwrap();
        let rows = listed.data.into_iter().map(|one| {
            json!([
                one.id,
                one.status,
                one.version,
                one.content,
                one.evidence,
                one.expires_at
            ])
        });
        queue.push(rows.collect::<Vec<_>>());
    }
    let timeline = engine
        .timeline_with_servings(&reads, &user, Some(agent), &page)
        .await
        .unwrap();
    let timeline: Vec<Value> = timeline
        .data
        .into_iter()
        .map(|entry| match entry {
            TimelineEntry::Event { event, said } => {
                json!([event.seq, event.hash, said.map(|said| said.content)])
            }
            TimelineEntry::Served(serving) => json!([serving.id, serving.at]),
        })
        .collect();
    let mut all = json!({
        "memories": memories, "found": found, "then": then, "queue": queue, "timeline": timeline,
    });
    without_what_stays_behind(&mut all);
    all
}

async fn told(engine: &Engine, world: &World, name: &str) -> Context {
    let permit = world.key(Permission::ReadContext);
    match engine
        .context(&permit, &world.agent, ask(name))
        .await
        .unwrap()
    {
        ContextAnswer::Block(context) => *context,
        ContextAnswer::Unchanged { .. } => panic!("nothing was compared"),
    }
}

/// The files of lines, without the names of people who decided.
fn lines(path: &Path) -> BTreeMap<String, String> {
    let mut files = unpacked(path);
    Part::LINES
        .into_iter()
        .map(|part| {
            let text = String::from_utf8(files.remove(part.name()).unwrap()).unwrap();
            let text = ["Mia", "Aiko"].iter().fold(text, |text, name| {
                text.replace(&format!("\"name\":\"{name}\""), "\"name\":null")
            });
            (part.name().to_owned(), text)
        })
        .collect()
}

/// Somebody whose memory was changed, somebody whose memory was retired, a guest id that was joined, somebody who opted out, and somebody
/// who was erased; and a second agent. Answers the moments between.
async fn lived(house: &House) -> Vec<Timestamp> {
    let world = &house.world;
    let decides = world.mia(Permission::Decide);
    let mut moments = Vec::new();
    house.live(ANA, CANARY).await;
    house.live("bo", "obsidian").await;
    moments.push(world.engine.now());
    world.pass(Span::hours(1));
    for (name, changed) in [(ANA, true), ("bo", false)] {
        let filter = MemoryFilter {
            agent: Some(world.agent.clone()),
            scope: Some(Scope::user_id(name).unwrap()),
            ..MemoryFilter::default()
        };
        let history = world.mia(Permission::ReadHistory);
        let listed = world
            .engine
            .memories(&history, &filter, &Page::default())
            .await;
        let memory = listed.unwrap().data.remove(0).id;
        let note = Some(format!("as {CANARY} said"));
        if changed {
            let edit = Edit {
                content: Some(format!("User keeps {CANARY} at home")),
                ..Edit::default()
            };
            let change = MemoryEdit {
                edit,
                expires_at: Some(Some(world.engine.now() + Span::days(300))),
            };
            let done = world
                .engine
                .edit_memory(&decides, &memory, Version::Is(1), change, note)
                .await;
            done.unwrap();
        } else {
            let done = world
                .engine
                .retire_memory(&decides, &memory, Version::Is(1), note)
                .await;
            done.unwrap();
        }
    }
    moments.push(world.engine.now());
    world.pass(Span::hours(1));
    let dark = world
        .proposed("guest-1", "preference", None, "User prefers dark mode")
        .await;
    let edit = Edit {
        importance: Some(0.9),
        ..Edit::default()
    };
    let approval = Approval {
        edit,
        note: Some("said twice".into()),
        ..Approval::default()
    };
    world
        .engine
        .approve(&decides, &dark.id, None, approval)
        .await
        .unwrap();
    let join = NewJoin {
        agent: Some(world.agent.clone()),
        guest: named("guest-1"),
        main: named(ANA),
        reason: Some("signed in with the same cookie".into()),
    };
    world.engine.join_ids(&decides, &join).await.unwrap();
    let content = "User sings in a choir";
    let sings = world.proposed("carl", "fact", None, content).await;
    world
        .engine
        .approve(&decides, &sings.id, None, Approval::default())
        .await
        .unwrap();
    let administers = world.mia(Permission::Administer);
    world
        .engine
        .set_opt_out(&administers, &named("carl"), true)
        .await
        .unwrap();
    world
        .proposed("dora", "fact", None, "User fears heights")
        .await;
    let (agent, dora) = (Some(&world.agent), named("dora"));
    world.engine.flush().await.unwrap();
    let preview = world
        .engine
        .preview_erasure(&administers, &dora, agent)
        .await;
    let erase = Erase {
        reason: ErasureReason::AskedFor,
        confirm: "dora".into(),
        version: preview.unwrap().version,
        request: None,
    };
    world
        .engine
        .erase(&administers, &dora, agent, &erase)
        .await
        .unwrap();
    sales(world).await;
    moments.push(world.engine.now());
    world.pass(Span::hours(1));
    moments
}

/// What is changed in a bundle before it is signed anew.
type Lie<'a> = Box<dyn Fn(&mut Bundle) + 'a>;

store::both! {
    // E4
    async fn whole_agents_live_on_in_another_installation(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        let moments = lived(&house).await;
        let bundle = house.file(&house.made(everything()).await).await;
        let files = unpacked(&bundle);
        let there = There::beside(db, world).await;
        let key = house.engine.db().audit_key().await.unwrap().public_key();
        let imported = there.import(&bundle, Some(&key)).await.unwrap();
        let agents: Vec<&str> = imported.agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!((agents, imported.key_compared, imported.counts.users), (vec!["sales", "support"], true, 5));

        // What the chain of this installation tells of it.
        let event = there.imports().await.remove(0);
        let manifest = hex(&Sha256::digest(&files[Part::Manifest.name()]));
        assert_eq!((event.agent.as_str(), event.data["manifest"].as_str()), ("system", Some(manifest.as_str())));
        let counts = event.data.iter().filter(|(name, _)| *name != "manifest");
        assert!(counts.clone().count() == 9 && counts.clone().all(|(_, count)| count.is_u64()));
        there.chains_hold().await;

        // The same is seen, and the same is told.
        for name in [ANA, "bo", "guest-1"] {
            let (one, other) = (seen(&house.engine, world, name, &moments).await, seen(&there.engine, world, name, &moments).await);
            assert_eq!(one, other, "{name}");
            assert!(one["timeline"].as_array().unwrap().len() > 3 && one["queue"][0].as_array().is_some_and(|rows| !rows.is_empty()));
        }
        let found = &seen(&there.engine, world, ANA, &moments).await["found"];
        assert_eq!((found[0][1].as_array().unwrap().len(), found[1][1].as_array().unwrap().len()), (1, 0), "what is retired is not found");

        // An export of it is the one that was made where it comes from.
        let (one, other) = (house.file(&house.made(whole(&world.agent)).await).await, there.exported(whole(&world.agent)).await);
        let (one, other) = (lines(&one), lines(&other));
        for (part, text) in &one {
            assert_eq!(Some(text), other.get(part), "{part}");
            assert!(!text.is_empty(), "{part}");
        }

        for name in [ANA, "bo", "guest-1", "carl"] {
            let (one, other) = (told(&house.engine, world, name).await, told(&there.engine, world, name).await);
            assert_eq!((&one.block, one.items.len()), (&other.block, other.items.len()), "{name}");
        }
        let both = told(&there.engine, world, "guest-1").await;
        assert!(both.block.contains(CANARY) && both.block.contains("dark mode"), "joined ids are one");
        assert!(told(&there.engine, world, "carl").await.items.is_empty(), "who opted out stays out");
        there.chains_hold().await;

        // Texts and names are sealed under keys of this installation.
        assert_eq!(there.db.columns_with(&[ANA, CANARY, "obsidian"]).await, Vec::<String>::new());
        if let Some(dir) = &there.db.dir {
            for entry in fs::read_dir(dir.path()).unwrap() {
                let path = entry.unwrap().path();
                let bytes = fs::read(&path).unwrap();
                assert!(![ANA, CANARY, "obsidian"].iter().any(|text| holds(&bytes, text)), "{}", path.display());
            }
        }
        there.db.close().await;
    }

    // E4, F9
    async fn work_goes_on_where_it_stood_and_whoever_was_erased_stays_so(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        lived(&house).await;
        let bundle = house.file(&house.made(whole(&world.agent)).await).await;
        let there = There::beside(db, world).await;
        let imported = there.import(&bundle, None).await.unwrap();
        assert_eq!((imported.agents.len(), imported.key_compared), (1, false));

        // Nothing is learnt before somebody has looked at the settings.
        let incoming = Incoming {
            scope: Scope::user_id("bo").unwrap(),
            conversation_id: None,
            messages: vec![message(domain::conversation::Role::User, "I live in Oslo")],
            time_zone: None,
            end: true,
            flush: false,
        };
        let accepted = there.engine.ingest(&world.key(Permission::Ingest), &world.agent, incoming).await.unwrap();
        assert_eq!(accepted.skipped, Some("memory_off"));

        // What waited waits, and is decided here.
        let filter = CandidateFilter { agent: Some(world.agent.clone()), scope: Some(Scope::user_id("bo").unwrap()), ..CandidateFilter::default() };
        let waits = there.engine.candidates(&there.permit(Permission::ReadCandidates), &filter, &Page::default()).await.unwrap().data.remove(0);
        let approved = there.engine.approve(&there.permit(Permission::Decide), &waits.id, None, Approval::default()).await.unwrap();
        let items = told(&there.engine, world, "bo").await.items;
        assert_eq!(items.into_iter().map(|item| item.memory).collect::<Vec<_>>(), [approved.memory.unwrap()]);

        let users = lines(&bundle).remove(Part::Users.name()).unwrap();
        let mut users = users.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let erased = users.find(|line| !line["erased_at"].is_null()).unwrap();
        let dora = erased["id"].as_str().unwrap();
        let refused = there.engine.user(&there.permit(Permission::ReadUsers), &UserRef::parse(dora).unwrap(), Some(&world.agent)).await.unwrap_err();
        assert_eq!((refused.code(), refused.status()), ("erased", 410));
        let view = there.engine.erasure(&there.permit(Permission::ReadUsers), &dora.parse().unwrap()).await.unwrap();
        assert_eq!((view.erased.candidates, view.reason), (1, ErasureReason::AskedFor));
        there.chains_hold().await;

        // A bundle of what became of it holds both halves of the chain.
        there.exported(whole(&world.agent)).await;
        there.db.close().await;
    }

    // E4, B6
    async fn every_kind_has_a_row_and_a_repetition_keeps_its_end(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        let administers = system(Permission::Administer);
        let patch: AgentPatch = serde_json::from_value(json!({"kinds": {"sets": ["assistant", "business"]}})).unwrap();
        world.engine.change_agent(&administers, &world.agent, None, patch).await.unwrap();
        let pet = NewKind {
            name: "pet".into(),
            label: "Pets".into(),
            description: "Animals of the user".into(),
            metadata_schema: None,
            ttl_days: None,
            position: 6,
            cap: None,
            always: false,
            evidence: EvidenceRule::UserQuote,
            enabled: true,
            guideline: None,
        };
        world.engine.create_kind(&administers, &world.agent, pet).await.unwrap();
        let decides = world.mia(Permission::Decide);
        let trouble = "User finds the reports too slow";
        for (kind, content) in [("pain_point", trouble), ("pet", "User has a parrot")] {
            let waits = world.proposed("ana", kind, None, content).await;
            world.engine.approve(&decides, &waits.id, None, Approval::default()).await.unwrap();
        }
        world.pass(Span::days(10));
        world.script.says(&json!({"candidates": [{"kind": "pain_point", "content": trouble, "confidence": 0.9, "importance": 0.7, "evidence": trouble}]}));
        let again = world.say("ana", &[trouble]).await;
        world.work().await;
        assert_eq!(world.operation(&again).await.sightings, 1);

        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, world).await;
        let imported = there.import(&bundle, None).await.unwrap();
        assert_eq!(imported.agents[0].own_kinds, ["pet"]);
        let kinds = there.engine.kinds(&administers, &world.agent).await.unwrap();
        let in_use = |name: &str| kinds.iter().find(|kind| kind.name == name).map(|kind| kind.enabled);
        assert_eq!((in_use("pain_point"), in_use("campaign"), in_use("pet")), (Some(true), Some(true), Some(false)));
        let filter = MemoryFilter { agent: Some(world.agent.clone()), kinds: vec!["pain_point".into()], ..MemoryFilter::default() };
        let history = world.mia(Permission::ReadHistory);
        let mut ends = Vec::new();
        for engine in [&world.engine, &there.engine] {
            ends.push(engine.memories(&history, &filter, &Page::default()).await.unwrap().data.remove(0).expires_at);
        }
        assert_eq!(ends, [Some(world.engine.now() + Span::days(180)); 2]);
        there.db.close().await;
    }

    // E4
    async fn what_is_no_whole_or_no_proof_is_refused_with_what_to_do(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live("ana", CANARY).await;
        let there = There::beside(db, world).await;
        let begun = world.engine.now() - Span::hours(1);
        let copy = NewExport { sort: ExportSort::Copy, ..of("ana") };
        let parts = [
            of("ana"),
            NewExport { agent: Some(world.agent.clone()), ..of("ana") },
            NewExport { from: Some(begun), ..everything() },
            NewExport { as_of: Some(world.engine.now()), ..of("ana") },
        ];
        for part in parts {
            let bundle = house.file(&house.made(part).await).await;
            let refused = there.import(&bundle, None).await.unwrap_err();
            assert!(matches!(refused, ImportError::Part) && refused.to_string().contains("of the whole agent, or of everything"), "{refused}");
        }
        let bundle = house.file(&house.made(copy).await).await;
        let refused = there.import(&bundle, None).await.unwrap_err();
        assert!(matches!(refused, ImportError::Copy) && refused.to_string().contains("an export of the sort audit"), "{refused}");

        let bundle = house.file(&house.made(everything()).await).await;
        let key = there.db.db.audit_key().await.unwrap().public_key();
        let Err(ImportError::Damaged(report)) = there.import(&bundle, Some(&key)).await else { panic!("it is signed by another key") };
        assert_eq!(report.faults[0].kind, BundleFaultKind::Key);
        let mut bytes = fs::read(&bundle).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let damaged = bundle.with_extension("damaged");
        fs::write(&damaged, bytes).unwrap();
        let Err(ImportError::Damaged(report)) = there.import(&damaged, None).await else { panic!("it is damaged") };
        assert!(!report.ok && !report.faults.is_empty());
        let missing = there.import(&bundle.with_extension("none"), None).await.unwrap_err();
        assert!(matches!(missing, ImportError::Open(_)), "{missing}");
        there.is_as_before(&["support"]).await;

        // An agent comes once: its chain is never cut and never begun anew.
        there.import(&bundle, None).await.unwrap();
        let refused = there.import(&bundle, None).await.unwrap_err();
        assert!(matches!(&refused, ImportError::Known(name) if *name == world.agent) && refused.to_string().contains("has never had"), "{refused}");
        assert_eq!(there.imports().await.len(), 1);
        there.chains_hold().await;
        there.db.close().await;
    }

    // E4
    async fn what_fails_at_the_last_row_leaves_no_row_at_all(db: &TestDb) {
        let house = House::new(db).await;
        house.live(ANA, CANARY).await;
        sales(&house.world).await;
        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, &house.world).await;
        there.db.behind_the_back("alter table serving_items rename to elsewhere").await.unwrap();
        let refused = there.import(&bundle, None).await.unwrap_err();
        assert!(matches!(refused, ImportError::Line { file: "servings.ndjson", line: 1, .. }), "{refused}");
        there.is_as_before(&["support", "sales"]).await;
        there.db.behind_the_back("alter table elsewhere rename to serving_items").await.unwrap();
        there.import(&bundle, None).await.unwrap();
        there.chains_hold().await;
        there.db.close().await;
    }

    // E4
    async fn lines_of_an_agent_that_is_not_in_the_export_are_refused(db: &TestDb) {
        let house = House::new(db).await;
        let bundle = {
            let sales = sales(&house.world).await;
            house.file(&house.made(whole(&sales)).await).await
        };
        let there = There::beside(db, &house.world).await;
        let support = house.world.agent.clone();
        there.engine.create_agent(&system(Permission::Administer), support.clone(), AgentSettings::default()).await.unwrap();
        let before = there.db.rows_of_agent("support").await;
        let forged = lie(&house, &bundle, |forged| {
            let (_, mut line) = line_of(forged, Part::Users, |_| true);
            line["agent"] = json!(support);
            line["id"] = json!(UserId::new(start(), &OsEntropy));
            add(forged, Part::Users, &line);
        })
        .await;
        let refused = there.import(&forged, None).await.unwrap_err();
        assert!(matches!(refused, ImportError::Line { file: "users.ndjson", line: 2, .. }), "{refused}");
        assert!(refused.to_string().contains("whose chain the manifest does not name"), "{refused}");
        assert_eq!(there.db.rows_of_agent("support").await, before);
        there.is_as_before(&["sales"]).await;
        there.db.close().await;
    }

    // E4
    async fn what_no_event_tells_of_is_not_believed(db: &TestDb) {
        let house = House::new(db).await;
        house.live(ANA, CANARY).await;
        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, &house.world).await;
        let key = house.engine.db().audit_key().await.unwrap().public_key();

        let approve = |forged: &Bundle| line_of(forged, Part::Decisions, |line| line["verdict"] == "approve").1;
        let pending = |forged: &Bundle| line_of(forged, Part::Candidates, |line| line["status"] == "pending");
        let decided_in_secret = |forged: &mut Bundle| {
            let (number, candidate) = pending(forged);
            let mut line = approve(forged);
            line["id"] = json!(DecisionId::new(start(), &OsEntropy));
            line["candidate"] = candidate["id"].clone();
            line["version"] = json!(2);
            add(forged, Part::Decisions, &line);
            forged.edit_line(Part::Candidates, number, |line| {
                line["status"] = json!("approved");
                line["version"] = json!(2);
            });
        };
        let decided_again = |forged: &mut Bundle| {
            let mut line = approve(forged);
            line["id"] = json!(DecisionId::new(start(), &OsEntropy));
            line["version"] = json!(7);
            add(forged, Part::Decisions, &line);
        };
        let by_somebody_else = |forged: &mut Bundle| {
            let (number, _) = line_of(forged, Part::Decisions, |line| line["verdict"] == "approve");
            forged.edit_line(Part::Decisions, number, |line| line["by"] = json!({"type": "system", "id": null, "name": null, "policy": null}));
        };
        let told_later = |forged: &mut Bundle| {
            forged.edit_line(Part::Servings, 0, |line| {
                line["batch"] = Value::Null;
                line["at"] = json!("2099-01-01T00:00:00Z");
            });
        };
        let lies: [(&str, Lie); 4] = [
            ("decisions.ndjson", Box::new(decided_in_secret)),
            ("decisions.ndjson", Box::new(decided_again)),
            ("decisions.ndjson", Box::new(by_somebody_else)),
            ("servings.ndjson", Box::new(told_later)),
        ];
        for (number, (wanted, change)) in lies.into_iter().enumerate() {
            let forged = lie(&house, &bundle, change).await;
            let refused = there.import(&forged, Some(&key)).await.unwrap_err();
            assert!(matches!(refused, ImportError::Line { file, .. } if file == wanted), "{number}: {refused}");
            assert!(refused.to_string().contains("not what the chain of its agent tells"), "{number}: {refused}");
        }

        let never_decided = |forged: &mut Bundle| {
            let id = approve(forged)["candidate"].clone();
            forged.edit_lines(Part::Decisions, |lines| lines.retain(|line| !line.contains("\"approve\"")));
            let (number, _) = line_of(forged, Part::Candidates, |line| line["id"] == id);
            forged.edit_line(Part::Candidates, number, |line| {
                line["status"] = json!("pending");
                line["version"] = json!(1);
            });
        };
        let never_met = |forged: &mut Bundle| {
            let (_, mut line) = line_of(forged, Part::Users, |_| true);
            line["id"] = json!(UserId::new(start(), &OsEntropy));
            line["user_id"] = json!("nobody");
            line["scope"] = json!({"user_id": "nobody"});
            add(forged, Part::Users, &line);
        };
        let lies: [(&str, Lie); 2] = [
            ("stands otherwise than its decisions", Box::new(never_decided)),
            ("does not tell of a user", Box::new(never_met)),
        ];
        for (wanted, change) in lies {
            let forged = lie(&house, &bundle, change).await;
            let refused = there.import(&forged, Some(&key)).await.unwrap_err();
            assert!(matches!(refused, ImportError::Unsettled { .. }) && refused.to_string().contains(wanted), "{refused}");
        }
        there.is_as_before(&["support"]).await;
        let administers = system(Permission::Administer);
        let refused = there.engine.import_bundle(&administers, &bundle, SignedBy::Fingerprint("9c56")).await.unwrap_err();
        assert!(matches!(&refused, ImportError::Signer(other) if *other == key.fingerprint()), "{refused}");
        there.import(&bundle, Some(&key)).await.unwrap();
        there.db.close().await;
    }

    // E4
    async fn an_event_that_this_version_does_not_know_is_refused_by_its_word(db: &TestDb) {
        let house = House::new(db).await;
        let there = There::beside(db, &house.world).await;
        let mut story = Story::told();
        story.happens("sales", "agent.sang", "sales");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("story.zip");
        fs::write(&path, Bundle::of(&story, None, Default::default()).zip()).unwrap();
        let refused = there.import(&path, Some(&signer(1).public_key())).await.unwrap_err();
        assert!(matches!(refused, ImportError::Line { file: "events.ndjson", .. }), "{refused}");
        for part in ["agent.sang", "update Keepsake"] {
            assert!(refused.to_string().contains(part), "{refused}");
        }
        there.is_as_before(&["sales", "support"]).await;
        there.db.close().await;
    }

    // E4, A6
    async fn what_waits_gets_the_time_of_the_move_back(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live(ANA, CANARY).await;
        let bundle = house.file(&house.made(everything()).await).await;
        let before = world.waiting().await.remove(0);
        let there = There::beside(db, world).await;
        // Longer than a candidate waits.
        world.pass(Span::days(9));
        there.import(&bundle, None).await.unwrap();
        let now = async || {
            let looks = there.permit(Permission::ReadCandidates);
            there.engine.candidate(&looks, &before.id).await.unwrap().candidate
        };
        let moved = now().await;
        assert_eq!((moved.status, moved.expires_at), (Status::Pending, before.expires_at + Span::days(9)));
        let told = told_events(&there.engine, &world.agent, EventType::CandidateExtended).await;
        let from = before.created_at.timestamp_micros();
        assert_eq!((told.len(), told[0].data["candidates"].as_i64(), told[0].data["from_us"].as_i64()), (1, Some(1), Some(from)));
        // From then on it is as everywhere: until the first start nothing ran.
        world.pass(Span::days(3));
        there.engine.start().await.unwrap();
        assert_eq!(now().await.expires_at, before.expires_at + Span::days(12));
        there.chains_hold().await;
        there.exported(whole(&world.agent)).await;
        there.db.close().await;
    }

    // E4, F9
    async fn whom_a_hold_kept_it_keeps_on(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live(ANA, CANARY).await;
        house.live("bo", "obsidian").await;
        let administers = world.mia(Permission::Administer);
        let mut placed = Vec::new();
        for name in [ANA, "bo"] {
            let new = NewHold {
                agent: Some(world.agent.clone()),
                user: Some(named(name)),
                everywhere: false,
                until: Some(world.engine.now() + Span::days(400)),
                reason: format!("Case of {CANARY}"),
            };
            placed.push(world.engine.place_hold(&administers, &new).await.unwrap());
            world.pass(Span::hours(1));
        }
        world.engine.release_hold(&administers, &placed[1].id).await.unwrap();
        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, world).await;
        there.import(&bundle, None).await.unwrap();
        let holds = there.engine.holds(&there.permit(Permission::ReadAudit), &Page::default()).await.unwrap().data;
        let came: Vec<_> = holds.iter().map(|hold| (&hold.id, hold.keeps, hold.reason.as_str(), hold.until)).collect();
        let were: Vec<_> = [(&placed[1], false), (&placed[0], true)].map(|(hold, keeps)| (&hold.id, keeps, "", hold.until)).into();
        assert_eq!(came, were);
        let mut tx = there.db.db.read(AgentScope::All).await.unwrap();
        let held = tx.held(&world.agent, world.engine.now()).await.unwrap();
        drop(tx);
        assert_eq!((held.everybody, held.users.as_slice()), (false, placed[0].user.as_slice()));
        // It is released here as any other.
        there.engine.release_hold(&there.permit(Permission::Administer), &placed[0].id).await.unwrap();
        assert_eq!(told_events(&there.engine, &world.agent, EventType::HoldReleased).await.len(), 2);
        there.chains_hold().await;
        there.db.close().await;
    }

    // E4
    async fn made_up_people_stay_where_they_are_and_an_agent_made_anew_comes_without_them(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live(ANA, CANARY).await;
        let demo = AgentName::parse("demo").unwrap();
        let stamp = Stamp::system(world.engine.now());
        let fill = async |db: &TestDb| {
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            tx.create_demo(&demo, &AgentSettings::default(), &Kind::assistant(), &stamp).await.unwrap();
            for name in ["lena", "yuki"] {
                tx.ensure_user(&demo, &Scope::user_id(name).unwrap(), &stamp).await.unwrap();
            }
            tx.commit().await.unwrap();
        };
        fill(db).await;
        let there = There::beside(db, world).await;
        fill(&there.db).await;
        let before = there.db.rows_of_agent("demo").await;
        let bundle = house.file(&house.made(everything()).await).await;
        let imported = there.import(&bundle, None).await.unwrap();
        let agents: Vec<&str> = imported.agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!((agents, imported.passed_over, imported.counts.users), (vec!["support"], vec!["demo".to_owned()], 1));
        assert_eq!(there.db.rows_of_agent("demo").await, before);
        there.chains_hold().await;
        there.db.close().await;
        let alone = house.file(&house.made(whole(&demo)).await).await;
        let there = There::beside(db, world).await;
        let refused = there.import(&alone, None).await.unwrap_err();
        assert!(matches!(refused, ImportError::Empty), "{refused}");

        // Somebody of them was erased, somebody held; then they all went.
        let administers = world.mia(Permission::Administer);
        let (agent, lena) = (Some(&demo), named("lena"));
        let preview = world.engine.preview_erasure(&administers, &lena, agent).await;
        let erase = Erase { reason: ErasureReason::AskedFor, confirm: "lena".into(), version: preview.unwrap().version, request: None };
        world.engine.erase(&administers, &lena, agent, &erase).await.unwrap();
        let hold = NewHold { agent: Some(demo.clone()), user: None, everywhere: false, until: None, reason: "To try it".into() };
        world.engine.place_hold(&administers, &hold).await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.remove_demo(&demo, &stamp).await.unwrap();
        tx.commit().await.unwrap();
        let bundle = house.file(&house.made(everything()).await).await;
        let imported = there.import(&bundle, None).await.unwrap();
        assert_eq!((imported.agents.len(), imported.passed_over), (1, vec!["demo".to_owned()]));
        assert!(there.db.rows_of_agent("demo").await.iter().all(|(_, rows)| *rows == 0));
        there.db.close().await;

        // An agent of one's own goes on in the same chain, and is one.
        world.engine.create_agent(&system(Permission::Administer), demo.clone(), AgentSettings::default()).await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.ensure_user(&demo, &Scope::user_id("ana").unwrap(), &stamp).await.unwrap();
        tx.commit().await.unwrap();
        let bundle = house.file(&house.made(whole(&demo)).await).await;
        let there = There::beside(db, world).await;
        let imported = there.import(&bundle, None).await.unwrap();
        assert_eq!((imported.agents[0].name.as_str(), imported.counts.users), ("demo", 1));
        let rows: BTreeMap<String, i64> = there.db.rows_of_agent("demo").await.into_iter().collect();
        assert_eq!((rows["users"], rows["erasures"], rows["holds"]), (1, 0, 0));
        assert_eq!(told_events(&there.engine, &demo, EventType::AgentRemoved).await.len(), 1);
        there.chains_hold().await;
        there.exported(whole(&demo)).await;
        there.db.close().await;
    }

    // E4, F6
    async fn what_was_told_in_answers_that_are_gone_is_no_news(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live(ANA, CANARY).await;
        world.engine.flush().await.unwrap();
        world.pass(Span::days(31));
        let retention = Retention { servings: Some(Duration::from_secs(30 * 24 * 60 * 60)), ..Retention::default() };
        let keeping = Engine::new(
            db.db.clone(),
            world.clock.clone(),
            Arc::new(OsEntropy),
            Extractors::builtin(),
            Settings { retention, ..settings() },
        );
        assert_eq!(keeping.remove_old_servings().await.unwrap(), 1);
        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, world).await;
        let imported = there.import(&bundle, None).await.unwrap();
        assert_eq!(imported.counts.servings, 0);
        let mut tx = there.db.db.read(AgentScope::All).await.unwrap();
        let ana = tx.find_user(&world.agent, &Scope::user_id(ANA).unwrap()).await.unwrap().unwrap();
        let lines = tx.served_lines(&world.agent, &ana.id).await.unwrap();
        drop(tx);
        assert!(lines.holds(&format!("User keeps {CANARY}")) && !lines.holds(&format!("User once lost {CANARY}")));
        there.db.close().await;
    }

    // E4, G2
    async fn an_opt_out_that_came_is_told_to_the_agents_that_were_here(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live(ANA, CANARY).await;
        world.engine.set_opt_out(&world.mia(Permission::Administer), &named(ANA), true).await.unwrap();
        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, world).await;
        let travel = AgentName::parse("travel").unwrap();
        there.engine.create_agent(&system(Permission::Administer), travel.clone(), AgentSettings::default()).await.unwrap();
        let mut tx = there.db.db.write(AgentScope::All).await.unwrap();
        let scope = Scope::user_id(ANA).unwrap();
        let ana = tx.ensure_user(&travel, &scope, &Stamp::system(world.engine.now())).await.unwrap();
        tx.commit().await.unwrap();
        there.import(&bundle, None).await.unwrap();
        for (agent, user) in [(&travel, Some(&ana.id)), (&world.agent, None)] {
            let told = told_events(&there.engine, agent, EventType::UserOptedOut).await;
            assert_eq!(told.len(), 1, "{agent}");
            assert!(user.is_none_or(|user| told[0].subject == user.as_str()));
        }
        let mut tx = there.db.db.read(AgentScope::All).await.unwrap();
        assert!(tx.opted_out(&scope).await.unwrap());
        drop(tx);
        there.chains_hold().await;
        there.db.close().await;
    }

    // E4, G15, F5
    async fn joins_stand_as_they_stood_and_removed_words_stay_removed(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        let decides = world.mia(Permission::Decide);
        let mut said = Vec::new();
        for name in ["ana", "guest-1", "guest-2", "guest-3", "guest-4"] {
            said.push(world.proposed(name, "fact", None, &format!("User has met {name}")).await);
        }
        let two = |guest: &str| NewJoin {
            agent: Some(world.agent.clone()),
            guest: named(guest),
            main: named("ana"),
            reason: Some("signed in with the same cookie".into()),
        };
        let decide = async |join: &engine::JoinView, verdict| {
            let seen = Some(Version::Is(join.version));
            world.engine.decide_join(&decides, &join.id, seen, verdict, Some("I asked her")).await.unwrap()
        };
        // Split; split and joined again; declined; still to be decided.
        let split = world.engine.join_ids(&decides, &two("guest-1")).await.unwrap();
        decide(&split, JoinVerdict::Split).await;
        let undone = world.engine.join_ids(&decides, &two("guest-2")).await.unwrap();
        let undone = decide(&undone, JoinVerdict::Split).await;
        decide(&undone, JoinVerdict::Undo).await;
        let proposes = world.key(Permission::Propose);
        let declined = world.engine.propose_join(&proposes, &two("guest-3")).await.unwrap();
        decide(&declined, JoinVerdict::Decline).await;
        world.engine.propose_join(&proposes, &two("guest-4")).await.unwrap();

        let retention = Retention { conversations: Some(Duration::from_secs(24 * 60 * 60)), ..Retention::default() };
        let keeping = Engine::new(
            db.db.clone(),
            world.clock.clone(),
            Arc::new(OsEntropy),
            Extractors::builtin(),
            Settings { retention, ..settings() },
        );
        world.pass(Span::days(2));
        assert_eq!(keeping.remove_old_conversations().await.unwrap(), 5);
        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, world).await;
        there.import(&bundle, None).await.unwrap();

        let reads = world.mia(Permission::ReadUsers);
        let filter = JoinFilter { agent: Some(world.agent.clone()), ..JoinFilter::default() };
        let mut stood = Vec::new();
        for engine in [&world.engine, &there.engine] {
            let joins = engine.joins(&reads, &filter, &Page::default()).await.unwrap().data;
            stood.push(joins.into_iter().map(|join| (join.id, join.state, join.version)).collect::<Vec<_>>());
        }
        assert_eq!((stood[0].len(), &stood[0]), (4, &stood[1]));
        let talk = &said[0].evidence[0].conversation;
        let looks = world.mia(Permission::ReadCandidates);
        let left = there.engine.conversation(&looks, talk).await.unwrap();
        assert_eq!((left.removed_at, left.turns.len()), (Some(world.engine.now()), 0));
        there.chains_hold().await;
        there.db.close().await;
    }

    // E4, G4
    async fn what_another_installation_lived_through_is_told_to_no_webhook(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live(ANA, CANARY).await;
        let bundle = house.file(&house.made(everything()).await).await;
        let there = There::beside(db, world).await;
        let administers = there.permit(Permission::Administer);
        let hears = engine::NewWebhook {
            agent: None,
            url: "https://runtime.example/hook".into(),
            events: EventType::ALL.to_vec(),
            enabled: true,
        };
        let (_, webhook) = there.engine.create_webhook(&administers, hears).await.unwrap();
        there.import(&bundle, None).await.unwrap();
        let mut tx = there.db.db.write(AgentScope::All).await.unwrap();
        let behind = tx.webhook(&webhook.id).await.unwrap().unwrap();
        tx.write_deliveries(&behind, 1000, world.engine.now()).await.unwrap();
        tx.commit().await.unwrap();
        let page = Page { limit: Page::MOST, ..Page::default() };
        let told = there.engine.deliveries(&administers, &webhook.id, &page).await.unwrap().data;
        assert!(told.iter().any(|one| one.r#type == EventType::BundleImported), "{told:?}");
        // That what waits got its time back happened here.
        let of_the_agent = told.iter().filter(|one| one.agent == world.agent.as_str());
        let past: Vec<_> = of_the_agent.filter(|one| one.r#type != EventType::CandidateExtended).collect();
        assert!(past.is_empty(), "{past:?}");
        there.db.close().await;
    }
}
