//! The queue: what waits, what is decided, and by whom.

mod actors;

use actors::*;
use domain::{
    agent::AgentScope,
    audit::EventType,
    candidate::{Action, Candidate, Edit, Flag, Proposal, Reason, State, Status, Target, Verdict},
    id::{CandidateId, DecisionId},
    memory::RetiredFor,
    permission::Actor,
    time::Span,
};
use store::{
    Db, Error, EventFilter, NewCandidate, Page, QueueFilter, Seen, Sort, Stamp, View,
    testing::{Seeded, TestDb},
};

fn decision_id(number: u64) -> DecisionId {
    let entropy = Seeded::default();
    let mut id = DecisionId::new(hour(0), &entropy);
    for _ in 0..number {
        id = DecisionId::new(hour(0), &entropy);
    }
    id
}

/// Rejects as a person does: reads under the lock, lets `domain` decide, writes.
async fn reject(
    db: &Db,
    id: &CandidateId,
    decision: DecisionId,
    by: &Actor,
    at: i64,
) -> store::Result<Candidate> {
    let mut tx = db.write(AgentScope::All).await?;
    let before = tx.candidate_for_update(id).await?.expect("it is there");
    let after = before
        .clone()
        .reject(decision, Reason::Wrong, hour(at))
        .map_err(|_| Error::Stale)?;
    tx.decide(
        &before,
        &after,
        &Verdict::Reject(Reason::Wrong),
        Some("no"),
        &Stamp::by(by, hour(at)),
    )
    .await?;
    tx.commit().await?;
    Ok(after)
}

async fn reopen(db: &Db, id: &CandidateId, at: i64) -> store::Result<Candidate> {
    let mut tx = db.write(AgentScope::All).await?;
    let before = tx.candidate_for_update(id).await?.expect("it is there");
    let after = before.clone().reopen(hour(at)).map_err(|_| Error::Stale)?;
    tx.decide(
        &before,
        &after,
        &Verdict::Reopen,
        None,
        &Stamp::by(&reviewer(0), hour(at)),
    )
    .await?;
    tx.commit().await?;
    Ok(after)
}

async fn waiting(db: &Db, at: i64) -> Vec<String> {
    let mut tx = db.read(AgentScope::All).await.unwrap();
    let listed = tx
        .queue(&QueueFilter::default(), &Page::first(100), hour(at))
        .await
        .unwrap();
    let count = tx
        .queue_count(&QueueFilter::default(), hour(at))
        .await
        .unwrap();
    assert_eq!(count as usize, listed.rows.len());
    listed
        .rows
        .into_iter()
        .map(|row| row.candidate.proposal.content)
        .collect()
}

store::both! {
    // A4, A5
    async fn a_proposal_reads_back_as_it_was_made(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("I live in Oslo 🙂")], hour(1)).await;
        let mut wanted = resting_on(proposal("User lives in Oslo"), &talk, "live in Oslo 🙂");
        wanted.name = Some("lives in".into());
        wanted.metadata.insert("city".into(), serde_json::json!({"name": "Oslo", "size": 0.7}));
        wanted.flags = vec![Flag::PersonalData, Flag::Contradiction, Flag::PersonalData, Flag::TargetMoved];
        let made = proposed(&db.db, &ana, wanted.clone(), hour(1)).await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let read = tx.candidate(&made.id).await.unwrap().unwrap();
        assert_eq!(read.candidate, made);
        // Flags are kept sorted, each once, without those that are worked out on reading.
        wanted.flags = vec![Flag::Contradiction, Flag::PersonalData];
        assert_eq!(read.candidate.proposal, wanted);
        assert_eq!((read.candidate.status(), read.candidate.version), (Status::Pending, 1));
        assert_eq!(read.candidate.expires_at, hour(1) + Span::days(7));
        assert_eq!(read.user, ana);
        assert_eq!(read.decided_by, None);
    }

    // A7, F7: eight reviewers at once; each candidate is decided once.
    async fn every_candidate_is_decided_once_by_somebody_who_is_named(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let mut ids = Vec::new();
        for person in 0..5 {
            let who = user(&db.db, &support, &format!("user {person}")).await;
            for number in 0..10 {
                ids.push(proposed(&db.db, &who, proposal(&format!("User has {number} cats")), hour(1)).await.id);
            }
        }
        let mut reviewers = tokio::task::JoinSet::new();
        for number in 0..8_u64 {
            let (db, ids) = (db.db.clone(), ids.clone());
            reviewers.spawn(async move {
                let me = reviewer(number as i64);
                let mut won = Vec::new();
                for (turn, id) in ids.iter().enumerate() {
                    match reject(&db, id, decision_id(number * 1000 + turn as u64), &me, 2).await {
                        Ok(_) => won.push(id.clone()),
                        Err(Error::Stale) => {}
                        Err(other) => panic!("{other:?}"),
                    }
                }
                (me, won)
            });
        }
        let results = reviewers.join_all().await;
        let mut decided: Vec<_> = results.iter().flat_map(|(_, won)| won.clone()).collect();
        decided.sort();
        ids.sort();
        assert_eq!(decided, ids);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        for (me, won) in &results {
            for id in won {
                let read = tx.candidate(id).await.unwrap().unwrap();
                assert_eq!(read.decided_by, me.person().cloned().map(domain::candidate::DecidedBy::Person));
                assert_eq!(tx.decisions_of(&read.candidate).await.unwrap().len(), 1);
            }
        }
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    async fn a_decision_on_an_older_version_is_refused(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let seen = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(1)).await;
        reject(&db.db, &seen.id, decision_id(1), &reviewer(1), 2).await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let after = seen.clone().reject(decision_id(2), Reason::Wrong, hour(2)).unwrap();
        let refused = tx.decide(&seen, &after, &Verdict::Reject(Reason::Wrong), None, &by_system(hour(2))).await;
        assert!(matches!(refused, Err(Error::Stale)));
    }

    // F3
    async fn edit_and_note_stay_apart_from_the_proposal(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let made = proposed(&db.db, &ana, proposal("User prefers code examples in Python"), hour(1)).await;
        let memory = fresh_memory();
        let edit = Edit { content: Some("User prefers Python".into()), importance: Some(0.4), ..Edit::default() };
        let stamp = Stamp::by(&reviewer(1), hour(2));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let before = tx.candidate_for_update(&made.id).await.unwrap().unwrap();
        let after = before.clone().approve(decision_id(1), memory.clone(), hour(2)).unwrap();
        let decision = tx.decide(&before, &after, &Verdict::Approve(edit.clone()), Some("shortened"), &stamp).await.unwrap();
        let mut write = statement("User prefers Python", hour(1));
        (write.candidate, write.decision) = (Some(made.id.clone()), Some(decision.id.clone()));
        tx.create_memory(memory.clone(), &ana.agent, &ana.id, &write, &stamp).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let read = tx.candidate(&made.id).await.unwrap().unwrap().candidate;
        assert_eq!(read.proposal, made.proposal);
        assert!(matches!(&read.state, State::Approved { memory: to, .. } if *to == memory));
        let decisions = tx.decisions_of(&read).await.unwrap();
        assert_eq!((&decisions[0].verdict, decisions[0].note.as_deref()), (&Verdict::Approve(edit), Some("shortened")));
        let revision = &tx.revisions(&memory).await.unwrap()[0];
        assert_eq!(revision.proposed.as_deref(), Some("User prefers code examples in Python"));
        assert_eq!((revision.content.as_str(), revision.note.as_deref()), ("User prefers Python", Some("shortened")));
        assert_eq!(revision.explanation.as_deref(), Some("said so"));
    }

    // A6
    async fn what_is_past_its_time_waits_nowhere_whether_or_not_the_clock_ran(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let made = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        proposed(&db.db, &ana, proposal("User plays the cello"), hour(10)).await;
        let week = 7 * 24;
        assert_eq!(waiting(&db.db, week - 1).await.len(), 2);
        assert_eq!(waiting(&db.db, week).await, ["User plays the cello"]);
        {
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            assert_eq!(tx.figures(&ana.agent, hour(week)).await.unwrap().pending, 1);
            assert_eq!(tx.queue_figures(hour(week)).await.unwrap().waiting, 1);
            assert_eq!(tx.known(&ana.agent, &ana.id, hour(week)).await.unwrap().waiting.len(), 1);
            assert_eq!(tx.expire_waiting(100, &by_system(hour(week))).await.unwrap(), 1);
            assert_eq!(tx.expire_waiting(100, &by_system(hour(week))).await.unwrap(), 0);
            tx.commit().await.unwrap();
        }
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let read = tx.candidate(&made.id).await.unwrap().unwrap();
        assert!(matches!(read.candidate.state, State::Rejected { reason: Reason::Expired, .. }));
        let unseen = QueueFilter { view: View::ExpiredUnseen, ..QueueFilter::default() };
        assert_eq!(tx.queue_count(&unseen, hour(week)).await.unwrap(), 1);
        assert!(tx.known(&ana.agent, &ana.id, hour(week)).await.unwrap().rejected.is_empty(), "F4: nobody rejected it");
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    // A6: nothing expires because Keepsake itself was down.
    async fn the_time_in_which_keepsake_was_down_is_given_back(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let ten = Span::minutes(10);
        assert_eq!(db.db.extend_after_gap(ten, &by_system(hour(0))).await.unwrap(), None);
        let overdue = proposed(&db.db, &ana, proposal("User had a cold"), hour(-7 * 24)).await;
        let made = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        assert_eq!(db.db.extend_after_gap(ten, &by_system(hour(0) + ten)).await.unwrap(), None);

        // Down from ten minutes on; two processes start at the same moment.
        let back = by_system(hour(100) + ten);
        let (one, two) = tokio::join!(db.db.extend_after_gap(ten, &back), db.db.extend_after_gap(ten, &back));
        let gaps: Vec<_> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        assert_eq!(gaps.len(), 1, "given back once");
        assert_eq!((gaps[0].from, gaps[0].span, gaps[0].candidates), (hour(0) + ten, Span::hours(100), 1));
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let read = tx.candidate(&made.id).await.unwrap().unwrap().candidate;
        assert_eq!((read.expires_at, read.version), (made.expires_at + Span::hours(100), 1));
        let before = tx.candidate(&overdue.id).await.unwrap().unwrap().candidate;
        assert_eq!(before.expires_at, overdue.expires_at, "it no longer waited when the gap began");
        let told = EventFilter { types: vec![EventType::CandidateExtended], ..EventFilter::default() };
        assert_eq!(tx.events(&told, &Page::first(5)).await.unwrap().rows.len(), 1);
    }

    // A3
    async fn a_newer_statement_takes_the_place_of_the_one_that_waits(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let older = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let new = NewCandidate {
            agent: ana.agent.clone(),
            user: ana.id.clone(),
            proposal: proposal("User lives in Rome"),
            extraction: None,
            supersedes: vec![older.id.clone()],
        };
        let newer = tx.propose(&new, &by_system(hour(5))).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(newer.expires_at, hour(5) + Span::days(7), "its own seven days");
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let kept = tx.candidate(&older.id).await.unwrap().unwrap();
        assert!(matches!(kept.candidate.state, State::Rejected { reason: Reason::Superseded, .. }));
        assert_eq!(kept.superseded_by, Some(newer.id));
    }

    async fn the_same_create_waits_once_and_a_reopened_twin_is_told(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let first = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        let again = NewCandidate {
            agent: ana.agent.clone(),
            user: ana.id.clone(),
            proposal: proposal("user lives in  Oslo."),
            extraction: None,
            supersedes: vec![],
        };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(matches!(tx.propose(&again, &by_system(hour(1))).await, Err(Error::StillWaiting(id)) if id == first.id));
        drop(tx);
        // Past its time it makes room, before the job has run.
        let late = 7 * 24;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let second = tx.propose(&again, &by_system(hour(late))).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(waiting(&db.db, late).await.len(), 1);
        assert!(matches!(reopen(&db.db, &first.id, late + 1).await, Err(Error::StillWaiting(id)) if id == second.id));
        reject(&db.db, &second.id, decision_id(1), &reviewer(1), late + 1).await.unwrap();
        let back = reopen(&db.db, &first.id, late + 2).await.unwrap();
        assert_eq!((back.version, back.expires_at), (3, hour(late + 2) + Span::days(7)));
        // A retired value may be proposed beside an update of the same words.
        every_chain_verifies(&db.db).await;
    }

    // F4
    async fn what_a_person_rejected_is_known_for_ninety_days(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let made = proposed(&db.db, &ana, proposal("User lives in Oslo"), hour(0)).await;
        reject(&db.db, &made.id, decision_id(1), &reviewer(1), 1).await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let days = |days: i64| hour(1) + Span::days(days);
        assert_eq!(tx.known(&ana.agent, &ana.id, days(90)).await.unwrap().rejected.len(), 1);
        assert_eq!(tx.known(&ana.agent, &ana.id, days(91)).await.unwrap().rejected.len(), 0);
        tx.suppress(&ana.agent, &ana.id, &made.id, &[], None, &by_system(hour(9))).await.unwrap();
        let seen = Seen::Waiting(made.id.clone());
        tx.see_again(&ana.agent, &ana.id, seen, &[], None, None, &by_system(hour(10))).await.unwrap();
        let sightings = tx.sightings_of(&ana.agent, made.id.as_str()).await.unwrap();
        assert_eq!(sightings.iter().map(|seen| seen.suppressed).collect::<Vec<_>>(), [false, true]);
        assert_eq!(tx.candidate(&made.id).await.unwrap().unwrap().sightings, 2);
    }

    async fn pages_reach_every_row_once_while_others_arrive_and_leave(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let mut there = Vec::new();
        for number in 0..23 {
            // Several with the same time.
            there.push(proposed(&db.db, &ana, proposal(&format!("User has {number} cats")), hour(number / 5)).await.id);
        }
        for sort in [Sort::ExpiresFirst, Sort::Newest] {
            let filter = QueueFilter { sort, ..QueueFilter::default() };
            let mut page = Page::first(4);
            let mut seen = Vec::new();
            loop {
                let mut tx = db.db.read(AgentScope::All).await.unwrap();
                let part = tx.queue(&filter, &page, hour(10)).await.unwrap();
                drop(tx);
                seen.extend(part.rows.into_iter().map(|row| row.candidate.id));
                proposed(&db.db, &ana, proposal(&format!("User has {} dogs and {sort:?}", seen.len())), hour(10)).await;
                let Some(next) = part.next else { break };
                page.after = store::Cursor::parse(&next.to_string());
            }
            let distinct: std::collections::BTreeSet<_> = seen.iter().cloned().collect();
            assert_eq!(distinct.len(), seen.len(), "none twice");
            assert!(there.iter().all(|id| distinct.contains(id)), "none left out");
        }
    }

    // G1
    async fn a_wish_to_forget_stands_before_everything_else_that_waits(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        agent(&db.db, "sales").await;
        let oslo = memory(&db.db, &ana, &statement("User lives in Oslo", hour(0)), hour(0)).await;
        let mut usual = Vec::new();
        for number in 0..60 {
            usual.push(proposed(&db.db, &ana, proposal(&format!("User has {number} cats")), hour(number / 5)).await);
        }
        let retire = |flags: Vec<Flag>| Proposal {
            action: Action::Retire,
            targets: vec![Target { memory: oslo.id.clone(), revision: 1, absorbed: false }],
            flags,
            ..proposal("User lives in Oslo")
        };
        // One that nobody wished has the place of its end.
        usual.push(proposed(&db.db, &ana, retire(vec![]), hour(13)).await);
        let mut expected = Vec::new();
        for at in [14, 15] {
            let wish = proposed(&db.db, &ana, retire(vec![Flag::AskedToForget]), hour(at)).await;
            assert_eq!(wish.expires_at, hour(at) + Span::days(7), "its time is that of all");
            expected.push(wish.id);
        }
        usual.sort_by(|a, b| (a.expires_at, &a.id).cmp(&(b.expires_at, &b.id)));
        expected.extend(usual.iter().map(|candidate| candidate.id.clone()));

        let all = QueueFilter::default();
        let of_ana = QueueFilter { agent: Some(support.clone()), user: Some(ana.id.clone()), ..all.clone() };
        let some = AgentScope::Some(vec![support.clone(), named("sales")]);
        for (scope, filter) in [(AgentScope::All, &all), (AgentScope::All, &of_ana), (AgentScope::One(support.clone()), &all), (some, &all)] {
            // Every border between two pages once lies within the wishes, behind them, and within the rest.
            for limit in [1, 2, 7] {
                let mut page = Page::first(limit);
                let mut seen = Vec::new();
                loop {
                    let mut tx = db.db.read(scope.clone()).await.unwrap();
                    let part = tx.queue(filter, &page, hour(20)).await.unwrap();
                    seen.extend(part.rows.into_iter().map(|row| row.candidate.id));
                    let Some(next) = part.next else { break };
                    page.after = store::Cursor::parse(&next.to_string());
                }
                assert_eq!(seen, expected, "{scope:?}, {limit} at once");
            }
        }

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.queue_count(&all, hour(20)).await.unwrap(), 63);
        // A cursor that was given before there were wishes goes on where it stood.
        let old = format!("{}.{}", usual[3].expires_at.timestamp_micros(), usual[3].id);
        let page = Page { after: store::Cursor::parse(&old), limit: 2 };
        let part = tx.queue(&all, &page, hour(20)).await.unwrap();
        assert_eq!(part.rows.iter().map(|row| &row.candidate.id).collect::<Vec<_>>(), [&usual[4].id, &usual[5].id]);
        let newest = QueueFilter { sort: Sort::Newest, ..all.clone() };
        let part = tx.queue(&newest, &Page::first(3), hour(20)).await.unwrap();
        let newest: Vec<_> = part.rows.iter().map(|row| row.candidate.created_at).collect();
        assert_eq!(newest, [hour(15), hour(14), hour(13)]);
        drop(tx);

        // Decided and brought back it stands there again.
        reject(&db.db, &expected[0], decision_id(1), &reviewer(1), 21).await.unwrap();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.queue(&all, &Page::first(1), hour(22)).await.unwrap().rows[0].candidate.id, expected[1]);
        drop(tx);
        reopen(&db.db, &expected[0], 22).await.unwrap();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.queue(&all, &Page::first(1), hour(23)).await.unwrap().rows[0].candidate.id, expected[0]);
    }

    async fn what_was_decided_is_read_newest_first_whatever_was_decided(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let mut made = Vec::new();
        for number in 0..7 {
            let id = proposed(&db.db, &ana, proposal(&format!("User has {number} cats")), hour(number)).await.id;
            if number % 2 == 0 {
                reject(&db.db, &id, decision_id(number as u64), &reviewer(1), 8).await.unwrap();
            } else if number < 5 {
                let mut tx = db.db.write(AgentScope::All).await.unwrap();
                let before = tx.candidate_for_update(&id).await.unwrap().unwrap();
                let after = before.clone().approve(decision_id(number as u64), fresh_memory(), hour(8)).unwrap();
                tx.decide(&before, &after, &Verdict::Approve(Edit::default()), None, &by_system(hour(8))).await.unwrap();
                tx.commit().await.unwrap();
            } else {
                continue;
            }
            made.insert(0, id);
        }
        let filter = QueueFilter { view: View::Decided, sort: Sort::Newest, ..QueueFilter::default() };
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let mut page = Page::first(2);
        let mut seen = Vec::new();
        loop {
            let part = tx.queue(&filter, &page, hour(9)).await.unwrap();
            seen.extend(part.rows.into_iter().map(|row| row.candidate.id));
            page.after = part.next;
            if page.after.is_none() { break }
        }
        assert_eq!(seen, made);
        assert_eq!(tx.queue_count(&filter, hour(9)).await.unwrap(), 6);
    }

    async fn filters_find_what_they_say(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("I live in Oslo")], hour(1)).await;
        let cello = memory(&db.db, &ana, &statement("User plays the cello", hour(1)), hour(1)).await;
        let oslo = proposed(&db.db, &ana, resting_on(proposal("User lives in Oslo"), &talk, "I live in Oslo"), hour(1)).await;
        let mut update = proposal("User plays the double bass");
        update.action = Action::Update;
        update.kind = "preference".into();
        update.language = "ja".into();
        update.confidence = 0.6;
        update.flags = vec![Flag::Contradiction];
        update.targets = vec![Target { memory: cello.id.clone(), revision: 1, absorbed: false }];
        let bass = proposed(&db.db, &ana, update, hour(3)).await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let all = QueueFilter::default();
        for (filter, wanted) in [
            (QueueFilter { kind: Some("fact".into()), ..all.clone() }, &oslo),
            (QueueFilter { action: Some(Action::Update), ..all.clone() }, &bass),
            (QueueFilter { flag: Some(Flag::Contradiction), ..all.clone() }, &bass),
            (QueueFilter { languages: vec!["ja".into()], ..all.clone() }, &bass),
            (QueueFilter { min_confidence: Some(0.8), ..all.clone() }, &oslo),
            (QueueFilter { expires_before: Some(hour(2) + Span::days(7)), ..all.clone() }, &oslo),
            (QueueFilter { conversation: Some(talk.id.clone()), ..all.clone() }, &oslo),
        ] {
            let found = tx.queue(&filter, &Page::first(5), hour(4)).await.unwrap().rows;
            assert_eq!(found.iter().map(|row| &row.candidate.id).collect::<Vec<_>>(), [&wanted.id], "{filter:?}");
            assert_eq!(tx.queue_count(&filter, hour(4)).await.unwrap(), 1);
        }
        drop(tx);

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(!tx.candidate(&bass.id).await.unwrap().unwrap().target_moved());
        let target = tx.memory_for_update(&cello.id).await.unwrap().unwrap();
        tx.retire_memory(&target, RetiredFor::Deleted, None, None, None, &by_system(hour(5))).await.unwrap();
        assert!(tx.candidate(&bass.id).await.unwrap().unwrap().target_moved());
    }
}
