//! The plans of everything that is run in the main job: no statement walks through a table that grows.

use std::{collections::BTreeMap, sync::Mutex};

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope, AgentSettings},
    audit::EventType,
    candidate::{Action, Evidence, Proposal, Reason, Status, Verdict},
    conversation::{Conversation, NewMessage, Role, Source},
    dry_run::{Trial, TrialState},
    id::{
        BulkId, CandidateId, ConversationId, DecisionId, DryRunId, ExportId, ImportId, JoinId,
        KeyId, MemoryId, OperationId, PersonId, ServingId, UserId,
    },
    import::{ImportFormat, RowState},
    join::JoinState,
    kind::Kind,
    memory::MemoryStatus,
    time::Span,
    user::{Scope, User},
    webhook::DeliveryState,
};

use crate::{
    Attempted, CheckedRow, Cursor, Db, DecidedFilter, EventFilter, ImportHead, Judge, MemoryFilter,
    NewCandidate, NewDryRun, NewImport, NewImportRow, NewWebhook, Page, QueueFilter, RowEnd,
    Serving, Sort, Stamp, Stretch, Triable, TriedWindow, Tx, View, WebhookTarget, Why, Write,
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
const SMALL: [&str; 12] = [
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
    "webhooks",
    "webhook_cursors",
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
    let (talk, _) = tx
        .receive(&talk, &[message.into()], false, &stamp)
        .await
        .unwrap();
    tx.enqueue_extract(&talk, 1, now(), &stamp).await.unwrap();
    tx.enqueue_extract(&talk, 1, now(), &stamp).await.unwrap();
    let guest = tx
        .ensure_user(&support, &Scope::user_id("guest-1").unwrap(), &stamp)
        .await
        .unwrap();
    let new = crate::NewJoin {
        agent: support.clone(),
        guest: guest.id,
        main: ana.id.clone(),
        state: JoinState::Proposed,
        reason: Some("signed in".into()),
    };
    let proposed = tx.create_join(&new, &stamp).await.unwrap();
    tx.decide_join(&proposed, JoinState::Joined, None, false, &stamp)
        .await
        .unwrap();
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
    let waits = decide(db, &ana, &talk, &stamp).await;
    tell_webhooks(db, &support, &stamp).await;
    import_rows(db, &ana, &stamp).await;
    try_dry(db, &ana, &talk, &stamp).await;
    for scope in [
        AgentScope::All,
        AgentScope::One(support.clone()),
        AgentScope::Some(vec![support, sales]),
    ] {
        look(db, scope.clone(), &ana, &talk).await;
        at_the_desk(db, scope.clone(), &waits, &stamp).await;
        decide_many(db, scope, &waits, &stamp).await;
    }
}

/// What telling webhooks asks, and their page.
async fn tell_webhooks(db: &Db, agent: &AgentName, stamp: &Stamp) {
    let until = now() + Span::minutes(1);
    let mut tx = db.write(AgentScope::All).await.unwrap();
    for of in [None, Some(agent)] {
        let new = NewWebhook {
            agent: of.cloned(),
            events: vec![EventType::WebhookCreated],
            target: WebhookTarget {
                url: "https://runtime.example/hook".into(),
                secret: "whsec_".into(),
                old: Vec::new(),
            },
            enabled: true,
        };
        tx.create_webhook(&new, stamp).await.unwrap();
    }
    tx.commit().await.unwrap();
    let mut told = Vec::new();
    for of in [None, Some(agent)] {
        let claim = db.claim_webhook(now(), until).await.unwrap().unwrap();
        let mut tx = db.write(AgentScope::All).await.unwrap();
        tx.hold_webhook(&claim, until, None).await.unwrap();
        let webhook = tx.webhook_for_update(&claim.webhook).await.unwrap();
        let webhook = webhook.unwrap();
        tx.write_deliveries(&webhook, 10, now()).await.unwrap();
        let due = tx.due_delivery(&webhook.id, now()).await.unwrap().unwrap();
        let attempted = Attempted {
            status: Some(200),
            error: None,
            duration_ms: 1,
            state: DeliveryState::Delivered,
            next_at: None,
        };
        tx.note_attempt(&claim, &due, &attempted, until, now())
            .await
            .unwrap();
        for after in [None, Some(Cursor::id(due.id.as_str()))] {
            let page = Page { after, limit: 50 };
            tx.deliveries(&webhook.id, &page).await.unwrap();
        }
        tx.delivery(&webhook.id, &due.id).await.unwrap();
        tx.is_behind(&webhook).await.unwrap();
        tx.deliveries_waiting(&webhook.id).await.unwrap();
        tx.last_failure(&webhook.id).await.unwrap();
        tx.is_taken_back(&due).await.unwrap();
        tx.webhooks_in_all().await.unwrap();
        tx.webhooks(of).await.unwrap();
        tx.commit().await.unwrap();
        told.push((webhook.id, due.id));
    }
    let mut tx = db.write(AgentScope::All).await.unwrap();
    for (webhook, delivery) in told {
        tx.resend_delivery(&webhook, &delivery, now())
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

/// What an import asks, row by row.
async fn import_rows(db: &Db, ana: &User, stamp: &Stamp) {
    let (agent, until) = (&ana.agent, now() + Span::minutes(1));
    let new = NewImport {
        person: None,
        agent: agent.clone(),
        format: ImportFormat::Csv,
        head: ImportHead::default(),
        rows: vec![NewImportRow {
            number: 1,
            record: Some(serde_json::Map::new()),
            checked: CheckedRow {
                state: RowState::Waits,
                fault: None,
                scope: Some(ana.scope.clone()),
                source: Some(vec![1]),
            },
        }],
    };
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let id = tx.create_import(&new, stamp).await.unwrap();
    let import = tx.import(&id).await.unwrap().unwrap();
    for after in [None, Some(Cursor::id(id.as_str()))] {
        let page = Page { after, limit: 50 };
        tx.imports(&page).await.unwrap();
        for state in [None, Some(RowState::Waits)] {
            tx.import_rows(&import, state, &page).await.unwrap();
        }
    }
    tx.import_rows_left(&import).await.unwrap();
    tx.import_known(agent, &[1]).await.unwrap();
    assert!(tx.row_is_about(&import, 1, &ana.scope).await.unwrap());
    tx.recheck_import(&import, &import.head.mapping, &[])
        .await
        .unwrap();
    assert!(tx.start_import(&import, stamp).await.unwrap());
    tx.commit().await.unwrap();
    let claim = db
        .claim_work::<ImportId>(now(), until)
        .await
        .unwrap()
        .unwrap();
    let mut tx = db.write(AgentScope::All).await.unwrap();
    tx.settle_row(&claim, agent, 1, &RowEnd::Duplicate, until)
        .await
        .unwrap();
    tx.import_waiting(&import, 10, now()).await.unwrap();
    let candidate = CandidateId::new(now(), &Seeded::default());
    tx.imported_as(agent, &candidate).await.unwrap();
    let memory = MemoryId::new(now(), &Seeded::default());
    tx.memories_imported(agent, &[memory]).await.unwrap();
    tx.finish_import(&claim, &import, stamp).await.unwrap();
    tx.expire_imports(now(), stamp).await.unwrap();
    tx.commit().await.unwrap();
}

/// What a dry run asks, window by window.
async fn try_dry(db: &Db, ana: &User, talk: &Conversation, stamp: &Stamp) {
    let (agent, until) = (&ana.agent, now() + Span::minutes(1));
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let new = NewDryRun {
        agent: agent.clone(),
        person: None,
        trial: Trial::default(),
        over: vec![Triable {
            conversation: talk.id.clone(),
            user: ana.id.clone(),
            upto: 1,
        }],
    };
    tx.last_read(agent, 10).await.unwrap();
    let id = tx.create_dry_run(&new, stamp).await.unwrap();
    let run = tx.dry_run(&id).await.unwrap().unwrap();
    for after in [None, Some(Cursor::id(id.as_str()))] {
        let page = Page { after, limit: 50 };
        tx.dry_runs(agent, &page).await.unwrap();
    }
    tx.commit().await.unwrap();
    let claim = db
        .claim_work::<DryRunId>(now(), until)
        .await
        .unwrap()
        .unwrap();
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let item = tx.next_dry_run_item(&run).await.unwrap().unwrap();
    assert!(tx.begin_try(&claim, &item, until).await.unwrap());
    let tried = TriedWindow {
        read_upto: Some(1),
        ends: Some(TrialState::Done),
        ..TriedWindow::default()
    };
    assert!(
        tx.keep_tried(&claim, agent, &item, &tried, now())
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();
    let claim = db
        .claim_work::<DryRunId>(now(), until)
        .await
        .unwrap()
        .unwrap();
    let mut tx = db.write(AgentScope::All).await.unwrap();
    tx.finish_dry_run(&claim, &run, None, stamp).await.unwrap();
    tx.remove_dry_runs(now()).await.unwrap();
    tx.commit().await.unwrap();
}

/// Answers what still waits.
async fn decide(db: &Db, ana: &User, talk: &Conversation, stamp: &Stamp) -> CandidateId {
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
        serve_from: None,
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
    let waits = tx.propose(&new, stamp).await.unwrap().id;
    tx.commit().await.unwrap();
    waits
}

/// Claims, hand-overs and the filters of the queue, in every scope.
async fn at_the_desk(db: &Db, scope: AgentScope, waits: &CandidateId, stamp: &Stamp) {
    let me = PersonId::new(now(), &Seeded::default());
    let mut tx = db.write(scope).await.unwrap();
    let candidate = tx.candidate_for_update(waits).await.unwrap().unwrap();
    let by_me = Stamp::person_alone(&me, stamp.now);
    let until = now() + Span::minutes(5);
    tx.put_claim(&candidate, &me, until, &by_me).await.unwrap();
    tx.give_up_claim(&candidate, &by_me).await.unwrap();
    let native = crate::HandedTo::Native;
    tx.hand_over(&candidate, &native, None, &by_me)
        .await
        .unwrap();
    tx.candidate(waits).await.unwrap();
    tx.take_back(&candidate, &by_me).await.unwrap();
    tx.index_waiting(None, 10).await.unwrap();
    tx.index_waiting(Some(waits), 10).await.unwrap();
    let all = QueueFilter::default();
    let speaks = vec!["ja".to_owned(), "zh".to_owned()];
    let for_me = crate::HandedFor::Person(me.clone(), speaks.clone());
    let filters = [
        QueueFilter {
            languages: vec!["ja".into()],
            ..all.clone()
        },
        QueueFilter {
            languages: speaks,
            ..all.clone()
        },
        QueueFilter {
            created_before: Some(now()),
            ..all.clone()
        },
        QueueFilter {
            search: Some("green tea".into()),
            ..all.clone()
        },
        QueueFilter {
            handed_for: Some(for_me),
            ..all.clone()
        },
        QueueFilter {
            handed_for: Some(crate::HandedFor::Native),
            ..all.clone()
        },
        QueueFilter {
            claimed_by: Some(crate::ClaimedBy::Person(me.clone())),
            ..all.clone()
        },
        QueueFilter {
            agent: Some(candidate.agent.clone()),
            ..all.clone()
        },
        QueueFilter {
            agent: Some(candidate.agent.clone()),
            user: Some(candidate.user.clone()),
            ..all.clone()
        },
        QueueFilter {
            expires_before: Some(now() + Span::days(1)),
            ..all.clone()
        },
        QueueFilter {
            claimed_by: Some(crate::ClaimedBy::NobodyBut(me.clone())),
            ..all
        },
    ];
    let urgent = Page {
        after: Some(Cursor {
            number: i64::MIN,
            id: CandidateId::PREFIX.to_owned(),
        }),
        limit: 50,
    };
    for filter in &filters {
        tx.queue(filter, &Page::first(50), now()).await.unwrap();
        tx.queue(filter, &urgent, now()).await.unwrap();
        tx.queue_count(filter, now()).await.unwrap();
        tx.claimed_by_others(filter, &me, now()).await.unwrap();
    }
    tx.saved_views(&me).await.unwrap();
}

/// Decisions by the hundred, in every scope.
async fn decide_many(db: &Db, scope: AgentScope, waits: &CandidateId, stamp: &Stamp) {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let person = tx
        .create_person(
            &crate::NewPerson {
                email: format!("{scope:?}@example.com"),
                name: "Mia".into(),
                password_hash: None,
                grants: vec![],
            },
            stamp,
        )
        .await
        .unwrap()
        .id;
    tx.commit().await.unwrap();
    let new = |of| crate::NewBulk {
        person: person.clone(),
        key: None,
        verdict: domain::bulk::BulkVerdict::Reject,
        reason: Some(Reason::Wrong),
        note: None,
        insist: false,
        scope: scope.clone(),
        of,
        frozen_at: now(),
    };
    let until = now() + Span::seconds(30);
    let mut tx = db.write(scope.clone()).await.unwrap();
    let picked = crate::BulkOf::Picked(vec![(waits.clone(), 1)]);
    let claim = tx.create_bulk(&new(picked), until, stamp).await.unwrap();
    let item = tx
        .bulk_items(&claim.id, crate::Items::Waiting, &Page::first(50))
        .await
        .unwrap()
        .rows
        .remove(0);
    tx.fail_item(&claim, &item, "stale", until).await.unwrap();
    let in_bulk = crate::InBulk {
        claim: claim.clone(),
        insisted: false,
        until,
    };
    assert!(tx.settle_item(&in_bulk, waits, 2, None).await.is_err());
    let signed = Stamp {
        bulk: Some(in_bulk),
        ..stamp.clone()
    };
    tx.note_told(&signed, waits, 1).await.unwrap();
    tx.finish_bulk(&claim, None, stamp).await.unwrap();
    let undone = crate::BulkOf::Undone(claim.id.clone());
    let undo = tx.create_bulk(&new(undone), until, stamp).await.unwrap();
    tx.stop_bulk(&undo.id, stamp).await.unwrap();
    let filter = QueueFilter {
        created_before: Some(now()),
        reopened_before: Some(now()),
        ..QueueFilter::default()
    };
    let unseen = QueueFilter {
        view: View::ExpiredUnseen,
        ..filter.clone()
    };
    for filter in [filter, unseen] {
        tx.queue_makeup(&filter, now()).await.unwrap();
        let matching = crate::BulkOf::Matching(Box::new(filter.clone()), 1);
        let claim = tx.create_bulk(&new(matching), now(), stamp).await.unwrap();
        for _ in 0..2 {
            tx.collect_bulk(&claim, &filter, 1, now(), now())
                .await
                .unwrap();
        }
    }
    for which in [crate::Items::Failed, crate::Items::Told] {
        let after = Page {
            after: Some(Cursor::id(CandidateId::PREFIX)),
            limit: 50,
        };
        tx.bulk_items(&claim.id, which, &after).await.unwrap();
    }
    tx.bulk_failures(&claim.id).await.unwrap();
    tx.bulk_told(&claim.id).await.unwrap();
    tx.bulk_is_about_scope(&claim.id).await.unwrap();
    tx.bulk(&claim.id).await.unwrap();
    for of in [None, Some(&person)] {
        tx.bulks(of, &Page::first(50)).await.unwrap();
    }
    tx.commit().await.unwrap();
    db.claim_work::<BulkId>(now(), until).await.unwrap();
    db.claim_work::<ExportId>(now(), until).await.unwrap();
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
                    told: true,
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
        let until = later.then(now);
        tx.servings_of(&ana.agent, &ana.id, until, &page_of(ServingId::PREFIX))
            .await
            .unwrap();
    }
    let search = MemoryFilter {
        search: Some("oslo".into()),
        ..MemoryFilter::default()
    };
    tx.memories(&search, &Page::first(50), now()).await.unwrap();
    for view in [View::Waiting, View::ExpiredUnseen] {
        let filter = QueueFilter {
            view,
            ..QueueFilter::default()
        };
        tx.queue_count(&filter, now()).await.unwrap();
    }
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
    recalls(&mut tx, ana, &approved[0].id).await;
    back_then(&mut tx, ana, &approved[0].id).await;
    tx.known(&ana.agent, &ana.id, now()).await.unwrap();
    tx.served_lines(&ana.agent, &ana.id).await.unwrap();
    joins(&mut tx, ana).await;
    tx.tail(talk, 4).await.unwrap();
    tx.known_messages(talk, &["m"]).await.unwrap();
    tx.extractions_of(talk).await.unwrap();
    tx.last_operation(talk).await.unwrap();
    tx.next_due().await.unwrap();
    tx.key_by_hash(&[0; 32]).await.unwrap();
    let key = KeyId::new(now(), &Seeded::default());
    tx.key(&key).await.unwrap();
    by_the_clock(&mut tx, ana).await;
    figures(&mut tx, ana).await;
}

/// What the pages ask on which the work is looked at (F11).
async fn figures(tx: &mut Tx, ana: &User) {
    let stretch = Stretch {
        agents: vec![ana.agent.clone()],
        since: now(),
    };
    tx.judged(&stretch).await.unwrap();
    tx.waited(&stretch).await.unwrap();
    tx.viewed(&stretch).await.unwrap();
    tx.paces(&stretch).await.unwrap();
    tx.extracted(&stretch).await.unwrap();
    tx.bad_answers(&stretch, 50).await.unwrap();
    for judge in [Judge::Person, Judge::Policy] {
        let filter = DecidedFilter {
            kind: Some("fact".into()),
            approved: None,
            judge,
            since: now(),
        };
        tx.decided(&filter, &Page::first(50)).await.unwrap();
        tx.decided_count(&filter).await.unwrap();
    }
    tx.waiting_by_kind(&["en".to_owned()], now()).await.unwrap();
    tx.oldest_waiting(&["en".to_owned()], now()).await.unwrap();
    tx.depths(now()).await.unwrap();
    tx.put_off_by_agent("budget").await.unwrap();
    tx.running().await.unwrap();
    tx.next_jobs(50).await.unwrap();
    tx.given_up_by_reason().await.unwrap();
    for why in [Why::Any, Why::CutOff, Why::Code("timeout".into())] {
        tx.given_up(&why, &Page::first(50)).await.unwrap();
        let last = Cursor::id(OperationId::new(now(), &Seeded::default()).as_str());
        tx.given_up_after(&why, &last).await.unwrap();
    }
    tx.schedule_rows().await.unwrap();
}

/// What is asked about ids that are one person; [`Tx::together`] goes before every context.
async fn joins(tx: &mut Tx, ana: &User) {
    let agent = &ana.agent;
    assert_eq!(tx.together(agent, &ana.id).await.unwrap().len(), 2);
    tx.joins_of(agent, &ana.id).await.unwrap();
    tx.joins_waiting().await.unwrap();
    for (agent, waiting) in [
        (None, true),
        (None, false),
        (Some(agent), true),
        (Some(agent), false),
    ] {
        for after in [None, Some(Cursor::id(JoinId::PREFIX))] {
            let page = Page { after, limit: 50 };
            tx.joins(agent, waiting, &page).await.unwrap();
        }
    }
}

/// What is asked about an earlier instant.
async fn back_then(tx: &mut Tx, ana: &User, memory: &MemoryId) {
    let agent = &ana.agent;
    tx.memories_as_of(agent, &ana.id, now()).await.unwrap();
    tx.candidates_as_of(agent, &ana.id, now()).await.unwrap();
    tx.revisions_at(agent, &[(memory.clone(), 1)])
        .await
        .unwrap();
    let serving = ServingId::new(now(), &Seeded::default());
    tx.serving_events(agent, &[serving]).await.unwrap();
}

/// What a recall and the digests ask.
async fn recalls(tx: &mut Tx, ana: &User, memory: &MemoryId) {
    let agent = &ana.agent;
    tx.told_count(agent, memory).await.unwrap();
    tx.times_told(agent, memory, 10).await.unwrap();
    tx.told_to(agent, memory, 10).await.unwrap();
    tx.merged_into(agent, memory).await.unwrap();
    tx.waiting_changes_of(agent, memory, now()).await.unwrap();
    tx.resting_on(agent, memory).await.unwrap();
    let candidate = CandidateId::new(now(), &Seeded::default());
    tx.agreements_to(agent, &[&candidate]).await.unwrap();
    let languages = ["ja".to_owned()];
    for languages in [None, Some(languages.as_slice())] {
        tx.waiting_work(agent, languages, now(), now())
            .await
            .unwrap();
    }
    tx.digests_due::<String>(now(), 10).await.unwrap();
}

/// What schedules and their jobs ask.
async fn by_the_clock(tx: &mut crate::Tx, ana: &User) {
    let (agent, user) = (&ana.agent, &ana.id);
    tx.users_with_news(now(), now(), 10).await.unwrap();
    tx.has_due_work(agent, user, now()).await.unwrap();
    tx.erased_among(std::slice::from_ref(user)).await.unwrap();
    let removed = CandidateId::new(now(), &Seeded::default());
    tx.candidate_removed_at(&removed).await.unwrap();
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

/// Sorted on purpose: what is left of one user, of one agent's reports, of a week's news, of what was handed over, claimed or found by
/// its words is little; and so are the chains.
const LITTLE: [&str; 8] = [
    "order by heads.seq - coalesce",
    "from handovers h",
    "from claims k where k.person_id",
    "from search_tokens t",
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
    let (mut counted, mut due) = (0, 0);
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
        // All that ever expired is counted, so no row of it is looked at. PostgreSQL decides by how full the table is.
        let counts_expired = text.starts_with("select count(*) from candidates c")
            && text.contains("c.reason = 'expired'");
        let from_index = |step: &String| step.contains("COVERING INDEX candidates_expired");
        let looks = counts_expired && db.db.is_sqlite() && !plan.iter().any(from_index);
        counted += u32::from(counts_expired);
        // What waits for one user is found without what waits for the others.
        let of_one = text.contains("j.user_id = $2 and j.state = 'queued'");
        let own_index = |step: &String| step.contains("INDEX jobs_user_queued");
        let of_all = of_one && db.db.is_sqlite() && !plan.iter().any(own_index);
        due += u32::from(of_one);
        if walks || sorts || looks || of_all {
            faults.push(format!("{text}\n  {}", plan.join("\n  ")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert_eq!(counted, 3, "what expired is counted in every scope");
    assert_eq!(due, 1, "what is due of a user was asked for");
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
