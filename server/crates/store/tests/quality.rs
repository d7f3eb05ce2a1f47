//! What is counted of decisions and extraction (F11), and the jobs as they are watched.

mod actors;

use std::{collections::BTreeMap, time::Instant};

use actors::*;
use domain::{
    agent::{AgentScope, AutoApprove},
    candidate::{Candidate, Dropped, Edit, Proposal, Reason, Verdict},
    conversation::Conversation,
    id::DecisionId,
    permission::Actor,
    quality::BINS,
    time::Span,
    user::User,
};
use store::{
    Db, DecidedFilter, Error, ExtractionState, JobState, Judge, Judged, NewCandidate,
    NewExtraction, Outcome, Page, Provenance, Quantiles, Stamp, Stretch, Why,
    testing::{Seeded, TestDb},
};

/// Ids of decisions, each another one.
#[derive(Default)]
struct Bench(Seeded);

/// How a person decides: approves, with an edit or without, or rejects.
enum Does {
    Approves,
    Edits,
    Rejects,
}

impl Bench {
    async fn decides(&self, db: &Db, candidate: &Candidate, does: Does, stamp: &Stamp) {
        let mut tx = db.write(AgentScope::All).await.unwrap();
        let before = tx
            .candidate_for_update(&candidate.id)
            .await
            .unwrap()
            .unwrap();
        let decision = DecisionId::new(stamp.now, &self.0);
        let edit = Edit {
            content: matches!(does, Does::Edits).then(|| "User lives in Bergen".to_owned()),
            ..Edit::default()
        };
        let (after, verdict) = match does {
            Does::Rejects => (
                before
                    .clone()
                    .reject(decision, Reason::Wrong, stamp.now)
                    .unwrap(),
                Verdict::Reject(Reason::Wrong),
            ),
            Does::Approves | Does::Edits => (
                before
                    .clone()
                    .approve(decision, fresh_memory(), stamp.now)
                    .unwrap(),
                Verdict::Approve(edit),
            ),
        };
        tx.decide(&before, &after, &verdict, None, stamp)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }
}

/// A person's stamp, with the milliseconds they had it in view.
fn after(person: &Actor, at: i64, took_ms: Option<i64>) -> Stamp {
    Stamp {
        took_ms,
        ..Stamp::by(person, hour(at))
    }
}

async fn takes_back(db: &Db, candidate: &Candidate, at: i64) {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let before = tx
        .candidate_for_update(&candidate.id)
        .await
        .unwrap()
        .unwrap();
    let waits = before.clone().reopen(hour(at)).unwrap();
    let stamp = Stamp::by(&reviewer(0), hour(at));
    tx.decide(&before, &waits, &Verdict::Reopen, None, &stamp)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

fn of(kind: &str, language: &str, confidence: f64, content: &str) -> Proposal {
    Proposal {
        kind: kind.into(),
        language: language.into(),
        confidence,
        ..proposal(content)
    }
}

async fn since(db: &Db, at: i64) -> Stretch {
    let agents = db
        .read(AgentScope::All)
        .await
        .unwrap()
        .agents()
        .await
        .unwrap();
    Stretch {
        agents: agents.into_iter().map(|agent| agent.name).collect(),
        since: hour(at),
    }
}

fn number(judged: &[Judged], fits: impl Fn(&Judged) -> bool) -> i64 {
    judged
        .iter()
        .filter(|group| fits(group))
        .map(|group| group.count)
        .sum()
}

fn decisions(since: i64) -> DecidedFilter {
    DecidedFilter {
        kind: None,
        approved: None,
        judge: Judge::Person,
        since: hour(since),
    }
}

fn hours(median: i64, p90: i64) -> Option<Quantiles> {
    Some(Quantiles {
        median: Span::hours(median),
        p90: Span::hours(p90),
    })
}

fn made_by(model: &str) -> Provenance {
    Provenance {
        name: "model".into(),
        version: "1".into(),
        model: Some(model.into()),
        prompt_version: Some("3".into()),
        schema_version: None,
    }
}

async fn extraction(
    db: &Db,
    conversation: &Conversation,
    state: ExtractionState,
    dropped: &[(Dropped, u32)],
    at: i64,
) -> domain::id::ExtractionId {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let stamp = by_system(hour(at));
    let job = tx
        .enqueue_extract(conversation, conversation.messages, stamp.now, &stamp)
        .await
        .unwrap();
    let id = tx.begin_extraction_id(stamp.now);
    let new = NewExtraction {
        conversation,
        operation: &job.id,
        from: 1,
        upto: 1,
        state,
        provenance: made_by("large"),
        error: (state == ExtractionState::Failed).then(|| "not_json".to_owned()),
        raw: Some("{".into()),
        tokens_in: 1,
        tokens_out: 1,
        candidates: 0,
        dropped: dropped.iter().copied().collect::<BTreeMap<_, _>>(),
        summary: None,
        moves: false,
    };
    tx.record_extraction(&id, &new, &stamp).await.unwrap();
    tx.commit().await.unwrap();
    id
}

/// A job of a conversation of its own that ends so.
async fn ended(db: &Db, who: &User, name: &str, state: JobState, error: Option<&str>) {
    let talk = conversation(db, who, name, &[says("one")], hour(1)).await;
    let mut tx = db.write(AgentScope::All).await.unwrap();
    tx.enqueue_extract(&talk, 1, hour(1), &by_system(hour(1)))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let claimed = db.claim(hour(1), Span::seconds(30)).await.unwrap().unwrap();
    let mut tx = db.write(AgentScope::All).await.unwrap();
    tx.finish_job(&claimed, state, error, &Outcome::default(), hour(2))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

store::both! {
    // F11
    async fn what_people_decided_is_counted_once_and_as_long_as_it_stands(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let bob = user(&db.db, &agent(&db.db, "sales").await, "bob").await;
        let (bench, mia) = (Bench::default(), reviewer(1));
        let mut made = Vec::new();
        for wanted in [
            of("fact", "en", 0.95, "User lives in Oslo"),
            of("fact", "en", 0.9, "User has a cat"),
            of("preference", "ja", 0.3, "ユーザーは緑茶を好む"),
            of("fact", "en", 0.1, "User sings"),
            of("fact", "en", 0.5, "User swims"),
        ] {
            made.push(proposed(&db.db, &ana, wanted, hour(1)).await);
        }
        bench.decides(&db.db, &made[0], Does::Edits, &after(&mia, 3, Some(1500))).await;
        bench.decides(&db.db, &made[1], Does::Approves, &after(&mia, 5, Some(2500))).await;
        bench.decides(&db.db, &made[2], Does::Rejects, &after(&mia, 11, None)).await;
        bench.decides(&db.db, &made[3], Does::Rejects, &after(&mia, 12, Some(900))).await;
        takes_back(&db.db, &made[3], 13).await;
        let policy = AutoApprove {
            name: "sure facts".into(),
            kinds: vec!["fact".into()],
            min_confidence: 0.5,
            by: mia.person().unwrap().clone(),
            at: hour(0),
        };
        bench.decides(&db.db, &made[4], Does::Approves, &Stamp::policy(&policy, hour(2))).await;
        let others = proposed(&db.db, &bob, of("fact", "zh", 0.7, "用户住在上海"), hour(1)).await;
        bench.decides(&db.db, &others, Does::Rejects, &after(&mia, 4, Some(100))).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let week = Span::days(8);
        assert_eq!(tx.expire_waiting(10, &by_system(hour(13) + week)).await.unwrap(), 1);
        tx.commit().await.unwrap();

        let stretch = Stretch { agents: vec![support.clone()], since: hour(0) };
        let mut tx = db.db.read(AgentScope::One(support.clone())).await.unwrap();
        let judged = tx.judged(&stretch).await.unwrap();
        let people = |group: &Judged| group.judge == Judge::Person;
        assert_eq!(number(&judged, |group| people(group) && group.approved), 2);
        assert_eq!(number(&judged, |group| people(group) && !group.approved), 1, "taken back, it counts for nothing");
        assert_eq!(number(&judged, |group| group.judge == Judge::Policy && group.approved), 1);
        assert_eq!(number(&judged, |group| group.judge == Judge::System && group.reason == Some(Reason::Expired)), 1);
        assert_eq!(number(&judged, |group| people(group) && group.bin == 9 && group.language == "en"), 2);
        assert_eq!(number(&judged, |group| people(group) && group.bin == 3 && group.kind == "preference"), 1);
        let edited = |wanted| number(&judged, |group| people(group) && group.edited == wanted);
        assert_eq!([edited(Some(true)), edited(Some(false)), edited(None)], [1, 1, 1]);

        assert_eq!(tx.waited(&stretch).await.unwrap(), hours(4, 10));
        let viewed = tx.viewed(&stretch).await.unwrap().unwrap();
        assert_eq!((viewed.median, viewed.p90), (Span::milliseconds(1500), Span::milliseconds(2500)));
        let paces = tx.paces(&stretch).await.unwrap();
        let [pace] = &paces[..] else { panic!("{paces:?}") };
        assert_eq!((&pace.person, pace.decided, pace.timed, pace.quick), (mia.person().unwrap(), 3, 2, 1));

        let listed = |filter: DecidedFilter, page: Page| {
            let db = db.db.clone();
            let scope = AgentScope::One(support.clone());
            async move {
                let mut tx = db.read(scope).await.unwrap();
                let list = tx.decided(&filter, &page).await.unwrap();
                (tx.decided_count(&filter).await.unwrap(), list)
            }
        };
        let content = |rows: &[store::Queued]| rows.iter().map(|row| row.candidate.proposal.content.clone()).collect::<Vec<_>>();
        let (count, all) = listed(decisions(0), Page::first(10)).await;
        assert_eq!(content(&all.rows), ["ユーザーは緑茶を好む", "User has a cat", "User lives in Oslo"]);
        assert_eq!(count, 3);
        let (count, first) = listed(decisions(0), Page::first(2)).await;
        let (_, rest) = listed(decisions(0), Page { after: first.next.clone(), limit: 2 }).await;
        assert_eq!((count, content(&rest.rows), rest.next), (3, vec!["User lives in Oslo".to_owned()], None));
        assert_eq!(listed(decisions(6), Page::first(9)).await.0, 1);
        let approved = DecidedFilter { approved: Some(true), kind: Some("fact".into()), ..decisions(0) };
        assert_eq!(listed(approved, Page::first(9)).await.0, 2);
        let by_policy = DecidedFilter { judge: Judge::Policy, ..decisions(0) };
        assert_eq!(content(&listed(by_policy, Page::first(9)).await.1.rows), ["User swims"]);

        let mut sales = db.db.read(AgentScope::One(named("sales"))).await.unwrap();
        assert!(matches!(sales.judged(&stretch).await, Err(Error::OutOfScope)));
        assert_eq!(sales.decided_count(&decisions(0)).await.unwrap(), 1, "another agent's decisions are nowhere in it");
    }

    // F11
    async fn nothing_one_and_alike_have_their_percentiles(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let (bench, mia) = (Bench::default(), reviewer(1));
        let stretch = since(&db.db, 0).await;
        let waited = || {
            let (db, stretch) = (db.db.clone(), stretch.clone());
            async move { db.read(AgentScope::All).await.unwrap().waited(&stretch).await.unwrap() }
        };
        assert_eq!(waited().await, None);
        let none = Stretch { agents: vec![], since: hour(0) };
        assert!(db.db.read(AgentScope::All).await.unwrap().judged(&none).await.unwrap().is_empty());
        for (already, waits) in [(0, 2), (1, 2), (2, 2), (3, 9)] {
            let one = proposed(&db.db, &ana, proposal(&format!("User has {already} cats")), hour(1)).await;
            bench.decides(&db.db, &one, Does::Rejects, &after(&mia, 1 + waits, None)).await;
            let expected = if already == 3 { hours(2, 9) } else { hours(2, 2) };
            assert_eq!(waited().await, expected, "{already}");
        }
    }

    // F11
    async fn each_confidence_lies_in_one_bin(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let (bench, mia) = (Bench::default(), reviewer(1));
        for tenth in 0..=10_u8 {
            let wanted = of("fact", "en", f64::from(tenth) / 10.0, &format!("User has {tenth} cats"));
            let one = proposed(&db.db, &ana, wanted, hour(1)).await;
            bench.decides(&db.db, &one, Does::Rejects, &after(&mia, 2, None)).await;
        }
        let judged = db.db.read(AgentScope::All).await.unwrap().judged(&since(&db.db, 0).await).await.unwrap();
        let bins: Vec<_> = (0..BINS).map(|bin| number(&judged, |group| group.bin == bin)).collect();
        assert_eq!(bins, [1, 1, 1, 1, 1, 1, 1, 1, 1, 2], "the last one holds 1.0 too");
    }

    // F11
    async fn answers_that_could_not_be_read_are_listed_and_drops_are_added_up(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let bob = user(&db.db, &agent(&db.db, "sales").await, "bob").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("one")], hour(1)).await;
        let two = [(Dropped::NoEvidence, 2), (Dropped::Secret, 1)];
        extraction(&db.db, &talk, ExtractionState::Parsed, &two, 2).await;
        extraction(&db.db, &talk, ExtractionState::Parsed, &two, 3).await;
        let failed = extraction(&db.db, &talk, ExtractionState::Failed, &[], 4).await;
        let cut_off = extraction(&db.db, &talk, ExtractionState::Truncated, &[(Dropped::Secret, 1)], 5).await;
        let other = conversation(&db.db, &bob, "c-1", &[says("one")], hour(1)).await;
        extraction(&db.db, &other, ExtractionState::Failed, &[], 6).await;

        let support = ana.agent.clone();
        let stretch = Stretch { agents: vec![support.clone()], since: hour(0) };
        let mut tx = db.db.read(AgentScope::One(support)).await.unwrap();
        let extracted = tx.extracted(&stretch).await.unwrap();
        let dropped = |reason| extracted.iter().map(|group| i64::from(group.dropped.get(&reason).copied().unwrap_or(0)) * group.count).sum::<i64>();
        assert_eq!([dropped(Dropped::NoEvidence), dropped(Dropped::Secret), dropped(Dropped::Served)], [4, 3, 0]);
        let bad = tx.bad_answers(&stretch, 10).await.unwrap();
        assert_eq!(bad.iter().map(|one| (one.id.clone(), one.state, one.error.as_deref())).collect::<Vec<_>>(), [
            (cut_off, ExtractionState::Truncated, None),
            (failed, ExtractionState::Failed, Some("not_json")),
        ]);
        assert_eq!(bad[0].conversation, talk.id);
        let late = Stretch { since: hour(5), ..stretch };
        assert_eq!(tx.bad_answers(&late, 10).await.unwrap().len(), 1);
        assert_eq!(tx.extracted(&late).await.unwrap().len(), 1);
    }

    async fn jobs_are_counted_by_agent_and_listed_by_reason(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let bob = user(&db.db, &agent(&db.db, "sales").await, "bob").await;
        for (name, error) in [("c-1", Some("timeout")), ("c-2", Some("timeout")), ("c-3", Some("not_json"))] {
            ended(&db.db, &ana, name, JobState::Failed, error).await;
        }
        ended(&db.db, &ana, "c-4", JobState::Truncated, None).await;
        ended(&db.db, &ana, "c-5", JobState::Succeeded, None).await;
        ended(&db.db, &bob, "c-1", JobState::Failed, Some("timeout")).await;
        for (name, due) in [("c-6", 3), ("c-7", 9)] {
            let talk = conversation(&db.db, &ana, name, &[says("one")], hour(1)).await;
            let mut tx = db.db.write(AgentScope::All).await.unwrap();
            tx.enqueue_extract(&talk, 1, hour(due), &by_system(hour(2))).await.unwrap();
            tx.commit().await.unwrap();
        }
        let everything = AgentScope::Some(vec![ana.agent.clone(), bob.agent.clone()]);
        let mut tx = db.db.read(everything).await.unwrap();
        let reasons: Vec<_> = tx.given_up_by_reason().await.unwrap().into_iter().map(|one| (one.agent.to_string(), one.reason, one.count)).collect();
        let timeout = || Some("timeout".to_owned());
        assert_eq!(reasons[0], ("support".to_owned(), timeout(), 2));
        for there in [("sales".to_owned(), timeout(), 1), ("support".to_owned(), Some("not_json".to_owned()), 1), ("support".to_owned(), None, 1)] {
            assert!(reasons.contains(&there), "{there:?} in {reasons:?}");
        }
        let first = tx.given_up(&Why::Code("timeout".into()), &Page::first(2)).await.unwrap();
        assert_eq!(first.rows.len(), 2);
        let rest = tx.given_up(&Why::Code("timeout".into()), &Page { after: first.next, limit: 2 }).await.unwrap();
        assert_eq!((rest.rows.len(), rest.next), (1, None));
        assert_eq!(tx.given_up(&Why::CutOff, &Page::first(9)).await.unwrap().rows.len(), 1);
        assert_eq!(tx.given_up(&Why::Any, &Page::first(9)).await.unwrap().rows.len(), 5);

        let mut tx = db.db.write(AgentScope::One(ana.agent.clone())).await.unwrap();
        let failed = tx.given_up(&Why::CutOff, &Page::first(9)).await.unwrap().rows;
        tx.retry(&failed[0], 1, &by_system(hour(4))).await.unwrap();
        assert!(tx.given_up(&Why::CutOff, &Page::first(9)).await.unwrap().rows.is_empty(), "tried again, it is no longer a failure");
        tx.commit().await.unwrap();

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let depths = tx.depths(hour(5)).await.unwrap();
        let [support] = &depths[..] else { panic!("{depths:?}") };
        assert_eq!((support.agent.as_str(), support.queued, support.due, support.oldest_due), ("support", 3, 2, Some(hour(3))));
        let next: Vec<_> = tx.next_jobs(9).await.unwrap().into_iter().map(|job| job.next_at).collect();
        assert_eq!(next, [Some(hour(3)), Some(hour(4)), Some(hour(9))]);
        assert!(tx.running().await.unwrap().is_empty() && tx.put_off_by_agent("budget").await.unwrap().is_empty());
        drop(tx);
        let claimed = db.db.claim(hour(3), Span::seconds(30)).await.unwrap().unwrap();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.running().await.unwrap()[0].id, claimed.operation.id);
        drop(tx);
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.put_off_job(&claimed, hour(24), "budget").await.unwrap();
        assert_eq!(tx.put_off_by_agent("budget").await.unwrap(), [(ana.agent.clone(), 1)]);
        tx.commit().await.unwrap();
        let mut sales = db.db.read(AgentScope::One(bob.agent.clone())).await.unwrap();
        assert!(sales.depths(hour(5)).await.unwrap().is_empty() && sales.next_jobs(9).await.unwrap().is_empty());
        assert_eq!(sales.given_up(&Why::Any, &Page::first(9)).await.unwrap().rows.len(), 1);
    }

    async fn a_schedule_says_when_it_ran_and_when_it_comes(db: &TestDb) {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        assert!(tx.take_turn("expiry", Span::hours(1), hour(1)).await.unwrap());
        assert!(!tx.take_turn("expiry", Span::hours(1), hour(1) + Span::minutes(5)).await.unwrap());
        let rows = tx.schedule_rows().await.unwrap();
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.name.as_str(), row.ran_at, row.next_at), ("expiry", Some(hour(1)), hour(2)), "a turn that was not had changes nothing");
    }

    // F11
    async fn the_oldest_and_the_kinds_are_of_what_waits_in_a_language(db: &TestDb) {
        let ana = user(&db.db, &agent(&db.db, "support").await, "ana").await;
        let first = proposed(&db.db, &ana, of("fact", "en", 0.9, "User lives in Oslo"), hour(1)).await;
        let second = proposed(&db.db, &ana, of("preference", "ja", 0.9, "ユーザーは緑茶を好む"), hour(2)).await;
        proposed(&db.db, &ana, of("preference", "ja", 0.9, "ユーザーは犬が好き"), hour(3)).await;
        let japanese = ["ja".to_owned()];
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert_eq!(tx.oldest_waiting(&[], hour(4)).await.unwrap(), Some((first.id, hour(1))));
        assert_eq!(tx.oldest_waiting(&japanese, hour(4)).await.unwrap(), Some((second.id, hour(2))));
        let kinds = tx.waiting_by_kind(&[], hour(4)).await.unwrap();
        assert_eq!(kinds, [("preference".to_owned(), 2), ("fact".to_owned(), 1)]);
        assert_eq!(tx.waiting_by_kind(&japanese, hour(4)).await.unwrap(), [("preference".to_owned(), 2)]);
        assert_eq!(tx.oldest_waiting(&[], hour(4) + Span::days(7)).await.unwrap(), None, "what is past its time waits no more");
    }
}

const MANY: i64 = 100_000;

/// An extraction and a decision for each candidate, as rows alone: they are there to be counted.
const COPIES: [&str; 5] = [
    "insert into extractions
       (agent, id, user_id, conversation_id, job_id, starts, upto, state, provenance, error, tokens_in, tokens_out, candidates,
        dropped, at, sealed)
     select c.agent, 'ext' || substr(c.id, 5), c.user_id, (select min(id) from conversations), 'op' || substr(c.id, 5), 1, 1,
       case when substr(c.id, 31) = '0' then 'failed' else 'parsed' end,
       '{\"name\":\"model\",\"version\":\"1\",\"model\":\"large\",\"prompt_version\":\"' || substr(c.id, 31) || '\",\"schema_version\":null}',
       null, 1, 1, 1, '{\"secret\":1}', c.created_at, c.sealed
     from candidates c",
    "update candidates set version = 2, extraction_id = 'ext' || substr(id, 5), status = 'rejected', reason = 'wrong'",
    "insert into decisions
       (agent, id, candidate_id, user_id, version, verdict, reason, actor, person_id, at, sealed)
     select c.agent, 'dec' || substr(c.id, 5), c.id, c.user_id, 2, 'reject', 'wrong', 'person', p.id, c.created_at + 3600000000, c.sealed
     from candidates c cross join people p",
    "insert into judgement_cells (kind, language, bin, provenance, judge, approved, reason, edited)
     select distinct c.kind, c.language, case when c.confidence >= 0.5 then 9 else 0 end, x.provenance, 'person', false, 'wrong', ''
     from candidates c join extractions x on x.agent = c.agent and x.id = c.extraction_id",
    "insert into judgements (agent, at, decision_id, candidate_id, person_id, cell, waited_ms, took_ms)
     select c.agent, c.created_at + 3600000000, 'dec' || substr(c.id, 5), c.id, p.id, l.id, 3600000 + c.expires_at / 1000000 % 999983 * 500,
       c.expires_at / 1000000 % 30011
     from candidates c
     join extractions x on x.agent = c.agent and x.id = c.extraction_id
     join judgement_cells l on l.kind = c.kind and l.language = c.language and l.provenance = x.provenance
       and l.bin = case when c.confidence >= 0.5 then 9 else 0 end
     cross join people p",
];

async fn a_hundred_thousand_decisions_are_counted_in_a_moment(db: &TestDb) {
    let support = agent(&db.db, "support").await;
    let mut tx = db.db.write(AgentScope::All).await.unwrap();
    let mia = store::NewPerson {
        email: "mia@example.com".into(),
        name: "Mia".into(),
        password_hash: None,
        grants: vec![],
    };
    tx.create_person(&mia, &by_system(hour(0))).await.unwrap();
    tx.commit().await.unwrap();
    let mut users = Vec::new();
    for person in 0..1000 {
        users.push(user(&db.db, &support, &format!("user {person}")).await);
    }
    conversation(&db.db, &users[0], "c-1", &[says("one")], hour(0)).await;
    for batch in 0..MANY / 500 {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        for at in batch * 500..(batch + 1) * 500 {
            let new = NewCandidate {
                agent: support.clone(),
                user: users[usize::try_from(at % 1000).unwrap()].id.clone(),
                proposal: of(
                    ["fact", "preference", "context"][usize::try_from(at % 3).unwrap()],
                    ["en", "ja", "zh"][usize::try_from(at % 3).unwrap()],
                    f64::from(u8::try_from(at % 101).unwrap()) / 100.0,
                    &format!("User owns thing {at}"),
                ),
                extraction: None,
                supersedes: vec![],
            };
            let stamp = by_system(hour(0) + Span::seconds(at * 60));
            tx.propose(&new, &stamp).await.unwrap();
        }
        tx.commit().await.unwrap();
    }
    for copy in COPIES {
        behind_the_back(db, copy).await.unwrap();
    }
    behind_the_back(db, "analyze").await.unwrap();
    let stretch = since(&db.db, 0).await;
    for _ in 0..2 {
        let begun = Instant::now();
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let judged = tx.judged(&stretch).await.unwrap();
        println!("{} groups in {:?}", judged.len(), begun.elapsed());
        tx.waited(&stretch).await.unwrap();
        println!("  waited at {:?}", begun.elapsed());
        tx.viewed(&stretch).await.unwrap();
        println!("  viewed at {:?}", begun.elapsed());
        tx.paces(&stretch).await.unwrap();
        println!("  paces at {:?}", begun.elapsed());
        tx.extracted(&stretch).await.unwrap();
        println!("  extracted at {:?}", begun.elapsed());
        tx.bad_answers(&stretch, 50).await.unwrap();
        println!("  all at {:?}", begun.elapsed());
        let begun = Instant::now();
        tx.decided(&decisions(0), &Page::first(50)).await.unwrap();
        println!("  a page of decisions in {:?}", begun.elapsed());
        let begun = Instant::now();
        assert_eq!(tx.decided_count(&decisions(0)).await.unwrap(), MANY);
        println!("  counted in {:?}", begun.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "fills a hundred thousand rows; with --nocapture for the figures"]
async fn many_on_sqlite() {
    let db = TestDb::sqlite().await;
    a_hundred_thousand_decisions_are_counted_in_a_moment(&db).await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "fills a hundred thousand rows; with --nocapture for the figures"]
async fn many_on_postgres() {
    let Some(db) = TestDb::postgres("quality").await else {
        return;
    };
    a_hundred_thousand_decisions_are_counted_in_a_moment(&db).await;
    db.close().await;
}
