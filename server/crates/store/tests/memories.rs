//! Memories: every version stays, one holds a slot, only the approved are served.

mod actors;

use actors::*;
use domain::{
    agent::AgentScope,
    audit::{EventType, StoredEvent},
    id::CandidateId,
    memory::{MemoryStatus, RetiredFor, RevisionAction},
    time::Span,
};
use store::{
    Error, EventFilter, MemoryFilter, Page, Seen, Serving, Stamp, Tx, Write,
    testing::{Seeded, TestDb},
};

store::both! {
    // B1, B4: created_at is kept, the revision goes up, all versions stay.
    async fn a_memory_keeps_all_its_versions(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let first = memory(&db.db, &ana, &statement("User plays the cello", hour(1)), hour(1)).await;
        let stamp = Stamp::by(&reviewer(1), hour(2));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let second = tx.revise_memory(&first, RevisionAction::Update, &statement("User plays the viola", hour(2)), &stamp).await.unwrap();
        let stale = tx.revise_memory(&first, RevisionAction::Update, &statement("User sings", hour(2)), &stamp).await;
        assert!(matches!(stale, Err(Error::Stale)));
        drop(tx);

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let second = tx.revise_memory(&first, RevisionAction::Update, &statement(&second.content, hour(2)), &stamp).await.unwrap();
        let retired = tx.retire_memory(&second, RetiredFor::Deleted, None, None, Some("asked"), &stamp).await.unwrap();
        assert!(!retired.served(hour(3)));
        let back = tx.revise_memory(&retired, RevisionAction::Restore, &statement("User plays the cello", hour(1)), &stamp).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!((back.revision, back.created_at, back.status), (4, hour(1), MemoryStatus::Approved));

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.memory(&first.id).await.unwrap().unwrap(), back);
        let revisions = tx.revisions(&first.id).await.unwrap();
        let told: Vec<_> = revisions.iter().map(|revision| (revision.number, revision.action, revision.content.as_str())).collect();
        assert_eq!(told, [
            (1, RevisionAction::Create, "User plays the cello"),
            (2, RevisionAction::Update, "User plays the viola"),
            (3, RevisionAction::Retire, "User plays the viola"),
            (4, RevisionAction::Restore, "User plays the cello"),
        ]);
        assert_eq!(revisions[2].note.as_deref(), Some("asked"));
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    // B4: the same thing is never stored twice.
    async fn two_memories_of_one_thing_cannot_both_be_approved(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let named = |content: &str, expires_at| {
            let mut write = statement(content, hour(1));
            write.name = Some("Favourite  Player".into());
            write.expires_at = expires_at;
            write
        };
        let first = memory(&db.db, &ana, &named("User's favourite player is Mia", Some(hour(10))), hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let other = named("User's favourite player is Bo", None);
        let refused = tx.create_memory(fresh_memory(), &ana.agent, &ana.id, &other, &by_system(hour(2))).await;
        assert!(matches!(refused, Err(Error::SlotTaken(id)) if id == first.id));
        let holder = tx.memory_in_slot(&ana.agent, &ana.id, "fact", Some("favourite player"), "", hour(2)).await.unwrap();
        assert_eq!(holder.map(|memory| memory.id), Some(first.id.clone()));
        drop(tx);

        // Past its time it gives the slot up, in the same transaction.
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let second = tx.create_memory(fresh_memory(), &ana.agent, &ana.id, &other, &by_system(hour(10))).await.unwrap();
        tx.commit().await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let gone = tx.memory_for_update(&first.id).await.unwrap().unwrap();
        assert_eq!((gone.status, gone.reason, gone.revision), (MemoryStatus::Retired, Some(RetiredFor::Expired), 2));
        let refused = tx.revise_memory(&gone, RevisionAction::Restore, &named(&gone.content, None), &by_system(hour(11))).await;
        assert!(matches!(refused, Err(Error::SlotTaken(id)) if id == second.id));
    }

    async fn one_of_many_writers_gets_the_slot(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let mut writers = tokio::task::JoinSet::new();
        for number in 0..8 {
            let (db, ana) = (db.db.clone(), ana.clone());
            writers.spawn(async move {
                let mut write = statement(&format!("User's favourite number is {number}"), hour(1));
                write.name = Some("favourite number".into());
                let mut tx = db.write(AgentScope::All).await.unwrap();
                match tx.create_memory(fresh_memory(), &ana.agent, &ana.id, &write, &by_system(hour(1))).await {
                    Ok(_) => { tx.commit().await.unwrap(); true }
                    Err(Error::SlotTaken(_)) => false,
                    Err(other) => panic!("{other:?}"),
                }
            });
        }
        assert_eq!(writers.join_all().await.into_iter().filter(|won| *won).count(), 1);
    }

    // A8, B6
    async fn only_approved_and_unexpired_memories_are_served(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let kept = memory(&db.db, &ana, &statement("User lives in Oslo", hour(1)), hour(1)).await;
        let mut short = statement("User has a cold", hour(1));
        short.expires_at = Some(hour(5));
        let short = memory(&db.db, &ana, &short, hour(1)).await;
        let gone = memory(&db.db, &ana, &statement("User plays the cello", hour(1)), hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.retire_memory(&gone, RetiredFor::Deleted, None, None, None, &by_system(hour(2))).await.unwrap();
        let ids = |memories: Vec<domain::memory::Memory>| memories.into_iter().map(|memory| memory.id).collect::<Vec<_>>();
        assert_eq!(ids(tx.approved(&ana.agent, &ana.id, hour(4)).await.unwrap()), [kept.id.clone(), short.id.clone()]);
        assert_eq!(ids(tx.approved(&ana.agent, &ana.id, hour(5)).await.unwrap()), std::slice::from_ref(&kept.id));
        assert_eq!(tx.memory_count(&MemoryFilter::default(), hour(5)).await.unwrap(), 1);

        // Saying it again begins its time anew; an earlier end does not shorten it.
        for end in [hour(20), hour(3)] {
            tx.see_again(&ana.agent, &ana.id, Seen::Memory(short.id.clone()), &[], None, Some(end), &by_system(hour(4))).await.unwrap();
        }
        assert_eq!(ids(tx.approved(&ana.agent, &ana.id, hour(19)).await.unwrap()).len(), 2);
        assert_eq!(tx.expire_memories(10, &by_system(hour(20))).await.unwrap(), 1);
        assert_eq!(tx.expire_memories(10, &by_system(hour(20))).await.unwrap(), 0);
        let expired = tx.memory(&short.id).await.unwrap().unwrap();
        assert_eq!((expired.status, expired.reason), (MemoryStatus::Retired, Some(RetiredFor::Expired)));
        tx.commit().await.unwrap();
        every_chain_verifies(&db.db).await;
    }

    // F10
    async fn memories_are_found_by_their_words_in_three_languages(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        for (who, content) in [
            ("ana", "User lives in Oslo"),
            ("yuki", "ユーザーは東京に住んでいる"),
            ("li", "用户喜欢素食"),
            ("bo", "User works in Rome"),
        ] {
            let who = user(&db.db, &support, who).await;
            memory(&db.db, &who, &statement(content, hour(1)), hour(1)).await;
        }
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        for (search, wanted) in [("oslo", 1), ("東京", 1), ("素食", 1), ("user in", 2), ("user oslo rome", 0), ("...", 0)] {
            let filter = MemoryFilter { search: Some(search.into()), ..MemoryFilter::default() };
            let found = tx.memories(&filter, &Page::first(10), hour(2)).await.unwrap().rows;
            assert_eq!(found.len(), wanted, "{search}");
        }
    }

    // F7
    async fn what_agents_are_not_told_yet_stands_and_is_left_out_of_what_they_are_told(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let later = Write { serve_from: Some(hour(3)), ..statement("User lives in Oslo", hour(1)) };
        let made = memory(&db.db, &ana, &later, hour(1)).await;
        let told = MemoryFilter { told: true, ..MemoryFilter::default() };
        let words = MemoryFilter { search: Some("oslo".into()), ..told.clone() };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        for (at, found) in [(hour(3) - Span::microseconds(1), 0), (hour(3), 1)] {
            for filter in [&told, &words] {
                assert_eq!(tx.memories(filter, &Page::first(10), at).await.unwrap().rows.len(), found);
                assert_eq!(usize::try_from(tx.memory_count(filter, at).await.unwrap()).unwrap(), found);
            }
            let stands = tx.approved(&ana.agent, &ana.id, at).await.unwrap();
            assert_eq!((stands.len(), stands[0].serve_from), (1, Some(hour(3))));
            assert_eq!(tx.memories(&MemoryFilter::default(), &Page::first(10), at).await.unwrap().rows.len(), 1);
        }
        // Another value has a time of its own, or none.
        let at_once = statement("User lives in Bergen", hour(2));
        let revised = tx.revise_memory(&made, RevisionAction::Update, &at_once, &by_system(hour(2))).await.unwrap();
        assert_eq!(revised.serve_from, None);
        assert_eq!(tx.memories(&told, &Page::first(10), hour(2)).await.unwrap().rows.len(), 1);
        tx.commit().await.unwrap();
        every_chain_verifies(&db.db).await;
    }

    // F6, F8, G4
    async fn servings_tell_which_session_was_told_which_revision(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let first = memory(&db.db, &ana, &statement("User plays the cello", hour(1)), hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let second = tx.revise_memory(&first, RevisionAction::Update, &statement("User plays the viola", hour(2)), &by_system(hour(2))).await.unwrap();
        assert!(!tx.served_lines(&ana.agent, &ana.id).await.unwrap().holds("User plays the cello"));
        let serving = |id, revision, session: &str, at| Serving {
            id,
            agent: ana.agent.clone(),
            user: ana.id.clone(),
            conversation: Some(session.to_owned()),
            tokens: 7,
            items: vec![(first.id.clone(), revision)],
            cut: 2,
            at,
        };
        let batch = [
            serving(tx.serving_id(hour(1)), 1, "c-1", hour(1)),
            serving(tx.serving_id(hour(3)), second.revision, "c-2", hour(3)),
        ];
        let before = tx.heads().await.unwrap();
        tx.record_servings(&batch, hour(3)).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let told = tx.told(&ana.agent, &first.id, 2, 10).await.unwrap();
        assert_eq!(told, [batch[1].clone()]);
        assert_eq!(tx.told(&ana.agent, &first.id, 1, 10).await.unwrap().len(), 2);
        assert_eq!(tx.servings_of(&ana.agent, &ana.id, None, &Page::first(1)).await.unwrap().rows, [batch[1].clone()]);
        assert_eq!(tx.serving(&batch[0].id).await.unwrap(), Some(batch[0].clone()));
        let lines = tx.served_lines(&ana.agent, &ana.id).await.unwrap();
        assert!(lines.holds("User plays the  cello.") && lines.holds("User plays the viola"));
        assert!(!lines.holds("User plays the harp"));
        // One event a batch: three changes of the memory and user before, and one more.
        assert_eq!(tx.heads().await.unwrap()[0].seq, before[0].seq + 2);
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    async fn pages_of_memories_and_users_reach_everything(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        for person in 0..5 {
            let who = user(&db.db, &support, &format!("user {person}")).await;
            memory(&db.db, &who, &statement("User lives in Oslo", hour(1)), hour(1) + Span::seconds(person)).await;
        }
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let (mut memories, mut users) = (0, 0);
        let mut page = Page::first(2);
        loop {
            let part = tx.memories(&MemoryFilter::default(), &page, hour(2)).await.unwrap();
            memories += part.rows.len();
            page.after = part.next;
            if page.after.is_none() { break }
        }
        loop {
            let part = tx.users(&Default::default(), &page, hour(2)).await.unwrap();
            assert!(part.rows.iter().all(|line| (line.approved, line.waiting, line.conversations) == (1, 0, 0)));
            users += part.rows.len();
            page.after = part.next;
            if page.after.is_none() { break }
        }
        assert_eq!((memories, users), (5, 5));
    }

    // B6, D4
    async fn an_end_that_a_person_set_is_not_moved_by_a_repetition(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let ends = |end: i64| Write { expires_at: Some(hour(end)), ..statement("User has a cold", hour(1)) };
        // The kind gives four hours.
        let first = memory(&db.db, &ana, &ends(5), hour(1)).await;
        let by_mia = |at| Stamp::by(&reviewer(1), hour(at));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mut told = Vec::new();
        let mut said_again = async |tx: &mut Tx, at: i64| {
            let seen = Seen::Memory(first.id.clone());
            tx.see_again(&ana.agent, &ana.id, seen, &[], None, Some(hour(at + 4)), &by_system(hour(at))).await.unwrap();
            let now = tx.memory(&first.id).await.unwrap().unwrap();
            told.push(now.expires_at.unwrap());
            now
        };
        let again = said_again(&mut tx, 2).await;
        // An edit of the words gives it its kind's time, an edit of the end does not.
        let edited = tx.revise_memory(&again, RevisionAction::Update, &ends(7), &by_mia(3)).await.unwrap();
        let again = said_again(&mut tx, 4).await;
        let ended = tx.revise_memory(&again, RevisionAction::Update, &ends(6), &by_mia(5)).await.unwrap();
        assert_eq!((edited.revision, ended.revision), (2, 3));
        let again = said_again(&mut tx, 5).await;
        // What is approved anew lives as long as its kind does.
        let approved = Write { candidate: Some(CandidateId::new(hour(5), &Seeded::default())), ..ends(9) };
        tx.revise_memory(&again, RevisionAction::Update, &approved, &by_mia(5)).await.unwrap();
        said_again(&mut tx, 6).await;
        tx.commit().await.unwrap();
        assert_eq!(told, [hour(6), hour(8), hour(6), hour(10)]);

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let filter = EventFilter { types: vec![EventType::CandidateSeenAgain], ..EventFilter::default() };
        let events = tx.events(&filter, &Page::first(10)).await.unwrap().rows;
        let body = |event: &StoredEvent| serde_json::from_str::<serde_json::Value>(&event.body).unwrap();
        let mut renewed: Vec<_> = events.iter().map(|event| body(event)["data"]["expires_at"].as_i64()).collect();
        renewed.reverse();
        let micros = |at: i64| Some(hour(at).timestamp_micros());
        assert_eq!(renewed, [micros(6), micros(8), None, micros(10)]);
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    // A6, B6
    async fn what_cannot_be_read_keeps_nothing_else_from_expiring(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        for content in ["User has a cold", "User is in Oslo"] {
            let short = Write { expires_at: Some(hour(5)), ..statement(content, hour(1)) };
            memory(&db.db, &ana, &short, hour(1)).await;
            proposed(&db.db, &ana, proposal(&format!("{content} today")), hour(1)).await;
        }
        for spoils in [
            "update memories set sealed = (select wrapped from user_keys limit 1) where id = (select min(id) from memories)",
            "update candidates set sealed = (select wrapped from user_keys limit 1) where id = (select min(id) from candidates)",
        ] {
            db.behind_the_back(spoils).await.unwrap();
        }
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert_eq!(tx.expire_waiting(10, &by_system(hour(200))).await.unwrap(), 1);
        assert_eq!(tx.expire_memories(10, &by_system(hour(200))).await.unwrap(), 1);
        tx.commit().await.unwrap();
        every_chain_verifies(&db.db).await;
    }
}
