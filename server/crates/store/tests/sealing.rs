//! Nobody who reads the database reads a person.

mod actors;

use actors::*;
use domain::{
    agent::AgentScope,
    candidate::{Edit, Verdict},
    id::DecisionId,
    permission::{Grant, RoleName},
    user::Scope,
};
use sqlx::Connection;
use store::{
    Db, Error, MasterKey, NewPerson, Options, Serving, Stamp,
    testing::{Seeded, TestDb},
};

const CANARY: &str = "zebrafinch";

/// Everything that holds a person's words or names, with the canary in it.
async fn sow(db: &Db) {
    let support = agent(db, "support").await;
    let ana = user(db, &support, &format!("ana-{CANARY}")).await;
    let message = domain::conversation::NewMessage {
        external_id: Some(format!("m-{CANARY}")),
        ..says(&format!("I keep a {CANARY}"))
    };
    let talk = conversation(db, &ana, &format!("c-{CANARY}"), &[message], hour(1)).await;
    let mut proposal = resting_on(
        proposal(&format!("User keeps a {CANARY}")),
        &talk,
        &format!("keep a {CANARY}"),
    );
    proposal.name = Some(format!("pet {CANARY}"));
    proposal.metadata.insert("bird".into(), CANARY.into());
    let candidate = proposed(db, &ana, proposal, hour(1)).await;

    let mut tx = db.write(AgentScope::All).await.unwrap();
    let mia = tx
        .create_person(
            &NewPerson {
                email: format!("mia@{CANARY}.example"),
                name: format!("Mia {CANARY}"),
                password_hash: None,
                grants: vec![Grant::everywhere(RoleName::Admin)],
            },
            &by_system(hour(1)),
        )
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let stamp = Stamp::by(
        &domain::permission::Actor::Person {
            id: mia.id.clone(),
            name: mia.name,
            grants: vec![],
        },
        hour(2),
    );

    let mut tx = db.write(AgentScope::All).await.unwrap();
    let before = tx
        .candidate_for_update(&candidate.id)
        .await
        .unwrap()
        .unwrap();
    let memory = fresh_memory();
    let after = before
        .clone()
        .approve(
            DecisionId::new(hour(2), &Seeded::default()),
            memory.clone(),
            hour(2),
        )
        .unwrap();
    let edit = Edit {
        content: Some(format!("User has a {CANARY}")),
        ..Edit::default()
    };
    tx.decide(
        &before,
        &after,
        &Verdict::Approve(edit),
        Some(&format!("note on the {CANARY}")),
        &stamp,
    )
    .await
    .unwrap();
    let write = statement(&format!("User has a {CANARY}"), hour(1));
    let made = tx
        .create_memory(memory, &support, &ana.id, &write, &stamp)
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let mut tx = db.write(AgentScope::All).await.unwrap();
    let serving = Serving {
        id: tx.serving_id(hour(3)),
        agent: support.clone(),
        user: ana.id.clone(),
        conversation: Some(format!("c-{CANARY}")),
        tokens: 5,
        items: vec![(made.id, 1)],
        cut: 0,
        at: hour(3),
    };
    tx.record_servings(&[serving], hour(3)).await.unwrap();
    tx.save_session("token", Some(&mia.id), CANARY.as_bytes(), hour(9), hour(3))
        .await
        .unwrap();
    tx.put_flash("flash", CANARY.as_bytes(), hour(9))
        .await
        .unwrap();
    tx.put_second_factor(&mia.id, CANARY.as_bytes(), hour(9))
        .await
        .unwrap();
    let codes = [CANARY.to_owned()];
    tx.enable_second_factor(&mia.id, hour(9), 1, &codes, &by_system(hour(3)))
        .await
        .unwrap();
    tx.begin_idempotent("key_1", CANARY, &[1; 32], hour(3))
        .await
        .unwrap();
    tx.finish_idempotent("key_1", CANARY, 202, &[], CANARY.as_bytes(), hour(3))
        .await
        .unwrap();
    tx.note_failure(
        &format!("account:{CANARY}"),
        store::Throttle {
            failures: 1,
            next_at: hour(4),
        },
        hour(3),
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

fn holds(bytes: &[u8], needle: &str) -> bool {
    bytes
        .windows(needle.len())
        .any(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

// F9: what is sealed from the first day can be erased later.
#[tokio::test(flavor = "multi_thread")]
async fn no_word_of_a_person_is_in_the_bytes_of_sqlite() {
    let db = TestDb::sqlite().await;
    sow(&db.db).await;
    let dir = db.dir.as_ref().unwrap().path();
    let look = || {
        let mut read = 0;
        for file in std::fs::read_dir(dir).unwrap() {
            let path = file.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            assert!(!holds(&bytes, CANARY), "{}", path.display());
            read += bytes.len();
        }
        assert!(read > 100_000, "the files were looked at");
    };
    look();
    db.db.close().await;
    look();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_word_of_a_person_is_in_a_row_of_postgresql() {
    let Some(db) = TestDb::postgres("no_word_of_a_person").await else {
        return;
    };
    sow(&db.db).await;
    let mut conn = sqlx::PgConnection::connect(&db.url).await.unwrap();
    let tables: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_tables where schemaname = 'public'")
            .fetch_all(&mut conn)
            .await
            .unwrap();
    assert!(tables.len() > 25);
    let hex = domain::audit::hex(CANARY.as_bytes());
    let mut seen = 0;
    for table in tables {
        let rows: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "select t::text from {table} t"
        )))
        .fetch_all(&mut conn)
        .await
        .unwrap();
        seen += rows.len();
        for row in rows {
            assert!(
                !holds(row.as_bytes(), CANARY) && !holds(row.as_bytes(), &hex),
                "{table}"
            );
        }
    }
    assert!(seen > 30);
}

store::both! {
    async fn another_master_key_opens_nothing(db: &TestDb) {
        agent(&db.db, "support").await;
        let other = Db::open(Options {
            url: db.url.clone(),
            master_key: MasterKey::new([1; 32]),
            entropy: std::sync::Arc::new(Seeded::default()),
            max_connections: 2,
        })
        .await
        .unwrap();
        assert!(matches!(other.migrate().await, Err(Error::WrongMasterKey)));
        assert!(matches!(other.read(AgentScope::All).await, Err(Error::WrongMasterKey)));
        other.close().await;
    }

    // F9
    async fn a_person_whose_key_is_gone_is_unreadable_and_the_chain_still_verifies(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let bo = user(&db.db, &support, "bo").await;
        let of_ana = memory(&db.db, &ana, &statement("User lives in Oslo", hour(1)), hour(1)).await;
        let of_bo = memory(&db.db, &bo, &statement("User lives in Rome", hour(1)), hour(1)).await;

        let id = ana.id.as_str().to_owned();
        assert_eq!(behind_the_back(db, "delete from user_keys where user_id = (select min(user_id) from user_keys)").await.unwrap(), 1);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let (gone, kept) = if ana.id < bo.id { (of_ana.id, of_bo.id) } else { (of_bo.id, of_ana.id) };
        assert!(matches!(tx.memory(&gone).await, Err(Error::Erased)), "{id}");
        assert!(tx.memory(&kept).await.unwrap().is_some());
        drop(tx);
        assert!(every_chain_verifies(&db.db).await > 4);
    }

    async fn a_ciphertext_moved_to_another_row_does_not_open(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let first = memory(&db.db, &ana, &statement("User lives in Oslo", hour(1)), hour(1)).await;
        memory(&db.db, &ana, &statement("User plays the cello", hour(1)), hour(1)).await;
        behind_the_back(db, "update memories set sealed = (select m.sealed from memories m order by m.id desc limit 1)").await.unwrap();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert!(matches!(tx.memory(&first.id).await, Err(Error::Corrupt(_))));
    }

    // D9: exact match, whatever the characters.
    async fn users_are_found_by_exactly_what_their_agent_calls_them(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let names = ["ana", "Ana", "x\" or \"1\"=\"1", "a:b/../c", "%", "🙂", "山本ゆき"];
        for name in names {
            user(&db.db, &support, name).await;
        }
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mut ids = std::collections::HashSet::new();
        for name in names {
            let scope = Scope::user_id(name).unwrap();
            let found = tx.find_user(&support, &scope).await.unwrap().unwrap();
            assert_eq!(found.scope.as_user_id(), Some(name));
            assert_eq!(tx.ensure_user(&support, &scope, &by_system(hour(5))).await.unwrap().id, found.id);
            ids.insert(found.id);
        }
        assert_eq!(ids.len(), names.len());
        assert_eq!(tx.find_user(&support, &Scope::user_id("ana ").unwrap()).await.unwrap(), None);
    }
}
