//! Memories that come from elsewhere (G13): looked at before anything is written, proposed once, and never approved by themselves.

use std::collections::BTreeMap;

use domain::{
    agent::{AgentName, AgentScope, AgentSettings},
    audit::EventType,
    candidate::{Flag, Reason, Status},
    erasure::ErasureReason,
    id::ImportId,
    import::{ImportField, ImportFormat, ImportMapping, ImportState, RowState},
    key::KeyScope,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, Approval, EngineError, Erase, EventFilter, ImportRowView, ImportView, NewKey,
    NewUpload, Page, PersonPatch, UserRef,
    import::{faults, what_to_do},
};
use store::testing::TestDb;

use crate::world::{World, id_of, rejected, start, system};

const MEM0: &[u8] = include_bytes!("mem0_export.json");

fn file(content: &[u8]) -> NewUpload {
    NewUpload {
        format: None,
        file: Some("export.json".into()),
        mapping: None,
        content: content.to_vec(),
    }
}

async fn upload(world: &World, content: &[u8]) -> ImportView {
    let admin = world.mia(Permission::Administer);
    let upload = file(content);
    let import = world.engine.upload_import(&admin, &world.agent, upload);
    import.await.unwrap()
}

async fn work(world: &World) {
    while world.engine.work_import_once().await.unwrap() {}
}

async fn run(world: &World, import: &ImportView) -> ImportView {
    let admin = world.mia(Permission::Administer);
    let running = world.engine.run_import(&admin, &import.id).await.unwrap();
    assert_eq!(running.state, ImportState::Running);
    work(world).await;
    now(world, import).await
}

async fn now(world: &World, import: &ImportView) -> ImportView {
    let admin = world.mia(Permission::Administer);
    world.engine.import(&admin, &import.id).await.unwrap()
}

async fn rows(world: &World, import: &ImportView, state: Option<RowState>) -> Vec<ImportRowView> {
    let admin = world.mia(Permission::Administer);
    let page = Page {
        limit: 200,
        ..Page::default()
    };
    let rows = world.engine.import_rows(&admin, &import.id, state, &page);
    rows.await.unwrap().data
}

/// How many fit, are candidates, are there, were imported before, and do not fit.
fn counts(import: &ImportView) -> [i64; 5] {
    [
        import.waits,
        import.proposed,
        import.duplicate,
        import.known,
        import.failed,
    ]
}

fn houses(numbers: std::ops::Range<usize>) -> Vec<u8> {
    let mut table = String::from("user_id;content\r\n");
    for number in numbers {
        table += &format!("user-{number};User has visited house {number}\r\n");
    }
    table.into_bytes()
}

/// Erases somebody whom the agent has heard of.
async fn erase(world: &World, user: &str) {
    erase_whom(world, Scope::user_id(user).unwrap()).await;
}

async fn erase_whom(world: &World, user: Scope) {
    let admin = world.mia(Permission::Administer);
    let user = UserRef::Scope(user);
    let agent = Some(&world.agent);
    let seen = world.engine.preview_erasure(&admin, &user, agent).await;
    let seen = seen.unwrap();
    let wanted = Erase {
        reason: ErasureReason::AskedFor,
        confirm: seen.confirm,
        version: seen.version,
        request: None,
    };
    world
        .engine
        .erase(&admin, &user, agent, &wanted)
        .await
        .unwrap();
}

/// What somebody else may, as long as they may.
fn aiko(world: &World) -> Permit {
    world.aiko(Permission::Administer)
}

async fn change_aiko(world: &World, patch: PersonPatch) {
    let manages = system(Permission::ManagePeople);
    let changed = world
        .engine
        .change_person(&manages, &id_of(&world.aiko), None, patch)
        .await;
    changed.unwrap();
}

async fn with_odd_people(world: &World) {
    let admin = world.mia(Permission::Administer);
    let patch = AgentPatch {
        shared_ids: Some(vec!["guest-*".into()]),
        ..AgentPatch::default()
    };
    let changed = world.engine.change_agent(&admin, &world.agent, None, patch);
    changed.await.unwrap();
    let olga = UserRef::Scope(Scope::user_id("olga").unwrap());
    world.engine.set_opt_out(&admin, &olga, true).await.unwrap();
}

store::both! {
    // G13
    async fn what_mem0_gave_out_is_looked_at_before_anything_is_written(db: &TestDb) {
        let world = World::new(db).await;
        with_odd_people(&world).await;
        let import = upload(&world, MEM0).await;
        assert_eq!((import.state, import.format, import.rows), (ImportState::Ready, ImportFormat::Json, 11));
        assert_eq!(counts(&import), [4, 0, 1, 0, 6]);
        let failed: Vec<_> = rows(&world, &import, Some(RowState::Failed)).await.into_iter()
            .map(|row| (row.row, row.field.unwrap(), row.code.unwrap(), row.becomes.is_some()))
            .collect();
        let expected = [
            (5, "user_id", "required", false),
            (6, "content", "required", false),
            (7, "content", "secret", false),
            (9, "user_id", "shared_id", true),
            (10, "user_id", "opted_out", false),
            (11, "user_id", "required", false),
        ].map(|(row, field, code, kept)| (row, field.to_owned(), code.to_owned(), kept));
        assert_eq!(failed, expected, "secrets, and words of who opted out, are not kept");
        let first = rows(&world, &import, None).await.remove(0).becomes.unwrap();
        assert_eq!((first.user_id.as_str(), first.kind.as_str(), first.tags), ("ana", "fact", vec!["food".to_owned()]));
        assert_eq!(first.metadata["topic"], "drinks");
        // Nobody is known by an upload, and nothing waits.
        assert!(world.waiting().await.is_empty());
        let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
        assert_eq!(tx.figures(&world.agent, start()).await.unwrap().users, 0);
        drop(tx);
        assert_eq!(db.columns_with(&["Nordwind", "大阪", "export.json"]).await, Vec::<String>::new());
        world.verify().await;
    }

    // G13
    async fn a_file_that_is_only_looked_at_is_not_kept(db: &TestDb) {
        let world = World::new(db).await;
        with_odd_people(&world).await;
        let admin = world.mia(Permission::Administer);
        let guess = world.engine.guess_import(&admin, &world.agent, &file(MEM0)).await.unwrap();
        assert!(guess.columns.contains(&"memory".to_owned()), "{guess:?}");
        assert_eq!(guess.mapping.column_of(&ImportField::Content), Some("memory"));
        let look = world.engine.look_at_import(&admin, &world.agent, file(MEM0)).await.unwrap();
        assert_eq!((look.rows, look.waits, look.duplicate, look.known), (11, 4, 1, 0));
        let misfits: Vec<_> = look.misfits.iter().map(|row| (row.row, row.code.as_deref().unwrap())).collect();
        let expected = [(5, "required"), (6, "required"), (7, "secret"), (9, "shared_id"), (10, "opted_out"), (11, "required")];
        assert_eq!(misfits, expected);
        assert_eq!(look.misfits[0].detail.as_deref(), Some(what_to_do("user_id", "required").as_str()));
        assert!(world.engine.imports(&admin, &Page::default()).await.unwrap().data.is_empty());
        let import = upload(&world, MEM0).await;
        assert_eq!(look.misfits.len(), world.engine.import_misfits(&admin, &import.id).await.unwrap().len());
    }

    // G13, A6, A7
    async fn rows_wait_a_month_for_a_person_and_say_where_they_come_from(db: &TestDb) {
        let world = World::new(db).await;
        with_odd_people(&world).await;
        let import = upload(&world, MEM0).await;
        let done = run(&world, &import).await;
        assert_eq!((done.state, counts(&done)), (ImportState::Done, [0, 4, 1, 0, 6]));
        let waiting = world.waiting().await;
        assert_eq!(waiting.len(), 4);
        let tea = waiting.iter().find(|one| one.content == "User prefers tea over coffee").unwrap();
        assert_eq!(tea.flags, [Flag::NoEvidence, Flag::Imported]);
        assert_eq!(tea.expires_at, start() + Span::days(30));
        assert_eq!(tea.extractor.as_ref().map(|made| made.name.as_str()), Some("import"));
        let from = tea.imported.clone().unwrap();
        assert_eq!((from.import, from.row, from.source_id.as_deref()), (import.id.clone(), 1, Some("m-1")));
        let said_at = from.said_at.unwrap();
        assert_eq!(domain::time::rfc3339(said_at), "2025-11-02T17:00:00Z");
        let flagged = engine::CandidateFilter { flag: Some(Flag::Imported), ..engine::CandidateFilter::default() };
        assert_eq!(world.queue(flagged).await.len(), 4);
        // What is said in a conversation comes first, because it ends first.
        let spoken = world.proposed("bo", "fact", None, "I live in Bergen").await;
        assert_eq!(world.waiting().await[0].id, spoken.id);

        let decided = world.engine.approve(&world.mia(Permission::Decide), &tea.id, None, Approval::default()).await.unwrap();
        let item = world.context("ana").await.items.remove(0);
        assert_eq!((Some(&item.memory), item.said_at), (decided.memory.as_ref(), said_at));
        let memory = world.engine.memory(&world.mia(Permission::ReadHistory), &item.memory).await.unwrap();
        assert_eq!(memory.made_by.map(|made_by| made_by.name).as_deref(), Some("import"), "no hand wrote it");
        world.pass(Span::days(8));
        world.engine.tick().await.unwrap();
        assert_eq!(world.waiting().await.len(), 3, "only what was said has expired");
        world.pass(Span::days(23));
        world.engine.tick().await.unwrap();
        assert!(world.waiting().await.is_empty());
        world.verify().await;
    }

    // G13
    async fn the_same_file_makes_no_doubles_and_what_was_withdrawn_can_come_again(db: &TestDb) {
        let world = World::new(db).await;
        with_odd_people(&world).await;
        let admin = world.mia(Permission::Administer);
        let first = upload(&world, MEM0).await;
        run(&world, &first).await;
        let waiting = world.waiting().await;
        let tea = waiting.iter().find(|one| one.content == "User prefers tea over coffee").unwrap();
        let home = waiting.iter().find(|one| one.user_id.as_deref() == Some("yuki")).unwrap();
        world.engine.approve(&world.mia(Permission::Decide), &tea.id, None, Approval::default()).await.unwrap();
        world.engine.reject(&world.mia(Permission::Decide), &home.id, None, Reason::NotDurable, None::<String>).await.unwrap();
        let again = upload(&world, MEM0).await;
        assert_eq!(counts(&again), [0, 0, 0, 5, 6]);
        let done = run(&world, &again).await;
        assert_eq!((done.state, counts(&done)), (ImportState::Done, [0, 0, 0, 5, 6]));
        assert_eq!(world.waiting().await.len(), 2);

        world.engine.withdraw_import(&admin, &first.id).await.unwrap();
        work(&world).await;
        assert_eq!(now(&world, &first).await.state, ImportState::Withdrawn);
        assert!(world.waiting().await.is_empty());
        assert_eq!(world.candidate(&tea.id).await.status, Status::Approved, "what was decided stays");
        let withdrawn = world.queue(rejected()).await;
        let superseded = withdrawn.iter().filter(|one| one.reason == Some(Reason::Superseded)).count();
        assert_eq!(superseded, 2);
        let third = upload(&world, MEM0).await;
        assert_eq!(counts(&third), [2, 0, 0, 3, 6], "no rejection of a person's keeps them out");
        assert_eq!(counts(&run(&world, &third).await), [0, 2, 0, 3, 6]);
        let over = world.engine.withdraw_import(&admin, &first.id).await.unwrap_err();
        assert_eq!(over.fields()[0].pointer, "/state");
        world.verify().await;
    }

    // G13
    async fn a_process_that_dies_leaves_the_rest_to_another_and_a_stop_is_exact(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let import = upload(&world, &houses(0..120)).await;
        assert_eq!(counts(&import), [120, 0, 0, 0, 0]);
        world.engine.run_import(&admin, &import.id).await.unwrap();
        assert!(world.engine.work_import_once().await.unwrap());
        let stopped = world.engine.stop_import(&admin, &import.id).await.unwrap();
        assert_eq!((stopped.state, counts(&stopped)), (ImportState::Stopped, [70, 50, 0, 0, 0]));
        assert!(!world.engine.work_import_once().await.unwrap());
        let over = world.engine.stop_import(&admin, &import.id).await.unwrap_err();
        assert!(matches!(over, EngineError::BulkOver));

        world.engine.run_import(&admin, &import.id).await.unwrap();
        // Claimed by a process that does nothing more.
        let until = world.engine.now() + Span::seconds(30);
        let dead = db.db.claim_work::<ImportId>(world.engine.now(), until).await.unwrap().unwrap();
        assert!(!world.engine.work_import_once().await.unwrap());
        world.pass(Span::seconds(31));
        work(&world).await;
        let done = now(&world, &import).await;
        assert_eq!((done.state, counts(&done)), (ImportState::Done, [0, 120, 0, 0, 0]));
        let contents: std::collections::BTreeSet<_> = world.waiting().await.into_iter().map(|one| one.content).collect();
        assert_eq!(contents.len(), 120);
        let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
        let late = tx.hold_work(&dead, until).await;
        assert!(matches!(late, Err(store::Error::LostClaim)));
        drop(tx);
        world.verify().await;
    }

    // G13
    async fn columns_with_other_names_are_mapped_and_looked_at_again(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let table = "=who,what,sort\nana,User has a boat,fact\nbo,User has a kite,hobby\n";
        let import = upload(&world, table.as_bytes()).await;
        assert_eq!(counts(&import), [0, 0, 0, 0, 2]);
        let refused = world.engine.run_import(&admin, &import.id).await.unwrap_err();
        assert_eq!(refused.fields()[0].pointer, "/mapping/content");
        let columns = [("=who", ImportField::UserId), ("what", ImportField::Content), ("sort", ImportField::Kind)];
        let mapping = ImportMapping {
            columns: columns.map(|(column, field)| (column.to_owned(), field)).into(),
            ..ImportMapping::default()
        };
        let twice = ImportMapping { columns: [("=who".into(), ImportField::Content), ("what".into(), ImportField::Content)].into(), ..mapping.clone() };
        let refused = world.engine.map_import(&admin, &import.id, twice).await.unwrap_err();
        assert_eq!(refused.fields()[0].code, "twice");
        let mapped = world.engine.map_import(&admin, &import.id, mapping).await.unwrap();
        assert_eq!(counts(&mapped), [1, 0, 0, 0, 1]);
        let by_user = ImportMapping { columns: [("what".into(), ImportField::Content), ("sort".into(), ImportField::UserId)].into(), ..ImportMapping::default() };
        let mapped = world.engine.map_import(&admin, &import.id, by_user).await.unwrap();
        assert_eq!(counts(&mapped), [2, 0, 0, 0, 0], "a fact of one user each");
        let whose = ImportMapping {
            columns: [("=who".into(), ImportField::Kind), ("what".into(), ImportField::Content)].into(),
            constants: [(ImportField::UserId, "ana".into())].into(),
        };
        let mapped = world.engine.map_import(&admin, &import.id, whose).await.unwrap();
        assert_eq!(counts(&mapped), [0, 0, 0, 0, 2]);
        let heads = ["row", "line", "column", "code", "what to do"];
        let misfits = world.engine.import_misfits(&admin, &import.id).await.unwrap();
        let table = faults(&misfits, heads, what_to_do);
        let table = String::from_utf8(table).unwrap();
        let mut lines = table.lines();
        assert_eq!(lines.next(), Some("\u{feff}row,line,column,code,what to do"));
        assert!(lines.next().unwrap().starts_with("1,2,'=who,unknown,"), "no cell is run: {table}");
        assert!(!table.contains("boat"), "what the rows say is not in it");
    }

    // G13, F9
    async fn who_is_erased_is_gone_from_what_was_uploaded_and_the_others_stay(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "I live in Oslo").await;
        let table = b"user_id,content\nana,User has a boat\nbo,User has a kite\n,User has a harp\n";
        let import = upload(&world, table).await;
        assert_eq!(counts(&import), [2, 0, 0, 0, 1]);
        let (admin, ana) = (world.mia(Permission::Administer), UserRef::Scope(Scope::user_id("ana").unwrap()));
        let seen = world.engine.preview_erasure(&admin, &ana, Some(&world.agent)).await.unwrap();
        let wanted = Erase { reason: ErasureReason::AskedFor, confirm: seen.confirm, version: seen.version, request: None };
        world.engine.erase(&admin, &ana, Some(&world.agent), &wanted).await.unwrap();
        let left = now(&world, &import).await;
        assert_eq!((counts(&left), left.file), ([1, 0, 0, 0, 1], None));
        let contents: Vec<_> = rows(&world, &import, None).await.into_iter().map(|row| row.becomes.map(|it| it.content)).collect();
        assert_eq!(contents, [Some("User has a kite".to_owned()), None], "nobody can tell whose the harp is");
        let done = run(&world, &import).await;
        assert_eq!(counts(&done), [0, 1, 0, 0, 1]);
        // Once proposed, a row goes with its candidate.
        let bo = UserRef::Scope(Scope::user_id("bo").unwrap());
        let seen = world.engine.preview_erasure(&admin, &bo, Some(&world.agent)).await.unwrap();
        let wanted = Erase { reason: ErasureReason::AskedFor, confirm: seen.confirm, version: seen.version, request: None };
        world.engine.erase(&admin, &bo, Some(&world.agent), &wanted).await.unwrap();
        assert_eq!(now(&world, &import).await.rows, 1);
        world.verify().await;
    }

    // G13
    async fn an_import_stops_with_the_rights_of_its_uploader_and_can_be_withdrawn_without_them(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let new = NewKey {
            agent: Some(world.agent.clone()),
            scopes: vec![KeyScope::Admin, KeyScope::CandidatesWrite],
            person: Some(id_of(&world.aiko)),
            name: None,
            expires_at: None,
        };
        let (secret, key) = world.engine.create_key(&admin, new).await.unwrap();
        let by_key = world.engine.caller(&secret).await.unwrap().unwrap();
        let by_key = Permit::ask(by_key, Permission::Administer).unwrap();
        let demoted = vec![Grant::everywhere(RoleName::Reviewer)];
        for (round, why) in ["key_ended", "forbidden", "deactivated"].into_iter().enumerate() {
            let permit = if why == "key_ended" { by_key.clone() } else { aiko(&world) };
            let table = file(&houses(round * 100..round * 100 + 60));
            let import = world.engine.upload_import(&permit, &world.agent, table).await.unwrap();
            world.engine.run_import(&permit, &import.id).await.unwrap();
            assert!(world.engine.work_import_once().await.unwrap());
            match why {
                "key_ended" => world.engine.revoke_key(&admin, &key.id).await.unwrap(),
                "forbidden" => change_aiko(&world, PersonPatch { grants: Some(demoted.clone()), ..PersonPatch::default() }).await,
                _ => change_aiko(&world, PersonPatch { active: Some(false), ..PersonPatch::default() }).await,
            }
            work(&world).await;
            let halted = now(&world, &import).await;
            assert_eq!((halted.state, halted.error.as_deref()), (ImportState::Stopped, Some(why)));
            assert_eq!(counts(&halted), [10, 50, 0, 0, 0]);
            let left = rows(&world, &import, Some(RowState::Waits)).await;
            assert!(left.iter().all(|row| row.becomes.is_some()), "what was uploaded is kept");

            world.engine.withdraw_import(&admin, &import.id).await.unwrap();
            work(&world).await;
            let withdrawn = now(&world, &import).await;
            assert_eq!((withdrawn.state, withdrawn.error), (ImportState::Withdrawn, None), "{why}");
            assert!(world.waiting().await.is_empty(), "{why}");
            if why == "forbidden" {
                change_aiko(&world, PersonPatch { grants: Some(vec![Grant::everywhere(RoleName::Admin)]), ..PersonPatch::default() }).await;
            }
        }
        let filter = EventFilter { types: vec![EventType::ImportStopped], ..EventFilter::default() };
        let told = world.engine.events(&world.mia(Permission::ReadAudit), &filter, &Page::default()).await.unwrap().data;
        assert_eq!((told.len(), told[0].actor.r#type.as_str(), &told[0].data["error"]), (3, "system", &serde_json::json!("deactivated")));
        world.verify().await;
    }

    // G13, F9
    async fn what_is_read_before_an_erasure_is_not_written_after_it(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "I live in Oslo").await;
        let import = upload(&world, b"user_id,content\nana,User has a boat\nbo,User has a kite\n").await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let before = tx.import(&import.id).await.unwrap().unwrap();
        drop(tx);
        erase(&world, "ana").await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let late = tx.recheck_import(&before, &before.head.mapping, &[]).await;
        assert!(matches!(late, Err(store::Error::Stale)), "{late:?}");
        drop(tx);
        // Who presses the button then gets what is left.
        let admin = world.mia(Permission::Administer);
        let mapped = world.engine.map_import(&admin, &import.id, import.mapping.clone()).await.unwrap();
        assert_eq!(counts(&mapped), [1, 0, 0, 0, 0]);
    }

    // G13, F9
    async fn a_head_that_cannot_be_read_is_in_the_way_of_no_erasure(db: &TestDb) {
        // It gets a row of another kind, which opens for that one alone.
        const HEADS: &str = "update imports set sealed = (select r.sealed from import_rows r where r.sealed is not null limit 1)";
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "I live in Oslo").await;
        let import = upload(&world, b"user_id,content\nana,User has a boat\nbo,User has a kite\n").await;
        db.behind_the_back(HEADS).await.unwrap();
        assert_eq!(now(&world, &import).await.columns, Vec::<String>::new());
        erase(&world, "ana").await;
        let left = now(&world, &import).await;
        assert_eq!(counts(&left), [1, 0, 0, 0, 0]);
        world.engine.withdraw_import(&world.mia(Permission::Administer), &import.id).await.unwrap();
        work(&world).await;
        assert_eq!(now(&world, &import).await.state, ImportState::Withdrawn);
    }

    // G13, F9
    async fn the_head_of_an_upload_names_nobody_once_it_is_over_or_they_are_erased(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana", "fact", None, "I live in Oslo").await;
        let admin = world.mia(Permission::Administer);
        let named = |columns: &[(&str, ImportField)]| ImportMapping {
            columns: columns.iter().map(|(column, field)| ((*column).to_owned(), field.clone())).collect(),
            constants: [(ImportField::UserId, "ana".to_owned()), (ImportField::Kind, "fact".to_owned())].into(),
        };
        // Each row has a user of its own, so the one for all rows is in no row.
        let columns = [("user_id", ImportField::UserId), ("content", ImportField::Content)];
        let kept = upload(&world, &houses(0..2)).await;
        let kept = world.engine.map_import(&admin, &kept.id, named(&columns)).await.unwrap();
        let done = upload(&world, &houses(2..4)).await;
        let done = world.engine.map_import(&admin, &done.id, named(&columns)).await.unwrap();
        let done = run(&world, &done).await;
        assert_eq!((done.state, done.file, done.mapping.constants), (ImportState::Done, None, BTreeMap::new()));
        assert_eq!(kept.file.as_deref(), Some("export.json"));
        // Of who is named by several pairs, the one for all rows does not tell who it is.
        let in_pairs = [("user_id", ImportField::Scope("app_id".into())), ("content", ImportField::Content)];
        let paired = upload(&world, &houses(4..6)).await;
        let paired = world.engine.map_import(&admin, &paired.id, named(&in_pairs)).await.unwrap();
        assert_eq!(counts(&paired), [2, 0, 0, 0, 0]);

        erase(&world, "ana").await;
        let left = now(&world, &paired).await;
        assert_eq!(left.mapping.constants, BTreeMap::from([(ImportField::Kind, "fact".to_owned())]));
        let unnamed = world.engine.run_import(&admin, &paired.id).await.unwrap_err();
        assert_eq!(unnamed.fields()[0].pointer, "/mapping/user_id");
        let left = now(&world, &kept).await;
        let constants = BTreeMap::from([(ImportField::Kind, "fact".to_owned())]);
        assert_eq!((left.file, left.mapping.constants), (None, constants));
        assert_eq!(counts(&run(&world, &kept).await), [0, 2, 0, 0, 0]);
    }

    // G13, F9
    async fn an_erasure_of_somebody_else_changes_nobody_elses_rows(db: &TestDb) {
        let world = World::new(db).await;
        for user in ["ana", "bo", "acme"] {
            world.proposed(user, "fact", None, "I live in Oslo").await;
        }
        let admin = world.mia(Permission::Administer);
        let of_tenant = |tenant: &str| ImportMapping {
            columns: [("user_id", ImportField::UserId), ("content", ImportField::Content)]
                .map(|(column, field)| (column.to_owned(), field)).into(),
            constants: [(ImportField::Scope("tenant".into()), tenant.to_owned()), (ImportField::Kind, "fact".to_owned())].into(),
        };
        let import = upload(&world, &houses(0..60)).await;
        let import = world.engine.map_import(&admin, &import.id, of_tenant("globex")).await.unwrap();
        erase(&world, "ana").await;
        world.engine.run_import(&admin, &import.id).await.unwrap();
        assert!(world.engine.work_import_once().await.unwrap());
        assert_eq!(counts(&now(&world, &import).await), [10, 50, 0, 0, 0]);
        erase(&world, "bo").await;
        work(&world).await;
        let done = now(&world, &import).await;
        assert_eq!((done.state, counts(&done)), (ImportState::Done, [0, 60, 0, 0, 0]));
        let of_globex = |user: &str| {
            let pairs = [("user_id", user), ("tenant", "globex")];
            Scope::parse(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into()).unwrap()
        };
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        for number in 0..60 {
            let user = format!("user-{number}");
            let alone = Scope::user_id(&user).unwrap();
            assert!(tx.find_user(&world.agent, &of_globex(&user)).await.unwrap().is_some(), "{user}");
            assert!(tx.find_user(&world.agent, &alone).await.unwrap().is_none(), "{user}");
        }
        drop(tx);

        // Who is erased was the one for rows that name nobody; the others keep their tenant.
        let import = upload(&world, &houses(200..202)).await;
        let mut mapping = of_tenant("globex");
        mapping.constants.insert(ImportField::UserId, "user-0".to_owned());
        let import = world.engine.map_import(&admin, &import.id, mapping).await.unwrap();
        erase_whom(&world, of_globex("user-0")).await;
        assert_eq!(now(&world, &import).await.mapping, of_tenant("globex"));
        assert_eq!(counts(&run(&world, &import).await), [0, 2, 0, 0, 0]);

        // A value that names who is erased goes; then nobody can tell whose the rows are.
        let import = upload(&world, &houses(100..102)).await;
        let import = world.engine.map_import(&admin, &import.id, of_tenant("acme")).await.unwrap();
        erase(&world, "acme").await;
        assert_eq!(counts(&run(&world, &import).await), [0, 0, 0, 0, 2]);
        let failed = rows(&world, &import, None).await;
        let told: Vec<_> = failed.iter().map(|row| (row.field.as_deref(), row.code.as_deref())).collect();
        assert_eq!(told, [(Some("user_id"), Some("mapping_changed")); 2]);
        world.verify().await;
    }

    // G13
    async fn a_claim_from_before_a_stop_is_none_after_it(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let import = upload(&world, &houses(0..2)).await;
        for withdrawn in [false, true] {
            world.engine.run_import(&admin, &import.id).await.unwrap();
            let time = world.engine.now();
            let until = time + Span::seconds(30);
            let old = world.engine.db().claim_work::<ImportId>(time, until).await.unwrap().unwrap();
            world.engine.stop_import(&admin, &import.id).await.unwrap();
            if withdrawn {
                world.engine.withdraw_import(&admin, &import.id).await.unwrap();
            } else {
                world.engine.run_import(&admin, &import.id).await.unwrap();
            }
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            let stored = tx.import(&import.id).await.unwrap().unwrap();
            let settled = tx.settle_row(&old, &world.agent, 1, &store::RowEnd::Known, until).await;
            assert!(matches!(settled, Err(store::Error::LostClaim)), "{settled:?}");
            let ended = tx.finish_import(&old, &stored, &store::Stamp::system(time)).await;
            assert!(matches!(ended, Err(store::Error::LostClaim)), "{ended:?}");
            drop(tx);
            if !withdrawn {
                world.engine.stop_import(&admin, &import.id).await.unwrap();
            }
        }
    }

    // G13, G2, G11
    async fn no_column_keeps_a_secret_and_no_fault_keeps_words_of_who_opted_out(db: &TestDb) {
        let world = World::new(db).await;
        with_odd_people(&world).await;
        let table = "user_id,content,note,id,kind\n\
            ana,User has a boat,AKIAIOSFODNN7EXAMPLE,1,fact\n\
            olga,User has a kite,calm seas,2,hobby\n\
            ,User has a harp,AKIAIOSFODNN7EXAMPLE,3,fact\n\
            bo,User has a flute,quiet,AKIAIOSFODNN7EXAMPLE,fact\n\
            4111111111111111,User has a drum,loud,5,fact\n";
        let import = upload(&world, table.as_bytes()).await;
        let told: Vec<_> = rows(&world, &import, None).await.into_iter()
            .map(|row| (row.field.unwrap_or_default(), row.code.unwrap_or_default(), row.becomes.is_some()))
            .collect();
        let told: Vec<_> = told.iter().map(|(field, code, kept)| (field.as_str(), code.as_str(), *kept)).collect();
        assert_eq!(told, [
            ("row", "secret", false),
            ("user_id", "opted_out", false),
            ("row", "secret", false),
            ("source_id", "secret", false),
            ("", "", true),
        ]);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let stored = tx.import(&import.id).await.unwrap().unwrap();
        let kept: Vec<_> = tx.import_rows_left(&stored).await.unwrap().into_iter().filter(|row| row.record.is_some()).map(|row| row.number).collect();
        assert_eq!(kept, [5]);
    }

    // G13
    async fn a_row_is_found_in_the_file_by_its_line_after_the_upload_too(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let table = b"user_id,content,kind\nana,\"User has a boat,\nand a dog\",fact\n\nbo,User has a kite,\ncy,User has a harp\n";
        let mapping = ImportMapping {
            columns: [("user_id", ImportField::UserId), ("content", ImportField::Content), ("kind", ImportField::Kind)]
                .map(|(column, field)| (column.to_owned(), field)).into(),
            ..ImportMapping::default()
        };
        let with_mapping = || NewUpload { mapping: Some(mapping.clone()), ..file(table) };
        let look = world.engine.look_at_import(&admin, &world.agent, with_mapping()).await.unwrap();
        let import = world.engine.upload_import(&admin, &world.agent, with_mapping()).await.unwrap();
        let places = |rows: &[ImportRowView]| rows.iter().map(|row| (row.row, row.line)).collect::<Vec<_>>();
        let misfits = world.engine.import_misfits(&admin, &import.id).await.unwrap();
        assert_eq!(places(&look.misfits), [(2, Some(5)), (3, Some(6))]);
        assert_eq!(places(&misfits), places(&look.misfits));
        assert_eq!(places(&rows(&world, &import, Some(RowState::Waits)).await), [(1, Some(2))]);
        let told: Vec<_> = misfits.iter().map(|row| (row.field.as_deref().unwrap(), row.code.as_deref().unwrap())).collect();
        assert_eq!(told, [("kind", "required"), ("row", "columns")], "no row is taken with cells that it lacks");
        assert_eq!(misfits[0].detail.as_deref(), Some("Say of which kind it is, or give one kind for all rows."));
        let mem0 = upload(&world, MEM0).await;
        assert!(rows(&world, &mem0, None).await.iter().all(|row| row.line.is_none()), "one JSON text has no lines of rows");
    }

    // G13, G7
    async fn an_import_exists_only_for_who_administers_its_agent(db: &TestDb) {
        let world = World::new(db).await;
        let import = upload(&world, &houses(0..2)).await;
        let sales = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), sales.clone(), AgentSettings::default()).await.unwrap();
        let aiko = |agent: &AgentName, role| Actor::Person {
            id: id_of(&world.aiko),
            name: "Aiko".into(),
            grants: vec![Grant { agent: Some(agent.clone()), role, languages: Vec::new() }],
        };
        let elsewhere = Permit::ask(aiko(&sales, RoleName::Admin), Permission::Administer).unwrap();
        let found = world.engine.import(&elsewhere, &import.id).await;
        assert!(matches!(found, Err(EngineError::NotFound)));
        let moved = world.engine.run_import(&elsewhere, &import.id).await;
        assert!(matches!(moved, Err(EngineError::NotFound)));
        let uploaded = world.engine.upload_import(&elsewhere, &world.agent, file(&houses(0..1))).await;
        assert!(matches!(uploaded, Err(EngineError::NotFound)));
        let looked = world.engine.look_at_import(&elsewhere, &world.agent, file(&houses(0..1))).await;
        assert!(matches!(looked, Err(EngineError::NotFound)));
        assert!(world.engine.imports(&elsewhere, &Page::default()).await.unwrap().data.is_empty());
        assert!(Permit::ask(aiko(&world.agent, RoleName::Reviewer), Permission::Administer).is_err());
    }

    // G13
    async fn an_upload_that_nobody_runs_is_forgotten_after_a_week(db: &TestDb) {
        let world = World::new(db).await;
        let import = upload(&world, &houses(0..2)).await;
        world.pass(Span::days(6));
        world.engine.tick().await.unwrap();
        assert!(rows(&world, &import, None).await[0].becomes.is_some());
        world.pass(Span::days(1));
        world.engine.tick().await.unwrap();
        assert_eq!(now(&world, &import).await.state, ImportState::Expired);
        assert!(rows(&world, &import, None).await.iter().all(|row| row.becomes.is_none()));
        let late = world.engine.run_import(&world.mia(Permission::Administer), &import.id).await;
        assert_eq!(late.unwrap_err().fields()[0].pointer, "/state");

        // One that was stopped gets its week from then on.
        let admin = world.mia(Permission::Administer);
        let stopped = upload(&world, &houses(10..12)).await;
        world.pass(Span::days(6));
        world.engine.run_import(&admin, &stopped.id).await.unwrap();
        world.engine.stop_import(&admin, &stopped.id).await.unwrap();
        world.pass(Span::days(6));
        world.engine.tick().await.unwrap();
        assert_eq!(now(&world, &stopped).await.state, ImportState::Stopped);
        world.pass(Span::days(1));
        world.engine.tick().await.unwrap();
        assert_eq!(now(&world, &stopped).await.state, ImportState::Expired);
        world.verify().await;
    }
}
