//! Many memories in a short time: those that are measured through the functions of `store`, the rest as copies of them.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use domain::agent::{AgentName, AgentScope};
use domain::id::MemoryId;
use domain::profile;
use domain::time::Span;
use domain::user::Scope;
use engine::{Clock as _, OsEntropy, SystemClock};
use serde_json::json;
use store::{Stamp, Write};

use crate::keepsake::{AGENT, Keepsake};

/// Memories that are made one by one.
const MADE: u64 = 20_000;
/// Fields of a profile among the memories of a user.
pub const FIELDS: u64 = 20;
/// Memories a transaction.
const BATCH: u64 = 500;
/// The schema of the profiles.
pub const SCHEMA: &str = "user-profile";
const KINDS: [&str; 3] = ["preference", "fact", "context"];

/// How many memories.
#[derive(Debug, Clone, Copy)]
pub struct Amount {
    /// Of one user.
    pub a_user: u64,
    /// Of all users together.
    pub in_all: u64,
}

impl Amount {
    /// The users whose memories open: `u-0` and so on.
    pub fn users(self) -> u64 {
        (self.in_all.min(MADE) / self.a_user).max(1)
    }

    fn copies(self) -> u64 {
        (self.in_all / (self.users() * self.a_user)).max(1) - 1
    }
}

impl std::str::FromStr for Amount {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (a_user, in_all) = text
            .split_once('/')
            .context("memories of a user and in all: 50/100000")?;
        let (a_user, in_all) = (a_user.parse()?, in_all.parse()?);
        ensure!(
            (1..=in_all).contains(&a_user),
            "a user has from 1 to {in_all} memories"
        );
        Ok(Self { a_user, in_all })
    }
}

/// Fills the database of a server that does not run. Of the memories of a user, so many are fields of a profile.
pub async fn fill(keepsake: &Keepsake, amount: Amount, fields: u64) -> Result<Duration> {
    let begun = Instant::now();
    let db = keepsake.open().await?;
    let agent = AgentName::parse(AGENT)?;
    let stamp = Stamp::system(SystemClock.now());
    let mut users = Vec::new();
    let mut tx = db.write(AgentScope::All).await?;
    let properties: serde_json::Map<_, _> = (0..FIELDS)
        .map(|number| (format!("field_{number}"), json!({"type": "string"})))
        .collect();
    let schema = json!({"type": "object", "properties": properties});
    tx.create_profile_schema(&agent, SCHEMA, &schema, &stamp)
        .await?;
    for n in 0..amount.users() {
        let scope = Scope::user_id(&format!("u-{n}"))?;
        users.push(tx.ensure_user(&agent, &scope, &stamp).await?.id);
    }
    tx.commit().await?;

    let made = amount.users() * amount.a_user;
    for first in (0..made).step_by(BATCH as usize) {
        let mut tx = db.write(AgentScope::All).await?;
        for n in first..made.min(first + BATCH) {
            // The memories of a user come between those of others, as they do in life.
            let user = &users[(n % amount.users()) as usize];
            let field = Some(n / amount.users()).filter(|number| *number < fields);
            let write = memory(n, field, stamp.now);
            let id = MemoryId::new(stamp.now, &OsEntropy);
            tx.create_memory(id, &agent, user, &write, &stamp).await?;
        }
        tx.commit().await?;
    }
    db.close().await;
    keepsake.crowd(amount.copies())?;
    Ok(begun.elapsed())
}

/// Memory `n` in all, and which field of a profile it is.
fn memory(n: u64, field: Option<u64>, now: domain::Timestamp) -> Write {
    let said_at = now - Span::hours((n % 2_000) as i64);
    let plain = Write {
        kind: KINDS[n as usize % KINDS.len()].to_owned(),
        name: Some(format!("topic {n}")),
        content: format!(
            "User cares about topic {n}, and says so whenever plan {} comes up",
            n * 31 % 997
        ),
        metadata: Default::default(),
        tags: vec![],
        confidence: 0.9,
        importance: (n % 10) as f64 / 10.0,
        language: "en".to_owned(),
        expires_at: None,
        serve_from: None,
        conversation: None,
        said_at,
        candidate: None,
        decision: None,
        note: None,
    };
    let Some(number) = field else {
        return plain;
    };
    let (field, value) = (format!("field_{number}"), json!(format!("value {n}")));
    Write {
        kind: profile::KIND.to_owned(),
        name: Some(profile::name(SCHEMA, &field)),
        content: profile::words(&value),
        metadata: profile::metadata(SCHEMA, &field, &value, &value),
        ..plain
    }
}
