//! Looking for the person: users of exactly their name by its keyed hash; users of other names that hold one of its values, whose names
//! are opened for that, so many in one go; and what others' memories and proposals say of them, by the search tokens there are. The words
//! of conversations, and of what was decided and is no memory, have no tokens and are not looked through.

use std::collections::{BTreeSet, HashSet};

use domain::{
    Timestamp,
    agent::AgentName,
    id::{RequestId, UserId},
    memory::MemoryStatus,
    permission::{Permission, Permit},
    request::FoundBy,
};
use store::{Asked, Find, Looked, MemoryFilter, QueueFilter, Request, Tx, View};

use super::{RequestDetail, asked};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    export::present,
    need,
};

/// The most names that are opened in one go.
const MOST_OPENED: usize = 10_000;
/// So many of them at once.
const OPENED_AT_ONCE: u32 = 500;
/// The most memories and proposals of others that are named, of each sort in each agent.
const MOST_ELSEWHERE: u32 = 200;

impl Engine {
    /// Looks for the person again, and goes on with the names that were not looked through yet.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::RequestClosed`].
    pub async fn look_for_person(&self, permit: &Permit, id: &RequestId) -> Result<RequestDetail> {
        need(permit, &[Permission::Export])?;
        again!(self.look_once(permit, id).await)?;
        self.request(permit, id).await
    }

    async fn look_once(&self, permit: &Permit, id: &RequestId) -> Result<()> {
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let request = tx.request(id).await?.ok_or(EngineError::NotFound)?;
        let person = asked(&request)?;
        let agents = agents(&mut tx, &request).await?;
        let mut finds = by_name(&mut tx, &agents, &person).await?;
        let looked = through_names(&mut tx, &agents, &person, request.looked, &mut finds).await?;
        other_ids(&mut tx, &mut finds).await?;
        let before = tx.finds(id).await?;
        let known: HashSet<UserId> = before
            .into_iter()
            .chain(finds.iter().cloned())
            .filter(|find| find.by != FoundBy::Words)
            .map(|find| find.user)
            .collect();
        let words = person
            .words
            .clone()
            .or_else(|| person.named.as_user_id().map(str::to_owned));
        if let Some(words) = words {
            for agent in &agents {
                let elsewhere = elsewhere(&mut tx, agent, &words, now).await?;
                finds.extend(
                    elsewhere
                        .into_iter()
                        .filter(|find| !known.contains(&find.user)),
                );
            }
        }
        drop(tx);
        let mut tx = self.write(permit).await?;
        let request = tx
            .request_for_update(id)
            .await?
            .ok_or(EngineError::NotFound)?;
        // Whoever closed it meanwhile has had the last word.
        asked(&request)?;
        tx.note_finds(&request, &finds, &looked, &self.stamp(permit))
            .await?;
        Ok(tx.commit().await?)
    }
}

/// The users of exactly the person's name.
pub(super) async fn by_name(
    tx: &mut Tx,
    agents: &[AgentName],
    person: &Asked,
) -> Result<Vec<Find>> {
    let mut finds = Vec::new();
    for agent in agents {
        if let Some(user) = present(tx.find_user(agent, &person.named).await)? {
            finds.push(found(agent, user.id, FoundBy::Name));
        }
    }
    Ok(finds)
}

/// Adds the ids that are joined with one that was found (G15): they are the same person, whatever they are called.
pub(super) async fn other_ids(tx: &mut Tx, finds: &mut Vec<Find>) -> Result<()> {
    for find in finds.clone() {
        for id in tx.together(&find.agent, &find.user).await? {
            if !finds.iter().any(|known| known.user == id) {
                finds.push(found(&find.agent, id, find.by));
            }
        }
    }
    Ok(())
}

fn found(agent: &AgentName, user: UserId, by: FoundBy) -> Find {
    Find {
        agent: agent.clone(),
        subject: user.to_string(),
        user,
        by,
    }
}

/// Where the person is looked for, by name.
pub(super) async fn agents(tx: &mut Tx, request: &Request) -> Result<Vec<AgentName>> {
    let all: BTreeSet<AgentName> = tx
        .agents()
        .await?
        .into_iter()
        .map(|agent| agent.name)
        .filter(|name| request.agent.as_ref().is_none_or(|only| only == name))
        .collect();
    Ok(all.into_iter().collect())
}

/// Users that hold one of the values in another name, from where it was left on.
async fn through_names(
    tx: &mut Tx,
    agents: &[AgentName],
    person: &Asked,
    mut looked: Looked,
    finds: &mut Vec<Find>,
) -> Result<Looked> {
    if looked.all {
        return Ok(looked);
    }
    let wanted: HashSet<String> = person
        .named
        .pairs()
        .values()
        .map(|value| value.to_lowercase())
        .collect();
    let (first, mut before) = match looked.next.take() {
        Some((agent, before)) => (Some(agent), before),
        None => (None, None),
    };
    let mut opened = 0;
    for agent in agents {
        if first.as_ref().is_some_and(|first| agent < first) {
            continue;
        }
        loop {
            if opened >= MOST_OPENED {
                looked.next = Some((agent.clone(), before));
                return Ok(looked);
            }
            let some = tx
                .users_before(agent, before.as_ref(), OPENED_AT_ONCE)
                .await?;
            let Some(last) = some.last() else { break };
            before = Some(last.id.clone());
            opened += some.len();
            looked.names += i64::try_from(some.len()).unwrap_or(i64::MAX);
            let alike = some.into_iter().filter(|user| {
                let mut values = user.scope.pairs().values();
                user.scope != person.named
                    && values.any(|value| wanted.contains(&value.to_lowercase()))
            });
            finds.extend(alike.map(|user| found(agent, user.id, FoundBy::Value)));
        }
        before = None;
    }
    looked.all = true;
    Ok(looked)
}

/// What is kept in an agent and holds all of the words: memories, retired ones too, and what waits.
async fn elsewhere(
    tx: &mut Tx,
    agent: &AgentName,
    words: &str,
    now: Timestamp,
) -> Result<Vec<Find>> {
    let page = store::Page::first(MOST_ELSEWHERE);
    let mut finds = Vec::new();
    for status in [MemoryStatus::Approved, MemoryStatus::Retired] {
        let filter = MemoryFilter {
            agent: Some(agent.clone()),
            status,
            search: Some(words.to_owned()),
            ..MemoryFilter::default()
        };
        let memories = tx.memories(&filter, &page, now).await?.rows;
        finds.extend(memories.into_iter().map(|memory| Find {
            agent: agent.clone(),
            subject: memory.id.to_string(),
            user: memory.user,
            by: FoundBy::Words,
        }));
    }
    let filter = QueueFilter {
        agent: Some(agent.clone()),
        view: View::Waiting,
        search: Some(words.to_owned()),
        ..QueueFilter::default()
    };
    let waiting = tx.queue(&filter, &page, now).await?.rows;
    finds.extend(waiting.into_iter().map(|row| Find {
        agent: agent.clone(),
        subject: row.candidate.id.to_string(),
        user: row.candidate.user,
        by: FoundBy::Words,
    }));
    Ok(finds)
}
