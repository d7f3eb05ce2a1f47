//! Callers of the REST API.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

/// As many callers at once as a small installation has agents.
pub const CALLERS: u64 = 8;

/// A caller of the REST API.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    key: String,
}

impl Client {
    /// One that calls `url` with `key`.
    pub fn new(url: &str, key: String) -> Self {
        Self {
            http: reqwest::Client::new(),
            url: url.to_owned(),
            key,
        }
    }

    /// The same caller over connections of its own.
    pub fn apart(&self) -> Self {
        Self::new(&self.url, self.key.clone())
    }

    /// The answer of a call that must succeed.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let call = self.http.post(self.address(path)).json(body);
        self.answer(call).await
    }

    /// The answer of a read that must succeed.
    pub async fn get(&self, path: &str) -> Result<Value> {
        self.answer(self.http.get(self.address(path))).await
    }

    fn address(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.url)
    }

    async fn answer(&self, call: reqwest::RequestBuilder) -> Result<Value> {
        let answer = call.bearer_auth(&self.key).send().await?;
        let (status, url) = (answer.status(), answer.url().clone());
        let text = answer.text().await?;
        ensure!(status.is_success(), "{url}: {status} {text}");
        Ok(serde_json::from_str(&text)?)
    }
}

/// Counts how often `work` is done in a second by all callers together; each call gets a number of its own.
pub async fn rate<F, W>(seconds: u64, work: W) -> Result<f64>
where
    W: Fn(u64) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<()>> + Send + 'static,
{
    let next = Arc::new(AtomicU64::new(0));
    let started = Instant::now();
    let until = started + Duration::from_secs(seconds);
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (next, work) = (Arc::clone(&next), work.clone());
            tokio::spawn(async move {
                let mut done = 0_u64;
                while Instant::now() < until {
                    work(next.fetch_add(1, Ordering::Relaxed)).await?;
                    done += 1;
                }
                anyhow::Ok(done)
            })
        })
        .collect();
    let mut done = 0;
    for caller in callers {
        done += caller.await??;
    }
    Ok(done as f64 / started.elapsed().as_secs_f64())
}
