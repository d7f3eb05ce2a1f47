//! `mem0ai` in a process of its own on the same machine, for a ratio. `mem0_in_process.py` says what it is measured with.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::fill::Amount;
use crate::load::Load;
use crate::row;

/// The variable that names a Python with `mem0ai`. `cargo xtask bench` sets it.
const PYTHON: &str = "KEEPSAKE_TEST_PYTHON";
const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/examples/bench/mem0_in_process.py"
);
const MEANING: &str = "ours over HTTP, sealed at rest, checked and audited, from callers on the same cores; theirs a call inside the \
    process: no HTTP, no sealing, and vectors of counted words in place of a model's";

/// What was measured of it.
pub struct Mem0 {
    runs: Vec<Run>,
}

/// The first line that the script prints.
#[derive(Deserialize)]
struct About {
    packages: serde_json::Value,
    python: String,
    /// Seconds.
    filled: f64,
}

/// One of the others: what so many threads got out of a call in a while.
#[derive(Deserialize)]
struct Run {
    call: String,
    threads: u64,
    /// Those that were answered, of which the times are.
    calls: u64,
    failed: u64,
    failure: Option<String>,
    a_second: f64,
    /// Milliseconds, like `p99`.
    p50: f64,
    p99: f64,
}

/// Measures it with as many users and memories as a Keepsake has; `None` where it is not installed.
pub fn measure(amount: Amount, seconds: u64, among: &str) -> Result<Option<Mem0>> {
    let Ok(python) = std::env::var(PYTHON) else {
        eprintln!("!! NOT MEASURED beside mem0ai: {PYTHON} names no Python that has it");
        return Ok(None);
    };
    let done = Command::new(python)
        .arg(SCRIPT)
        .args([amount.users(), amount.a_user, seconds].map(|number| number.to_string()))
        .stderr(Stdio::inherit())
        .output()
        .context("start the Python that has mem0ai")?;
    let printed = String::from_utf8(done.stdout)?;
    let mut lines = printed.lines();
    let about = lines.next().with_context(|| {
        let status = done.status;
        format!("{SCRIPT} measured nothing and ended with {status}")
    })?;
    let about: About = serde_json::from_str(about)?;
    let runs = lines
        .map(serde_json::from_str)
        .collect::<Result<Vec<Run>, _>>()?;
    row("what ÷ mem0ai compares", MEANING);
    row(
        &format!("mem0ai: to fill, {among}"),
        &format!(
            "{:.0} s ({}, Python {})",
            about.filled, about.packages, about.python
        ),
    );
    for run in &runs {
        row(
            &format!(
                "mem0ai: {}, {} threads in its process, {among}",
                run.call, run.threads
            ),
            &run.told(),
        );
    }
    if !done.status.success() {
        // Threads that add at once may even bring the interpreter down; what was measured before that is measured.
        eprintln!(
            "!! NOT MEASURED to its end: {SCRIPT} ended with {}",
            done.status
        );
    }
    ensure!(!runs.is_empty(), "{SCRIPT} measured nothing");
    Ok(Some(Mem0 { runs }))
}

impl Mem0 {
    /// Ours by theirs, in words: theirs are the run with the most answers a second of those in which nothing failed.
    pub fn ratio(&self, call: &str, ours: &Load) -> String {
        let whole = self
            .runs
            .iter()
            .filter(|run| run.call == call && run.failed == 0);
        let Some(theirs) = whole.max_by(|a, b| a.a_second.total_cmp(&b.a_second)) else {
            return "not measured: no run without a failure".to_owned();
        };
        let load = theirs.load();
        format!(
            "{:.2} times as many a second, p99 {:.2} times as long ({} threads)",
            ours.a_second / load.a_second,
            ours.p99.as_secs_f64() / load.p99.as_secs_f64(),
            theirs.threads
        )
    }
}

impl Run {
    fn load(&self) -> Load {
        Load {
            a_second: self.a_second,
            p50: Duration::from_secs_f64(self.p50 / 1e3),
            p99: Duration::from_secs_f64(self.p99 / 1e3),
        }
    }

    fn told(&self) -> String {
        let told = format!("{}, of {} calls", self.load(), self.calls);
        match &self.failure {
            Some(failure) => format!("{told}; {} failed, the last: {failure}", self.failed),
            None => told,
        }
    }
}
