//! Keeping what came of a window: through the gate and the matcher into the queue, in one short transaction.

use domain::{
    candidate::{Action, Proposal},
    conversation::Conversation,
    gate::{Forget, Gated, Kept},
    id::{ExtractionId, MemoryId},
    kind::Kind,
    matcher::{self, Judgement, Seen},
    time::Span,
};
use store::{Claimed, ExtractionState, NewCandidate, NewExtraction, Outcome, Stamp, Tx};

use super::{
    plan::{Plan, Worst},
    span, stored,
    window::Reading,
};
use crate::{
    Engine, again,
    error::Result,
    extractor::{Extracted, ExtractedState},
};

impl Engine {
    /// Keeps a window: candidates, sightings, the extraction, the events, and with the last window the end of the job.
    #[expect(
        clippy::too_many_arguments,
        reason = "one transaction needs all of it, and nothing else does"
    )]
    pub(super) async fn keep(
        &self,
        claimed: &Claimed,
        plan: &Plan,
        stretch: (i64, i64),
        reading: &Reading,
        extracted: Extracted,
        outcome: Outcome,
        ends: Option<&Worst>,
    ) -> Result<Outcome> {
        let Extracted {
            drafts,
            state,
            provenance,
            raw,
            tokens_in,
            tokens_out,
        } = extracted;
        let gated = reading.gate(drafts, &plan.agent.settings);
        let (state, error) = kept_as(&state);
        let extraction = NewExtraction {
            conversation: &plan.conversation,
            operation: &claimed.operation.id,
            from: stretch.0,
            upto: stretch.1,
            state,
            provenance: provenance.into(),
            error: error.map(str::to_owned),
            raw,
            tokens_in: tokens_in.unwrap_or(0),
            tokens_out: tokens_out.unwrap_or(0),
            candidates: 0,
            dropped: gated.dropped.clone(),
            moves: plan.moves,
        };
        again!(
            self.keep_once(claimed, plan, &gated, &extraction, &outcome, ends)
                .await
        )
    }

    async fn keep_once(
        &self,
        claimed: &Claimed,
        plan: &Plan,
        gated: &Gated,
        extraction: &NewExtraction<'_>,
        before: &Outcome,
        ends: Option<&Worst>,
    ) -> Result<Outcome> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease))
            .await?;
        let id = tx.begin_extraction_id(stamp.now);
        let kinds = tx.kinds(&plan.conversation.agent).await?;
        let mut outcome = before.clone();
        for (why, count) in &gated.dropped {
            *outcome.dropped.entry(*why).or_default() += count;
        }
        outcome.tokens_in += extraction.tokens_in;
        outcome.tokens_out += extraction.tokens_out;
        let already = outcome.candidates.len();
        let wishes: Vec<Kept> = gated.asked_to_forget.iter().map(retire_proposal).collect();
        for (place, kept) in (0..).zip(gated.kept.iter().chain(&wishes)) {
            // A microsecond apart: the queue then shows a window's candidates in the order in which they were said.
            let stamp = Stamp {
                now: stamp.now + Span::microseconds(place),
                ..stamp.clone()
            };
            self.judge(
                &mut tx,
                &plan.conversation,
                kept,
                &kinds,
                &id,
                &mut outcome,
                &stamp,
            )
            .await?;
        }
        let made = u32::try_from(outcome.candidates.len() - already).unwrap_or(u32::MAX);
        let extraction = NewExtraction {
            candidates: made,
            ..extraction.clone()
        };
        tx.record_extraction(&id, &extraction, &stamp).await?;
        match ends {
            Some(worst) => {
                let error = worst.error.as_deref();
                tx.finish_job(claimed, worst.state(), error, &outcome, stamp.now)
                    .await?;
            }
            None => tx.save_outcome(claimed, &outcome).await?,
        }
        tx.commit().await?;
        Ok(outcome)
    }

    /// Compares a draft with what is stored, waiting and rejected, and keeps what comes of it. Read anew for each draft, so that two
    /// of one window see each other.
    #[expect(
        clippy::too_many_arguments,
        reason = "the matcher's inputs and the place where its answer goes"
    )]
    async fn judge(
        &self,
        tx: &mut Tx,
        conversation: &Conversation,
        kept: &Kept,
        kinds: &[Kind],
        extraction: &ExtractionId,
        outcome: &mut Outcome,
        stamp: &Stamp,
    ) -> Result<()> {
        let (agent, user) = (&conversation.agent, &conversation.user);
        let known = stored(&tx.known(agent, user, stamp.now).await?);
        let mut proposal: Proposal = kept.proposal.clone();
        let mut wanted: Vec<MemoryId> = kept.wanted.clone();
        if proposal.action == Action::Retire && wanted.is_empty() {
            wanted = matcher::meant(&proposal.content, &known);
            wanted.truncate(1);
        }
        if proposal.action == Action::Retire {
            // A retire proposal speaks of the memory in the memory's own words.
            if let Some(memory) = wanted
                .first()
                .and_then(|id| known.memories.iter().find(|memory| memory.id == *id))
            {
                proposal.kind.clone_from(&memory.kind);
                proposal.name.clone_from(&memory.name);
                proposal.content.clone_from(&memory.content);
                domain::text::language(&memory.content).clone_into(&mut proposal.language);
            }
        }
        match matcher::judge(&proposal, &wanted, &known) {
            Judgement::NoTarget => {}
            Judgement::Suppressed(rejected) => {
                outcome.suppressed += 1;
                tx.suppress(
                    agent,
                    user,
                    &rejected,
                    &proposal.evidence,
                    Some(extraction),
                    stamp,
                )
                .await?;
            }
            Judgement::SeenAgain(seen) => {
                outcome.sightings += 1;
                let (seen, expires_at) = match seen {
                    Seen::Waiting(id) => (store::Seen::Waiting(id), None),
                    Seen::Memory(id) => {
                        for older in matcher::overtaken(&id, &known) {
                            tx.supersede(&older, None, stamp).await?;
                        }
                        let kind = known
                            .memories
                            .iter()
                            .find(|memory| memory.id == id)
                            .map(|memory| &memory.kind);
                        let life = kinds
                            .iter()
                            .find(|row| Some(&row.name) == kind)
                            .and_then(Kind::time_to_live);
                        (store::Seen::Memory(id), life.map(|life| stamp.now + life))
                    }
                };
                tx.see_again(
                    agent,
                    user,
                    seen,
                    &proposal.evidence,
                    Some(extraction),
                    expires_at,
                    stamp,
                )
                .await?;
            }
            Judgement::Propose {
                action,
                targets,
                flags,
                supersedes,
            } => {
                proposal.action = action;
                proposal.targets = targets;
                proposal.flags.extend(flags);
                proposal.flags.sort();
                proposal.flags.dedup();
                let evidence = proposal.evidence.clone();
                let new = NewCandidate {
                    agent: agent.clone(),
                    user: user.clone(),
                    proposal,
                    extraction: Some(extraction.clone()),
                    supersedes,
                };
                match tx.propose(&new, stamp).await {
                    Ok(candidate) => outcome.candidates.push(candidate.id),
                    Err(store::Error::StillWaiting(id)) => {
                        outcome.sightings += 1;
                        tx.see_again(
                            agent,
                            user,
                            store::Seen::Waiting(id),
                            &evidence,
                            Some(extraction),
                            None,
                            stamp,
                        )
                        .await?;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }
}

/// How an answer is told of on the extraction.
pub(super) fn kept_as(state: &ExtractedState) -> (ExtractionState, Option<&'static str>) {
    match state {
        ExtractedState::Parsed => (ExtractionState::Parsed, None),
        ExtractedState::Truncated => (ExtractionState::Truncated, None),
        ExtractedState::Failed(why) => (ExtractionState::Failed, Some(why)),
    }
}

/// "Forget that I …" as a proposal to retire the memory that is meant (G1).
fn retire_proposal(forget: &Forget) -> Kept {
    Kept {
        proposal: Proposal {
            action: Action::Retire,
            targets: Vec::new(),
            kind: String::new(),
            name: None,
            content: forget.what.clone(),
            metadata: Default::default(),
            tags: Vec::new(),
            confidence: 1.0,
            importance: 1.0,
            language: domain::text::language(&forget.what).to_owned(),
            flags: Vec::new(),
            evidence: vec![forget.evidence.clone()],
            explanation: None,
            cause: None,
        },
        wanted: Vec::new(),
    }
}
