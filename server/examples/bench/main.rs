//! The figures of the README: drives the release binary over HTTP as agents and a person do, on both databases. `cargo xtask bench`
//! builds what it needs and starts it.
//!
//! Options: `--databases sqlite,postgres` which ones; `--memories 50/1000,50/100000,1000/1000000` how many memories of a user and in
//! all, one round each, empty: none; `--users 50,1000` how many there are while 64 connections ask at once, one round each, empty: none;
//! `--waiting 100000/1000000` how many wait for a decision, and how many memories there are, one round each, empty: none;
//! `--seconds 5` for each rate, 0: without them; `--events 1000000` in the chain that is verified and exported, 0: without that.
//! PostgreSQL is the server that `KEEPSAKE_TEST_POSTGRES` names, and `KEEPSAKE_TEST_PYTHON` a Python with `mem0ai`.

mod audit;
mod client;
mod desk;
mod fill;
mod keepsake;
mod life;
mod load;
mod mem0;
mod memory;
mod queue;
mod reviewer;
mod times;
mod walk;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use engine::{Clock as _, SystemClock};
use serde_json::{Value, json};

use client::{CALLERS, Client, rate};
use fill::{Amount, FIELDS, SCHEMA, fill};
use keepsake::{Database, Keepsake};

/// Calls of each sort that are timed.
const READS: u64 = 2_000;

struct Options {
    databases: Vec<Database>,
    memories: Vec<Amount>,
    users: Vec<u64>,
    waiting: Vec<desk::Size>,
    seconds: u64,
    events: u64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = options()?;
    if options.seconds > 0 {
        row(
            "built-in extractor, sentences a second on one core",
            &format!("{:.0}", sentences(options.seconds)),
        );
        for &users in &options.users {
            load::round(&options.databases, users, options.seconds).await?;
        }
    }
    for &database in &options.databases {
        if options.seconds > 0 {
            rates(database, options.seconds).await?;
        }
        for &amount in &options.memories {
            round(database, amount).await?;
        }
        for &size in &options.waiting {
            desk::round(database, size).await?;
        }
        if options.events > 0 {
            audit::round(database, options.events).await?;
        }
    }
    Ok(())
}

/// What a second brings, on an empty database.
async fn rates(database: Database, seconds: u64) -> Result<()> {
    let mut keepsake = Keepsake::start(database, "rates").await?;
    row(
        &format!("{database}: cold start to ready, empty"),
        &milliseconds(keepsake.ready().await?),
    );
    let (agent, person) = keepsake.keys()?;
    row(
        &format!("{database}: conversations accepted a second, extraction running"),
        &per_second(conversations(&agent, seconds).await?),
    );
    row(
        &format!("{database}: decisions a second"),
        &per_second(decisions(&agent, &person, seconds).await?),
    );
    keepsake.stop().await
}

/// What a context and a profile take among so many memories.
async fn round(database: Database, amount: Amount) -> Result<()> {
    let Amount { a_user, in_all } = amount;
    let among = format!("{a_user} memories a user, {in_all} in all");
    let mut keepsake = Keepsake::start(database, &format!("round_{in_all}")).await?;
    keepsake.ready().await?;
    let (agent, _) = keepsake.keys()?;
    keepsake.end()?;
    let filled = fill(&keepsake, amount, FIELDS).await?;
    row(
        &format!("{database}: to fill, {among}"),
        &format!("{:.0} s", filled.as_secs_f64()),
    );
    keepsake.restart()?;
    row(
        &format!("{database}: cold start to ready, {in_all} memories"),
        &milliseconds(keepsake.ready().await?),
    );
    let contexts = contexts(&agent, amount.users()).await?;
    percentiles(
        &format!("{database}: context"),
        &among,
        contexts,
        keepsake.floor(READS, None)?,
    );
    let profiles = profiles(&agent, amount.users()).await?;
    let fields = Some(domain::profile::KIND);
    percentiles(
        &format!("{database}: profile of {FIELDS} fields"),
        &among,
        profiles,
        keepsake.floor(READS, fields)?,
    );
    keepsake.stop().await
}

fn percentiles(what: &str, among: &str, found: (Duration, Duration), floor: (Duration, Duration)) {
    for (name, time, floor) in [("p50", found.0, floor.0), ("p99", found.1, floor.1)] {
        row(&format!("{what} {name}, {among}"), &times(time, floor));
    }
}

fn options() -> Result<Options> {
    let mut found = Options {
        databases: Database::ALL.to_vec(),
        memories: [(50, 1_000), (50, 100_000), (1_000, 1_000_000)]
            .map(|(a_user, in_all)| Amount { a_user, in_all })
            .to_vec(),
        users: vec![50, 1_000],
        waiting: vec![desk::Size {
            waiting: 100_000,
            memories: 1_000_000,
        }],
        seconds: 5,
        events: 1_000_000,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args
            .next()
            .with_context(|| format!("{arg} wants a value"))?;
        match &*arg {
            "--databases" => {
                found.databases = value
                    .split(',')
                    .map(Database::named)
                    .collect::<Result<_>>()?
            }
            "--memories" => {
                let rounds = value.split(',').filter(|round| !round.is_empty());
                found.memories = rounds.map(str::parse).collect::<Result<_>>()?;
            }
            "--users" => {
                let rounds = value.split(',').filter(|round| !round.is_empty());
                found.users = rounds.map(str::parse).collect::<Result<_, _>>()?;
                ensure!(!found.users.contains(&0), "a round has at least one user");
            }
            "--waiting" => {
                let rounds = value.split(',').filter(|round| !round.is_empty());
                found.waiting = rounds.map(str::parse).collect::<Result<_>>()?;
            }
            "--seconds" => found.seconds = value.parse()?,
            "--events" => found.events = value.parse()?,
            _ => anyhow::bail!("unknown option {arg}"),
        }
    }
    Ok(found)
}

fn row(figure: &str, value: &str) {
    println!("| {figure} | {value} |");
}

fn milliseconds(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}

fn per_second(rate: f64) -> String {
    format!("{rate:.0}")
}

fn times(time: Duration, floor: Duration) -> String {
    let ratio = time.as_secs_f64() / floor.as_secs_f64();
    format!(
        "{:.2} ms (the bare rows {:.2} ms: {ratio:.1} times)",
        time.as_secs_f64() * 1e3,
        floor.as_secs_f64() * 1e3
    )
}

/// The built-in extractor alone, on sentences it was not trained on, in three languages.
fn sentences(seconds: u64) -> f64 {
    let held_out = [
        include_str!("../../crates/domain/data/builtin/heldout/en.jsonl"),
        include_str!("../../crates/domain/data/builtin/heldout/ja.jsonl"),
        include_str!("../../crates/domain/data/builtin/heldout/zh.jsonl"),
    ];
    let messages: Vec<String> = held_out
        .iter()
        .flat_map(|lines| lines.lines())
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| line["text"].as_str().map(str::to_owned))
        .collect();
    let kinds = [
        "preference",
        "fact",
        "context",
        "pain_point",
        "decision",
        "metric",
    ];
    let today = SystemClock.now().date_naive();
    let started = Instant::now();
    let mut done = 0_u64;
    while started.elapsed() < Duration::from_secs(seconds) {
        for message in &messages {
            std::hint::black_box(domain::builtin::extract(message, &kinds, today));
        }
        done += messages.len() as u64;
    }
    done as f64 / started.elapsed().as_secs_f64()
}

async fn conversations(agent: &Client, seconds: u64) -> Result<f64> {
    let agent = agent.clone();
    rate(seconds, move |n| {
        let agent = agent.clone();
        async move {
            let message = json!({"role": "user", "content": format!("I prefer short answers, please. This is request {n}.")});
            agent.post("/conversations", &json!({"user_id": format!("sender-{}", n % 500), "end": true, "messages": [message]})).await?;
            Ok(())
        }
    })
    .await
}

/// Proposals are made beforehand, so that only the decisions are timed.
async fn decisions(agent: &Client, person: &Client, seconds: u64) -> Result<f64> {
    let proposals = 600 * seconds;
    let mut waiting = Vec::new();
    for n in 0..proposals {
        // 40 a user: below the most that an agent keeps for one.
        let body = json!({"user_id": format!("decided-{}", n / 40), "kind": "fact", "name": format!("item {n}"), "content": format!("User owns item number {n}")});
        let made = agent.post("/candidates", &body).await?;
        waiting.push(
            made["candidate"]["id"]
                .as_str()
                .context("a candidate has an id")?
                .to_owned(),
        );
    }
    let (person, waiting) = (person.clone(), Arc::new(waiting));
    let all = waiting.len();
    let next = Arc::new(AtomicU64::new(0));
    let started = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (person, waiting, next) = (person.clone(), Arc::clone(&waiting), Arc::clone(&next));
            tokio::spawn(async move {
                while let Some(id) = waiting.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    person
                        .post(&format!("/candidates/{id}/approve"), &json!({}))
                        .await?;
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for caller in callers {
        caller.await??;
    }
    Ok(all as f64 / started.elapsed().as_secs_f64())
}

/// One caller, so that the times are the server's and not those of a queue.
async fn contexts(agent: &Client, users: u64) -> Result<(Duration, Duration)> {
    timed(async |n| {
        let body = json!({"user_id": format!("u-{}", n * 7919 % users), "query": "what about plan 31?", "max_tokens": 1000});
        let told = agent.post("/context", &body).await?;
        ensure!(
            told["items"]
                .as_array()
                .is_some_and(|items| !items.is_empty()),
            "nothing was served: {told}"
        );
        Ok(())
    })
    .await
}

async fn profiles(agent: &Client, users: u64) -> Result<(Duration, Duration)> {
    timed(async |n| {
        let found = agent
            .get(&format!("/users/u-{}/profile", n * 7919 % users))
            .await?;
        let fields = found["profiles"][SCHEMA].as_object();
        ensure!(
            fields.is_some_and(|fields| fields.len() as u64 == FIELDS),
            "a profile was not whole: {found}"
        );
        Ok(())
    })
    .await
}

/// The times of many calls, one after the other: p50 and p99.
async fn timed(call: impl AsyncFn(u64) -> Result<()>) -> Result<(Duration, Duration)> {
    let mut times = Vec::new();
    for n in 0..READS + 100 {
        let started = Instant::now();
        call(n).await?;
        // The first ones fill caches.
        if n >= 100 {
            times.push(started.elapsed());
        }
    }
    times.sort_unstable();
    Ok((times[times.len() / 2], times[times.len() * 99 / 100]))
}
