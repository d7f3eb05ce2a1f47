//! Reading memories: lists, one, and its history.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Evidence, State},
    id::{CandidateId, MemoryId, UserId},
    memory::{Memory, MemoryStatus, Revision},
    permission::{Actor, Permission, Permit},
    profile,
    user::Scope,
};
use serde_json::{Map, Value};
use store::Tx;

use super::{MemoryDetail, MemoryView, RevisionView};
use crate::{
    Engine,
    error::{EngineError, Result},
    need, opt_out,
    page::{List, Page},
    queue::{page, transcripts},
    view::{Names, told},
};

/// Which memories. The default is what is served.
#[derive(Debug, Clone, Default)]
pub struct MemoryFilter {
    /// Retired ones instead; only for people.
    pub retired: bool,
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one user, by our id.
    pub user: Option<UserId>,
    /// About one user, by the agent's own name.
    pub scope: Option<Scope>,
    /// Of these kinds; empty: all natural-language ones (D6).
    pub kinds: Vec<String>,
    /// That hold all of these words.
    pub search: Option<String>,
}

impl MemoryFilter {
    /// The store's form of it; `None` where it names a user nobody knows.
    pub(super) async fn resolve(
        &self,
        tx: &mut Tx,
        permit: &Permit,
    ) -> Result<Option<store::MemoryFilter>> {
        let user = match (&self.user, &self.scope) {
            (None, Some(scope)) => {
                let agent = crate::only_agent(permit, self.agent.as_ref())?;
                match tx.find_user(&agent, scope).await? {
                    Some(user) => Some(user.id),
                    None => return Ok(None),
                }
            }
            (user, _) => user.clone(),
        };
        if self.retired && !history(permit) {
            return Err(EngineError::Forbidden);
        }
        Ok(Some(store::MemoryFilter {
            agent: self.agent.clone(),
            user,
            status: if self.retired {
                MemoryStatus::Retired
            } else {
                MemoryStatus::Approved
            },
            told: !history(permit),
            natural: self.kinds.is_empty(),
            kinds: self.kinds.clone(),
            search: self.search.clone(),
        }))
    }
}

/// What came of a candidate, as an agent may know it: nothing of what it proposes.
#[derive(Debug, Clone)]
pub enum CameOf {
    /// A person has not decided yet.
    Waits {
        /// Whom it is about.
        scope: Scope,
        /// When it was proposed.
        since: Timestamp,
    },
    /// It was approved, and this is the memory that it made or changed.
    Memory(Box<MemoryView>),
}

/// Whether the actor may see what was retired, proposed and noted: people, not the keys of agents.
pub(super) fn history(permit: &Permit) -> bool {
    !matches!(permit.actor(), Actor::Key { .. })
}

/// Memories outward, as the actor may see them.
pub(super) async fn shown(
    tx: &mut Tx,
    permit: &Permit,
    memories: Vec<Memory>,
    now: Timestamp,
) -> Result<Vec<MemoryView>> {
    let mut views = Names::at(now).memories(tx, memories).await?;
    for view in &mut views {
        keep_to_people(&view.kind, &mut view.metadata, history(permit));
    }
    Ok(views)
}

/// A profile field remembers what was extracted before a person changed it. An agent is told only what was approved.
fn keep_to_people(kind: &str, metadata: &mut Map<String, Value>, history: bool) {
    if !history && kind == profile::KIND {
        metadata.remove("extracted");
    }
}

const READS: &[Permission] = &[
    Permission::ReadMemories,
    Permission::ReadHistory,
    Permission::Decide,
];

impl Engine {
    /// A page of memories, newest first.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] where an agent's key asks for retired ones.
    pub async fn memories(
        &self,
        permit: &Permit,
        filter: &MemoryFilter,
        wanted: &Page,
    ) -> Result<List<MemoryView>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let Some(filter) = filter.resolve(&mut tx, permit).await? else {
            return Ok(List::whole(Vec::new()));
        };
        let rows = tx.memories(&filter, &page(wanted)?, self.now()).await?;
        let readable = opt_out::readable(&mut tx, permit, rows.rows).await?;
        let data = shown(&mut tx, permit, readable, self.now()).await?;
        Ok(List {
            data,
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }

    /// How many there are.
    ///
    /// # Errors
    /// As [`Engine::memories`].
    pub async fn count_memories(&self, permit: &Permit, filter: &MemoryFilter) -> Result<i64> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        match filter.resolve(&mut tx, permit).await? {
            None => Ok(0),
            Some(filter) => Ok(tx.memory_count(&filter, self.now()).await?),
        }
    }

    /// One memory.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], for an agent's key also where it is retired, past its time, or not told yet.
    pub async fn memory(&self, permit: &Permit, id: &MemoryId) -> Result<MemoryView> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        self.visible(&mut tx, permit, id).await
    }

    async fn visible(&self, tx: &mut Tx, permit: &Permit, id: &MemoryId) -> Result<MemoryView> {
        let memory = tx
            .memory(id)
            .await?
            .filter(|memory| history(permit) || memory.told(self.now()));
        let readable = opt_out::readable(tx, permit, memory.into_iter().collect()).await?;
        let mut shown = shown(tx, permit, readable, self.now()).await?;
        shown.pop().ok_or(EngineError::NotFound)
    }

    /// What came of a candidate.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], also where it was rejected or has expired and where its memory is not served; for an agent's key
    /// also of who opted out.
    pub async fn came_of(&self, permit: &Permit, id: &CandidateId) -> Result<CameOf> {
        need(permit, READS)?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let row = tx.candidate(id).await?.ok_or(EngineError::NotFound)?;
        let mut waits = row.candidate.waits(now);
        if let State::Approved { memory, .. } = &row.candidate.state {
            let stored = tx.memory(memory).await?;
            let has_grace = |memory: &Memory| memory.served(now) && memory.has_grace(now);
            // An agent is not told of it yet, so to an agent it still waits.
            waits = !history(permit) && stored.as_ref().is_some_and(has_grace);
        }
        if let (State::Approved { memory, .. }, false) = (&row.candidate.state, waits) {
            let memory = self.visible(&mut tx, permit, memory).await?;
            return if memory.served(now) {
                Ok(CameOf::Memory(Box::new(memory)))
            } else {
                Err(EngineError::NotFound)
            };
        }
        let hidden = !history(permit) && opt_out::out(&mut tx, &row.user).await?;
        if hidden || !waits {
            return Err(EngineError::NotFound);
        }
        Ok(CameOf::Waits {
            scope: row.user.scope,
            since: row.candidate.created_at,
        })
    }

    /// The versions of a memory, newest first.
    ///
    /// # Errors
    /// As [`Engine::memory`].
    pub async fn revisions(&self, permit: &Permit, id: &MemoryId) -> Result<List<RevisionView>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let memory = self.visible(&mut tx, permit, id).await?;
        let versions = versions(&mut tx, &memory, history(permit)).await?;
        Ok(List::whole(versions))
    }

    /// A memory with its history, the words it rests on, and the sessions that were told.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn memory_detail(&self, permit: &Permit, id: &MemoryId) -> Result<MemoryDetail> {
        need(permit, READS)?;
        if !history(permit) {
            return Err(EngineError::Forbidden);
        }
        self.flush().await?;
        let mut tx = self.read(permit).await?;
        let memory = self.visible(&mut tx, permit, id).await?;
        let revisions = versions(&mut tx, &memory, true).await?;
        let told = told(&mut tx, &memory.agent, id, 1).await?;
        let mut evidence: Vec<Evidence> = Vec::new();
        for piece in revisions.iter().flat_map(|revision| &revision.evidence) {
            if !evidence.contains(piece) {
                evidence.push(piece.clone());
            }
        }
        let transcripts = transcripts(&mut tx, &evidence, None).await?;
        Ok(MemoryDetail {
            memory,
            revisions,
            told,
            transcripts,
        })
    }
}

async fn versions(tx: &mut Tx, memory: &MemoryView, history: bool) -> Result<Vec<RevisionView>> {
    let revisions = tx.revisions(&memory.id).await?;
    let candidates = revisions
        .iter()
        .filter_map(|revision| revision.candidate.clone());
    let made_by = tx
        .made_by(&memory.agent, &candidates.collect::<Vec<_>>())
        .await?;
    let mut names = Names::default();
    let people = revisions
        .iter()
        .filter_map(|revision| revision.by.person().cloned());
    names.learn_people(tx, people.collect::<Vec<_>>()).await?;
    let befores = std::iter::once(None)
        .chain(
            revisions
                .iter()
                .map(|revision| Some(revision.content.clone())),
        )
        .collect::<Vec<_>>();
    let mut views: Vec<_> = revisions
        .into_iter()
        .zip(befores)
        .map(|(revision, before)| version(revision, before, &names, &made_by, history))
        .collect();
    views.reverse();
    Ok(views)
}

fn version(
    mut revision: Revision,
    before: Option<String>,
    names: &Names,
    made_by: &BTreeMap<CandidateId, store::Provenance>,
    history: bool,
) -> RevisionView {
    let made_by = revision.candidate.as_ref().and_then(|id| made_by.get(id));
    let of_a_profile = revision.kind == profile::KIND;
    keep_to_people(&revision.kind, &mut revision.metadata, history);
    RevisionView {
        made_by: made_by.cloned().map(Into::into),
        extracted: revision
            .metadata
            .get("extracted")
            .filter(|_| of_a_profile && history)
            .cloned(),
        diff: before
            .as_ref()
            .map(|before| domain::diff::words(before, &revision.content))
            .unwrap_or_default(),
        revision: revision.number,
        action: revision.action,
        kind: revision.kind,
        name: revision.name,
        content: revision.content,
        metadata: revision.metadata,
        importance: revision.importance,
        candidate: revision.candidate,
        proposed: revision.proposed.filter(|_| history),
        by: history.then(|| names.by(&revision.by)),
        note: revision.note.filter(|_| history),
        evidence: revision.evidence,
        // It tells what was found, in the words of the proposal, and not what was approved.
        explanation: revision.explanation.filter(|_| history),
        before,
        expires_at: revision.expires_at,
        at: revision.at,
    }
}
