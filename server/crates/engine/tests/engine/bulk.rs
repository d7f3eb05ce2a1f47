//! Decisions by the hundred: a result for each, one way back for all, and work that goes on where somebody died.

use std::collections::BTreeSet;

use domain::{
    agent::{AgentName, AgentScope, AgentSettings},
    audit::EventType,
    bulk::{BulkState, BulkVerdict},
    candidate::{Action, Candidate, Edit, Flag, Proposal, Reason, Status},
    erasure::ErasureReason,
    id::{BulkId, KeyId},
    key::KeyScope,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
    user::Scope,
};
use engine::{
    BulkView, CandidateFilter, EngineError, Erase, EventFilter, Gathering, Listing, NewBulk,
    NewKey, Page, PersonPatch, UserRef, Version,
};
use store::{NewCandidate, Stamp, testing::TestDb};

use crate::world::{World, id_of, start, system};

fn proposal(content: String, flags: Vec<Flag>) -> Proposal {
    Proposal {
        action: Action::Create,
        targets: vec![],
        kind: "fact".into(),
        name: None,
        content,
        metadata: Default::default(),
        tags: vec![],
        confidence: 0.9,
        importance: 0.5,
        language: "en".into(),
        flags,
        evidence: vec![],
        explanation: None,
        cause: None,
    }
}

/// So many statements about different things, over ten users.
async fn propose(
    world: &World,
    db: &TestDb,
    agent: &AgentName,
    count: usize,
    flags: &[Flag],
) -> Vec<Candidate> {
    let stamp = Stamp::system(world.engine.now());
    let mut made = Vec::with_capacity(count);
    let mut tx = db.db.write(AgentScope::All).await.unwrap();
    for number in 0..count {
        let scope = Scope::user_id(&format!("user-{}", number % 10)).unwrap();
        let user = tx.ensure_user(agent, &scope, &stamp).await.unwrap();
        let content = format!("User has visited house {number} {}", flags.len());
        let new = NewCandidate {
            agent: agent.clone(),
            user: user.id,
            proposal: proposal(content, flags.to_vec()),
            extraction: None,
            supersedes: vec![],
        };
        made.push(tx.propose(&new, &stamp).await.unwrap());
    }
    tx.commit().await.unwrap();
    made
}

fn picks(candidates: &[Candidate]) -> Gathering {
    Gathering::Picked(
        candidates
            .iter()
            .map(|candidate| (candidate.id.clone(), candidate.version))
            .collect(),
    )
}

fn waiting(world: &World) -> Gathering {
    let filter = CandidateFilter {
        agent: Some(world.agent.clone()),
        ..CandidateFilter::default()
    };
    Gathering::Matching(Box::new(filter), None)
}

fn approve(of: Gathering, confirmed: Option<i64>) -> NewBulk {
    NewBulk {
        verdict: BulkVerdict::Approve,
        reason: None,
        note: None,
        insist: false,
        confirmed,
        of,
    }
}

fn reject(of: Gathering) -> NewBulk {
    NewBulk {
        verdict: BulkVerdict::Reject,
        reason: Some(Reason::NotDurable),
        ..approve(of, None)
    }
}

fn figures(bulk: &BulkView) -> (BulkState, i64, i64, i64) {
    (bulk.state, bulk.total, bulk.done, bulk.failed)
}

/// Aiko's key, which holds for an hour, has begun to reject sixty candidates and has rejected fifty.
async fn half_done_by_a_key(world: &World, db: &TestDb) -> (KeyId, BulkView) {
    propose(world, db, &world.agent, 60, &[]).await;
    let new = NewKey {
        agent: Some(world.agent.clone()),
        scopes: vec![KeyScope::ReviewWrite],
        person: Some(id_of(&world.aiko)),
        name: None,
        expires_at: Some(start() + Span::hours(1)),
    };
    let admin = world.mia(Permission::Administer);
    let (key, made) = world.engine.create_key(&admin, new).await.unwrap();
    let actor = world.engine.caller(&key).await.unwrap().unwrap();
    let permit = Permit::ask(actor, Permission::Decide).unwrap();
    let new = reject(waiting(world));
    let bulk = world.engine.start_bulk(&permit, new).await.unwrap();
    assert!(world.engine.work_bulk_once().await.unwrap(), "gathered");
    assert!(world.engine.work_bulk_once().await.unwrap(), "a batch");
    let half = reads(world, &bulk).await;
    assert_eq!(figures(&half), (BulkState::Running, 60, 50, 0));
    assert_eq!(half.by.name.as_deref(), Some("Aiko"));
    (made.id, bulk)
}

async fn has_ended_with_its_key(world: &World, bulk: &BulkView) {
    to_its_end(world).await;
    let ended = reads(world, bulk).await;
    assert_eq!(figures(&ended), (BulkState::Failed, 60, 50, 0));
    assert_eq!(ended.error.as_deref(), Some("key_ended"));
    let rest = count(world, Status::Pending).await;
    assert_eq!(rest, 10, "the rest waits as before");
    world.verify().await;
}

async fn to_its_end(world: &World) {
    while world.engine.work_bulk_once().await.unwrap() {}
}

async fn reads(world: &World, bulk: &BulkView) -> BulkView {
    world
        .engine
        .bulk(&world.mia(Permission::Decide), &bulk.id)
        .await
        .unwrap()
}

async fn failures(world: &World, bulk: &BulkView) -> Vec<(String, String)> {
    let page = Page {
        limit: 200,
        ..Page::default()
    };
    let permit = world.mia(Permission::Decide);
    let items = world
        .engine
        .bulk_items(&permit, &bulk.id, Listing::Failed, &page)
        .await
        .unwrap();
    let named = items
        .data
        .into_iter()
        .map(|item| (item.id.to_string(), item.code.unwrap()));
    named.collect()
}

async fn count(world: &World, status: Status) -> i64 {
    let filter = CandidateFilter {
        status: Some(status),
        ..CandidateFilter::default()
    };
    world
        .engine
        .count_candidates(&world.mia(Permission::ReadCandidates), &filter)
        .await
        .unwrap()
}

store::both! {
    // F7
    async fn of_two_hundred_three_fail_and_are_named_and_undo_brings_back_the_rest(db: &TestDb) {
        let world = World::new(db).await;
        let made = propose(&world, db, &world.agent, 199, &[]).await;
        let risky = propose(&world, db, &world.agent, 1, &[Flag::Instruction]).await;
        let all: Vec<_> = made.iter().chain(&risky).cloned().collect();
        let (aiko, mia) = (world.aiko(Permission::Decide), world.mia(Permission::Decide));
        world.engine.approve(&aiko, &made[0].id, None, Default::default()).await.unwrap();
        world.engine.reject(&aiko, &made[1].id, None, Reason::Wrong, None).await.unwrap();
        world.engine.reopen(&aiko, &made[1].id, None, None).await.unwrap();

        let unconfirmed = world.engine.start_bulk(&mia, approve(picks(&all), None)).await.unwrap_err();
        assert_eq!(unconfirmed.fields()[0].pointer, "/confirm");
        let bulk = world.engine.start_bulk(&mia, approve(picks(&all), Some(200))).await.unwrap();
        assert_eq!(figures(&bulk), (BulkState::Done, 200, 197, 3));
        let refused = failures(&world, &bulk).await;
        let expected = [(&made[0], "already_decided"), (&made[1], "stale"), (&risky[0], "risky")];
        assert_eq!(refused, expected.map(|(candidate, code)| (candidate.id.to_string(), code.to_owned())));
        assert_eq!(bulk.reasons.values().sum::<i64>(), 3);
        assert_eq!(count(&world, Status::Pending).await, 2);

        // Two sessions of one user are told of what was approved.
        for session in ["c-1", "c-2"] {
            let ask = engine::ContextRequest { conversation_id: Some(session.into()), ..crate::world::ask("user-5") };
            world.engine.context(&world.key(Permission::ReadContext), &world.agent, ask).await.unwrap();
        }
        let undo = world.engine.undo_bulk(&mia, &bulk.id).await.unwrap();
        assert_eq!(figures(&undo), (BulkState::Done, 197, 197, 0));
        assert_eq!((undo.verdict, undo.undo_of.as_ref()), (BulkVerdict::Reopen, Some(&bulk.id)));
        assert_eq!((undo.told, undo.told_sessions), (20, 40), "twenty memories of one user, each in two sessions");
        let told = world.engine.bulk_items(&mia, &undo.id, Listing::Told, &Page::default()).await.unwrap().data;
        assert!(told.iter().all(|item| item.told == 2 && item.who == "user-5"), "{told:?}");
        assert_eq!(count(&world, Status::Pending).await, 199);
        assert!(world.served("user-5").await.is_empty());

        let again = world.engine.undo_bulk(&mia, &bulk.id).await.unwrap_err();
        assert_eq!((again.code(), again.status()), ("already_undone", 409));
        let of_undo = world.engine.undo_bulk(&mia, &undo.id).await.unwrap_err();
        assert_eq!(of_undo.code(), "not_undoable");
        world.verify().await;
    }

    // F7
    async fn all_that_match_are_decided_as_of_the_press_and_what_came_later_is_untouched(db: &TestDb) {
        let world = World::new(db).await;
        let rows = std::env::var("KEEPSAKE_BULK_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(120);
        let made = propose(&world, db, &world.agent, rows, &[]).await;
        let mia = world.mia(Permission::Decide);
        let other = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), other.clone(), AgentSettings::default()).await.unwrap();
        let elsewhere = propose(&world, db, &other, 1, &[]).await;
        let total = i64::try_from(rows).unwrap();
        let preview = match waiting(&world) {
            Gathering::Matching(filter, _) => world.engine.preview_bulk(&mia, BulkVerdict::Reject, &filter).await.unwrap(),
            Gathering::Picked(_) => unreachable!(),
        };
        assert_eq!((preview.count, preview.kinds, preview.risky), (total, vec![("fact".to_owned(), total)], 0));

        let bulk = world.engine.start_bulk(&mia, reject(waiting(&world))).await.unwrap();
        assert_eq!(figures(&bulk), (BulkState::Collecting, total, 0, 0));
        world.pass(Span::seconds(1));
        let later = propose(&world, db, &world.agent, 3, &[Flag::BadNumber]).await;
        // All are gathered, then one of them changes before its turn.
        while figures(&reads(&world, &bulk).await).0 == BulkState::Collecting {
            assert!(world.engine.work_bulk_once().await.unwrap());
        }
        world.engine.approve(&world.aiko(Permission::Decide), &made[0].id, None, Default::default()).await.unwrap();
        to_its_end(&world).await;

        let done = reads(&world, &bulk).await;
        assert_eq!(figures(&done), (BulkState::Done, total, total - 1, 1));
        assert_eq!(failures(&world, &done).await, [(made[0].id.to_string(), "already_decided".to_owned())]);
        for untouched in later.iter().chain(&elsewhere) {
            assert_eq!(world.candidate(&untouched.id).await.version, 1);
        }
        let detail = world.engine.candidate(&mia, &made[1].id).await.unwrap();
        assert_eq!(detail.decisions[0].by.name.as_deref(), Some("Mia"));
        world.verify().await;
    }

    async fn a_process_that_dies_in_the_middle_leaves_the_rest_to_another_and_nothing_is_decided_twice(db: &TestDb) {
        let world = World::new(db).await;
        let made = propose(&world, db, &world.agent, 70, &[]).await;
        let mia = world.mia(Permission::Decide);
        let bulk = world.engine.start_bulk(&mia, reject(waiting(&world))).await.unwrap();
        assert!(world.engine.work_bulk_once().await.unwrap(), "gathered");
        assert!(world.engine.work_bulk_once().await.unwrap(), "a batch");
        // Another process takes it and is killed.
        let now = world.engine.now();
        let dead = db.db.claim_work::<BulkId>(now, now + Span::seconds(30)).await.unwrap().unwrap();
        assert!(!world.engine.work_bulk_once().await.unwrap(), "its claim holds: two never work on one");
        let half = reads(&world, &bulk).await;
        assert_eq!(figures(&half), (BulkState::Running, 70, 50, 0));

        world.pass(Span::seconds(31));
        to_its_end(&world).await;
        let done = reads(&world, &bulk).await;
        assert_eq!(figures(&done), (BulkState::Done, 70, 70, 0));
        for candidate in &made {
            assert_eq!(world.candidate(&candidate.id).await.version, 2);
        }
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let held = tx.hold_work(&dead, world.engine.now()).await;
        assert!(matches!(held, Err(store::Error::LostClaim)), "{held:?}");
        drop(tx);
        world.verify().await;
    }

    // G7
    async fn whoever_is_shut_out_decides_nothing_more(db: &TestDb) {
        let world = World::new(db).await;
        propose(&world, db, &world.agent, 60, &[]).await;
        let aiko = world.aiko(Permission::Decide);
        let bulk = world.engine.start_bulk(&aiko, reject(waiting(&world))).await.unwrap();
        assert!(world.engine.work_bulk_once().await.unwrap(), "gathered");
        assert!(world.engine.work_bulk_once().await.unwrap(), "a batch");
        let out = PersonPatch { active: Some(false), ..PersonPatch::default() };
        world.engine.change_person(&system(Permission::ManagePeople), &id_of(&world.aiko), None, out).await.unwrap();
        to_its_end(&world).await;
        let ended = reads(&world, &bulk).await;
        assert_eq!(figures(&ended), (BulkState::Failed, 60, 50, 0));
        assert_eq!(ended.error.as_deref(), Some("deactivated"));
        assert_eq!(count(&world, Status::Pending).await, 10, "the rest waits as before");
        world.verify().await;
    }

    // G7
    async fn what_a_key_began_ends_when_the_key_is_revoked(db: &TestDb) {
        let world = World::new(db).await;
        let (key, bulk) = half_done_by_a_key(&world, db).await;
        world.engine.revoke_key(&world.mia(Permission::Administer), &key).await.unwrap();
        has_ended_with_its_key(&world, &bulk).await;
    }

    // G7
    async fn what_a_key_began_ends_when_the_key_expires(db: &TestDb) {
        let world = World::new(db).await;
        let (_, bulk) = half_done_by_a_key(&world, db).await;
        world.pass(Span::hours(1));
        has_ended_with_its_key(&world, &bulk).await;
    }

    async fn stopped_it_decides_nothing_more_and_what_was_decided_can_be_taken_back(db: &TestDb) {
        let world = World::new(db).await;
        propose(&world, db, &world.agent, 60, &[]).await;
        let mia = world.mia(Permission::Decide);
        let bulk = world.engine.start_bulk(&mia, reject(waiting(&world))).await.unwrap();
        assert_eq!(world.engine.undo_bulk(&mia, &bulk.id).await.unwrap_err().code(), "not_undoable");
        world.engine.work_bulk_once().await.unwrap();
        world.engine.work_bulk_once().await.unwrap();
        let stopped = world.engine.stop_bulk(&mia, &bulk.id).await.unwrap();
        assert_eq!(figures(&stopped), (BulkState::Stopped, 60, 50, 0));
        to_its_end(&world).await;
        assert_eq!(count(&world, Status::Pending).await, 10);
        let over = world.engine.stop_bulk(&mia, &bulk.id).await.unwrap_err();
        assert_eq!((over.code(), over.status()), ("bulk_over", 409));
        let undo = world.engine.undo_bulk(&mia, &bulk.id).await.unwrap();
        assert_eq!(figures(&undo), (BulkState::Done, 50, 50, 0));
        assert_eq!(count(&world, Status::Pending).await, 60);

        // The chain tells of it in counts, and each decision names its bulk.
        let events = async |types: Vec<EventType>| {
            let filter = EventFilter { types, ..EventFilter::default() };
            let page = Page { limit: 200, ..Page::default() };
            world.engine.events(&world.mia(Permission::ReadAudit), &filter, &page).await.unwrap().data
        };
        let told = events(vec![EventType::BulkStarted, EventType::BulkEnded, EventType::BulkStopped]).await;
        assert_eq!(told.len(), 4, "{told:?}");
        assert!(told.iter().all(|event| event.agent == "system" && event.user.is_none()));
        let stop = told.iter().find(|event| event.r#type == EventType::BulkStopped).unwrap();
        assert_eq!((&stop.data["done"], stop.subject.as_str()), (&50.into(), bulk.id.as_str()));
        let rejected = events(vec![EventType::CandidateRejected]).await;
        assert_eq!(rejected.len(), 50);
        assert!(rejected.iter().all(|event| event.data["bulk"] == bulk.id.as_str()));
        world.verify().await;
    }

    async fn risky_ones_are_approved_only_where_an_administrator_insists_and_says_why(db: &TestDb) {
        let world = World::new(db).await;
        let risky = propose(&world, db, &world.agent, 2, &[Flag::SpecialCategory]).await;
        let plain = propose(&world, db, &world.agent, 1, &[]).await;
        let all: Vec<_> = risky.iter().chain(&plain).cloned().collect();
        let mia = world.mia(Permission::Decide);
        let insists = |note: Option<&str>| NewBulk { insist: true, note: note.map(str::to_owned), ..approve(picks(&all), None) };
        let silent = world.engine.start_bulk(&mia, insists(None)).await.unwrap_err();
        assert_eq!(silent.fields()[0].pointer, "/note");

        let grants = vec![Grant::everywhere(RoleName::Reviewer)];
        let Actor::Person { id, name, .. } = world.aiko.clone() else { unreachable!() };
        let reviewer = Permit::ask(Actor::Person { id, name, grants }, Permission::Decide).unwrap();
        let refused = world.engine.start_bulk(&reviewer, insists(Some("checked on paper"))).await.unwrap_err();
        assert!(matches!(refused, EngineError::Forbidden));

        let bulk = world.engine.start_bulk(&mia, insists(Some("checked on paper"))).await.unwrap();
        assert_eq!(figures(&bulk), (BulkState::Done, 3, 3, 0));
        let detail = world.engine.candidate(&mia, &risky[0].id).await.unwrap();
        assert_eq!(detail.decisions[0].note.as_deref(), Some("checked on paper"));
        let filter = EventFilter { types: vec![EventType::CandidateApproved], ..EventFilter::default() };
        let events = world.engine.events(&world.mia(Permission::ReadAudit), &filter, &Page::default()).await.unwrap().data;
        let insisted: BTreeSet<_> = events.iter().filter(|event| event.data["insisted"] == true).map(|event| event.subject.clone()).collect();
        assert_eq!(insisted, risky.iter().map(|candidate| candidate.id.to_string()).collect());
        world.verify().await;
    }

    async fn a_change_of_what_has_moved_on_is_left_waiting_unless_somebody_insists(db: &TestDb) {
        let world = World::new(db).await;
        let mia = world.mia(Permission::Decide);
        let old = world.proposed("ana", "fact", Some("home"), "User lives in Oslo").await;
        let memory = world.engine.approve(&mia, &old.id, None, Default::default()).await.unwrap().memory.unwrap();
        let change = world.proposed("ana", "fact", Some("home"), "User lives in Bergen").await;
        let edit = Edit { content: Some("User lives in Oslo, Norway".into()), ..Edit::default() };
        world.engine.edit_memory(&mia, &memory, Version::Is(1), edit, None).await.unwrap();
        let picked = || Gathering::Picked(vec![(change.id.clone(), change.version)]);
        let bulk = world.engine.start_bulk(&mia, approve(picked(), None)).await.unwrap();
        assert_eq!(failures(&world, &bulk).await[0].1, "risky");
        let insists = NewBulk { insist: true, note: Some("I have seen both".into()), ..approve(picked(), None) };
        let bulk = world.engine.start_bulk(&mia, insists).await.unwrap();
        assert_eq!(figures(&bulk), (BulkState::Done, 1, 1, 0));
        assert_eq!(world.served("ana").await, ["User lives in Bergen"]);
    }

    // F7
    async fn what_comes_back_after_the_number_was_shown_is_not_decided_with_the_rest(db: &TestDb) {
        let world = World::new(db).await;
        let made = propose(&world, db, &world.agent, 4, &[]).await;
        let mia = world.mia(Permission::Decide);
        for candidate in &made[..2] {
            world.engine.reject(&mia, &candidate.id, None, Reason::NotDurable, None).await.unwrap();
        }
        world.engine.reopen(&mia, &made[0].id, None, None).await.unwrap();
        world.pass(Span::seconds(1));
        let filter = CandidateFilter { agent: Some(world.agent.clone()), ..CandidateFilter::default() };
        let shown = world.engine.preview_bulk(&mia, BulkVerdict::Reject, &filter).await.unwrap();
        assert_eq!(shown.count, 3, "one is decided, and one of two is back already");

        world.pass(Span::seconds(1));
        world.engine.reopen(&mia, &made[1].id, None, None).await.unwrap();
        let all = Gathering::Matching(Box::new(filter), Some(shown.frozen_at));
        let bulk = world.engine.start_bulk(&mia, reject(all)).await.unwrap();
        assert_eq!(bulk.total, 3);
        to_its_end(&world).await;
        assert_eq!(figures(&reads(&world, &bulk).await), (BulkState::Done, 3, 3, 0));
        for (candidate, status) in made.iter().zip([Status::Rejected, Status::Pending, Status::Rejected, Status::Rejected]) {
            assert_eq!(world.candidate(&candidate.id).await.status, status);
        }
        world.verify().await;
    }

    // G8
    async fn all_that_expired_unseen_wait_again(db: &TestDb) {
        let world = World::new(db).await;
        propose(&world, db, &world.agent, 30, &[]).await;
        world.pass(Span::days(8));
        world.engine.tick().await.unwrap();
        assert_eq!(count(&world, Status::Pending).await, 0);
        let unseen = CandidateFilter { expired_unseen: true, ..CandidateFilter::default() };
        let mia = world.mia(Permission::Decide);
        let reopen = |filter: CandidateFilter| NewBulk {
            verdict: BulkVerdict::Reopen,
            ..approve(Gathering::Matching(Box::new(filter), None), None)
        };
        let wrong = world.engine.start_bulk(&mia, reopen(CandidateFilter::default())).await.unwrap_err();
        assert_eq!(wrong.fields()[0].pointer, "/filter");
        let bulk = world.engine.start_bulk(&mia, reopen(unseen.clone())).await.unwrap();
        to_its_end(&world).await;
        assert_eq!(figures(&reads(&world, &bulk).await), (BulkState::Done, 30, 30, 0));
        assert_eq!(count(&world, Status::Pending).await, 30);
        let empty = world.engine.start_bulk(&mia, reopen(unseen)).await.unwrap_err();
        assert_eq!(empty.fields()[0].code, "empty");
        world.verify().await;
    }

    async fn a_bulk_is_its_persons_and_reaches_no_other_agent(db: &TestDb) {
        let world = World::new(db).await;
        let other = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), other.clone(), AgentSettings::default()).await.unwrap();
        let ours = propose(&world, db, &world.agent, 2, &[]).await;
        let theirs = propose(&world, db, &other, 2, &[]).await;
        let Actor::Person { id, name, .. } = world.aiko.clone() else { unreachable!() };
        let limited = Grant { agent: Some(other.clone()), ..Grant::everywhere(RoleName::Reviewer) };
        let seller = Permit::ask(Actor::Person { id, name, grants: vec![limited] }, Permission::Decide).unwrap();
        let outside = world.engine.start_bulk(&seller, reject(picks(&ours))).await.unwrap_err();
        assert!(matches!(outside, EngineError::NotFound));
        let all = Gathering::Matching(Box::default(), None);
        let bulk = world.engine.start_bulk(&seller, reject(all)).await.unwrap();
        assert_eq!(bulk.total, 2, "all that match means all of theirs");
        to_its_end(&world).await;
        assert_eq!(world.candidate(&theirs[0].id).await.status, Status::Rejected);
        assert_eq!(world.candidate(&ours[0].id).await.status, Status::Pending);

        let mias = world.engine.start_bulk(&world.mia(Permission::Decide), reject(picks(&ours))).await.unwrap();
        for refused in [
            world.engine.bulk(&seller, &mias.id).await.map(drop),
            world.engine.undo_bulk(&seller, &mias.id).await.map(drop),
            world.engine.stop_bulk(&seller, &mias.id).await.map(drop),
            world.engine.bulk_items(&seller, &mias.id, Listing::Failed, &Page::default()).await.map(drop),
        ] {
            assert!(matches!(refused, Err(EngineError::NotFound)));
        }
        let seen = world.engine.bulks(&seller, &Page::default()).await.unwrap().data;
        assert_eq!(seen.iter().map(|one| &one.id).collect::<Vec<_>>(), [&bulk.id]);
        let seen = world.engine.bulks(&world.mia(Permission::Decide), &Page::default()).await.unwrap().data;
        assert_eq!(seen.len(), 2, "an administrator sees everybody's");
    }

    // G5
    async fn a_note_that_names_somebody_else_goes_with_them(db: &TestDb) {
        let world = World::new(db).await;
        world.proposed("ana-berger", "fact", None, "User lives in Oslo").await;
        let others = propose(&world, db, &world.agent, 2, &[]).await;
        let noted = async |one: &Candidate, note: &str| {
            let new = NewBulk { note: Some(note.into()), ..reject(picks(std::slice::from_ref(one))) };
            world.engine.start_bulk(&world.mia(Permission::Decide), new).await.unwrap()
        };
        let (named, other) = (noted(&others[0], "as Ana-Berger asked").await, noted(&others[1], "as agreed").await);
        let (admin, of) = (world.mia(Permission::Administer), UserRef::Scope(Scope::user_id("ana-berger").unwrap()));
        let seen = world.engine.preview_erasure(&admin, &of, Some(&world.agent)).await.unwrap();
        let wanted = Erase { reason: ErasureReason::AskedFor, confirm: seen.confirm, version: seen.version, request: None };
        world.engine.erase(&admin, &of, Some(&world.agent), &wanted).await.unwrap();
        assert_eq!(reads(&world, &named).await.note, None);
        assert_eq!(reads(&world, &other).await.note.as_deref(), Some("as agreed"));
    }
}
