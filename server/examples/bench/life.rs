//! A long life of an agent: posts to conversations through the functions of `store`, and so many other events of its chain that there
//! are as many as wanted.

use std::time::{Duration, Instant};

use anyhow::Result;
use domain::agent::{AgentName, AgentScope};
use domain::conversation::{NewMessage, Role, Source};
use domain::user::Scope;
use engine::{Clock as _, SystemClock};
use store::Stamp;

use crate::keepsake::{AGENT, Keepsake};

/// One of so many events commits to a text, that of a post.
const ONE_OF: u64 = 5;
/// Who talks to the agent, each in one conversation.
const USERS: u64 = 1_000;
/// Posts a transaction.
const BATCH: u64 = 1_000;

/// Lives until the chain of the agent has `events` events, while the server does not run.
pub async fn live(keepsake: &Keepsake, events: u64) -> Result<Duration> {
    let begun = Instant::now();
    let db = keepsake.open().await?;
    let agent = AgentName::parse(AGENT)?;
    let stamp = Stamp::system(SystemClock.now());
    let mut conversations = Vec::new();
    let mut tx = db.write(AgentScope::All).await?;
    for n in 0..USERS {
        let scope = Scope::user_id(&format!("u-{n}"))?;
        let user = tx.ensure_user(&agent, &scope, &stamp).await?.id;
        let made = tx.create_conversation(&agent, &user, None, None, stamp.now);
        conversations.push(made.await?);
    }
    tx.commit().await?;

    let posts = events / ONE_OF;
    for first in (0..posts).step_by(BATCH as usize) {
        let mut tx = db.write(AgentScope::All).await?;
        for n in first..posts.min(first + BATCH) {
            let conversation = &mut conversations[(n % USERS) as usize];
            let (after, _) = tx
                .receive(conversation, &[message(n).into()], false, &stamp)
                .await?;
            *conversation = after;
        }
        tx.commit().await?;
    }

    let mut tx = db.read(AgentScope::One(agent)).await?;
    let told = tx.heads().await?.first().map_or(0, |head| head.seq);
    drop(tx);
    db.close().await;
    keepsake.grow(events.saturating_sub(told.unsigned_abs()))?;
    Ok(begun.elapsed())
}

fn message(n: u64) -> NewMessage {
    NewMessage {
        external_id: None,
        role: Role::User,
        source: Source::Human,
        at: None,
        content: format!(
            "I prefer short answers, please, and number {} first. This is request {n} about plan {}.",
            n * 7919 % 10_007,
            n * 31 % 997
        ),
    }
}
