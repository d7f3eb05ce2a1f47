//! Erasing a person: every row about them and their key, and nothing of anybody else; and what a legal hold is on.

mod actors;

use std::collections::{BTreeMap, BTreeSet};

use actors::*;
use domain::{
    agent::AgentScope,
    audit::EventType,
    candidate::{Reason, Verdict},
    erasure::ErasureReason,
    export::{ExportSort, ExportState, ReportLanguage},
    id::{DecisionId, ExportId, PersonId},
    time::Span,
    user::{Scope, User},
};
use store::{
    Db, Erased, Erasing, Error, EventFilter, ExportFile, HoldOn, Idempotent, NewExport, NewPerson,
    Page, Seen, Serving, Stamp, UserFilter,
    testing::{Seeded, TestDb},
};

/// Everything that a person can have here, once; people are told apart by a number.
async fn live(db: &Db, user: &User, number: i64) {
    let talk = conversation(db, user, "c-1", &[says("I keep a zebrafinch")], hour(1)).await;
    let waits = resting_on(proposal("User keeps a zebrafinch"), &talk, "a zebrafinch");
    let waits = proposed(db, user, waits, hour(1)).await;
    let rejected = proposed(db, user, proposal("User hates zebrafinches"), hour(1)).await;
    let known = memory(
        db,
        user,
        &statement("User has a zebrafinch", hour(1)),
        hour(1),
    )
    .await;
    let stamp = Stamp::by(&reviewer(1), hour(2));
    let mut tx = db.write(AgentScope::All).await.unwrap();
    tx.enqueue_extract(&talk, 1, hour(1), &stamp).await.unwrap();
    let before = tx
        .candidate_for_update(&rejected.id)
        .await
        .unwrap()
        .unwrap();
    let id = DecisionId::new(hour(2) + Span::milliseconds(number), &Seeded::default());
    let after = before.clone().reject(id, Reason::Wrong, hour(2)).unwrap();
    let verdict = Verdict::Reject(Reason::Wrong);
    tx.decide(
        &before,
        &after,
        &verdict,
        Some("a note on the zebrafinch"),
        &stamp,
    )
    .await
    .unwrap();
    tx.see_again(
        &user.agent,
        &user.id,
        Seen::Waiting(waits.id),
        &[],
        None,
        None,
        &stamp,
    )
    .await
    .unwrap();
    let serving = Serving {
        id: tx.serving_id(hour(3)),
        agent: user.agent.clone(),
        user: user.id.clone(),
        conversation: Some("c-1".into()),
        tokens: 5,
        items: vec![(known.id, 1)],
        cut: 0,
        at: hour(3),
    };
    tx.record_servings(&[serving], hour(3)).await.unwrap();
    tx.commit().await.unwrap();
}

async fn erased(db: &Db, user: &User, at: i64) -> Erased {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let erasing = Erasing {
        scope: Some(&user.scope),
        reason: ErasureReason::AskedFor,
        request: None,
    };
    let stamp = Stamp::by(&reviewer(1), hour(at));
    let erased = tx
        .erase_user(&user.agent, &user.id, erasing, &stamp)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    erased
}

async fn person(db: &Db) -> PersonId {
    let new = NewPerson {
        email: "mia@example.com".into(),
        name: "Mia".into(),
        password_hash: None,
        grants: vec![],
    };
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let person = tx.create_person(&new, &by_system(hour(0))).await.unwrap();
    tx.commit().await.unwrap();
    person.id
}

fn filled(rows: &[(String, i64)]) -> BTreeMap<String, i64> {
    rows.iter()
        .filter(|(_, count)| *count > 0)
        .cloned()
        .collect()
}

store::both! {
    // F9
    async fn everything_about_a_user_goes_and_nothing_of_anybody_else(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let (ana, bo) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "bo").await);
        live(&db.db, &ana, 1).await;
        live(&db.db, &bo, 2).await;
        let before = filled(&db.rows_of_user(ana.id.as_str()).await);
        for table in ["candidates", "conversations", "decisions", "evidence", "jobs", "memories", "messages", "revisions", "search_tokens", "servings", "sightings", "user_keys"] {
            assert!(before.contains_key(table), "{table} is not tried here: {before:?}");
        }
        let of_bo = db.rows_of_user(bo.id.as_str()).await;

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let counts = tx.erasure_counts(&ana).await.unwrap();
        assert_eq!((counts.conversations, counts.messages, counts.candidates, counts.decisions), (1, 1, 2, 1));
        assert_eq!((counts.memories, counts.revisions, counts.servings, counts.jobs), (1, 1, 1, 1));
        let version = tx.erasure_version(&support, &ana.id).await.unwrap();
        assert!(version > 0);
        drop(tx);

        let gone = erased(&db.db, &ana, 4).await;
        assert_eq!((gone.counts, gone.exports), (counts, vec![]));
        let left = filled(&db.rows_of_user(ana.id.as_str()).await);
        assert_eq!(left.keys().collect::<Vec<_>>(), ["erasures", "events"]);
        assert_eq!(db.rows_of_user(bo.id.as_str()).await, of_bo);
        let agents: BTreeMap<String, i64> = db.rows_of_agent("support").await.into_iter().collect();
        assert_eq!((agents["serving_items"], agents["candidate_targets"], agents["judgements"]), (1, 0, 1), "only bo's");

        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert_eq!(tx.user(&ana.id).await.unwrap(), None);
        assert_eq!(tx.find_user(&support, &ana.scope).await.unwrap(), None);
        let listed = tx.users(&UserFilter::default(), &Page::first(10), hour(4)).await.unwrap().rows;
        assert_eq!(listed.len(), 1, "lists still open");
        let erasure = tx.erasure(&ana.id).await.unwrap().unwrap();
        assert_eq!((erasure.agent.as_str(), erasure.at, erasure.reason), ("support", hour(4), ErasureReason::AskedFor));
        assert_eq!((erasure.counts, erasure.known_since), (counts, ana.created_at));
        let filter = EventFilter { types: vec![EventType::UserErased], ..EventFilter::default() };
        let told = tx.events(&filter, &Page::first(10)).await.unwrap().rows;
        assert_eq!((told.len(), told[0].user.as_deref(), told[0].subject.as_str()), (1, Some(ana.id.as_str()), ana.id.as_str()));
        assert!(told[0].body.contains("\"messages\":1") && told[0].body.contains("\"reason\":\"asked_for\""));

        let erasing = Erasing { scope: None, reason: ErasureReason::Other, request: None };
        let again = tx.erase_user(&support, &ana.id, erasing, &by_system(hour(5))).await;
        assert!(matches!(again, Err(Error::Stale)), "{again:?}");
        drop(tx);
        let back = user(&db.db, &support, "ana").await;
        assert_ne!(back.id, ana.id, "whoever comes again is somebody new");
        every_chain_verifies(&db.db).await;
    }

    // F9
    async fn answers_forms_and_views_that_may_name_somebody_go_too(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana@example.org").await;
        let mia = person(&db.db).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.begin_idempotent(mia.as_str(), "k-1", &[1; 32], hour(1)).await.unwrap();
        tx.finish_idempotent(mia.as_str(), "k-1", 201, &[], b"ana@example.org", hour(1)).await.unwrap();
        tx.begin_idempotent(mia.as_str(), "k-2", &[2; 32], hour(1)).await.unwrap();
        tx.begin_idempotent(mia.as_str(), "k-3", &[2; 32], hour(1)).await.unwrap();
        tx.put_flash("token", b"ana@example.org", hour(9)).await.unwrap();
        tx.save_view(&mia, "Ana's", "q=ana%40example.org", &by_system(hour(1))).await.unwrap();
        let kept = tx.save_view(&mia, "Facts", "kind=fact", &by_system(hour(1))).await.unwrap();
        tx.commit().await.unwrap();

        erased(&db.db, &ana, 2).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let again = tx.begin_idempotent(mia.as_str(), "k-1", &[1; 32], hour(1)).await.unwrap();
        assert_eq!(again, Idempotent::Gone, "taken, and without an answer");
        for key in ["k-2", "k-3"] {
            let again = tx.begin_idempotent(mia.as_str(), key, &[2; 32], hour(1)).await.unwrap();
            assert_eq!(again, Idempotent::InFlight, "{key} is still being answered");
        }
        tx.finish_idempotent(mia.as_str(), "k-2", 201, &[], b"ana@example.org", hour(2)).await.unwrap();
        let again = tx.begin_idempotent(mia.as_str(), "k-2", &[2; 32], hour(20)).await.unwrap();
        assert_eq!(again, Idempotent::Gone, "what was under way is not kept, and not done twice within the day");
        tx.release_idempotent(mia.as_str(), "k-3").await.unwrap();
        let again = tx.begin_idempotent(mia.as_str(), "k-3", &[2; 32], hour(2)).await.unwrap();
        assert_eq!(again, Idempotent::New, "what failed may be tried again");
        assert_eq!(tx.take_flash("token", hour(2)).await.unwrap(), None);
        assert_eq!(tx.saved_views(&mia).await.unwrap(), [kept]);
    }

    // E4
    async fn an_export_that_is_asked_for_during_an_erasure_is_written_after_it(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        live(&db.db, &ana, 1).await;
        let mia = person(&db.db).await;
        for of in [None, Some(&support)] {
            let ana = user(&db.db, &support, "ana").await;
            let new = NewExport {
                person: mia.clone(),
                key: None,
                sort: ExportSort::Audit,
                agent: of.cloned(),
                user: None,
                named: None,
                from: None,
                to: None,
                as_of: None,
                bom: false,
                language: ReportLanguage::English,
            };
            let mut erasing = db.db.write(AgentScope::All).await.unwrap();
            let why = Erasing { scope: Some(&ana.scope), reason: ErasureReason::AskedFor, request: None };
            erasing.erase_user(&support, &ana.id, why, &by_system(hour(4))).await.unwrap();
            let (other, whom) = (db.db.clone(), ana.id.clone());
            let asked = tokio::spawn(async move {
                let mut tx = other.write(AgentScope::All).await.unwrap();
                tx.create_export(&new, &by_system(hour(5))).await.unwrap();
                tx.commit().await.unwrap();
                // What whoever writes it would see.
                other.read(AgentScope::All).await.unwrap().user(&whom).await
            });
            // SQLite has one writer. On PostgreSQL who asks is through by now, or waits for a lock.
            let waits = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
            while !db.db.is_sqlite() && !asked.is_finished() && db.behind_the_back(waits).await.unwrap() == 0 {
                tokio::task::yield_now().await;
            }
            erasing.commit().await.unwrap();
            assert!(!matches!(asked.await.unwrap(), Ok(Some(_))), "{of:?}");
        }
    }

    // F9
    async fn files_that_hold_somebody_go_and_what_is_being_written_begins_anew(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let (ana, bo) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "bo").await);
        let mia = person(&db.db).await;
        let all = NewExport {
            person: mia,
            key: None,
            sort: ExportSort::Audit,
            agent: None,
            user: None,
            named: None,
            from: None,
            to: None,
            as_of: None,
            bom: false,
            language: ReportLanguage::English,
        };
        let of = |name: &str| NewExport { named: Some(Scope::user_id(name).unwrap()), ..all.clone() };
        let about = |user: &User| NewExport { agent: Some(user.agent.clone()), user: Some(user.id.clone()), ..all.clone() };
        let early = NewExport { to: Some(hour(-5)), ..all.clone() };
        // Each is asked for and written before the next one is.
        let mut ids: Vec<ExportId> = Vec::new();
        for new in [all.clone(), of("ana"), of("bo"), about(&ana), about(&bo), early] {
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            let id = tx.create_export(&new, &by_system(hour(1))).await.unwrap();
            tx.commit().await.unwrap();
            let claim = db.db.claim_work::<ExportId>(hour(1), hour(2)).await.unwrap().unwrap();
            let file = ExportFile { name: format!("{id}.zip"), bytes: 5, sha256: "0a".repeat(32) };
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            tx.finish_export(&claim, &file, 5, hour(100), &by_system(hour(1))).await.unwrap();
            tx.commit().await.unwrap();
            ids.push(id);
        }
        let mut open = Vec::new();
        for new in [all.clone(), of("ana")] {
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            let id = tx.create_export(&new, &by_system(hour(1))).await.unwrap();
            tx.commit().await.unwrap();
            let claim = db.db.claim_work::<ExportId>(hour(1), hour(2)).await.unwrap().unwrap();
            assert_eq!(claim.id, id);
            open.push(claim);
        }

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.erasure_counts(&ana).await.unwrap().exports, 3);
        drop(tx);
        let gone = erased(&db.db, &ana, 2).await;
        let mut wanted = [&ids[0], &ids[1], &ids[3], &open[0].id, &open[1].id];
        wanted.sort();
        let mut named: Vec<_> = gone.exports.iter().map(|claim| &claim.id).collect();
        named.sort();
        assert_eq!(named, wanted);
        assert!(gone.exports.iter().all(|claim| claim.epoch == 1), "what a later claim writes does not go");
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mut stand = Vec::new();
        for id in &ids {
            let export = tx.export(id).await.unwrap().unwrap();
            stand.push((export.state, export.error, export.named.is_some()));
        }
        let expired = |code: &str| (ExportState::Expired, Some(code.to_owned()), false);
        let done = |named| (ExportState::Done, None, named);
        assert_eq!(stand, [expired("outdated"), expired("erased"), done(true), expired("erased"), done(false), done(false)]);
        let again = tx.export(&open[0].id).await.unwrap().unwrap();
        assert_eq!((again.state, again.attempt, again.error), (ExportState::Queued, 0, None));
        let given_up = tx.export(&open[1].id).await.unwrap().unwrap();
        assert_eq!((given_up.state, given_up.error.as_deref(), given_up.named), (ExportState::Failed, Some("erased"), None));
        for claim in &open {
            assert!(matches!(tx.hold_export(claim, (1, 2), hour(3)).await, Err(Error::LostClaim)), "who writes it puts no file in its place");
        }
        drop(tx);
        let later = db.db.claim_work::<ExportId>(hour(2), hour(3)).await.unwrap().unwrap();
        assert_eq!((&later.id, later.epoch > 1), (&open[0].id, true));
        every_chain_verifies(&db.db).await;
    }

    // F9
    async fn a_mark_means_who_was_there_and_nobody_who_came_later(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let ana = user(&db.db, &support, "ana").await;
        user(&db.db, &sales, "ana").await;
        for copy in ["create table kept_users as select * from users", "create table kept_keys as select * from user_keys"] {
            db.behind_the_back(copy).await.unwrap();
        }
        erased(&db.db, &ana, 2).await;
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let marks = tx.erasure_marks().await.unwrap();
        assert_eq!((marks.len(), marks[0].at, marks[0].mark.len()), (1, hour(2), 64));
        assert_eq!(tx.users_marked(&marks).await.unwrap(), []);
        drop(tx);
        // A backup brings them back.
        for put in [
            "delete from users",
            "delete from user_keys",
            "insert into users select * from kept_users",
            "insert into user_keys select * from kept_keys",
        ] {
            db.behind_the_back(put).await.unwrap();
        }
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.users_marked(&marks).await.unwrap(), [(support.clone(), ana.id.clone())], "not who is called so elsewhere");
        let earlier = store::ErasureMark { at: hour(-1), ..marks[0].clone() };
        assert_eq!(tx.users_marked(&[earlier]).await.unwrap(), [], "who came after an erasure is somebody new");
        drop(tx);
        db.behind_the_back("delete from erasures").await.unwrap();
        erased(&db.db, &ana, 3).await;
        every_chain_verifies(&db.db).await;
    }

    // F9
    async fn a_hold_is_on_a_user_an_agent_or_a_name_everywhere_until_it_ends(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let (ana, bo) = (user(&db.db, &support, "ana").await, user(&db.db, &support, "bo").await);
        let mia = person(&db.db).await;
        let place = async |on: HoldOn, until| {
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            let id = tx.place_hold(&on, "Case 12-345", until, &mia, &by_system(hour(1))).await.unwrap();
            tx.commit().await.unwrap();
            id
        };
        let of_user = place(HoldOn::User(support.clone(), ana.id.clone()), Some(hour(9))).await;
        let of_name = place(HoldOn::Named(ana.scope.clone()), None).await;
        let keeping = async |user: &User, at| {
            let mut tx = db.db.read(AgentScope::All).await.unwrap();
            let holds = tx.holds_on(user, hour(at)).await.unwrap();
            holds.into_iter().map(|hold| hold.id).collect::<BTreeSet<_>>()
        };
        assert_eq!(keeping(&ana, 2).await, BTreeSet::from([of_user.clone(), of_name.clone()]));
        assert_eq!(keeping(&ana, 9).await, BTreeSet::from([of_name.clone()]), "its time has run out");
        assert_eq!(keeping(&bo, 2).await, BTreeSet::new());
        // Whoever comes under that name later is kept too.
        let hers = user(&db.db, &sales, "ana").await;
        assert_eq!(keeping(&hers, 2).await, BTreeSet::from([of_name.clone()]));
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.held(&sales, hour(2)).await.unwrap().users, std::slice::from_ref(&hers.id));
        assert!(!tx.held(&support, hour(2)).await.unwrap().everybody);
        drop(tx);

        let of_agent = place(HoldOn::Agent(sales.clone()), None).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.held(&sales, hour(2)).await.unwrap().everybody);
        let hold = tx.hold(&of_name).await.unwrap().unwrap();
        assert_eq!((hold.reason.as_str(), hold.keeps(hour(2))), ("Case 12-345", true));
        assert!(tx.release_hold(&hold, &mia, &by_system(hour(3))).await.unwrap());
        assert!(!tx.release_hold(&hold, &mia, &by_system(hour(4))).await.unwrap(), "it was released before");
        tx.commit().await.unwrap();
        assert_eq!(keeping(&hers, 5).await, BTreeSet::from([of_agent.clone()]));

        let mut tx = db.db.read(AgentScope::One(sales.clone())).await.unwrap();
        let seen = tx.holds(&Page::first(10)).await.unwrap().rows;
        assert_eq!(seen.iter().map(|hold| &hold.id).collect::<Vec<_>>(), [&of_agent], "those of other agents, and of all, are not theirs");
        assert!(tx.hold(&of_user).await.unwrap().is_none());
        drop(tx);
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.holds(&Page::first(10)).await.unwrap().rows.len(), 3);
        drop(tx);
        every_chain_verifies(&db.db).await;
    }

    // F9
    async fn a_log_that_is_being_read_keeps_what_was_deleted_and_is_let_go_of_later(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        user(&db.db, &support, "ana").await;
        let mut reads = db.db.read(AgentScope::All).await.unwrap();
        reads.agents().await.unwrap();
        let waits_for_none = db.dir.is_none();
        assert_eq!(db.db.let_go_of_deleted().await.unwrap(), waits_for_none);
        assert_eq!(db.db.let_go_of_what_stayed().await.unwrap(), waits_for_none);
        reads.commit().await.unwrap();
        assert!(db.db.let_go_of_what_stayed().await.unwrap());
    }
}
