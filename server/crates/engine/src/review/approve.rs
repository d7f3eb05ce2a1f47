//! Approving: the proposal, or the reviewer's edit of it, becomes a memory or a revision. Proposal, edit and approver stay apart (F3).

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate, Edit, Flag, Verdict},
    fitting::Fitting,
    id::{CandidateId, DecisionId, MemoryId},
    kind::Kind,
    memory::Memory,
    permission::{Permission, Permit},
};
use serde_json::{Map, Value};
use store::{JobType, Stamp, Tx, Write};

use super::{
    Version,
    carry_out::{Approving, carry_out, taking_in},
    four_eyes::{self, first_of_two},
    lost, refused, said, seen, statement, view,
};
use crate::{
    Engine, again,
    candidate::CandidateView,
    claim::unclaimed,
    error::{EngineError, Result},
    handover::still_decides,
    need, opt_out,
    profile::{settled, time_to_live},
    speaks, writes,
};

/// An approval.
#[derive(Debug, Clone, Default)]
pub struct Approval {
    /// What the approver changes.
    pub edit: Edit,
    /// A memory that takes the statement in, instead of a new one or the one it was proposed for.
    pub merge_into: Option<MemoryId>,
    /// The revision of the memory to be changed, as the approver saw it; `None`: the one that the change was proposed against.
    pub seen_target: Option<i64>,
    /// The same for the memories that a merge retires.
    pub seen_absorbed: BTreeMap<MemoryId, i64>,
    /// The approver's note.
    pub note: Option<String>,
    /// How long the approver had the candidate in view, in milliseconds, where that is known (F11).
    pub took_ms: Option<i64>,
}

impl Engine {
    /// Approves a candidate. Where two people are needed and this is the first of them, it waits on, with `agreed_by` (G9).
    ///
    /// # Errors
    /// As `docs/API` tells: `second_person_needed`, `already_decided`, `stale`, `expired`, `not_pending`, `moved_on`, `slot_taken`, `memory_limit`, `secret`,
    /// `opted_out`, `invalid`. With `memory_limit` a proposal that would make room is in the queue.
    pub async fn approve(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        approval: Approval,
    ) -> Result<CandidateView> {
        need(permit, &[Permission::Decide])?;
        match again!(self.approve_once(permit, id, version, &approval).await) {
            Err(EngineError::Full { limit, .. }) => {
                let about = self.read(permit).await?.candidate(id).await?;
                let about = about.ok_or(EngineError::NotFound)?.candidate;
                Err(self.full(limit, &about.agent, &about.user).await)
            }
            done => done,
        }
    }

    async fn approve_once(
        &self,
        permit: &Permit,
        id: &CandidateId,
        version: Option<Version>,
        approval: &Approval,
    ) -> Result<CandidateView> {
        let stamp = Stamp {
            took_ms: approval.took_ms,
            ..self.stamp(permit)
        };
        let mut tx = self.write(permit).await?;
        let before = seen(&mut tx, id, version, stamp.now).await?;
        speaks(permit, &before.agent, &before.proposal.language)?;
        let decision = DecisionId::new(stamp.now, self.entropy());
        let fresh = MemoryId::new(stamp.now, self.entropy());
        // The transition is asked first: what is decided or expired is told so, whatever the edit holds.
        if let Err(why) = before
            .clone()
            .approve(decision.clone(), fresh.clone(), stamp.now)
        {
            return Err(refused(&mut tx, id, why).await);
        }
        // What takes something away may be done for who wants nothing remembered.
        if before.proposal.action != Action::Retire {
            opt_out::not_out(&mut tx, &before.user).await?;
        }
        unclaimed(&mut tx, &before, &stamp).await?;
        let standing = tx.agreement(&before).await?;
        let standing = match standing {
            Some(agreed) if still_decides(&mut tx, &agreed.person, &before).await? => Some(agreed),
            _ => None,
        };
        let asked = approval;
        let approval = &four_eyes::meant(asked, standing.as_ref(), stamp.person().as_ref());
        let into = match (&approval.merge_into, before.proposal.action) {
            (None, _) => None,
            (Some(into), Action::Create | Action::Update) => {
                Some(taking_in(&mut tx, into, &before, approval, &stamp).await?)
            }
            (Some(_), Action::Merge | Action::Retire) => {
                return Err(EngineError::invalid(
                    "/merge_into",
                    "not_allowed",
                    "only a create or an update is merged into a memory",
                ));
            }
        };
        let into = into.as_ref();
        let approving = prepare(&mut tx, &before, decision.clone(), approval, into, &stamp).await?;
        // What it changes, and what it writes, is content too.
        writes(permit, &before.agent, &approving.write.language)?;
        for target in &before.proposal.targets {
            if let Some(memory) = tx.memory(&target.memory).await? {
                speaks(permit, &before.agent, &memory.language)?;
            }
        }
        if let Some(memory) = into {
            speaks(permit, &before.agent, &memory.language)?;
        }
        let first = first_of_two(
            &mut tx,
            &before,
            asked,
            &approving,
            standing.as_ref(),
            &stamp,
        );
        if let Some(agreed) = first.await? {
            // It is the other person's turn.
            tx.give_up_claim(&before, &stamp).await?;
            tx.commit().await?;
            return Ok(agreed);
        }
        let memory = carry_out(&mut tx, fresh, &approving, into, &stamp).await?;
        let after = match before.clone().approve(decision, memory, stamp.now) {
            Ok(after) => after,
            Err(why) => return Err(refused(&mut tx, id, why).await),
        };
        let verdict = Verdict::Approve(approval.edit.clone());
        if let Err(error) = tx
            .decide(&before, &after, &verdict, approval.note.as_deref(), &stamp)
            .await
        {
            return Err(lost(&mut tx, id, error).await);
        }
        let view = view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(view)
    }
}

/// From when on agents are told of what was approved at an instant, by the grace that their settings give it; `None`: at once.
pub(super) async fn serve_from(
    tx: &mut Tx,
    agent: &AgentName,
    approved_at: Timestamp,
) -> Result<Option<Timestamp>> {
    let agent = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
    Ok(agent.settings.serve_from(approved_at))
}

/// What of the metadata of a statement of the kind `of` is kept under this one: after a change of kind, what its schema names.
fn taken(kind: &Kind, of: &str, metadata: &Map<String, Value>) -> Map<String, Value> {
    let mut metadata = metadata.clone();
    if kind.name != of {
        let schema = kind.metadata_schema.as_ref();
        let named = schema.and_then(|schema| schema.get("properties"));
        metadata.retain(|name, _| named.is_some_and(|named| named.get(name).is_some()));
    }
    metadata
}

/// What would be written: the proposal with the edit over it, checked where the person changed something. A memory that takes it in
/// stays what it is, unless the edit says otherwise.
pub(super) async fn prepare<'a>(
    tx: &mut Tx,
    candidate: &'a Candidate,
    decision: DecisionId,
    approval: &'a Approval,
    into: Option<&Memory>,
    stamp: &Stamp,
) -> Result<Approving<'a>> {
    let edit = &approval.edit;
    let proposal = &candidate.proposal;
    let kept_kind = into.map_or(&proposal.kind, |memory| &memory.kind);
    let kind_name = edit.kind.as_ref().unwrap_or(kept_kind);
    let kinds = tx.kinds(&candidate.agent).await?;
    let kind = match kinds.into_iter().find(|kind| kind.name == *kind_name) {
        Some(kind) if edit.kind.is_none() || kind.enabled => kind,
        _ => statement::kind(tx, &candidate.agent, kind_name).await?,
    };
    let kept_name = into.and_then(|memory| memory.name.clone());
    let name = edit
        .name
        .clone()
        .or(kept_name)
        .or_else(|| proposal.name.clone());
    let content = edit
        .content
        .clone()
        .unwrap_or_else(|| proposal.content.clone());
    let metadata = edit.metadata.clone().unwrap_or_else(|| match into {
        None => taken(&kind, &proposal.kind, &proposal.metadata),
        Some(memory) => {
            let mut joined = taken(&kind, &memory.kind, &memory.metadata);
            // Figures of another kind would not fit this one's schema.
            if proposal.kind == kind.name {
                joined.extend(proposal.metadata.clone());
            }
            joined
        }
    });
    if !edit.is_empty() {
        statement::check(&kind, name.as_deref(), &content, &metadata, edit.importance)?;
    }
    let (content, metadata) = if proposal.action == Action::Retire {
        (content, metadata)
    } else {
        // Also without an edit: the schema of a field may have changed since it was proposed.
        settled(
            tx,
            &candidate.agent,
            &kind.name,
            name.as_deref(),
            (content, metadata),
            Some((&proposal.content, &proposal.metadata)),
        )
        .await?
    };
    let unfit = |schema| !Fitting::new(schema).fits(&metadata);
    if kind.metadata_schema.as_ref().is_some_and(unfit) && proposal.action != Action::Retire {
        // It is approved for what it says; its metadata is looked at like that of what was approved before the schema changed (C8).
        tx.enqueue(&candidate.agent, None, JobType::Migrate, stamp)
            .await?;
    }
    let otherwise = if proposal.flags.contains(&Flag::Imported) {
        let imported = tx.imported_as(&candidate.agent, &candidate.id).await?;
        imported.and_then(|it| it.said_at)
    } else {
        None
    };
    let otherwise = otherwise.unwrap_or(candidate.created_at);
    let (conversation, said_at) = said(tx, &proposal.evidence, otherwise).await?;
    let language = if edit.content.is_some() {
        let of_a_field = kind.name == domain::profile::KIND;
        domain::text::language_with(&content, of_a_field, [proposal.language.as_str()]).to_owned()
    } else {
        proposal.language.clone()
    };
    let life = time_to_live(tx, &candidate.agent, &kind, name.as_deref()).await?;
    Ok(Approving {
        write: Write {
            kind: kind.name.clone(),
            name,
            language,
            content,
            metadata,
            tags: proposal.tags.clone(),
            confidence: proposal.confidence,
            importance: edit.importance.unwrap_or(proposal.importance),
            expires_at: life.map(|life| stamp.now + life),
            serve_from: serve_from(tx, &candidate.agent, stamp.now).await?,
            conversation,
            said_at,
            candidate: Some(candidate.id.clone()),
            decision: Some(decision.clone()),
            note: None,
        },
        candidate,
        decision,
        approval,
    })
}
