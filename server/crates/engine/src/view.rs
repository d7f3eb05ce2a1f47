//! From stored rows to what goes out: names of users and people beside their ids, looked up once a list.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Timestamp,
    agent::AgentName,
    audit::{EventActor, EventBody, StoredEvent},
    candidate::{DecidedBy, Decision, Flag, State, Status, Verdict},
    id::{ExtractionId, KeyId, MemoryId, PersonId, UserId},
    memory::Memory,
    user::{Scope, User},
};
use store::{Queued, Tx};

use crate::{
    audit::EventView,
    candidate::{AgreedBy, CandidateView, DecisionView, Told},
    claim::ClaimView,
    error::Result,
    extractor::Provenance,
    handover::HandoverView,
    memory::MemoryView,
    opt_out::OptOuts,
    page::By,
    passed::passed,
};

/// Names met while a list is turned outward.
#[derive(Default)]
pub(crate) struct Names {
    /// When the list is read, where that matters: for what has passed.
    now: Option<Timestamp>,
    people: BTreeMap<PersonId, String>,
    keys: BTreeMap<KeyId, String>,
    users: BTreeMap<UserId, Scope>,
    extractors: BTreeMap<ExtractionId, Option<Provenance>>,
    opt_outs: OptOuts,
}

impl Names {
    /// For a list that is read at `now` and says what has passed by then (G12).
    pub fn at(now: Timestamp) -> Self {
        Self {
            now: Some(now),
            ..Self::default()
        }
    }

    fn passed(&self, kind: &str, metadata: &serde_json::Map<String, serde_json::Value>) -> bool {
        self.now.is_some_and(|now| passed(kind, metadata, now))
    }

    /// Looks people up, all at once.
    pub async fn learn_people(
        &mut self,
        tx: &mut Tx,
        ids: impl IntoIterator<Item = PersonId>,
    ) -> Result<()> {
        let mut unknown: Vec<_> = ids
            .into_iter()
            .filter(|id| !self.people.contains_key(id))
            .collect();
        unknown.sort();
        unknown.dedup();
        if !unknown.is_empty() {
            self.people.extend(tx.person_names(&unknown).await?);
        }
        Ok(())
    }

    /// Who decided, by name.
    pub fn by(&self, decided_by: &DecidedBy) -> By {
        match decided_by {
            DecidedBy::Person(id) => By::person(id, self.people.get(id).cloned()),
            DecidedBy::Policy { name, by } => By::policy(name, by, self.people.get(by).cloned()),
            DecidedBy::System => By::system(),
        }
    }

    /// A person, by name.
    pub fn person(&self, id: &PersonId) -> By {
        By::person(id, self.people.get(id).cloned())
    }

    /// Who acted, by name.
    pub fn actor(&self, actor: EventActor) -> By {
        let id = actor.id.as_deref().unwrap_or_default();
        let person = PersonId::parse(id).ok();
        let key = KeyId::parse(id).ok();
        let name = person
            .and_then(|id| self.people.get(&id))
            .or_else(|| self.keys.get(&key?))
            .cloned();
        let policy = actor.id.clone().filter(|_| actor.r#type == "policy");
        By {
            r#type: actor.r#type,
            id: actor.id,
            name,
            policy,
        }
    }

    /// Remembers a user.
    pub fn met(&mut self, user: &User) {
        self.users.insert(user.id.clone(), user.scope.clone());
    }

    /// How the agent names a user; `None` where the user is gone.
    pub async fn scope(&mut self, tx: &mut Tx, id: &UserId) -> Result<Option<Scope>> {
        if let Some(scope) = self.users.get(id) {
            return Ok(Some(scope.clone()));
        }
        let user = tx.user(id).await?;
        Ok(user.map(|user| {
            self.met(&user);
            user.scope
        }))
    }

    /// A memory outward; `None` where its user is gone.
    pub async fn memory(&mut self, tx: &mut Tx, memory: Memory) -> Result<Option<MemoryView>> {
        Ok(self.memories(tx, vec![memory]).await?.pop())
    }

    /// Memories outward.
    pub async fn memories(
        &mut self,
        tx: &mut Tx,
        memories: Vec<Memory>,
    ) -> Result<Vec<MemoryView>> {
        let mut of_agents: BTreeMap<AgentName, Vec<MemoryId>> = BTreeMap::new();
        for memory in &memories {
            let ids = of_agents.entry(memory.agent.clone()).or_default();
            ids.push(memory.id.clone());
        }
        let (mut made_by, mut imported) = (BTreeMap::new(), BTreeSet::new());
        for (agent, ids) in &of_agents {
            made_by.extend(tx.memories_made_by(agent, ids).await?);
            imported.extend(tx.memories_imported(agent, ids).await?);
        }
        let mut views = Vec::with_capacity(memories.len());
        for memory in memories {
            if let Some(scope) = self.scope(tx, &memory.user).await? {
                let made_by = made_by.remove(&memory.id).map(Provenance::from);
                let of_a_file = || imported.contains(&memory.id).then(Provenance::of_imports);
                let made_by = made_by.or_else(of_a_file);
                let mut view = MemoryView::new(memory, &scope, made_by);
                let served = view.status == domain::memory::MemoryStatus::Approved;
                if served && self.passed(&view.kind, &view.metadata) {
                    view.flags.push(Flag::DatePassed);
                }
                views.push(view);
            }
        }
        Ok(views)
    }

    /// Candidates outward.
    pub async fn candidates(
        &mut self,
        tx: &mut Tx,
        rows: Vec<Queued>,
    ) -> Result<Vec<CandidateView>> {
        let people = rows
            .iter()
            .flat_map(|row| {
                let decided_by = row.decided_by.as_ref().and_then(DecidedBy::person);
                let first = row.agreement.as_ref().map(|first| &first.person);
                let claimed = row.claim.as_ref().map(|claim| &claim.person);
                let [handed_to, handed_by] = match &row.handover {
                    None => [None, None],
                    Some(handover) => [handover.to.person(), Some(&handover.by)],
                };
                let agreed = row.agreed_by.as_ref();
                [decided_by, first, agreed, claimed, handed_to, handed_by]
            })
            .flatten()
            .cloned();
        self.learn_people(tx, people.collect::<Vec<_>>()).await?;
        let mut views = Vec::with_capacity(rows.len());
        for row in rows {
            let extractor = match row.candidate.extraction.clone() {
                None => None,
                Some(id) => self.extractor(tx, id).await?,
            };
            let waits = row.candidate.status() == Status::Pending;
            let out = waits && self.opt_outs.hold(tx, &row.user).await?;
            let candidate = &row.candidate;
            let imported = if candidate.proposal.flags.contains(&Flag::Imported) {
                tx.imported_as(&candidate.agent, &candidate.id).await?
            } else {
                None
            };
            let mut view = self.candidate(row, extractor, out);
            if let Some(imported) = imported {
                view.extractor.get_or_insert_with(Provenance::of_imports);
                view.imported = Some(imported.into());
            }
            views.push(view);
        }
        Ok(views)
    }

    async fn extractor(&mut self, tx: &mut Tx, id: ExtractionId) -> Result<Option<Provenance>> {
        if let Some(known) = self.extractors.get(&id) {
            return Ok(known.clone());
        }
        let found = tx
            .extraction(&id)
            .await?
            .map(|extraction| Provenance::from(extraction.provenance));
        self.extractors.insert(id, found.clone());
        Ok(found)
    }

    /// Who agreed first: to what waits, with what they would change; to what is decided, by name.
    fn agreed_by(&self, row: &Queued) -> Option<AgreedBy> {
        let by = |person: &PersonId| By::person(person, self.people.get(person).cloned());
        match (&row.agreement, &row.agreed_by) {
            (Some(first), _) => Some(AgreedBy {
                by: by(&first.person),
                at: Some(first.at),
                edit: Some(first.to.edit.clone()).filter(|edit| !edit.is_empty()),
                merge_into: first.to.merge_into.clone(),
                note: first.to.note.clone(),
            }),
            (None, Some(person)) => Some(AgreedBy {
                by: by(person),
                at: None,
                edit: None,
                merge_into: None,
                note: None,
            }),
            (None, None) => None,
        }
    }

    fn candidate(&self, row: Queued, extractor: Option<Provenance>, out: bool) -> CandidateView {
        let moved = row.target_moved();
        let agreed_by = self.agreed_by(&row);
        let name = |person: &PersonId| self.people.get(person).cloned();
        let claim = row.claim.filter(|claim| {
            // What is not read at a moment says nothing of what holds then.
            self.now.is_some_and(|now| claim.holds(now))
        });
        let claim = claim.map(|claim| {
            let name = name(&claim.person);
            ClaimView::new(claim, name)
        });
        let handover = row.handover.map(|it| HandoverView::new(it, name));
        let status = row.candidate.status();
        let candidate = row.candidate;
        let mut flags = candidate.proposal.flags;
        if status == Status::Pending {
            let passed = self.passed(&candidate.proposal.kind, &candidate.proposal.metadata);
            flags.extend(moved.then_some(Flag::TargetMoved));
            flags.extend(passed.then_some(Flag::DatePassed));
            flags.extend(out.then_some(Flag::OptedOut));
            flags.sort();
            flags.dedup();
        }
        let (decided_at, memory, reason) = match &candidate.state {
            State::Pending => (None, None, None),
            State::Approved { at, memory, .. } => (Some(*at), Some(memory.clone()), None),
            State::Rejected { at, reason, .. } => (Some(*at), None, Some(*reason)),
        };
        let (absorbed, kept): (Vec<_>, Vec<_>) = candidate
            .proposal
            .targets
            .into_iter()
            .partition(|target| target.absorbed);
        let kept = kept.into_iter().next();
        let scope = row.user.scope;
        CandidateView {
            user_id: scope.as_user_id().map(str::to_owned),
            who: scope.display(),
            scope: scope.as_user_id().is_none().then_some(scope),
            id: candidate.id,
            agent: candidate.agent,
            action: candidate.proposal.action,
            target_revision: kept.as_ref().map(|target| target.revision),
            target: kept.map(|target| target.memory),
            absorbed: absorbed.into_iter().map(|target| target.memory).collect(),
            kind: candidate.proposal.kind,
            name: candidate.proposal.name,
            language: candidate.proposal.language,
            content: candidate.proposal.content,
            metadata: candidate.proposal.metadata,
            tags: candidate.proposal.tags,
            confidence: candidate.proposal.confidence,
            importance: candidate.proposal.importance,
            status,
            reason,
            flags,
            evidence: candidate.proposal.evidence,
            explanation: candidate.proposal.explanation,
            cause: candidate.proposal.cause,
            imported: None,
            expires_at: candidate.expires_at,
            created_at: candidate.created_at,
            decided_at,
            decided_by: decided_at
                .and(row.decided_by.as_ref())
                .map(|by| self.by(by)),
            agreed_by,
            claim,
            handover,
            memory,
            extractor,
            version: candidate.version,
            user: candidate.user,
        }
    }

    /// Decisions outward.
    pub async fn decisions(
        &mut self,
        tx: &mut Tx,
        decisions: Vec<Decision>,
    ) -> Result<Vec<DecisionView>> {
        let people = decisions
            .iter()
            .flat_map(|decision| [decision.by.person(), decision.agreed_by.as_ref()])
            .flatten()
            .cloned();
        self.learn_people(tx, people.collect::<Vec<_>>()).await?;
        Ok(decisions
            .into_iter()
            .map(|decision| {
                let by = self.by(&decision.by);
                let first = decision.agreed_by.as_ref();
                let agreed_by =
                    first.map(|first| By::person(first, self.people.get(first).cloned()));
                let (word, reason, edit) = match decision.verdict {
                    Verdict::Approve(edit) => ("approve", None, (!edit.is_empty()).then_some(edit)),
                    Verdict::Reject(reason) => ("reject", Some(reason), None),
                    Verdict::Reopen => ("reopen", None, None),
                };
                DecisionView {
                    id: decision.id,
                    decision: word,
                    reason,
                    edit,
                    by,
                    agreed_by,
                    note: decision.note,
                    at: decision.at,
                }
            })
            .collect())
    }

    /// Events outward.
    pub async fn events(
        &mut self,
        tx: &mut Tx,
        events: Vec<StoredEvent>,
    ) -> Result<Vec<EventView>> {
        let bodies: Vec<(StoredEvent, Option<EventBody>)> = events
            .into_iter()
            .map(|event| (serde_json::from_str(&event.body).ok(), event))
            .map(|(body, event)| (event, body))
            .collect();
        let people = bodies
            .iter()
            .filter_map(|(_, body)| body.as_ref())
            .flat_map(|body| [body.actor.id.as_deref(), Some(body.subject.as_str())])
            .flatten()
            .filter_map(|id| PersonId::parse(id).ok());
        self.learn_people(tx, people.collect::<Vec<_>>()).await?;
        let mut keys: Vec<_> = bodies
            .iter()
            .filter_map(|(_, body)| KeyId::parse(body.as_ref()?.actor.id.as_deref()?).ok())
            .filter(|id| !self.keys.contains_key(id))
            .collect();
        keys.sort();
        keys.dedup();
        self.keys.extend(tx.key_labels(&keys).await?);
        Ok(bodies
            .into_iter()
            .filter_map(|(event, body)| {
                let body = body?;
                Some(EventView {
                    agent: event.agent,
                    seq: event.seq,
                    hash: domain::audit::hex(&event.hash),
                    at: event.at,
                    r#type: body.r#type,
                    actor: self.actor(body.actor),
                    user: body.user.as_deref().and_then(|id| UserId::parse(id).ok()),
                    subject: body.subject,
                    data: body.data,
                })
            })
            .collect())
    }
}

/// The sessions that were told a memory from a revision on.
pub(crate) async fn told(
    tx: &mut Tx,
    agent: &AgentName,
    memory: &domain::id::MemoryId,
    from_revision: i64,
) -> Result<Vec<Told>> {
    let servings = tx.told(agent, memory, from_revision, 100).await?;
    let mut told = Vec::with_capacity(servings.len());
    for serving in servings {
        let stored = match serving.conversation.as_deref() {
            Some(external) => tx.find_conversation(agent, &serving.user, external).await?,
            None => None,
        };
        told.push(Told {
            stored: stored.map(|conversation| conversation.id),
            revision: serving
                .items
                .iter()
                .filter(|(id, _)| id == memory)
                .map(|(_, revision)| *revision)
                .max()
                .unwrap_or(from_revision),
            serving: serving.id,
            conversation: serving.conversation,
            at: serving.at,
        });
    }
    Ok(told)
}
