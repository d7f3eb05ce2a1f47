//! Who signs in, what keeps strangers out, and requests that are sent twice.

mod actors;

use actors::*;
use domain::{
    agent::{AgentScope, AgentSettings},
    conversation::NewMessage,
    key::KeyScope,
    permission::{Grant, RoleName},
    time::Span,
};
use store::{
    Error, Freed, HandedTo, Idempotent, LinkPurpose, NewKey, NewPerson, Page, PersonLink, Stamp,
    Throttle, testing::TestDb,
};

fn mia() -> NewPerson {
    NewPerson {
        email: "Mia@Example.com ".into(),
        name: "Mia".into(),
        password_hash: Some("$argon2id$…".into()),
        grants: vec![
            Grant::everywhere(RoleName::Admin),
            Grant {
                agent: Some(named("support")),
                role: RoleName::Reviewer,
                languages: vec!["ja".into(), "und".into()],
            },
        ],
    }
}

store::both! {
    async fn a_person_is_found_by_their_address_and_keeps_their_roles(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let made = tx.create_person(&mia(), &by_system(hour(1))).await.unwrap();
        tx.set_language(&made.id, Some("ja")).await.unwrap();
        tx.set_password_hash(&made.id, "$argon2id$new").await.unwrap();
        tx.signed_in(&made.id, None, &by_system(hour(2))).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(matches!(tx.create_person(&mia(), &by_system(hour(3))).await, Err(Error::Exists)));
        drop(tx);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let found = tx.person_by_email(" mia@example.COM").await.unwrap().unwrap();
        assert_eq!((found.id.clone(), found.name.as_str(), found.language.as_deref()), (made.id.clone(), "Mia", Some("ja")));
        assert_eq!(found.password_hash.as_deref(), Some("$argon2id$new"));
        assert_eq!(found.grants, mia().grants);
        assert!(!format!("{found:?}").contains("argon"));
        assert_eq!(tx.person_names(std::slice::from_ref(&made.id)).await.unwrap()[&made.id], "Mia");
        assert_eq!(tx.people_count().await.unwrap(), 1);
        assert_eq!(tx.people().await.unwrap(), [found]);
        assert_eq!(tx.events(&Default::default(), &Page::first(9)).await.unwrap().rows.len(), 2);
    }

    // G7
    async fn a_link_of_a_person_is_one_and_is_gone_when_used(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mia = tx.create_person(&mia(), &by_system(hour(1))).await.unwrap();
        let link = |hours| PersonLink { person: mia.id.clone(), purpose: LinkPurpose::Reset, expires_at: hour(hours) };
        tx.put_person_link(&[1; 32], &link(5), &by_system(hour(1))).await.unwrap();
        tx.put_person_link(&[2; 32], &link(6), &by_system(hour(2))).await.unwrap();
        assert_eq!(tx.person_link(&[1; 32], hour(3)).await.unwrap(), None, "a newer link replaces it");
        assert_eq!(tx.person_link(&[2; 32], hour(3)).await.unwrap(), Some(link(6)));
        assert_eq!(tx.person(&mia.id).await.unwrap().unwrap().link_expires_at, Some(hour(6)));
        assert_eq!(tx.person_link(&[2; 32], hour(6)).await.unwrap(), None);
        assert!(tx.take_person_link(&[2; 32], hour(5)).await.unwrap());
        assert!(!tx.take_person_link(&[2; 32], hour(5)).await.unwrap());
        tx.put_person_link(&[3; 32], &link(6), &by_system(hour(2))).await.unwrap();
        assert_eq!(tx.sweep(hour(6)).await.unwrap(), 1);
        let told = tx.events(&Default::default(), &Page::first(9)).await.unwrap();
        assert!(told.rows.is_empty(), "an event is written at commit");
    }

    // G7
    async fn who_is_shut_out_lets_go_of_everything_and_comes_back_with_their_roles(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let first = proposed(&db.db, &ana, proposal("User likes tea"), hour(1)).await;
        let second = proposed(&db.db, &ana, proposal("User likes rain"), hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mia = tx.create_person(&mia(), &by_system(hour(1))).await.unwrap();
        tx.put_claim(&first, &mia.id, hour(3), &by_system(hour(1))).await.unwrap();
        tx.hand_over(&second, &HandedTo::Person(mia.id.clone()), None, &Stamp::person_alone(&mia.id, hour(1))).await.unwrap();
        tx.save_session("one", Some(&mia.id), b"x", hour(12), hour(1)).await.unwrap();
        let key = NewKey { hash: [7; 32], hint: "keep".into(), agent: Some(support.clone()), scopes: vec![KeyScope::ReviewWrite], person: Some(mia.id.clone()), label: String::new(), expires_at: None };
        tx.create_key(&key, &by_system(hour(1))).await.unwrap();
        assert_eq!(tx.administrators().await.unwrap(), 1);
        let freed = tx.deactivate_person(&mia.id, 1, &by_system(hour(2))).await.unwrap();
        assert_eq!(freed, Freed { claims: 1, handovers: 1, sessions: 1, keys: 1 });
        assert_eq!(tx.administrators().await.unwrap(), 0);
        assert_eq!(tx.claim_of(&first, hour(2)).await.unwrap(), None);
        assert!(tx.load_session("one", hour(2)).await.unwrap().is_none());
        assert!(!tx.key_by_hash(&[7; 32]).await.unwrap().unwrap().usable(hour(2)));
        assert!(matches!(tx.deactivate_person(&mia.id, 2, &by_system(hour(2))).await, Err(Error::Stale)), "they are out already");
        assert_eq!(tx.person_names(std::slice::from_ref(&mia.id)).await.unwrap()[&mia.id], "Mia", "history keeps the name");
        tx.reactivate_person(&mia.id, 2, &by_system(hour(3))).await.unwrap();
        let back = tx.person(&mia.id).await.unwrap().unwrap();
        assert_eq!((back.deactivated_at, back.grants), (None, mia.grants));
    }

    // G7
    async fn a_person_is_changed_by_who_has_seen_the_newest_version(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mia = tx.create_person(&mia(), &by_system(hour(1))).await.unwrap();
        let viewer = vec![Grant::everywhere(RoleName::Viewer)];
        assert_eq!(tx.change_person(&mia, Some("Mia Keller"), None, &by_system(hour(2))).await.unwrap(), 2);
        let late = tx.change_person(&mia, Some("Mia K."), Some(viewer.as_slice()), &by_system(hour(2))).await;
        assert!(matches!(late, Err(Error::Stale)));
        assert!(matches!(tx.deactivate_person(&mia.id, 1, &by_system(hour(2))).await, Err(Error::Stale)));
        let found = tx.person(&mia.id).await.unwrap().unwrap();
        assert_eq!((found.version, found.name.as_str(), &found.grants, found.deactivated_at), (2, "Mia Keller", &mia.grants, None));

        assert_eq!(tx.change_person(&found, None, Some(viewer.as_slice()), &by_system(hour(3))).await.unwrap(), 3);
        tx.deactivate_person(&mia.id, 3, &by_system(hour(3))).await.unwrap();
        assert!(matches!(tx.reactivate_person(&mia.id, 3, &by_system(hour(3))).await, Err(Error::Stale)));
        tx.reactivate_person(&mia.id, 4, &by_system(hour(4))).await.unwrap();
        tx.set_language(&mia.id, Some("ja")).await.unwrap();
        tx.set_password_hash(&mia.id, "$argon2id$new").await.unwrap();
        tx.signed_in(&mia.id, None, &by_system(hour(5))).await.unwrap();
        tx.commit().await.unwrap();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let found = tx.person(&mia.id).await.unwrap().unwrap();
        assert_eq!((found.version, found.grants), (5, viewer), "what a person does for themselves is in no administrator's way");
    }

    async fn a_second_factor_is_on_once_confirmed_and_takes_each_code_once(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mia = tx.create_person(&mia(), &by_system(hour(1))).await.unwrap().id;
        let stamp = by_system(hour(2));
        let codes = |word: &str| [format!("{word}-1"), format!("{word}-2")];
        tx.put_second_factor(&mia, b"first", hour(5)).await.unwrap();
        tx.put_second_factor(&mia, b"secret", hour(6)).await.unwrap();
        let waits = tx.second_factor(&mia).await.unwrap().unwrap();
        assert_eq!((&waits.secret[..], waits.enabled_at, waits.expires_at), (&b"secret"[..], None, Some(hour(6))));
        assert_eq!(format!("{waits:?}"), "SecondFactor { enabled_at: None, .. }");
        assert!(!tx.take_code_step(&mia, 9).await.unwrap(), "it is not on yet");
        assert!(matches!(tx.renew_recovery_codes(&mia, &codes("a"), &stamp).await, Err(Error::Stale)));
        assert!(matches!(tx.disable_second_factor(&mia, &stamp).await, Err(Error::Stale)));
        let replaced = tx.enable_second_factor(&mia, hour(5), 7, &codes("a"), &stamp).await;
        assert!(matches!(replaced, Err(Error::Stale)), "the secret that was confirmed is not the one that waits");
        tx.enable_second_factor(&mia, hour(6), 7, &codes("a"), &stamp).await.unwrap();
        assert_eq!(tx.person(&mia).await.unwrap().unwrap().second_factor_at, Some(hour(2)));
        tx.put_second_factor(&mia, b"another", hour(9)).await.unwrap();
        let on = tx.second_factor(&mia).await.unwrap().unwrap();
        assert_eq!((&on.secret[..], on.enabled_at, on.expires_at), (&b"secret"[..], Some(hour(2)), None), "it stays");

        let mut taken = Vec::new();
        for step in [7, 8, 8, 10, 9] {
            taken.push(tx.take_code_step(&mia, step).await.unwrap());
        }
        assert_eq!(taken, [false, true, false, true, false]);
        assert!(tx.take_recovery_code(&mia, "a-1").await.unwrap());
        assert!(!tx.take_recovery_code(&mia, "a-1").await.unwrap());
        tx.renew_recovery_codes(&mia, &codes("b"), &stamp).await.unwrap();
        assert!(!tx.take_recovery_code(&mia, "a-2").await.unwrap());
        assert_eq!(tx.recovery_codes_left(&mia).await.unwrap(), 2);

        tx.save_session("one", Some(&mia), b"x", hour(12), hour(2)).await.unwrap();
        assert_eq!(tx.sweep(hour(11)).await.unwrap(), 0, "what is on stays");
        assert_eq!(tx.reset_second_factor(&mia, &stamp).await.unwrap(), 1);
        assert!(tx.second_factor(&mia).await.unwrap().is_none());
        assert!(!tx.take_recovery_code(&mia, "b-1").await.unwrap());
        tx.put_second_factor(&mia, b"later", hour(13)).await.unwrap();
        assert_eq!(tx.sweep(hour(13)).await.unwrap(), 1, "what nobody confirmed is forgotten");
        assert!(tx.second_factor(&mia).await.unwrap().is_none());
    }

    async fn a_setup_link_works_once_and_for_a_while(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.put_setup_token(&[1; 32], hour(2)).await.unwrap();
        tx.put_setup_token(&[2; 32], hour(2)).await.unwrap();
        assert!(!tx.setup_token_valid(&[1; 32], hour(1)).await.unwrap(), "a newer link replaces it");
        assert!(tx.setup_token_valid(&[2; 32], hour(1)).await.unwrap());
        assert!(!tx.setup_token_valid(&[2; 32], hour(2)).await.unwrap());
        assert!(tx.take_setup_token(&[2; 32], hour(1)).await.unwrap());
        assert!(!tx.take_setup_token(&[2; 32], hour(1)).await.unwrap());
    }

    async fn failed_tries_are_counted_for_account_and_address(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let none = Throttle { failures: 0, next_at: hour(1) };
        assert_eq!(tx.throttle("account:mia", hour(1)).await.unwrap(), none);
        for failures in 1..=3 {
            let throttle = Throttle { failures, next_at: hour(1) + Span::seconds(1 << failures) };
            tx.note_failure("account:mia", throttle, hour(1)).await.unwrap();
        }
        assert_eq!(tx.throttle("account:mia", hour(1)).await.unwrap(), Throttle { failures: 3, next_at: hour(1) + Span::seconds(8) });
        assert_eq!(tx.throttle("address:mia", hour(1)).await.unwrap(), none);
        tx.clear_failures("account:mia").await.unwrap();
        assert_eq!(tx.throttle("account:mia", hour(1)).await.unwrap(), none);
    }

    async fn sessions_end_and_flashes_are_shown_once(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let person = tx.create_person(&mia(), &by_system(hour(1))).await.unwrap().id;
        for token in ["one", "two", "three"] {
            tx.save_session(token, Some(&person), token.as_bytes(), hour(12), hour(1)).await.unwrap();
        }
        tx.save_session("one", Some(&person), b"changed", hour(13), hour(2)).await.unwrap();
        let one = tx.load_session("one", hour(12)).await.unwrap().unwrap();
        assert_eq!((one.data.as_slice(), one.created_at, one.last_seen_at), (b"changed".as_slice(), hour(1), hour(2)));
        assert!(tx.load_session("two", hour(12)).await.unwrap().is_none(), "its time is over");
        assert!(tx.load_session("four", hour(1)).await.unwrap().is_none());
        tx.touch_session("one", hour(2) + Span::seconds(59)).await.unwrap();
        assert_eq!(tx.load_session("one", hour(3)).await.unwrap().unwrap().last_seen_at, hour(2));
        tx.touch_session("one", hour(3)).await.unwrap();
        assert_eq!(tx.load_session("one", hour(3)).await.unwrap().unwrap().last_seen_at, hour(3));
        assert_eq!(tx.delete_sessions_of(&person, Some("one")).await.unwrap(), 2);
        assert_eq!(tx.sessions_of(&person, hour(3)).await.unwrap().len(), 1);
        tx.delete_session("one").await.unwrap();
        assert!(tx.load_session("one", hour(3)).await.unwrap().is_none());

        tx.put_flash("f", b"typed", hour(2)).await.unwrap();
        assert_eq!(tx.take_flash("f", hour(1)).await.unwrap().as_deref(), Some(b"typed".as_slice()));
        assert_eq!(tx.take_flash("f", hour(1)).await.unwrap(), None);
        tx.put_flash("g", b"typed", hour(2)).await.unwrap();
        assert_eq!(tx.take_flash("g", hour(2)).await.unwrap(), None);
        assert_eq!(tx.sweep(hour(2)).await.unwrap(), 1);
    }

    async fn a_request_sent_twice_is_answered_alike(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let begin = async |tx: &mut store::Tx, owner, request: u8, at| tx.begin_idempotent(owner, "k-1", &[request; 32], hour(at)).await.unwrap();
        assert_eq!(begin(&mut tx, "key_a", 1, 0).await, Idempotent::New);
        assert_eq!(begin(&mut tx, "key_a", 1, 0).await, Idempotent::InFlight);
        assert_eq!(begin(&mut tx, "key_a", 2, 0).await, Idempotent::Mismatch);
        assert_eq!(begin(&mut tx, "key_b", 2, 0).await, Idempotent::New, "keys of two owners are two");
        tx.release_idempotent("key_b", "k-1").await.unwrap();
        assert_eq!(begin(&mut tx, "key_b", 3, 0).await, Idempotent::New);
        let later = async |tx: &mut store::Tx, seconds| tx.begin_idempotent("key_b", "k-1", &[3; 32], hour(0) + Span::seconds(seconds)).await.unwrap();
        assert_eq!(later(&mut tx, 119).await, Idempotent::InFlight);
        assert_eq!(later(&mut tx, 120).await, Idempotent::New, "who began it is gone");

        let headers = [("location".to_owned(), "/api/v1/operations/op_1".to_owned())];
        tx.finish_idempotent("key_a", "k-1", 202, &headers, b"{}", hour(0)).await.unwrap();
        tx.release_idempotent("key_a", "k-1").await.unwrap();
        let done = Idempotent::Done { status: 202, headers: headers.to_vec(), body: b"{}".to_vec() };
        assert_eq!(begin(&mut tx, "key_a", 1, 23).await, done);
        assert_eq!(begin(&mut tx, "key_a", 2, 23).await, Idempotent::Mismatch);
        assert_eq!(begin(&mut tx, "key_a", 2, 24).await, Idempotent::New, "after a day it is forgotten");
    }

    async fn settings_change_by_version(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let off = AgentSettings { learn: false, ..AgentSettings::default() };
        assert_eq!(tx.change_agent(&support, Some(1), &off, &["learn"], &by_system(hour(1))).await.unwrap().version, 2);
        assert!(matches!(tx.change_agent(&support, Some(1), &off, &["learn"], &by_system(hour(1))).await, Err(Error::Stale)));
        assert_eq!(tx.change_agent(&support, None, &off, &[], &by_system(hour(1))).await.unwrap().version, 3);
        let mut kinds = tx.kinds(&support).await.unwrap();
        assert_eq!(kinds.iter().map(|kind| kind.position).collect::<Vec<_>>(), [0, 1, 6, 7, 8, 9]);
        kinds[0].ttl_days = Some(180);
        tx.put_kind(&support, &kinds[0], &by_system(hour(2))).await.unwrap();
        assert_eq!(tx.kinds(&support).await.unwrap(), kinds);
        tx.commit().await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(!tx.agent(&support).await.unwrap().unwrap().settings.learn);
        let taken = tx.create_agent(&support, &off, &[], &by_system(hour(3))).await;
        assert!(matches!(taken, Err(Error::Exists)));
    }

    async fn messages_are_known_by_their_ids_and_by_their_order(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let with_id = |id: &str| NewMessage { external_id: Some(id.into()), ..says(&format!("I said {id}")) };
        let first = conversation(&db.db, &ana, "c-1", &[with_id("m1"), with_id("m2"), says("nothing")], hour(1)).await;
        let talk = conversation(&db.db, &ana, "c-1", &[with_id("m3")], hour(2)).await;
        assert_eq!((talk.id.clone(), talk.messages), (first.id, 4));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let known = tx.known_messages(&talk, &["m3", "m9", "m1"]).await.unwrap();
        assert_eq!(known.iter().map(|message| (message.position, message.content.as_str())).collect::<Vec<_>>(), [(1, "I said m1"), (4, "I said m3")]);
        let tail = tx.tail(&talk, 2).await.unwrap();
        assert_eq!(tail.iter().map(|message| message.position).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(tail[1].at, hour(2));
        assert_eq!(tx.messages(&talk, 2, 3).await.unwrap().len(), 2);
        assert_eq!(tx.message(&talk, &tail[0].id).await.unwrap().as_ref(), Some(&tail[0]));
        // Ended once; saying so again is no news.
        let (ended, none) = tx.receive(&talk, &[], true, &by_system(hour(3))).await.unwrap();
        assert_eq!((ended.ended_at, none.len()), (Some(hour(3)), 0));
        assert_eq!(tx.receive(&ended, &[], true, &by_system(hour(4))).await.unwrap().0.ended_at, Some(hour(3)));
        // New messages open it again, until it ends anew.
        let (open, _) = tx.receive(&ended, &[with_id("m4").into()], false, &by_system(hour(4))).await.unwrap();
        assert_eq!(open.ended_at, None);
        let (ended, _) = tx.receive(&open, &[with_id("m5").into()], true, &by_system(hour(5))).await.unwrap();
        assert_eq!(ended.ended_at, Some(hour(5)));
        assert!(matches!(tx.receive(&ended, &[with_id("m3").into()], false, &by_system(hour(4))).await, Err(Error::Exists)));
    }
}
