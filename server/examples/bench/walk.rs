//! Lists of candidates over REST, from the first page to the last by the cursor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::client::Client;
use crate::desk::{PAGES, ROWS, Size};
use crate::keepsake::Database;
use crate::row;
use crate::times::Times;

/// Goes through a list from its first page to its last.
pub async fn walk(
    api: &Client,
    query: &str,
    mut each: impl FnMut(&Value) -> Result<()>,
) -> Result<()> {
    let mut cursor = String::new();
    loop {
        let page = api
            .get(&format!("/candidates?limit=200{query}{cursor}"))
            .await?;
        let rows = page["data"].as_array().context("the rows of a page")?;
        rows.iter().try_for_each(&mut each)?;
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(()),
        }
    }
}

/// An order of the list.
pub struct Order {
    says: &'static str,
    query: &'static str,
    /// What those who arrive meanwhile are called.
    arrive: &'static str,
}

pub const SOONEST: Order = Order {
    says: "what expires soonest first",
    query: "&status=pending",
    arrive: "early",
};
pub const NEWEST: Order = Order {
    says: "newest first",
    query: "",
    arrive: "late",
};

/// Goes through the whole list while others arrive. Answers the ids in their order, and how many arrived.
pub async fn walked(
    database: Database,
    agent: &Client,
    api: &Client,
    order: &Order,
    start: &[String],
    size: Size,
) -> Result<(Vec<String>, u64)> {
    let first = Times::taken(PAGES, async || {
        let path = format!("/candidates?limit={ROWS}{}", order.query);
        api.get(&path).await.map(drop)
    });
    row(
        &format!("{database}: first page over REST, {}, {size}", order.says),
        &first.await?.to_string(),
    );

    let over = Arc::new(AtomicBool::new(false));
    let arriving = tokio::spawn(arrive(agent.clone(), order.arrive, Arc::clone(&over)));
    let mut ids = Vec::new();
    let begun = Instant::now();
    walk(api, order.query, |candidate| {
        let id = candidate["id"].as_str().context("the id of a candidate")?;
        ids.push(id.to_owned());
        Ok(())
    })
    .await?;
    let took = begun.elapsed();
    over.store(true, Ordering::Relaxed);
    let arrived = arriving.await??;
    ensure!(arrived > 0, "nothing arrived meanwhile");

    let mut sorted: Vec<&String> = ids.iter().collect();
    sorted.sort_unstable();
    ensure!(
        sorted.is_sorted_by(|one, other| one < other),
        "{}: a row came twice",
        order.says
    );
    let missing = start.iter().find(|id| sorted.binary_search(id).is_err());
    ensure!(missing.is_none(), "{}: {missing:?} is missing", order.says);
    row(
        &format!(
            "{database}: rows a second over REST by the cursor, {}, {size}",
            order.says
        ),
        &format!(
            "{:.0} ({arrived} arrived meanwhile)",
            ids.len() as f64 / took.as_secs_f64()
        ),
    );
    Ok((ids, arrived))
}

/// Proposes one after the other until it is over, about somebody else each time; answers how many.
async fn arrive(agent: Client, called: &'static str, over: Arc<AtomicBool>) -> Result<u64> {
    let mut arrived = 0;
    while !over.load(Ordering::Relaxed) {
        let body = json!({
            "user_id": format!("{called}-{arrived}"),
            "kind": "fact",
            "content": "User has just bought a bicycle",
        });
        let made = agent.post("/candidates", &body).await?;
        ensure!(made["outcome"] == "proposed", "it does not wait: {made}");
        arrived += 1;
    }
    Ok(arrived)
}
