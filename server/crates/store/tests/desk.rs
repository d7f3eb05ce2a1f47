//! Claims, hand-overs, the words of what waits, saved views.

mod actors;

use actors::*;
use domain::{
    agent::AgentScope,
    audit::EventType,
    candidate::{Candidate, Edit, Reason, Verdict},
    id::{DecisionId, PersonId},
    time::Span,
};
use store::{
    ClaimedBy, Db, EventFilter, HandedFor, HandedTo, NewPerson, Page, QueueFilter, Stamp, View,
    testing::{Seeded, TestDb},
};

async fn person(db: &Db, name: &str) -> PersonId {
    let new = NewPerson {
        email: format!("{name}@example.com"),
        name: name.to_owned(),
        password_hash: None,
        grants: vec![],
    };
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let made = tx.create_person(&new, &by_system(hour(0))).await.unwrap();
    tx.commit().await.unwrap();
    made.id
}

fn by(person: &PersonId, at: i64) -> Stamp {
    Stamp::person_alone(person, hour(at))
}

async fn found(db: &Db, filter: QueueFilter, at: i64) -> Vec<String> {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let rows = tx
        .queue(&filter, &Page::first(100), hour(at))
        .await
        .unwrap()
        .rows;
    let count = tx.queue_count(&filter, hour(at)).await.unwrap();
    assert_eq!(count, rows.len() as i64, "{filter:?}");
    rows.into_iter()
        .map(|row| row.candidate.proposal.content)
        .collect()
}

async fn events(db: &Db, types: &[EventType]) -> Vec<String> {
    let filter = EventFilter {
        types: types.to_vec(),
        ..EventFilter::default()
    };
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let events = tx.events(&filter, &Page::first(100)).await.unwrap().rows;
    events.into_iter().rev().map(|event| event.r#type).collect()
}

async fn decide(db: &Db, before: &Candidate, reason: Option<Reason>, at: i64) {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let before = tx.candidate_for_update(&before.id).await.unwrap().unwrap();
    let decision = DecisionId::new(hour(at), &Seeded::default());
    let (after, verdict) = match reason {
        Some(reason) => (
            before.clone().reject(decision, reason, hour(at)).unwrap(),
            Verdict::Reject(reason),
        ),
        None => (
            before
                .clone()
                .approve(decision, fresh_memory(), hour(at))
                .unwrap(),
            Verdict::Approve(Edit::default()),
        ),
    };
    tx.decide(&before, &after, &verdict, None, &by_system(hour(at)))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

store::both! {
    // F7
    async fn a_claim_holds_until_it_runs_out_is_renewed_or_ends_with_the_decision(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let (mia, aiko) = (person(&db.db, "Mia").await, person(&db.db, "Aiko").await);
        let made = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        let claim = async |who: &PersonId, at: i64, until: i64| {
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            let claim = tx.put_claim(&made, who, hour(until), &by(who, at)).await.unwrap();
            tx.commit().await.unwrap();
            claim
        };
        assert_eq!(claim(&mia, 1, 3).await.taken_from, None);
        assert_eq!(claim(&mia, 2, 4).await.until, hour(4), "renewed");
        assert_eq!(claim(&aiko, 3, 5).await.taken_from, Some(mia.clone()));
        assert_eq!(claim(&aiko, 4, 6).await.taken_from, Some(mia.clone()), "a heartbeat does not hide from whom it came");
        let claim_events = [EventType::CandidateClaimed, EventType::CandidateTakenOver, EventType::CandidateReleased];
        assert_eq!(events(&db.db, &claim_events).await, ["candidate.claimed", "candidate.taken_over"]);

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.claim_of(&made, hour(5)).await.unwrap().unwrap().person, aiko);
        assert_eq!(tx.candidate(&made.id).await.unwrap().unwrap().claim.unwrap().person, aiko);
        assert!(tx.claim_of(&made, hour(6)).await.unwrap().is_none(), "run out");
        let free = QueueFilter { claimed_by: Some(ClaimedBy::NobodyBut(mia.clone())), ..QueueFilter::default() };
        assert_eq!(tx.claimed_by_others(&free, &mia, hour(5)).await.unwrap(), Some((1, hour(6))));
        assert_eq!(tx.claimed_by_others(&free, &aiko, hour(5)).await.unwrap(), None);
        assert_eq!(tx.claimed_by_others(&free, &mia, hour(6)).await.unwrap(), None);
        drop(tx);
        let all = QueueFilter::default();
        for (filter, at, rows) in [
            (free.clone(), 5, 0),
            (free, 6, 1),
            (QueueFilter { claimed_by: Some(ClaimedBy::NobodyBut(aiko.clone())), ..all.clone() }, 5, 1),
            (QueueFilter { claimed_by: Some(ClaimedBy::Person(aiko.clone())), ..all.clone() }, 5, 1),
            (QueueFilter { claimed_by: Some(ClaimedBy::Person(aiko.clone())), ..all.clone() }, 6, 0),
            (QueueFilter { claimed_by: Some(ClaimedBy::Person(mia.clone())), ..all.clone() }, 5, 0),
        ] {
            assert_eq!(found(&db.db, filter.clone(), at).await.len(), rows, "{filter:?} at {at}");
        }

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.give_up_claim(&made, &by(&aiko, 5)).await.unwrap());
        assert!(!tx.give_up_claim(&made, &by(&aiko, 5)).await.unwrap());
        tx.commit().await.unwrap();
        claim(&mia, 5, 9).await;
        decide(&db.db, &made, Some(Reason::Wrong), 6).await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert!(tx.claim_of(&made, hour(6)).await.unwrap().is_none(), "a decision frees it");
        drop(tx);
        assert_eq!(events(&db.db, &claim_events).await.len(), 4);
        every_chain_verifies(&db.db).await;
    }

    async fn another_agents_candidate_is_claimed_by_nobody(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        agent(&db.db, "sales").await;
        let mia = person(&db.db, "Mia").await;
        let made = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        let mut tx = db.db.write(AgentScope::One(named("sales"))).await.unwrap();
        assert!(tx.put_claim(&made, &mia, hour(2), &by(&mia, 1)).await.is_err());
        assert!(tx.give_up_claim(&made, &by(&mia, 1)).await.is_err());
        assert!(tx.hand_over(&made, &HandedTo::Native, None, &by(&mia, 1)).await.is_err());
        assert!(tx.take_back(&made, &by(&mia, 1)).await.is_err());
    }

    // G10
    async fn a_hand_over_leads_to_a_person_or_by_the_language_and_ends_with_the_decision(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let (mia, aiko) = (person(&db.db, "Mia").await, person(&db.db, "Aiko").await);
        let oslo = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        let mut japanese = proposal("ユーザーは東京に住む");
        japanese.language = "ja".into();
        let tokyo = proposed(&db.db, &ana, japanese, hour(1)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.put_claim(&oslo, &mia, hour(9), &by(&mia, 2)).await.unwrap();
        tx.hand_over(&oslo, &HandedTo::Native, None, &by(&mia, 2)).await.unwrap();
        tx.hand_over(&oslo, &HandedTo::Person(aiko.clone()), Some("Does Ana still live there?"), &by(&mia, 2)).await.unwrap();
        tx.hand_over(&tokyo, &HandedTo::Native, None, &by(&mia, 2)).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let row = tx.candidate(&oslo.id).await.unwrap().unwrap();
        assert_eq!(row.claim, None, "who hands it over has it no longer");
        let handover = row.handover.unwrap();
        assert_eq!((handover.to, handover.by, handover.at), (HandedTo::Person(aiko.clone()), mia.clone(), hour(2)));
        assert_eq!(handover.note.as_deref(), Some("Does Ana still live there?"));
        drop(tx);
        let of = |person: &PersonId, languages: &[&str]| QueueFilter {
            handed_for: Some(HandedFor::Person(person.clone(), languages.iter().map(|&tag| tag.to_owned()).collect())),
            ..QueueFilter::default()
        };
        assert_eq!(found(&db.db, of(&aiko, &[]), 3).await, ["User lives in Oslo"]);
        assert_eq!(found(&db.db, of(&aiko, &["ja", "zh"]), 3).await.len(), 2);
        assert_eq!(found(&db.db, of(&mia, &["ja"]), 3).await, ["ユーザーは東京に住む"]);
        assert!(found(&db.db, of(&mia, &["en"]), 3).await.is_empty(), "that one is for Aiko");
        let native = QueueFilter { handed_for: Some(HandedFor::Native), ..QueueFilter::default() };
        assert_eq!(found(&db.db, native.clone(), 3).await, ["ユーザーは東京に住む"]);

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.take_back(&tokyo, &by(&mia, 4)).await.unwrap());
        assert!(!tx.take_back(&tokyo, &by(&mia, 4)).await.unwrap());
        tx.commit().await.unwrap();
        assert!(found(&db.db, native, 4).await.is_empty());
        decide(&db.db, &oslo, None, 5).await;
        let everything = QueueFilter { view: View::All, ..of(&aiko, &[]) };
        assert!(found(&db.db, everything, 5).await.is_empty(), "a decision ends it");
        let handed = [EventType::CandidateHandedOver, EventType::CandidateTakenBack];
        assert_eq!(events(&db.db, &handed).await, ["candidate.handed_over", "candidate.handed_over", "candidate.handed_over", "candidate.taken_back"]);
        every_chain_verifies(&db.db).await;
    }

    // F7
    async fn what_waits_or_ran_out_is_found_by_its_words_and_what_was_decided_is_not(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let tea = proposed(&db.db, &ana, proposal("User prefers green tea"), hour(0)).await;
        proposed(&db.db, &ana, proposal("User prefers black coffee"), hour(1)).await;
        let mut named_thing = proposal("ユーザーは東京に住む");
        named_thing.name = Some("home".into());
        proposed(&db.db, &ana, named_thing, hour(2)).await;
        let with = |text: &str| QueueFilter { search: Some(text.into()), ..QueueFilter::default() };
        for (text, rows) in [("TEA", 1), ("prefers", 2), ("prefers coffee", 1), ("green coffee", 0), ("東京", 1), ("home", 1), ("tagged", 3), ("…", 0)] {
            assert_eq!(found(&db.db, with(text), 3).await.len(), rows, "{text}");
        }
        let memory = memory(&db.db, &ana, &statement("User sells green tea", hour(3)), hour(3)).await;
        assert_eq!(found(&db.db, with("green"), 4).await.len(), 1, "not {}", memory.id);

        decide(&db.db, &tea, Some(Reason::Wrong), 5).await;
        let everything = |text: &str| QueueFilter { view: View::All, ..with(text) };
        assert!(found(&db.db, everything("tea"), 5).await.is_empty(), "what a person decided is found in the history");
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let before = tx.candidate_for_update(&tea.id).await.unwrap().unwrap();
        let after = before.clone().reopen(hour(6)).unwrap();
        tx.decide(&before, &after, &Verdict::Reopen, None, &by_system(hour(6))).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(found(&db.db, with("tea"), 7).await.len(), 1, "it waits again");

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.expire_waiting(10, &by_system(hour(0) + Span::days(8))).await.unwrap();
        tx.commit().await.unwrap();
        let unseen = QueueFilter { view: View::ExpiredUnseen, sort: store::Sort::Newest, ..with("tea") };
        assert_eq!(found(&db.db, unseen, 8 * 24).await.len(), 1, "what nobody saw is still found");
    }

    async fn what_was_proposed_before_the_queue_could_be_searched_is_made_findable_in_batches(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        for number in 0..5 {
            proposed(&db.db, &ana, proposal(&format!("User owns boat {number}")), hour(0)).await;
        }
        // One without any words.
        let mut bare = proposal("…");
        bare.tags = vec![];
        proposed(&db.db, &ana, bare, hour(0)).await;
        behind_the_back(db, "delete from search_tokens").await.unwrap();
        let with = QueueFilter { search: Some("boat".into()), ..QueueFilter::default() };
        assert!(found(&db.db, with.clone(), 1).await.is_empty());
        let mut after = None;
        let mut batches = 0;
        loop {
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            after = tx.index_waiting(after.as_ref(), 2).await.unwrap();
            tx.commit().await.unwrap();
            if after.is_none() { break }
            batches += 1;
        }
        assert_eq!((batches, found(&db.db, with, 1).await.len()), (3, 5));
    }

    async fn the_queue_is_narrowed_by_age_and_by_several_languages(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        for (number, language) in ["en", "ja", "zh", "ja"].into_iter().enumerate() {
            let mut of = proposal(&format!("number {number}"));
            of.language = language.into();
            proposed(&db.db, &ana, of, hour(number as i64)).await;
        }
        let languages = |tags: &[&str]| QueueFilter { languages: tags.iter().map(|&tag| tag.to_owned()).collect(), ..QueueFilter::default() };
        assert_eq!(found(&db.db, languages(&["ja"]), 5).await, ["number 1", "number 3"]);
        assert_eq!(found(&db.db, languages(&["zh", "ja"]), 5).await, ["number 1", "number 2", "number 3"]);
        let old = QueueFilter { created_before: Some(hour(2)), ..QueueFilter::default() };
        assert_eq!(found(&db.db, old, 5).await, ["number 0", "number 1"]);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let figures = tx.queue_figures(hour(6 * 24 + 1)).await.unwrap();
        assert_eq!((figures.waiting, figures.expiring_24h, figures.oldest), (4, 2, Some(hour(0))));
        let figures = tx.queue_figures(hour(7 * 24 + 1)).await.unwrap();
        assert_eq!((figures.waiting, figures.oldest), (2, Some(hour(2))), "what has run out does not wait");
    }

    async fn a_saved_view_is_its_owners_and_lies_sealed(db: &TestDb) {
        let (mia, aiko) = (person(&db.db, "Mia").await, person(&db.db, "Aiko").await);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let view = tx.save_view(&mia, "Yamamoto's", "text=yamamoto", &by(&mia, 1)).await.unwrap();
        tx.save_view(&mia, "Soon", "soon=1", &by(&mia, 2)).await.unwrap();
        let renamed = store::SavedView { name: "Hers".into(), ..view.clone() };
        tx.change_view(&mia, &renamed).await.unwrap();
        assert!(tx.change_view(&aiko, &renamed).await.is_err());
        assert!(!tx.remove_view(&aiko, &view.id).await.unwrap());
        tx.commit().await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let names = |views: Vec<store::SavedView>| views.into_iter().map(|view| (view.name, view.query)).collect::<Vec<_>>();
        let views = names(tx.saved_views(&mia).await.unwrap());
        assert_eq!(views, [("Hers".to_owned(), "text=yamamoto".to_owned()), ("Soon".to_owned(), "soon=1".to_owned())]);
        assert!(tx.saved_views(&aiko).await.unwrap().is_empty());
        assert!(tx.remove_view(&mia, &view.id).await.unwrap());
        assert_eq!(tx.saved_views(&mia).await.unwrap().len(), 1);
        drop(tx);
        // Somebody with access to the database cannot make one person's view another's.
        behind_the_back(db, "update saved_views set person_id = (select id from people where id not in (select person_id from saved_views))").await.unwrap();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert!(tx.saved_views(&aiko).await.is_err());
    }
}
