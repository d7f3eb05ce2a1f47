//! The plans of everything that is run in the main job: no statement walks through a table that grows.

use std::{collections::BTreeMap, sync::Mutex};

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope, AgentSettings},
    candidate::{Action, Evidence, Proposal, Reason, Status, Verdict},
    conversation::{Conversation, NewMessage, Role, Source},
    id::{CandidateId, ConversationId, DecisionId, MemoryId, ServingId, UserId},
    kind::Kind,
    memory::MemoryStatus,
    time::Span,
    user::{Scope, User},
};

use crate::{
    Cursor, Db, EventFilter, MemoryFilter, NewCandidate, Page, QueueFilter, Serving, Sort, Stamp,
    Tx, View, Write,
    statement::Statement,
    testing::{Seeded, TestDb},
};

/// What was run, once each.
static RUN: Mutex<BTreeMap<String, Statement>> = Mutex::new(BTreeMap::new());

pub(crate) fn record(statement: &Statement) {
    RUN.lock()
        .unwrap()
        .insert(statement.text().to_owned(), statement.clone());
}

/// Tables with a row for an installation, an agent, a person or a schedule: walking them costs nothing.
const SMALL: [&str; 10] = [
    "instance",
    "instance_keys",
    "agents",
    "kinds",
    "heads",
    "people",
    "person_roles",
    "keys",
    "schedules",
    "setup_tokens",
];

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH + Span::days(20_000)
}

async fn run_the_main_job(db: &Db) {
    let stamp = Stamp::system(now());
    let (support, sales) = (
        AgentName::parse("support").unwrap(),
        AgentName::parse("sales").unwrap(),
    );
    let mut tx = db.write(AgentScope::All).await.unwrap();
    for agent in [&support, &sales] {
        tx.create_agent(agent, &AgentSettings::default(), &Kind::assistant(), &stamp)
            .await
            .unwrap();
    }
    let ana = tx
        .ensure_user(&support, &Scope::user_id("ana").unwrap(), &stamp)
        .await
        .unwrap();
    let talk = tx
        .create_conversation(&support, &ana.id, Some("c-1"), None, now())
        .await
        .unwrap();
    let message = NewMessage {
        external_id: Some("m".into()),
        role: Role::User,
        source: Source::Human,
        at: None,
        content: "I live in Oslo".into(),
    };
    let (talk, _) = tx.receive(&talk, &[message], false, &stamp).await.unwrap();
    tx.enqueue_extract(&talk, 1, now(), &stamp).await.unwrap();
    tx.enqueue_extract(&talk, 1, now(), &stamp).await.unwrap();
    tx.commit().await.unwrap();
    let claimed = db.claim(now(), Span::seconds(30)).await.unwrap().unwrap();
    let mut tx = db.write(AgentScope::All).await.unwrap();
    tx.hold_claim(&claimed, now(), Span::seconds(30))
        .await
        .unwrap();
    tx.finish_job(
        &claimed,
        crate::JobState::Succeeded,
        None,
        &Default::default(),
        now(),
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    db.extend_after_gap(Span::minutes(10), &Stamp::system(now() + Span::hours(1)))
        .await
        .unwrap();
    decide(db, &ana, &talk, &stamp).await;
    for scope in [
        AgentScope::All,
        AgentScope::One(support.clone()),
        AgentScope::Some(vec![support, sales]),
    ] {
        look(db, scope, &ana, &talk).await;
    }
}

async fn decide(db: &Db, ana: &User, talk: &Conversation, stamp: &Stamp) {
    let evidence = Evidence {
        conversation: talk.id.clone(),
        message: None,
        start: 0,
        end: 1,
        quote: "I".into(),
    };
    let new = NewCandidate {
        agent: ana.agent.clone(),
        user: ana.id.clone(),
        proposal: Proposal {
            action: Action::Create,
            targets: vec![],
            kind: "fact".into(),
            name: Some("home".into()),
            content: "User lives in Oslo".into(),
            metadata: Default::default(),
            tags: vec![],
            confidence: 0.9,
            importance: 0.5,
            language: "en".into(),
            flags: vec![],
            evidence: vec![evidence],
            explanation: None,
            cause: None,
        },
        extraction: None,
        supersedes: vec![],
    };
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let made = tx.propose(&new, stamp).await.unwrap();
    tx.superseded_by(&made).await.unwrap();
    let before = tx.candidate_for_update(&made.id).await.unwrap().unwrap();
    let decision = DecisionId::new(now(), &Seeded::default());
    let after = before
        .clone()
        .reject(decision, Reason::Wrong, now())
        .unwrap();
    tx.decide(
        &before,
        &after,
        &Verdict::Reject(Reason::Wrong),
        None,
        stamp,
    )
    .await
    .unwrap();
    let write = Write {
        kind: "fact".into(),
        name: Some("home".into()),
        content: "User lives in Oslo".into(),
        metadata: Default::default(),
        tags: vec![],
        confidence: 0.9,
        importance: 0.5,
        language: "en".into(),
        expires_at: None,
        conversation: None,
        said_at: now(),
        candidate: Some(made.id),
        decision: None,
        note: None,
    };
    let id = MemoryId::new(now(), &Seeded::default());
    let memory = tx
        .create_memory(id, &ana.agent, &ana.id, &write, stamp)
        .await
        .unwrap();
    let serving = Serving {
        id: tx.serving_id(now()),
        agent: ana.agent.clone(),
        user: ana.id.clone(),
        conversation: None,
        tokens: 1,
        items: vec![(memory.id.clone(), 1)],
        cut: 0,
        at: now(),
    };
    tx.record_servings(&[serving], now()).await.unwrap();
    let seen = crate::Seen::Memory(memory.id.clone());
    let end = Some(now() + Span::days(1));
    tx.see_again(&ana.agent, &ana.id, seen, &[], None, end, stamp)
        .await
        .unwrap();
    tx.expire_waiting(10, stamp).await.unwrap();
    tx.expire_memories(10, stamp).await.unwrap();
    tx.told(&ana.agent, &memory.id, 1, 10).await.unwrap();
    tx.revisions(&memory.id).await.unwrap();
    tx.commit().await.unwrap();
}

async fn look(db: &Db, scope: AgentScope, ana: &User, talk: &Conversation) {
    let mut tx = db.read(scope).await.unwrap();
    tx.usage(&ana.agent, 30, now()).await.unwrap();
    tx.put_off(&ana.agent, "budget").await.unwrap();
    tx.opted_out(&ana.scope).await.unwrap();
    for later in [false, true] {
        let page_of = |prefix: &str| Page {
            after: later.then(|| Cursor::id(format!("{prefix}0"))),
            limit: 50,
        };
        let page = page_of(CandidateId::PREFIX);
        for view in [
            View::Waiting,
            View::Status(Status::Approved),
            View::ExpiredUnseen,
            View::Decided,
        ] {
            for sort in [Sort::ExpiresFirst, Sort::Newest] {
                // History is read newest first; only what waits is sorted by when it stops waiting.
                if view == View::Waiting || sort == Sort::Newest {
                    tx.queue(
                        &QueueFilter {
                            view,
                            sort,
                            ..QueueFilter::default()
                        },
                        &page,
                        now(),
                    )
                    .await
                    .unwrap();
                }
            }
        }
        let of_user = QueueFilter {
            user: Some(ana.id.clone()),
            agent: Some(ana.agent.clone()),
            view: View::All,
            sort: Sort::Newest,
            ..QueueFilter::default()
        };
        tx.queue(&of_user, &page, now()).await.unwrap();
        tx.users(&Default::default(), &page_of(UserId::PREFIX), now())
            .await
            .unwrap();
        for status in [MemoryStatus::Approved, MemoryStatus::Retired] {
            tx.memories(
                &MemoryFilter {
                    status,
                    natural: true,
                    ..MemoryFilter::default()
                },
                &page_of(MemoryId::PREFIX),
                now(),
            )
            .await
            .unwrap();
        }
        let chain = Page {
            after: later.then(|| Cursor::id("e")),
            limit: 50,
        };
        tx.timeline(&ana.agent, &ana.id, &chain).await.unwrap();
        tx.conversations_of(&ana.agent, &ana.id, &page_of(ConversationId::PREFIX))
            .await
            .unwrap();
        tx.servings_of(&ana.agent, &ana.id, &page_of(ServingId::PREFIX))
            .await
            .unwrap();
    }
    let search = MemoryFilter {
        search: Some("oslo".into()),
        ..MemoryFilter::default()
    };
    tx.memories(&search, &Page::first(50), now()).await.unwrap();
    tx.queue_count(&QueueFilter::default(), now())
        .await
        .unwrap();
    tx.queue_figures(now()).await.unwrap();
    tx.events(&EventFilter::default(), &Page::first(50))
        .await
        .unwrap();
    tx.heads().await.unwrap();
    tx.chains().await.unwrap();
    tx.figures(&ana.agent, now()).await.unwrap();
    tx.find_user(&ana.agent, &ana.scope).await.unwrap();
    tx.user_line(&ana.agent, &ana.id, now()).await.unwrap();
    let approved = tx.approved(&ana.agent, &ana.id, now()).await.unwrap();
    profiles(&mut tx, ana, &approved[0].id).await;
    tx.known(&ana.agent, &ana.id, now()).await.unwrap();
    tx.served_lines(&ana.agent, &ana.id).await.unwrap();
    tx.tail(talk, 4).await.unwrap();
    tx.known_messages(talk, &["m"]).await.unwrap();
    tx.extractions_of(talk).await.unwrap();
    tx.last_operation(talk).await.unwrap();
    tx.next_due().await.unwrap();
    tx.job_counts(now()).await.unwrap();
    tx.key_by_hash(&[0; 32]).await.unwrap();
    by_the_clock(&mut tx, ana).await;
}

/// What schedules and their jobs ask.
async fn by_the_clock(tx: &mut crate::Tx, ana: &User) {
    let (agent, user) = (&ana.agent, &ana.id);
    tx.users_with_news(now(), 10).await.unwrap();
    tx.newest_news(agent, user).await.unwrap();
    tx.patterns_at(agent, user).await.unwrap();
    tx.ended_sessions(agent, user, 10).await.unwrap();
    tx.course_of(agent, user, &["metric", "pain_point"], 10)
        .await
        .unwrap();
    tx.never_helpful(agent, 20, 3, now(), 10).await.unwrap();
    let memory = MemoryId::new(now(), &Seeded::default());
    tx.waiting_retirement(agent, &memory, now()).await.unwrap();
}

/// Sorted on purpose: what is left of one user, of one agent's reports or of a week's news is little.
const LITTLE: [&str; 4] = [
    "order by min(n.at)",
    "order by ended_at desc",
    "or m.reason in ('expired', 'merged')",
    "order by servings desc",
];

async fn profiles(tx: &mut Tx, ana: &User, memory: &MemoryId) {
    tx.profile(&ana.agent, &ana.id, now()).await.unwrap();
    tx.profile_schemas(&ana.agent).await.unwrap();
    tx.profile_schema(&ana.agent, "user-profile").await.unwrap();
    for after in [None, Some(memory)] {
        tx.memories_of_kind(&ana.agent, "fact", after, 10, now())
            .await
            .unwrap();
    }
    let candidate = CandidateId::new(now(), &Seeded::default());
    tx.made_by(&ana.agent, &[candidate]).await.unwrap();
    tx.memories_made_by(&ana.agent, std::slice::from_ref(memory))
        .await
        .unwrap();
}

/// The table of a step that walks one from end to end, where there is one.
fn walked(step: &str) -> Option<&str> {
    let step = step.trim_start_matches([' ', '-', '>']);
    if let Some(rest) = step.strip_prefix("Seq Scan on ") {
        return rest.split_whitespace().next();
    }
    // With an index it is the order that is walked along, until the page is full.
    let rest = step.strip_prefix("SCAN ")?;
    let table = rest.split_whitespace().next()?;
    (!rest.contains(" INDEX ")
        && !["CONSTANT", "due", "told", "news", "bad", "n", "b"].contains(&table))
    .then_some(table)
}

async fn no_full_scan(db: &TestDb, sorted_by_index: bool) {
    run_the_main_job(&db.db).await;
    let run = std::mem::take(&mut *RUN.lock().unwrap());
    assert!(run.len() > 80, "{}", run.len());
    let mut tx = db.db.write(AgentScope::All).await.unwrap();
    if !db.db.is_sqlite() {
        // Tables of a test are so small that walking them is right; what counts is whether there is another way.
        crate::statement::sql("set local enable_seqscan = off")
            .run(&mut tx.conn)
            .await
            .unwrap();
    }
    let mut faults = Vec::new();
    for (text, statement) in run {
        let verb = text.split_whitespace().next().unwrap_or_default();
        if !["select", "update", "delete", "with"].contains(&verb) || text.contains("pg_notify") {
            continue;
        }
        let plan = statement.plan(&mut tx.conn).await.unwrap();
        let walks = plan
            .iter()
            .filter_map(|step| walked(step))
            .any(|table| !SMALL.contains(&table));
        let sorts = sorted_by_index
            && text.contains("limit")
            && !text.contains("revision >= ")
            && !LITTLE.iter().any(|little| text.contains(little))
            && plan
                .iter()
                .any(|step| step.contains("TEMP B-TREE FOR ORDER BY"));
        if walks || sorts {
            faults.push(format!("{text}\n  {}", plan.join("\n  ")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

// One test for both: they share the record of what was run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_statement_of_the_main_job_walks_through_a_table_that_grows() {
    let sqlite = TestDb::sqlite().await;
    no_full_scan(&sqlite, true).await;
    sqlite.close().await;
    if let Some(postgres) = TestDb::postgres("plans").await {
        no_full_scan(&postgres, false).await;
        postgres.close().await;
    }
}
