//! What becomes of a long audit chain: it is walked, all of it is exported, and the bundle is verified.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use domain::agent::AgentScope;
use domain::audit::Verifier;
use serde_json::{Value, json};

use crate::client::Client;
use crate::keepsake::{AGENT, Database, Keepsake, Watched};
use crate::life::live;
use crate::{per_second, row};

/// Events that the walk is given at once.
const BATCH: u32 = 10_000;

/// All of it, with so many events.
pub async fn round(database: Database, events: u64) -> Result<()> {
    let among = format!("{events} events");
    let mut keepsake = Keepsake::start(database, "audit").await?;
    keepsake.ready().await?;
    keepsake.keys()?;
    let auditor = keepsake.auditor()?;
    keepsake.end()?;
    let lived = live(&keepsake, events).await?;
    row(
        &format!("{database}: to fill, {among}"),
        &format!("{:.0} s", lived.as_secs_f64()),
    );

    // As the clock does every hour: otherwise the export would have to read the chain once more than it has to elsewhere.
    keepsake.watch(&["audit", "checkpoint"]).await?;
    let walked = keepsake.watch(&["audit", "verify"]).await?;
    let report: Value = serde_json::from_str(&walked.printed)?;
    let read = report["events"].as_u64().context("how many were read")?;
    ensure!(read >= events, "the chain has only {read} events");
    told(
        &format!("{database}: events a second, `keepsake audit verify`, {among}"),
        read,
        &walked,
    );
    row(
        &format!("{database}: events a second, the walk without the database, {among}"),
        &per_second(walk(&keepsake).await?),
    );

    keepsake.restart()?;
    keepsake.ready().await?;
    let id = export(database, &keepsake, &auditor, &among).await?;
    keepsake.end()?;
    let bundle = keepsake.export(&id)?.display().to_string();
    let verified = keepsake.watch(&["verify", &bundle, "--json"]).await?;
    let report: Value = serde_json::from_str(&verified.printed)?;
    let read = report["counts"]["events.ndjson"].as_u64();
    let read = read.context("how many events are in the bundle")?;
    ensure!(read >= events, "the bundle has only {read} events");
    told(
        &format!("{database}: events a second, `keepsake verify`, {among}"),
        read,
        &verified,
    );
    keepsake.stop().await
}

/// Everything of the agent into one bundle, by the server; answers the id of the export.
async fn export(
    database: Database,
    keepsake: &Keepsake,
    auditor: &Client,
    among: &str,
) -> Result<String> {
    let memory = keepsake.memory();
    let before = memory.resident();
    memory.forget();
    let begun = Instant::now();
    let mut made = auditor.post("/exports", &json!({})).await?;
    let id = made["id"].as_str().context("the id of the export")?;
    let id = id.to_owned();
    while matches!(made["state"].as_str(), Some("queued" | "running")) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        made = auditor.get(&format!("/exports/{id}")).await?;
    }
    let took = begun.elapsed();
    ensure!(made["state"] == "done", "the export failed: {made}");
    row(
        &format!("{database}: an export, {among}"),
        &format!("{:.1} s", took.as_secs_f64()),
    );
    row(
        &format!("{database}: most memory of the server meanwhile, {among}"),
        &format!(
            "{} (before {})",
            megabytes(memory.peak()),
            megabytes(before)
        ),
    );
    row(
        &format!("{database}: size of the bundle, {among}"),
        &megabytes(made["bytes"].as_u64()),
    );
    Ok(id)
}

/// How many events the verifier takes in a second on one core, without the database that they are read from.
async fn walk(keepsake: &Keepsake) -> Result<f64> {
    let db = keepsake.open().await?;
    let mut tx = db.read(AgentScope::All).await?;
    let heads = tx.heads().await?;
    let head = heads.iter().find(|head| head.chain == AGENT);
    let head = head.context("the head of the chain")?;
    let mut verifier = Verifier::new(AGENT);
    let (mut after, mut took) = (0, Duration::ZERO);
    loop {
        let events = tx.chain(AGENT, after, BATCH).await?;
        let Some(last) = events.last() else { break };
        after = last.seq;
        let begun = Instant::now();
        for event in &events {
            verifier.next(event);
        }
        took += begun.elapsed();
    }
    let (read, _, faults) = verifier.finish(Some((head.seq, head.hash.as_slice())));
    ensure!(faults.is_empty(), "the chain has faults: {faults:?}");
    drop(tx);
    db.close().await;
    Ok(read as f64 / took.as_secs_f64())
}

fn told(figure: &str, events: u64, watched: &Watched) {
    let rate = events as f64 / watched.took.as_secs_f64();
    let peak = megabytes(watched.peak);
    row(
        figure,
        &format!("{} (most memory {peak})", per_second(rate)),
    );
}

fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(
        || "unknown".to_owned(),
        |bytes| format!("{:.0} MB", bytes as f64 / 1e6),
    )
}
