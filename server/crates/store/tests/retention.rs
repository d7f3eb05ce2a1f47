//! What retention removes: what is past its time, and of that only what nothing rests on and no hold keeps.

mod actors;

use std::collections::BTreeMap;

use actors::*;
use domain::{
    agent::{AgentName, AgentScope},
    audit::{EventType, StoredEvent},
    candidate::{Candidate, Edit, Reason, Verdict},
    conversation::Conversation,
    id::DecisionId,
    time::Span,
    user::User,
};
use store::{
    Db, EventFilter, ExtractionState, Held, HoldOn, JobState, KeptSummary, NewExtraction,
    NewPerson, Operation, Outcome, Page, Provenance, Serving, Stamp, Stretched,
    testing::{Seeded, TestDb},
};

const LEASE: Span = Span::seconds(30);

/// A decision's id, told apart by a number.
fn decision_id(number: i64) -> DecisionId {
    DecisionId::new(hour(0) + Span::milliseconds(number), &Seeded::default())
}

async fn decide(db: &Db, candidate: &Candidate, number: i64, verdict: &Verdict, at: i64) {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let before = tx
        .candidate_for_update(&candidate.id)
        .await
        .unwrap()
        .unwrap();
    let after = match verdict {
        Verdict::Approve(_) => {
            before
                .clone()
                .approve(decision_id(number), fresh_memory(), hour(at))
        }
        Verdict::Reject(reason) => before
            .clone()
            .reject(decision_id(number), *reason, hour(at)),
        Verdict::Reopen => before.clone().reopen(hour(at)),
    };
    let stamp = Stamp::by(&reviewer(1), hour(at));
    tx.decide(&before, &after.unwrap(), verdict, None, &stamp)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

async fn rejected(db: &Db, user: &User, content: &str, number: i64, at: i64) -> Candidate {
    let made = proposed(db, user, proposal(content), hour(at)).await;
    decide(db, &made, number, &Verdict::Reject(Reason::Wrong), at).await;
    made
}

async fn served(db: &Db, user: &User, at: i64) -> Serving {
    let known = memory(db, user, &statement("User has a dog", hour(at)), hour(at)).await;
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let serving = Serving {
        id: tx.serving_id(hour(at)),
        agent: user.agent.clone(),
        user: user.id.clone(),
        conversation: None,
        tokens: 5,
        items: vec![(known.id.clone(), 1)],
        cut: 0,
        at: hour(at),
    };
    tx.record_servings(std::slice::from_ref(&serving), hour(at))
        .await
        .unwrap();
    let stamp = Stamp::by(&reviewer(1), hour(at));
    tx.report_helped(&serving, &known.id, true, &stamp)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    serving
}

async fn begun(db: &Db, conversation: &Conversation, at: i64) -> Operation {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let job = tx
        .enqueue_extract(
            conversation,
            conversation.messages,
            hour(at),
            &by_system(hour(at)),
        )
        .await
        .unwrap();
    tx.commit().await.unwrap();
    job
}

/// Reads a conversation to its end, with an answer and a summary that say what was said.
async fn read_to_the_end(db: &Db, conversation: &Conversation, job: &Operation, at: i64) {
    let claimed = db.claim(hour(at), LEASE).await.unwrap().unwrap();
    assert_eq!(claimed.operation.id, job.id);
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let id = tx.begin_extraction_id(hour(at));
    let new = NewExtraction {
        conversation,
        operation: &job.id,
        from: 1,
        upto: conversation.messages,
        state: ExtractionState::Parsed,
        provenance: Provenance {
            name: "builtin".into(),
            version: "1".into(),
            model: None,
            prompt_version: None,
            schema_version: None,
        },
        error: None,
        raw: Some("the user lives in Oslo".into()),
        tokens_in: 10,
        tokens_out: 5,
        candidates: 0,
        dropped: BTreeMap::new(),
        summary: Some(KeptSummary {
            content: "Where the user lives.".into(),
            importance: 0.5,
        }),
        moves: true,
    };
    tx.record_extraction(&id, &new, &by_system(hour(at)))
        .await
        .unwrap();
    tx.finish_job(
        &claimed,
        JobState::Succeeded,
        None,
        &Outcome::default(),
        hour(at),
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

/// What goes at hour 100 of what is older than hour 50.
async fn conversations_of(db: &Db, agent: &AgentName, held: &Held, limit: u32) -> Stretched {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let stretched = tx
        .remove_conversations(agent, hour(50), held, limit, &by_system(hour(100)))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    stretched
}

async fn rejections_of(db: &Db, agent: &AgentName, held: &Held, limit: u32) -> Stretched {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let stretched = tx
        .remove_rejected(agent, hour(50), held, limit, &by_system(hour(100)))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    stretched
}

async fn servings_of(db: &Db, agent: &AgentName, held: &Held, limit: u32) -> Stretched {
    let mut tx = db.write(AgentScope::All).await.unwrap();
    let stretched = tx
        .remove_servings(agent, hour(50), held, limit, &by_system(hour(100)))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    stretched
}

fn gone(looked_at: u32, removed: i64) -> Stretched {
    Stretched { looked_at, removed }
}

async fn told(db: &Db, r#type: EventType) -> Vec<StoredEvent> {
    let filter = EventFilter {
        types: vec![r#type],
        ..EventFilter::default()
    };
    let mut tx = db.read(AgentScope::All).await.unwrap();
    tx.events(&filter, &Page::first(50)).await.unwrap().rows
}

store::both! {
    // A14
    async fn a_conversation_loses_its_words_and_what_rests_on_it_keeps_its_own(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let talk = conversation(&db.db, &ana, "c-1", &[says("Hello"), says("I live in Oslo")], hour(1)).await;
        let waits = resting_on(proposal("User lives in Oslo"), &talk, "I live in Oslo");
        let waits = proposed(&db.db, &ana, waits, hour(1)).await;
        let job = begun(&db.db, &talk, 1).await;
        let young = conversation(&db.db, &ana, "c-2", &[says("Hello again")], hour(60)).await;
        // It began before, and went on after.
        conversation(&db.db, &ana, "c-3", &[says("One")], hour(2)).await;
        let went_on = conversation(&db.db, &ana, "c-3", &[says("Two")], hour(51)).await;

        assert_eq!(conversations_of(&db.db, &support, &Held::default(), 10).await, gone(0, 0), "it was not read yet");
        read_to_the_end(&db.db, &talk, &job, 3).await;
        assert_eq!(conversations_of(&db.db, &support, &Held::default(), 10).await, gone(1, 1));
        assert_eq!(conversations_of(&db.db, &support, &Held::default(), 10).await, gone(0, 0));

        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        let left = tx.conversation(&talk.id).await.unwrap().unwrap();
        assert_eq!((left.external_id.as_deref(), left.messages, left.created_at), (None, 2, talk.created_at));
        assert_eq!(tx.conversation_removed_at(&left).await.unwrap(), Some(hour(100)));
        assert_eq!(tx.messages(&left, 1, 2).await.unwrap(), []);
        let extraction = tx.extractions_of(&left).await.unwrap().remove(0);
        assert_eq!((extraction.raw, extraction.summary, extraction.upto), (None, None, 2));
        assert!(tx.operation(&job.id).await.unwrap().is_none());
        assert_eq!(tx.candidate(&waits.id).await.unwrap().unwrap().candidate, waits, "with the words it rests on");
        assert!(tx.find_conversation(&support, &ana.id, "c-1").await.unwrap().is_none());
        assert_eq!(tx.conversation_removed_at(&young).await.unwrap(), None);
        assert_eq!(tx.messages(&went_on, 1, 2).await.unwrap().len(), 2);
        let listed = tx.conversations_of(&support, &ana.id, &Page::first(10)).await.unwrap().rows;
        assert_eq!(listed, [young, went_on]);
        drop(tx);
        let again = conversation(&db.db, &ana, "c-1", &[says("Me again")], hour(101)).await;
        assert_ne!(again.id, talk.id);

        let removed = told(&db.db, EventType::ConversationRemoved).await;
        assert_eq!(removed.len(), 1);
        assert_eq!((removed[0].subject.as_str(), removed[0].user.as_deref()), (talk.id.as_str(), Some(ana.id.as_str())));
        assert!(removed[0].body.contains("\"messages\":2"));
        let applied = told(&db.db, EventType::RetentionApplied).await;
        assert_eq!((applied.len(), applied[0].subject.as_str()), (1, "support"));
        assert!(applied[0].body.contains("\"conversations\":1"));
        every_chain_verifies(&db.db).await;
    }

    async fn a_rejected_candidate_goes_unless_it_once_made_something(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let old = rejected(&db.db, &ana, "User hates tea", 1, 1).await;
        let once = proposed(&db.db, &ana, proposal("User likes tea"), hour(2)).await;
        decide(&db.db, &once, 2, &Verdict::Approve(Edit::default()), 2).await;
        decide(&db.db, &once, 3, &Verdict::Reopen, 3).await;
        decide(&db.db, &once, 4, &Verdict::Reject(Reason::Wrong), 4).await;
        let waits = proposed(&db.db, &ana, proposal("User drinks milk"), hour(5)).await;
        let back = rejected(&db.db, &ana, "User drinks juice", 5, 6).await;
        decide(&db.db, &back, 6, &Verdict::Reopen, 7).await;
        let late = proposed(&db.db, &ana, proposal("User drinks water"), hour(8)).await;
        decide(&db.db, &late, 7, &Verdict::Reject(Reason::Wrong), 60).await;

        assert_eq!(rejections_of(&db.db, &support, &Held::default(), 10).await, gone(1, 1));
        assert_eq!(rejections_of(&db.db, &support, &Held::default(), 10).await, gone(0, 0));
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        assert!(tx.candidate(&old.id).await.unwrap().is_none());
        for kept in [&once, &waits, &back, &late] {
            assert!(tx.candidate(&kept.id).await.unwrap().is_some(), "{}", kept.id);
        }
        drop(tx);
        let rows: BTreeMap<String, i64> = db.rows_of_agent("support").await.into_iter().collect();
        assert_eq!((rows["candidates"], rows["decisions"]), (4, 6), "three of the one, two of the next, and one");
        let removed = told(&db.db, EventType::CandidateRemoved).await;
        assert_eq!((removed.len(), removed[0].subject.as_str()), (1, old.id.as_str()));
        assert!(told(&db.db, EventType::RetentionApplied).await[0].body.contains("\"candidates\":1"));
        every_chain_verifies(&db.db).await;
    }

    async fn servings_go_with_the_reports_about_them_and_one_event_says_up_to_when(db: &TestDb) {
        let support = agent(&db.db, "support").await;
        let ana = user(&db.db, &support, "ana").await;
        let (first, second) = (served(&db.db, &ana, 1).await, served(&db.db, &ana, 2).await);
        let young = served(&db.db, &ana, 60).await;
        assert_eq!(servings_of(&db.db, &support, &Held::default(), 1).await, gone(1, 1), "a stretch at a time");
        assert_eq!(servings_of(&db.db, &support, &Held::default(), 2).await, gone(1, 1));
        let mut tx = db.db.read(AgentScope::All).await.unwrap();
        for serving in [&first, &second] {
            assert!(tx.serving(&serving.id).await.unwrap().is_none());
        }
        assert_eq!(tx.serving(&young.id).await.unwrap(), Some(young));
        drop(tx);
        let rows: BTreeMap<String, i64> = db.rows_of_agent("support").await.into_iter().collect();
        assert_eq!((rows["servings"], rows["serving_items"], rows["feedback"], rows["memories"]), (1, 1, 1, 3));
        let applied = told(&db.db, EventType::RetentionApplied).await;
        let until = format!("\"servings_before_us\":{}", hour(50).timestamp_micros());
        assert_eq!(applied.len(), 2);
        assert!(applied.iter().all(|event| event.body.contains(&until) && event.body.contains("\"servings\":1")));
        every_chain_verifies(&db.db).await;
    }

    // A14
    async fn whom_a_hold_keeps_is_passed_over(db: &TestDb) {
        let (support, sales) = (agent(&db.db, "support").await, agent(&db.db, "sales").await);
        let new = NewPerson {
            email: "mia@example.com".into(),
            name: "Mia".into(),
            password_hash: None,
            grants: vec![],
        };
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let mia = tx.create_person(&new, &by_system(hour(0))).await.unwrap().id;
        tx.commit().await.unwrap();
        let mut number = 0;
        let mut users = Vec::new();
        for (of, name) in [(&support, "ana"), (&support, "bo"), (&support, "cy"), (&sales, "ana")] {
            let user = user(&db.db, of, name).await;
            number += 1;
            conversation(&db.db, &user, "c-1", &[says("Hello")], hour(1)).await;
            rejected(&db.db, &user, "User hates tea", number, 1).await;
            served(&db.db, &user, 1).await;
            users.push(user);
        }
        let ons = [
            HoldOn::User(support.clone(), users[0].id.clone()),
            HoldOn::Named(users[1].scope.clone()),
            HoldOn::Agent(sales.clone()),
        ];
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        for on in &ons {
            tx.place_hold(on, "Case 12-345", Some(hour(200)), &mia, &by_system(hour(9))).await.unwrap();
        }
        let (held, of_sales) = (tx.held(&support, hour(100)).await.unwrap(), tx.held(&sales, hour(100)).await.unwrap());
        let afterwards = tx.held(&support, hour(200)).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!((held.users.len(), held.everybody, of_sales.everybody), (2, false, true));
        assert_eq!(afterwards, Held::default());

        for (agent, held, one) in [(&sales, &of_sales, gone(0, 0)), (&support, &held, gone(1, 1)), (&support, &afterwards, gone(2, 2))] {
            assert_eq!(conversations_of(&db.db, agent, held, 10).await, one);
            assert_eq!(rejections_of(&db.db, agent, held, 10).await, one);
            assert_eq!(servings_of(&db.db, agent, held, 10).await, one);
        }
        let kept = filled(&db.rows_of_user(users[3].id.as_str()).await);
        assert_eq!((kept["messages"], kept["candidates"], kept["servings"]), (1, 1, 1));
        let cleared = filled(&db.rows_of_user(users[2].id.as_str()).await);
        assert!(["messages", "candidates", "servings"].iter().all(|table| !cleared.contains_key(*table)));
        every_chain_verifies(&db.db).await;
    }
}

fn filled(rows: &[(String, i64)]) -> BTreeMap<String, i64> {
    rows.iter()
        .filter(|(_, count)| *count > 0)
        .cloned()
        .collect()
}
