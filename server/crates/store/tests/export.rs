//! What an export reads: every row once, in one order, each text as its event commits to it; and who writes which export.

mod actors;

use std::collections::BTreeMap;

use actors::*;
use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::{EventBody, hex},
    candidate::{Reason, Verdict},
    export::{ExportSort, ExportState, ReportLanguage},
    id::{DecisionId, ExportId, PersonId, ServingId, UserId},
    time::Span,
    user::{Scope, User},
};
use store::{
    ChainPart, Error, ExportFile, ExportPart, HandedTo, Held, NewExport, NewPerson, Page, Proof,
    Serving, Stamp, Tx,
    testing::{Seeded, TestDb},
};

/// What was read: lines by file, the proofs in their order, and a line for each thing, to compare orders.
#[derive(Default, PartialEq, Debug)]
struct Read {
    counts: BTreeMap<&'static str, i64>,
    proofs: Vec<(String, Proof)>,
    order: Vec<String>,
}

impl Read {
    fn take(&mut self, file: &'static str, subject: &str, mark: i64, proof: Option<Proof>) {
        *self.counts.entry(file).or_default() += 1;
        self.order.push(format!("{file} {subject} {mark}"));
        self.proofs
            .extend(proof.map(|proof| (subject.to_owned(), proof)));
    }

    fn count(&self, file: &str) -> i64 {
        self.counts.get(file).copied().unwrap_or_default()
    }
}

async fn read(tx: &mut Tx, part: &ExportPart) -> Read {
    let mut read = Read::default();
    let mut along = tx.along_users(part).await.unwrap();
    while let Some(rows) = tx.exported_users(part, &mut along).await.unwrap() {
        rows.iter()
            .for_each(|row| read.take("users", row.id.as_str(), 0, None));
    }
    let mut along = tx.along_conversations(part).await.unwrap();
    while let Some(rows) = tx.exported_posts(part, &mut along).await.unwrap() {
        for row in rows {
            read.take("posts", row.conversation.as_str(), 0, Some(row.proof));
        }
    }
    let mut along = tx.along_candidates(part).await.unwrap();
    while let Some(rows) = tx.exported_candidates(part, &mut along).await.unwrap() {
        for row in rows {
            let id = row.candidate.id.to_string();
            read.take("candidates", &id, 0, Some(row.proof));
        }
    }
    let mut along = tx.along_candidates(part).await.unwrap();
    while let Some(rows) = tx.exported_decisions(part, &mut along).await.unwrap() {
        for row in rows {
            read.take("decisions", row.candidate.as_str(), row.version, row.proof);
        }
    }
    let mut along = tx.along_candidates(part).await.unwrap();
    while let Some(rows) = tx.exported_remarks(part, &mut along).await.unwrap() {
        for row in rows {
            read.take("remarks", row.candidate.as_str(), 0, Some(row.proof));
        }
    }
    let mut along = tx.along_memories(part).await.unwrap();
    while let Some(rows) = tx.exported_revisions(part, &mut along).await.unwrap() {
        for row in rows {
            read.take(
                "revisions",
                row.memory.as_str(),
                row.number,
                Some(row.proof),
            );
        }
    }
    let mut along = tx.along_memories(part).await.unwrap();
    while let Some(rows) = tx.exported_memories(part, &mut along).await.unwrap() {
        rows.iter()
            .for_each(|row| read.take("memories", row.id.as_str(), 0, None));
    }
    let mut along = tx.along_servings(part).await.unwrap();
    while let Some(rows) = tx.exported_servings(part, &mut along).await.unwrap() {
        rows.iter()
            .for_each(|row| read.take("servings", row.serving.id.as_str(), 0, None));
    }
    let mut along = tx.along_batches(part).unwrap();
    while let Some(rows) = tx.exported_batches(part, &mut along).await.unwrap() {
        for row in rows {
            assert!(row.batch.is_some());
            read.take("servings", row.serving.id.as_str(), 0, None);
        }
    }
    read
}

/// The commitments of events, with what they are about, sorted.
async fn promised(tx: &mut Tx, part: &ExportPart) -> Vec<(String, String)> {
    let chain = ChainPart {
        chain: part.agent.to_string(),
        users: part.users.clone(),
        from: part.from,
        to: part.to,
    };
    let mut promised = Vec::new();
    let mut after = 0;
    loop {
        let events = tx.exported_events(&chain, after).await.unwrap();
        let Some(last) = events.last() else { break };
        assert!(last.seq > after);
        after = last.seq;
        for event in &events {
            let body: EventBody = serde_json::from_str(&event.body).unwrap();
            assert_eq!(domain::audit::leaf_hash(&event.body), event.hash);
            promised.extend(body.commitment.map(|made| (body.subject, made)));
        }
    }
    promised.sort();
    promised
}

fn kept(read: &Read) -> Vec<(String, String)> {
    let made = |proof: &Proof| hex(&proof.commitment().expect("a salt"));
    let mut kept: Vec<_> = read
        .proofs
        .iter()
        .map(|(subject, proof)| (subject.clone(), made(proof)))
        .collect();
    kept.sort();
    kept
}

fn part(agent: &AgentName) -> ExportPart {
    ExportPart {
        agent: agent.clone(),
        users: None,
        from: None,
        to: None,
    }
}

/// A user with a little of everything: posts so long that a look ends within one, decisions with and without words, a remark, a memory
/// with two revisions, servings.
async fn life(db: &TestDb, user: &User, posts: i64, hours: i64) {
    let agent = &user.agent;
    for post in 0..posts {
        let messages: Vec<_> = (0..300)
            .map(|line| says(&format!("line {line} of {post}")))
            .collect();
        conversation(&db.db, user, "c-long", &messages, hour(hours + post)).await;
    }
    let talk = conversation(&db.db, user, "c-1", &[says("I live in Oslo")], hour(hours)).await;
    let stated = resting_on(proposal("User lives in Oslo"), &talk, "I live in Oslo");
    let first = proposed(&db.db, user, stated, hour(hours)).await;
    let second = proposed(&db.db, user, proposal("User has a dog"), hour(hours + 1)).await;
    proposed(&db.db, user, proposal("User has a cat"), hour(hours + 2)).await;
    let by = Stamp::by(&reviewer(1), hour(hours + 3));
    let mut tx = db.db.write(AgentScope::One(agent.clone())).await.unwrap();
    tx.hand_over(
        &first,
        &HandedTo::Native,
        Some("a native speaker, please"),
        &by,
    )
    .await
    .unwrap();
    for (candidate, note) in [(&first, Some("not for long")), (&second, None)] {
        let id = DecisionId::new(candidate.created_at + Span::minutes(1), &Seeded::default());
        let now = hour(hours + 3);
        let after = candidate.clone().reject(id, Reason::Wrong, now).unwrap();
        tx.decide(
            candidate,
            &after,
            &Verdict::Reject(Reason::Wrong),
            note,
            &by,
        )
        .await
        .unwrap();
    }
    tx.commit().await.unwrap();
    let made = memory(
        &db.db,
        user,
        &statement("User likes tea", hour(hours)),
        hour(hours),
    )
    .await;
    let mut tx = db.db.write(AgentScope::One(agent.clone())).await.unwrap();
    let write = store::Write {
        note: Some("as they said later".into()),
        ..statement("User likes green tea", hour(hours + 4))
    };
    let made = tx
        .revise_memory(&made, domain::memory::RevisionAction::Update, &write, &by)
        .await
        .unwrap();
    let serving = |number: i64| Serving {
        id: ServingId::new(
            hour(hours + 5) + Span::milliseconds(number),
            &Seeded::default(),
        ),
        agent: agent.clone(),
        user: user.id.clone(),
        conversation: Some("c-1".into()),
        tokens: 9,
        items: vec![(made.id.clone(), made.revision)],
        cut: 0,
        at: hour(hours + 5),
    };
    tx.record_servings(&[serving(1), serving(2)], hour(hours + 5))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

async fn person(db: &TestDb, name: &str) -> PersonId {
    let new = NewPerson {
        email: format!("{name}@example.com"),
        name: name.to_owned(),
        password_hash: None,
        grants: Vec::new(),
    };
    let mut tx = db.db.write(AgentScope::All).await.unwrap();
    let person = tx.create_person(&new, &by_system(hour(0))).await.unwrap();
    tx.commit().await.unwrap();
    person.id
}

fn asked(person: &PersonId, agent: Option<&AgentName>) -> NewExport {
    NewExport {
        person: person.clone(),
        key: None,
        sort: ExportSort::Audit,
        agent: agent.cloned(),
        user: None,
        named: None,
        from: None,
        to: None,
        as_of: None,
        bom: false,
        language: ReportLanguage::Japanese,
    }
}

fn until(at: Timestamp) -> Timestamp {
    at + Span::seconds(30)
}

store::both! {
    // E4
    async fn every_row_is_read_once_and_every_text_is_the_one_that_was_committed_to(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let ana = user(&db.db, &support, "ana").await;
        let bo = user(&db.db, &support, "bo").await;
        let other = user(&db.db, &sales, "ana").await;
        life(db, &ana, 3, 10).await;
        life(db, &bo, 0, 100).await;
        life(db, &other, 1, 200).await;
        let counts: BTreeMap<String, i64> = db.rows_of_agent("support").await.into_iter().collect();

        let mut tx = db.db.read(AgentScope::One(support.clone())).await.unwrap();
        let all = read(&mut tx, &part(&support)).await;
        for (file, table) in [("users", "users"), ("candidates", "candidates"), ("decisions", "decisions"), ("remarks", "remarks"), ("memories", "memories"), ("revisions", "revisions"), ("servings", "servings")] {
            assert_eq!(all.count(file), counts[table], "{file}");
        }
        assert_eq!(all.count("posts"), 5, "three long ones of ana, and one of each");
        assert_eq!(kept(&all), promised(&mut tx, &part(&support)).await);
        assert_eq!(read(&mut tx, &part(&support)).await, all, "the same again");

        // One user's rows are those of everybody that are theirs, in the same order, and nothing else.
        let of_ana = ExportPart { users: Some(vec![ana.id.clone()]), ..part(&support) };
        let of_bo = ExportPart { users: Some(vec![bo.id.clone()]), ..part(&support) };
        let (anas, bos) = (read(&mut tx, &of_ana).await, read(&mut tx, &of_bo).await);
        for (file, count) in &all.counts {
            assert_eq!(anas.count(file) + bos.count(file), *count, "{file}");
        }
        assert_eq!(kept(&anas), promised(&mut tx, &of_ana).await);
        let shared: Vec<_> = all.order.iter().filter(|line| anas.order.contains(line)).collect();
        assert_eq!(shared, anas.order.iter().collect::<Vec<_>>());

        // A span takes events and texts alike.
        let later = ExportPart { from: Some(hour(100)), ..part(&support) };
        let earlier = ExportPart { to: Some(hour(100)), ..part(&support) };
        let (late, early) = (read(&mut tx, &later).await, read(&mut tx, &earlier).await);
        assert_eq!(kept(&late), promised(&mut tx, &later).await);
        assert_eq!(kept(&early), promised(&mut tx, &earlier).await);
        for file in ["posts", "candidates", "decisions", "remarks", "revisions", "servings"] {
            assert_eq!(late.count(file) + early.count(file), all.count(file), "{file}");
        }
        assert!(matches!(tx.along_users(&part(&sales)).await, Err(Error::OutOfScope)));
        assert!(tx.count_export(&part(&support)).await.unwrap() > 0);
    }

    // E4
    async fn a_span_that_ended_is_followed_by_what_was_taken_away_of_it_since(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let (ana, bo) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "bo").await);
        let early = conversation(&db.db, &ana, "c-1", &[says("I live in Oslo")], hour(1)).await.id.to_string();
        let late = conversation(&db.db, &bo, "c-2", &[says("I live in Bergen")], hour(30)).await.id.to_string();
        let cat = proposed(&db.db, &ana, proposal("User has a cat"), hour(2)).await;
        let wrong = Verdict::Reject(Reason::Wrong);
        let after = cat.clone().reject(DecisionId::new(hour(3), &Seeded::default()), Reason::Wrong, hour(3)).unwrap();
        let mut tx = db.db.write(AgentScope::One(support.clone())).await.unwrap();
        tx.decide(&cat, &after, &wrong, None, &Stamp::by(&reviewer(1), hour(3))).await.unwrap();
        let (held, by) = (Held::default(), by_system(hour(100)));
        assert_eq!(tx.remove_conversations(&support, hour(50), &held, 10, &by).await.unwrap().removed, 2);
        assert_eq!(tx.remove_rejected(&support, hour(50), &held, 10, &by).await.unwrap().removed, 1);
        tx.commit().await.unwrap();
        proposed(&db.db, &ana, proposal("User has a dog"), hour(101)).await;

        let followed_by = async |users: Option<Vec<UserId>>, from: Option<Timestamp>, to: i64| {
            let span = ChainPart { chain: "support".into(), users, from, to: Some(hour(to)) };
            let mut tx = db.db.read(AgentScope::One(support.clone())).await.unwrap();
            let events = tx.exported_events(&span, 0).await.unwrap().into_iter();
            let later = events.filter(|event| event.at >= hour(to)).map(|event| {
                let body: EventBody = serde_json::from_str(&event.body).unwrap();
                (event.r#type, body.subject)
            });
            later.collect::<Vec<_>>()
        };
        let removed = |what: &str, subject: &str| (format!("{what}.removed"), subject.to_owned());
        let (of_early, of_late) = (removed("conversation", &early), removed("conversation", &late));
        let of_cat = removed("candidate", cat.id.as_str());
        assert_eq!(followed_by(None, None, 10).await, [of_early.clone(), of_cat.clone()]);
        assert_eq!(followed_by(None, None, 40).await, [of_early.clone(), of_late.clone(), of_cat.clone()]);
        assert_eq!(followed_by(None, Some(hour(20)), 40).await, std::slice::from_ref(&of_late));
        assert_eq!(followed_by(Some(vec![ana.id.clone()]), None, 40).await, [of_early, of_cat]);
        assert_eq!(followed_by(Some(vec![bo.id.clone()]), None, 40).await, [of_late]);
        assert_eq!(followed_by(None, Some(hour(40)), 50).await, []);
    }

    // E4
    async fn the_leaves_of_a_chain_are_read_without_a_gap(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        life(db, &ana, 0, 10).await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let head = tx.heads().await.unwrap().into_iter().find(|head| head.chain == "support").unwrap();
        let leaves = tx.leaves("support", 0, head.seq).await.unwrap();
        assert_eq!(leaves.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), (1..=head.seq).collect::<Vec<_>>());
        assert_eq!(leaves.last().unwrap().1.as_slice(), head.hash);
        assert_eq!(tx.leaves("support", 0, 3).await.unwrap().len(), 3);
        assert!(tx.leaves("support", head.seq, head.seq).await.unwrap().is_empty());
    }

    // E4
    async fn whoever_was_erased_is_passed_over(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        life(db, &ana, 0, 10).await;
        db.behind_the_back("delete from user_keys").await.unwrap();
        let bo = user(&db.db, &support, "bo").await;
        life(db, &bo, 0, 100).await;
        let mut tx = db.db.read(AgentScope::One(support.clone())).await.unwrap();
        let of_bo = ExportPart { users: Some(vec![bo.id.clone()]), ..part(&support) };
        let (all, bos) = (read(&mut tx, &part(&support)).await, read(&mut tx, &of_bo).await);
        assert_eq!(all.counts, bos.counts);
    }

    // E4
    async fn one_writer_has_an_export_and_an_older_claim_changes_nothing(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let odo = person(db, "Odo").await;
        let mut tx = db.db.write(AgentScope::One(support.clone())).await.unwrap();
        let refused = tx.create_export(&asked(&odo, None), &by_system(hour(1))).await;
        assert!(matches!(refused, Err(Error::OutOfScope)), "all agents need a scope of all");
        let id = tx.create_export(&asked(&odo, Some(&support)), &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();

        let dead = db.db.claim_work::<ExportId>(hour(1), until(hour(1))).await.unwrap().unwrap();
        assert_eq!(dead.id, id);
        assert_eq!(db.db.claim_work::<ExportId>(hour(1), until(hour(1))).await.unwrap(), None, "the lease holds");
        let claim = db.db.claim_work::<ExportId>(hour(2), until(hour(2))).await.unwrap().unwrap();
        let file = ExportFile { name: "a.zip".into(), bytes: 7, sha256: "0a".into() };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(matches!(tx.hold_export(&dead, (1, 2), until(hour(2))).await, Err(Error::LostClaim)));
        tx.hold_export(&claim, (1, 2), until(hour(2))).await.unwrap();
        let running = tx.export(&id).await.unwrap().unwrap();
        assert_eq!((running.state, running.done, running.total, running.attempt), (ExportState::Running, 1, 2, 2));
        assert!(matches!(tx.finish_export(&dead, &file, 2, hour(9), &by_system(hour(2))).await, Err(Error::LostClaim)));
        tx.finish_export(&claim, &file, 2, hour(9), &by_system(hour(2))).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let done = tx.export(&id).await.unwrap().unwrap();
        assert_eq!((done.state, done.file.as_ref(), done.language), (ExportState::Done, Some(&file), ReportLanguage::Japanese));
        assert!(tx.note_download(&id, None, &by_system(hour(3))).await.unwrap());
        assert_eq!(tx.exports_with_files(std::slice::from_ref(&id)).await.unwrap(), std::slice::from_ref(&id));
        assert!(tx.expire_exports(10, &by_system(hour(8))).await.unwrap().is_empty());
        assert_eq!(tx.expire_exports(10, &by_system(hour(9))).await.unwrap(), std::slice::from_ref(&id));
        assert!(!tx.note_download(&id, None, &by_system(hour(9))).await.unwrap());
        assert!(tx.exports_with_files(std::slice::from_ref(&id)).await.unwrap().is_empty());
        tx.commit().await.unwrap();
        every_chain_verifies(&db.db).await;
    }

    // E4, G5
    async fn a_copy_is_kept_as_one_and_is_never_of_a_span(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let odo = person(db, "Odo").await;
        let copy = NewExport { sort: ExportSort::Copy, user: Some(ana.id.clone()), ..asked(&odo, Some(&support)) };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let id = tx.create_export(&copy, &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert_eq!(tx.export(&id).await.unwrap().unwrap().sort, ExportSort::Copy);
        let of_a_span = NewExport { to: Some(hour(9)), ..copy };
        assert!(tx.create_export(&of_a_span, &by_system(hour(1))).await.is_err());
    }

    // E4
    async fn exports_of_all_agents_are_for_who_may_see_all(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let odo = person(db, "Odo").await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let named = NewExport { named: Some(Scope::user_id("ana").unwrap()), ..asked(&odo, None) };
        let all = tx.create_export(&named, &by_system(hour(1))).await.unwrap();
        let of_support = tx.create_export(&asked(&odo, Some(&support)), &by_system(hour(2))).await.unwrap();
        let of_sales = tx.create_export(&asked(&odo, Some(&sales)), &by_system(hour(3))).await.unwrap();
        tx.commit().await.unwrap();
        let seen = async |scope: AgentScope| {
            let mut tx = db.db.read(scope).await.unwrap();
            let page = tx.exports(&Page::first(10)).await.unwrap();
            page.rows.into_iter().map(|export| export.id).collect::<Vec<_>>()
        };
        assert_eq!(seen(AgentScope::All).await, [of_sales.clone(), of_support.clone(), all.clone()]);
        assert_eq!(seen(AgentScope::One(support.clone())).await, std::slice::from_ref(&of_support));
        assert_eq!(seen(AgentScope::Some(vec![support.clone(), sales])).await, [of_sales.clone(), of_support]);
        let mut tx = db.db.write(AgentScope::One(support)).await.unwrap();
        assert_eq!(tx.export(&all).await.unwrap(), None);
        assert!(!tx.remove_export(&of_sales, &by_system(hour(4))).await.unwrap());
        drop(tx);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert_eq!(tx.export(&all).await.unwrap().unwrap().named, Some(Scope::user_id("ana").unwrap()));
        assert!(tx.remove_export(&of_sales, &by_system(hour(4))).await.unwrap());
        let stopped = tx.export(&of_sales).await.unwrap().unwrap();
        assert_eq!((stopped.state, stopped.error.as_deref()), (ExportState::Failed, Some("stopped")));
    }
}
