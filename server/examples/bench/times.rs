//! How long many calls took.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

/// Calls that only fill caches.
const FIRST: usize = 10;

/// How long calls took at most: half of them, all but one of twenty, all but one of a hundred.
pub struct Times {
    p50: Duration,
    p95: Duration,
    p99: Duration,
}

impl Times {
    pub fn of(mut times: Vec<Duration>) -> Result<Self> {
        ensure!(!times.is_empty(), "nothing was timed");
        times.sort_unstable();
        let most = |percent: usize| times[times.len() * percent / 100];
        Ok(Self {
            p50: most(50),
            p95: most(95),
            p99: most(99),
        })
    }

    /// Those of so many calls, one after the other.
    pub async fn taken(calls: usize, call: impl AsyncFn() -> Result<()>) -> Result<Self> {
        for _ in 0..FIRST {
            call().await?;
        }
        let mut times = Vec::with_capacity(calls);
        for _ in 0..calls {
            let begun = Instant::now();
            call().await?;
            times.push(begun.elapsed());
        }
        Self::of(times)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p95, p99] = [self.p50, self.p95, self.p99].map(|time| time.as_secs_f64() * 1e3);
        write!(f, "p50 {p50:.1} ms, p95 {p95:.1} ms, p99 {p99:.1} ms")
    }
}
