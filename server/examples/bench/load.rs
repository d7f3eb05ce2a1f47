//! What many kept connections bring together, and how long a request takes among so many. Everything is as it comes, but for the limit
//! of a key, which [`Keepsake`] puts out of the way. Nothing may fail, a 429 neither: the first that does ends the bench.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::future::try_join_all;
use serde_json::{Value, json};

use crate::client::Client;
use crate::fill::{Amount, fill};
use crate::keepsake::{Database, Keepsake};
use crate::mem0::{self, Mem0};
use crate::row;

/// Callers, each with a connection of its own, who ask again once they have their answer.
const CONNECTIONS: usize = 64;
/// Approved memories of a user.
const A_USER: u64 = 20;

/// What callers got in a while.
pub struct Load {
    /// Answers a second, of all callers together.
    pub a_second: f64,
    /// What half of the answers took at most.
    pub p50: Duration,
    /// What all but one of a hundred took at most.
    pub p99: Duration,
}

impl Load {
    fn new(mut times: Vec<Duration>, took: Duration) -> Result<Self> {
        ensure!(!times.is_empty(), "nothing was answered");
        times.sort_unstable();
        Ok(Self {
            a_second: times.len() as f64 / took.as_secs_f64(),
            p50: times[times.len() / 2],
            p99: times[times.len() * 99 / 100],
        })
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::from(self.a_second < 100.0);
        write!(
            f,
            "{:.digits$} a second, p50 {:.1} ms, p99 {:.1} ms",
            self.a_second,
            self.p50.as_secs_f64() * 1e3,
            self.p99.as_secs_f64() * 1e3
        )
    }
}

/// With so many users: first `mem0ai`, where it is installed, then each database.
pub async fn round(databases: &[Database], users: u64, seconds: u64) -> Result<()> {
    let amount = Amount {
        a_user: A_USER,
        in_all: users * A_USER,
    };
    let among = format!("{users} users with {A_USER} memories each");
    let beside = mem0::measure(amount, seconds, &among)?;
    for &database in databases {
        on(database, amount, seconds, &among, beside.as_ref()).await?;
    }
    Ok(())
}

async fn on(
    database: Database,
    amount: Amount,
    seconds: u64,
    among: &str,
    beside: Option<&Mem0>,
) -> Result<()> {
    let mut keepsake = Keepsake::start(database, "load").await?;
    keepsake.ready().await?;
    let (agent, _) = keepsake.keys()?;
    keepsake.end()?;
    fill(&keepsake, amount, 0).await?;
    keepsake.restart()?;
    keepsake.ready().await?;
    let connections: Vec<Client> = (0..CONNECTIONS).map(|_| agent.apart()).collect();
    let tell = |call: &str, load: &Load, their: &str| {
        row(
            &format!("{database}: {call}, {CONNECTIONS} connections, {among}"),
            &load.to_string(),
        );
        if let Some(mem0) = beside {
            row(
                &format!("{database}: {call} ÷ {their} of mem0ai in process, {among}"),
                &mem0.ratio(their, load),
            );
        }
    };

    let users = amount.users();
    let asked = together(&connections, seconds, move |client, n| async move {
        let body =
            json!({"user_id": user(n, users), "query": "what about plan 31?", "max_tokens": 1000});
        some(&client.post("/context", &body).await?, "items")
    });
    tell("context", &asked.await?, "get_all");

    let asked = together(&connections, seconds, move |client, n| async move {
        let body = json!({"user_id": user(n, users), "query": "topic plan", "limit": A_USER});
        some(&client.post("/memories/search", &body).await?, "data")
    });
    tell("search", &asked.await?, "search");

    let first = post(&agent, users, 0, false).await?;
    let asked = together(&connections, seconds, move |client, n| async move {
        post(&client, users, n, false).await.map(drop)
    });
    tell("conversations, nothing extracted", &asked.await?, "add");
    let operation = first["operation"].as_str().context("an operation")?;
    let operation = agent.get(&format!("/operations/{operation}")).await?;
    ensure!(
        operation["state"] == "queued",
        "with fewer --seconds no session is quiet for long enough to be read: {operation}"
    );

    let asked = together(&connections, seconds, move |client, n| async move {
        post(&client, users, n, true).await.map(drop)
    });
    tell("conversations, extraction running", &asked.await?, "add");
    keepsake.stop().await
}

/// Whom request `n` is about: all in turn, never neighbours.
fn user(n: u64, users: u64) -> String {
    format!("u-{}", n * 7919 % users)
}

/// A message of a conversation of its own, which is extracted at once where that is its end.
async fn post(client: &Client, users: u64, n: u64, end: bool) -> Result<Value> {
    let content = format!("I prefer short answers, please. This is request {n}.");
    let body = json!({"user_id": user(n, users), "end": end, "messages": [{"role": "user", "content": content}]});
    client.post("/conversations", &body).await
}

fn some(answer: &Value, field: &str) -> Result<()> {
    let rows = answer[field].as_array();
    ensure!(
        rows.is_some_and(|rows| !rows.is_empty()),
        "nothing was found: {answer}"
    );
    Ok(())
}

/// All connections call again and again for so many seconds; each call gets a number of its own.
async fn together<F, W>(connections: &[Client], seconds: u64, call: W) -> Result<Load>
where
    W: Fn(Client, u64) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<()>> + Send + 'static,
{
    let next = Arc::new(AtomicU64::new(0));
    // The first call of each opens its connection.
    let first = |client: &Client| call(client.clone(), next.fetch_add(1, Ordering::Relaxed));
    try_join_all(connections.iter().map(first)).await?;
    let started = Instant::now();
    let until = started + Duration::from_secs(seconds);
    let callers: Vec<_> = connections
        .iter()
        .map(|client| {
            let (client, next, call) = (client.clone(), Arc::clone(&next), call.clone());
            tokio::spawn(async move {
                let mut times = Vec::new();
                loop {
                    let begun = Instant::now();
                    if begun >= until {
                        return anyhow::Ok(times);
                    }
                    call(client.clone(), next.fetch_add(1, Ordering::Relaxed)).await?;
                    times.push(begun.elapsed());
                }
            })
        })
        .collect();
    let mut times = Vec::new();
    for caller in callers {
        times.append(&mut caller.await??);
    }
    Load::new(times, started.elapsed())
}
