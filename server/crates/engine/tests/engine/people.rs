//! The first administrator, signing in, keys.

use std::net::IpAddr;

use domain::{
    key::KeyScope,
    permission::{Actor, Permission, Permit},
    time::Span,
};
use engine::{EngineError, MemoryFilter, NewKey, NewPerson, Page};
use secrecy::SecretString;
use store::testing::TestDb;

use crate::world::{World, id_of, settings, start, system, whole};

fn new_person(email: &str) -> NewPerson {
    NewPerson {
        name: "Root".into(),
        email: email.into(),
        password: SecretString::from("tangle orbit melon nine"),
    }
}

fn here() -> IpAddr {
    "127.0.0.1".parse().unwrap()
}

store::both! {
    async fn the_first_administrator_comes_by_a_link_that_holds_once_for_an_hour(db: &TestDb) {
        let clock = std::sync::Arc::new(engine::ManualClock::new(start()));
        let engine = engine::Engine::new(db.db.clone(), clock.clone(), std::sync::Arc::new(engine::OsEntropy), engine::Extractors::builtin(), settings());
        assert!(engine.setup_open().await.unwrap());
        let old = engine.setup_link().await.unwrap().unwrap();
        let token = engine.setup_link().await.unwrap().unwrap();
        let replaced = engine.set_up(old.reveal(), new_person("root@example.com")).await;
        assert!(matches!(replaced, Err(EngineError::LinkInvalid)), "a newer link makes the older worthless");
        let weak = NewPerson { password: SecretString::from("password1234"), ..new_person("root@example.com") };
        assert_eq!(engine.set_up(token.reveal(), weak).await.unwrap_err().fields()[0].code, "common");
        clock.advance(Span::minutes(61));
        assert!(matches!(engine.set_up(token.reveal(), new_person("root@example.com")).await, Err(EngineError::LinkInvalid)));
        let token = engine.setup_link().await.unwrap().unwrap();
        let root = engine.set_up(token.reveal(), new_person("root@example.com")).await.unwrap();
        assert!(matches!(engine.actor(&root.id).await.unwrap(), Some(Actor::Person { .. })));
        assert!(matches!(engine.set_up(token.reveal(), new_person("two@example.com")).await, Err(EngineError::SetupOver)));
        assert!(engine.setup_link().await.unwrap().is_none());

        let signed_in = engine.sign_in(" Root@Example.com", SecretString::from("tangle orbit melon nine"), here()).await.unwrap();
        assert_eq!(whole(signed_in).id, root.id);
        engine.sign_out(&root.id).await.unwrap();
        let verified = engine.verify(&system(Permission::ReadAudit)).await.unwrap();
        assert!(verified.ok && verified.events >= 3);
    }

    async fn wrong_passwords_wait_longer_and_longer_and_never_for_good(db: &TestDb) {
        let world = World::new(db).await;
        let root = world.engine.create_person(&system(Permission::ManagePeople), new_person("root@example.com"), engine::person::administrator()).await.unwrap();
        let wrong = || SecretString::from("not the password");
        for _ in 0..5 {
            let refused = world.engine.sign_in("root@example.com", wrong(), here()).await;
            assert!(matches!(refused, Err(EngineError::WrongCredentials)));
        }
        assert!(matches!(world.engine.sign_in("root@example.com", wrong(), here()).await, Err(EngineError::WrongCredentials)));
        let throttled = world.engine.sign_in("root@example.com", SecretString::from("tangle orbit melon nine"), here()).await.unwrap_err();
        assert_eq!((throttled.code(), throttled.status()), ("throttled", 429));
        // The same for somebody who does not exist.
        for _ in 0..6 {
            assert!(matches!(world.engine.sign_in("nobody@example.com", wrong(), here()).await, Err(EngineError::WrongCredentials)));
        }
        assert!(matches!(world.engine.sign_in("nobody@example.com", wrong(), here()).await, Err(EngineError::Throttled { .. })));
        world.pass(Span::seconds(2));
        let right = world.engine.sign_in("root@example.com", SecretString::from("tangle orbit melon nine"), here()).await.unwrap();
        assert_eq!(whole(right).id, root.id);
    }

    async fn a_crowd_of_tries_at_once_has_no_more_of_them(db: &TestDb) {
        let world = World::new(db).await;
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let engine = world.engine.clone();
            tasks.spawn(async move { engine.sign_in("mia@example.com", SecretString::from("not the password"), here()).await });
        }
        let refused: Vec<_> = tasks.join_all().await.into_iter().map(|tried| tried.unwrap_err().code()).collect();
        let looked_at = refused.iter().filter(|code| **code == "wrong_credentials").count();
        let throttled = refused.iter().filter(|code| **code == "throttled").count();
        assert_eq!((looked_at, throttled), (6, 14), "{refused:?}");
    }

    async fn a_hash_of_old_parameters_is_renewed_at_the_next_sign_in(db: &TestDb) {
        use argon2::{Argon2, Params, password_hash::PasswordHasher};
        let world = World::new(db).await;
        let weak = Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, Params::new(8192, 1, 1, None).unwrap());
        let hash = weak.hash_password_with_salt(b"tangle orbit melon nine", b"sixteen bytes...").unwrap().to_string();
        let hash_of_mia = async || {
            let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
            tx.person(&id_of(&world.mia)).await.unwrap().unwrap().password_hash.unwrap()
        };
        let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
        tx.set_password_hash(&id_of(&world.mia), &hash).await.unwrap();
        tx.commit().await.unwrap();
        world.engine.sign_in("mia@example.com", SecretString::from("not the password"), here()).await.unwrap_err();
        assert_eq!(hash_of_mia().await, hash);
        for _ in 0..2 {
            world.engine.sign_in("mia@example.com", SecretString::from("tangle orbit melon nine"), here()).await.unwrap();
            assert!(!engine::password::outdated(&hash_of_mia().await));
        }
    }

    async fn a_key_is_shown_once_and_works_until_it_is_revoked(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let new = |scopes: &[KeyScope]| NewKey { agent: Some(world.agent.clone()), scopes: scopes.to_vec(), person: None, name: Some("ci".into()), expires_at: None };
        let (key, view) = world.engine.create_key(&admin, new(KeyScope::OF_AN_AGENT)).await.unwrap();
        assert!(key.reveal().starts_with(view.hint.trim_end_matches('…')));
        let Some(Actor::Key { agent, .. }) = world.engine.caller(&key).await.unwrap() else { panic!() };
        assert_eq!(agent, world.agent);
        let listed = world.engine.keys(&admin, Some(&world.agent)).await.unwrap();
        assert_eq!(listed[0].last_used_at, Some(start()));

        let decides = world.engine.create_key(&admin, new(&[KeyScope::ReviewWrite])).await.unwrap_err();
        assert_eq!(decides.fields()[0].code, "needs_person");
        let every = NewKey { agent: None, ..new(&[KeyScope::ContextRead]) };
        assert_eq!(world.engine.create_key(&admin, every).await.unwrap_err().fields()[0].pointer, "/agent");

        let theirs = NewKey { person: Some(id_of(&world.mia)), agent: None, expires_at: Some(start() + Span::days(1)), ..new(&[KeyScope::ReviewWrite]) };
        let (personal, _) = world.engine.create_key(&admin, theirs).await.unwrap();
        assert!(matches!(world.engine.caller(&personal).await.unwrap(), Some(Actor::PersonKey { .. })));
        world.pass(Span::days(1));
        assert!(world.engine.caller(&personal).await.unwrap().is_none(), "an expired key is nobody's");

        world.engine.revoke_key(&admin, &view.id).await.unwrap();
        assert!(world.engine.caller(&key).await.unwrap().is_none());
        let unknown = domain::key::ApiKey::new(&engine::OsEntropy);
        assert!(world.engine.caller(&unknown).await.unwrap().is_none());
        world.verify().await;
    }

    async fn who_is_known_goes_on_reading_where_nothing_can_be_written(db: &TestDb) {
        const SQLITE: [&str; 2] = [
            "create trigger keys_full before update on keys begin select raise(abort, 'the disk is full'); end",
            "create trigger sessions_full before update on sessions begin select raise(abort, 'the disk is full'); end",
        ];
        const POSTGRES: [&str; 3] = [
            "create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$",
            "create trigger keys_full before update on keys for each statement execute function full_disk()",
            "create trigger sessions_full before update on sessions for each statement execute function full_disk()",
        ];
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let new = NewKey { agent: Some(world.agent.clone()), scopes: KeyScope::OF_AN_AGENT.to_vec(), person: None, name: None, expires_at: None };
        let (key, _) = world.engine.create_key(&admin, new).await.unwrap();
        let ends = start() + Span::hours(12);
        world.engine.save_session("token-of-mia", Some((&id_of(&world.mia), world.engine.now())), b"{}", ends).await.unwrap();
        let triggers = if db.dir.is_some() { &SQLITE[..] } else { &POSTGRES[..] };
        for &trigger in triggers {
            db.behind_the_back(trigger).await.unwrap();
        }
        world.pass(Span::minutes(2));
        for write in ["update keys set last_used_at = 1", "update sessions set last_seen_at = 1"] {
            let refused = db.behind_the_back(write).await.unwrap_err().to_string();
            assert!(refused.contains("the disk is full"), "{refused}");
        }

        for _ in 0..2 {
            let actor = world.engine.caller(&key).await.unwrap().expect("the key is known");
            let reads = Permit::ask(actor, Permission::ReadMemories).unwrap();
            world.engine.memories(&reads, &MemoryFilter::default(), &Page::default()).await.unwrap();
            assert!(world.engine.session("token-of-mia").await.unwrap().is_some());
        }
        let listed = world.engine.keys(&admin, Some(&world.agent)).await.unwrap();
        assert_eq!(listed[0].last_used_at, None, "nothing was written");
    }

    async fn a_session_ends_by_idleness_and_a_flash_is_read_once(db: &TestDb) {
        let world = World::new(db).await;
        let ends = start() + Span::hours(12);
        world.engine.save_session("token-of-mia", Some((&id_of(&world.mia), world.engine.now())), b"{}", ends).await.unwrap();
        for _ in 0..3 {
            world.pass(Span::minutes(29));
            assert!(world.engine.session("token-of-mia").await.unwrap().is_some(), "use keeps it awake");
        }
        world.pass(Span::minutes(31));
        assert!(world.engine.session("token-of-mia").await.unwrap().is_none());
        let token = world.engine.put_flash(b"what was typed").await.unwrap();
        assert_eq!(world.engine.take_flash(&token).await.unwrap().as_deref(), Some(&b"what was typed"[..]));
    }
}
