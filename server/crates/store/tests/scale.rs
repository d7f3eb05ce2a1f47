//! The queue at a hundred thousand waiting. Ignored: it takes minutes to fill; run it with `--ignored --nocapture` for the figures.

mod actors;

use std::time::Instant;

use actors::*;
use domain::{agent::AgentScope, candidate::Flag, time::Span};
use store::{ClaimedBy, HandedFor, NewCandidate, Page, QueueFilter, Sort, View, testing::TestDb};

const WAITING: i64 = 100_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "fills a hundred thousand rows"]
async fn sqlite() {
    let db = TestDb::sqlite().await;
    the_first_page_comes_at_once(&db).await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "fills a hundred thousand rows"]
async fn postgres() {
    let Some(db) = TestDb::postgres("scale").await else {
        return;
    };
    the_first_page_comes_at_once(&db).await;
    db.close().await;
}

async fn the_first_page_comes_at_once(db: &TestDb) {
    let support = agent(&db.db, "support").await;
    let mut users = Vec::new();
    for person in 0..1000 {
        users.push(user(&db.db, &support, &format!("user {person}")).await);
    }
    let begun = Instant::now();
    for batch in 0..WAITING / 500 {
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        for number in 0..500 {
            let number = batch * 500 + number;
            let who = &users[usize::try_from(number % 1000).unwrap()];
            let mut wanted = proposal(&format!("User owns thing {number}"));
            if number % 97 == 0 {
                wanted.flags = vec![Flag::Contradiction];
            }
            if number % 10 == 0 {
                wanted.language = "ja".into();
            }
            let new = NewCandidate {
                agent: support.clone(),
                user: who.id.clone(),
                proposal: wanted,
                extraction: None,
                supersedes: vec![],
            };
            tx.propose(&new, &by_system(hour(0) + Span::seconds(number)))
                .await
                .unwrap();
        }
        tx.commit().await.unwrap();
    }
    println!("filled in {:?}", begun.elapsed());
    behind_the_back(db, "analyze").await.unwrap();

    let me = reviewer(1).person().cloned().unwrap();
    let middle = hour(0) + Span::seconds(WAITING / 2);
    let all = QueueFilter::default();
    for scope in [
        AgentScope::All,
        AgentScope::One(support.clone()),
        AgentScope::Some(vec![support.clone(), named("other")]),
    ] {
        for (name, filter) in [
            ("waiting", all.clone()),
            (
                "newest",
                QueueFilter {
                    sort: Sort::Newest,
                    ..all.clone()
                },
            ),
            (
                "flag",
                QueueFilter {
                    flag: Some(Flag::Contradiction),
                    ..all.clone()
                },
            ),
            (
                "kind",
                QueueFilter {
                    kind: Some("fact".into()),
                    ..all.clone()
                },
            ),
            (
                "rare kind",
                QueueFilter {
                    kind: Some("context".into()),
                    ..all.clone()
                },
            ),
            (
                "user",
                QueueFilter {
                    user: Some(users[5].id.clone()),
                    ..all.clone()
                },
            ),
            (
                "one language",
                QueueFilter {
                    languages: vec!["ja".into()],
                    ..all.clone()
                },
            ),
            (
                "two languages",
                QueueFilter {
                    languages: vec!["ja".into(), "zh".into()],
                    ..all.clone()
                },
            ),
            (
                "a word of all",
                QueueFilter {
                    search: Some("thing".into()),
                    ..all.clone()
                },
            ),
            (
                "a word of one",
                QueueFilter {
                    search: Some("77777".into()),
                    ..all.clone()
                },
            ),
            (
                "not claimed",
                QueueFilter {
                    claimed_by: Some(ClaimedBy::NobodyBut(me.clone())),
                    ..all.clone()
                },
            ),
            (
                "for a native speaker",
                QueueFilter {
                    handed_for: Some(HandedFor::Native),
                    ..all.clone()
                },
            ),
            (
                "decided",
                QueueFilter {
                    view: View::Decided,
                    sort: Sort::Newest,
                    ..all.clone()
                },
            ),
        ] {
            let mut tx = db.db.read(scope.clone()).await.unwrap();
            let begun = Instant::now();
            let page = tx.queue(&filter, &Page::first(50), middle).await.unwrap();
            let listed = begun.elapsed();
            let begun = Instant::now();
            let count = tx.queue_count(&filter, middle).await.unwrap();
            println!(
                "{scope:?} {name}: {} rows in {listed:?}, count {count} in {:?}",
                page.rows.len(),
                begun.elapsed()
            );
        }
        let mut tx = db.db.read(scope).await.unwrap();
        let begun = Instant::now();
        let figures = tx.queue_figures(middle).await.unwrap();
        println!("figures {} in {:?}", figures.waiting, begun.elapsed());
    }
}
