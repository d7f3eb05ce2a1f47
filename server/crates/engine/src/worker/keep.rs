//! Keeping what came of a window: through the gate and the matcher into the queue, in one short transaction.

use domain::{
    agent::{AgentName, AgentSettings},
    answer::Summary,
    candidate::{Action, Candidate, Dropped, Flag, Proposal},
    draft::Score,
    gate::{Forget, Kept},
    id::{CandidateId, ExtractionId, MemoryId, UserId},
    kind::Kind,
    matcher::{self, Judgement, Seen},
    memory::Memory,
    profile::{self, ProfileSchema},
    time::Span,
};
use store::{
    Claimed, ExtractionState, JobState, KeptSummary, Known, NewCandidate, NewExtraction, Outcome,
    Stamp, Tx,
};

use super::{
    field,
    plan::{Plan, Worst, settings_now},
    span, stored,
    window::{Passed, Reading},
};
use crate::{
    Engine, again,
    error::Result,
    extractor::{Extracted, ExtractedState},
    join::{self, Elsewhere},
    opt_out,
    profile::time_to_live,
};

/// Whose statements are judged, and by which rules.
pub(super) struct Whose<'a> {
    pub agent: &'a AgentName,
    pub user: &'a UserId,
    pub kinds: &'a [Kind],
    pub schemas: &'a [ProfileSchema],
    pub settings: &'a AgentSettings,
}

/// A window that is kept.
pub(super) struct Keeping<'a> {
    pub plan: &'a Plan,
    pub reading: &'a Reading,
    /// The positions of its new messages, both ends included.
    pub stretch: (i64, i64),
    /// How the job ends, with its last window.
    pub ends: Option<&'a Worst>,
}

impl Engine {
    /// Keeps a window: candidates, sightings, the extraction, the events, and with the last window the end of the job. The summary
    /// becomes a candidate where the conversation has ended (C4); until then it is kept with the extraction.
    pub(super) async fn keep(
        &self,
        claimed: &Claimed,
        keeping: &Keeping<'_>,
        extracted: Extracted,
        outcome: Outcome,
    ) -> Result<Outcome> {
        let Extracted {
            drafts,
            fields,
            summary,
            state,
            provenance,
            raw,
            tokens_in,
            tokens_out,
        } = extracted;
        let Keeping { plan, reading, .. } = keeping;
        let passed = reading.gate(drafts, fields, summary);
        let (state, error) = kept_as(&state);
        let extraction = NewExtraction {
            conversation: &plan.conversation,
            operation: &claimed.operation.id,
            from: keeping.stretch.0,
            upto: keeping.stretch.1,
            state,
            provenance: provenance.into(),
            error: error.map(str::to_owned),
            raw,
            tokens_in: tokens_in.unwrap_or(0),
            tokens_out: tokens_out.unwrap_or(0),
            candidates: 0,
            dropped: passed.gated.dropped.clone(),
            summary: passed.summary.as_ref().map(|kept| KeptSummary {
                content: kept.proposal.content.clone(),
                importance: kept.proposal.importance,
            }),
            moves: plan.moves,
        };
        again!(
            self.keep_once(claimed, keeping, &passed, &extraction, &outcome)
                .await
        )
    }

    async fn keep_once(
        &self,
        claimed: &Claimed,
        keeping: &Keeping<'_>,
        passed: &Passed,
        extraction: &NewExtraction<'_>,
        before: &Outcome,
    ) -> Result<Outcome> {
        let stamp = Stamp::system(self.now());
        let conversation = &keeping.plan.conversation;
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease))
            .await?;
        let mut outcome = before.clone();
        let settings = settings_now(&mut tx, &keeping.plan.agent).await?;
        // Whoever opted out while this was read is learnt from no more, and nobody is where learning was switched off.
        if let Some(why) = opt_out::kept_out(&mut tx, &settings, &conversation.user).await? {
            outcome.skipped = Some(why);
            let (read, wrote) = (extraction.tokens_in, extraction.tokens_out);
            tx.spend(&conversation.agent, read, wrote, stamp.now)
                .await?;
            tx.finish_job(claimed, JobState::Succeeded, None, &outcome, stamp.now)
                .await?;
            tx.commit().await?;
            return Ok(outcome);
        }
        let id = tx.begin_extraction_id(stamp.now);
        let kinds = tx.kinds(&conversation.agent).await?;
        let schemas = tx.profile_schemas(&conversation.agent).await?;
        let whose = Whose {
            agent: &conversation.agent,
            user: &conversation.user,
            kinds: &kinds,
            schemas: &schemas,
            settings: &settings,
        };
        for (why, count) in &passed.gated.dropped {
            *outcome.dropped.entry(*why).or_default() += count;
        }
        outcome.tokens_in += extraction.tokens_in;
        outcome.tokens_out += extraction.tokens_out;
        let already = outcome.candidates.len();
        let mut place = 0;
        // A microsecond apart: the queue then shows a window's candidates in the order in which they were said.
        let mut next = || {
            place += 1;
            Stamp {
                now: stamp.now + Span::microseconds(place - 1),
                ..stamp.clone()
            }
        };
        for kept in &passed.gated.kept {
            self.judge(&mut tx, &whose, kept, &id, &mut outcome, &next())
                .await?;
        }
        for forget in &passed.gated.asked_to_forget {
            let first = outcome.candidates.len();
            for kept in forgotten(&mut tx, &whose, forget, &stamp).await? {
                self.judge(&mut tx, &whose, &kept, &id, &mut outcome, &next())
                    .await?;
            }
            let newer = outcome.candidates.get(first).cloned();
            let mut taken_out = 0;
            let known = tx.known(whose.agent, whose.user, stamp.now).await?;
            for waiting in to_take_out(forget, keeping.reading, &known) {
                let words = Some(forget.evidence.quote.as_str());
                let taken = tx
                    .take_out(&waiting, newer.as_ref(), words, &next())
                    .await?;
                taken_out += u32::from(taken);
            }
            let elsewhere = self
                .forget_elsewhere(
                    &mut tx,
                    whose.agent,
                    whose.user,
                    forget,
                    keeping.reading,
                    &next(),
                )
                .await?;
            outcome.candidates.extend(elsewhere.proposed);
            taken_out += elsewhere.taken_out;
            if taken_out > 0 {
                let dropped = outcome.dropped.entry(Dropped::AskedNotToRemember);
                *dropped.or_default() += taken_out;
            }
        }
        let made = |outcome: &Outcome| {
            u32::try_from(outcome.candidates.len() - already).unwrap_or(u32::MAX)
        };
        // A stretch whose answer could not be read is summed up by its retry.
        let sums_up = keeping.reading.window.ended && extraction.state != ExtractionState::Failed;
        if let (true, Some(kept)) = (sums_up, &passed.summary) {
            self.judge(&mut tx, &whose, kept, &id, &mut outcome, &next())
                .await?;
        }
        let extraction = NewExtraction {
            candidates: made(&outcome),
            ..extraction.clone()
        };
        tx.record_extraction(&id, &extraction, &stamp).await?;
        if sums_up && passed.summary.is_none() {
            // Nothing in this window was worth a word; what was said before it may have been.
            self.sum_up(&mut tx, &whose, keeping, &mut outcome, &next())
                .await?;
        }
        match keeping.ends {
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

    /// Ends a job that had nothing to read, with the summary that is kept of a conversation whose end came later.
    pub(super) async fn keep_summary(
        &self,
        claimed: &Claimed,
        keeping: &Keeping<'_>,
        outcome: &Outcome,
    ) -> Result<()> {
        again!(self.keep_summary_once(claimed, keeping, outcome).await)
    }

    async fn keep_summary_once(
        &self,
        claimed: &Claimed,
        keeping: &Keeping<'_>,
        outcome: &Outcome,
    ) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease))
            .await?;
        let conversation = &keeping.plan.conversation;
        let settings = settings_now(&mut tx, &keeping.plan.agent).await?;
        let mut outcome = outcome.clone();
        outcome.skipped = opt_out::kept_out(&mut tx, &settings, &conversation.user).await?;
        if outcome.skipped.is_none() {
            let kinds = tx.kinds(&conversation.agent).await?;
            let whose = Whose {
                agent: &conversation.agent,
                user: &conversation.user,
                kinds: &kinds,
                schemas: &[],
                settings: &settings,
            };
            self.sum_up(&mut tx, &whose, keeping, &mut outcome, &stamp)
                .await?;
        }
        let worst = keeping.ends.cloned().unwrap_or_default();
        tx.finish_job(
            claimed,
            worst.state(),
            worst.error.as_deref(),
            &outcome,
            stamp.now,
        )
        .await?;
        Ok(tx.commit().await?)
    }

    /// Proposes the newest summary that is kept of the conversation, as of the extraction that made it.
    async fn sum_up(
        &self,
        tx: &mut Tx,
        whose: &Whose<'_>,
        keeping: &Keeping<'_>,
        outcome: &mut Outcome,
        stamp: &Stamp,
    ) -> Result<()> {
        let conversation = &keeping.plan.conversation;
        let newest = tx.summary_upto(conversation, conversation.messages).await?;
        let Some((extraction, summary)) = newest else {
            return Ok(());
        };
        let summary = Summary {
            content: summary.content,
            importance: Score::Given(summary.importance),
        };
        let passed = keeping.reading.gate(Vec::new(), Vec::new(), Some(summary));
        if let Some(kept) = &passed.summary {
            self.judge(tx, whose, kept, &extraction, outcome, stamp)
                .await?;
        }
        Ok(())
    }

    /// Compares a draft with what is stored, waiting and rejected, and keeps what comes of it. Read anew for each draft, so that two
    /// of one window see each other.
    pub(super) async fn judge(
        &self,
        tx: &mut Tx,
        whose: &Whose<'_>,
        kept: &Kept,
        extraction: &ExtractionId,
        outcome: &mut Outcome,
        stamp: &Stamp,
    ) -> Result<()> {
        let (agent, user) = (whose.agent, whose.user);
        let all = tx.known(agent, user, stamp.now).await?;
        let known = stored(&all);
        let Judged {
            mut proposal,
            wanted,
            judgement,
        } = judged(kept, &all, &known, whose.schemas);
        let found = join::beside(tx, agent, user, judgement, &proposal, &wanted, stamp.now).await?;
        let judgement = match found {
            Elsewhere::Own(judgement) => judgement,
            // It is written down nowhere but in the outcome: nothing of one id is changed by what was said under another.
            Elsewhere::Known(_) => {
                outcome.sightings += 1;
                return Ok(());
            }
            Elsewhere::Rejected(_) => {
                outcome.suppressed += 1;
                return Ok(());
            }
        };
        match judgement {
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
                        let memory = all.memories.iter().find(|memory| memory.id == id);
                        let life = match memory {
                            Some(memory) => whose.life(tx, memory).await?,
                            None => None,
                        };
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
                    Ok(candidate) => {
                        self.decide_by_policy(tx, whose.settings, &candidate, stamp)
                            .await?;
                        outcome.candidates.push(candidate.id);
                    }
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

impl Whose<'_> {
    /// How long a memory lives when it is said again.
    async fn life(&self, tx: &mut Tx, memory: &Memory) -> Result<Option<Span>> {
        match self.kinds.iter().find(|kind| kind.name == memory.kind) {
            Some(kind) => time_to_live(tx, self.agent, kind, memory.name.as_deref()).await,
            None => Ok(None),
        }
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

/// A draft in the words that are proposed, and what it is to what there is.
pub(crate) struct Judged {
    pub proposal: Proposal,
    /// The memories that it names.
    pub wanted: Vec<MemoryId>,
    pub judgement: Judgement,
}

/// Compares what came through the gate with what is known of its user; `known` is [`stored`] of `all`.
pub(crate) fn judged(
    kept: &Kept,
    all: &Known,
    known: &matcher::Stored,
    schemas: &[ProfileSchema],
) -> Judged {
    let mut proposal: Proposal = kept.proposal.clone();
    let mut wanted: Vec<MemoryId> = kept.wanted.clone();
    let mut rejected = None;
    if proposal.action == Action::Retire {
        if wanted.is_empty() {
            wanted = matcher::meant(&proposal.content, known);
            wanted.truncate(1);
        }
        // A retire proposal speaks of the memory in the memory's own words.
        if let Some(memory) = wanted
            .first()
            .and_then(|id| all.memories.iter().find(|memory| memory.id == *id))
        {
            proposal.kind.clone_from(&memory.kind);
            proposal.name.clone_from(&memory.name);
            proposal.content.clone_from(&memory.content);
            proposal.metadata.clone_from(&memory.metadata);
            proposal.language.clone_from(&memory.language);
        }
    } else if proposal.kind == profile::KIND {
        rejected = field::consolidate(&mut proposal, schemas, all);
    }
    let judgement = rejected.map_or_else(
        || matcher::judge(&proposal, &wanted, known),
        Judgement::Suppressed,
    );
    Judged {
        proposal,
        wanted,
        judgement,
    }
}

/// "Forget that I …" as proposals to retire what is meant, also where it stands in a profile or a summary (G1).
async fn forgotten(
    tx: &mut Tx,
    whose: &Whose<'_>,
    forget: &Forget,
    stamp: &Stamp,
) -> Result<Vec<Kept>> {
    let known = stored(&tx.known(whose.agent, whose.user, stamp.now).await?);
    Ok(to_forget(forget, &known))
}

/// The same over what is known already.
pub(crate) fn to_forget(forget: &Forget, known: &matcher::Stored) -> Vec<Kept> {
    let meant = matcher::to_forget(&matcher::meant(&forget.what, known), known);
    meant
        .into_iter()
        .map(|memory| Kept {
            wanted: vec![memory],
            proposal: retire_proposal(forget),
        })
        .collect()
}

/// What waits and says what is to be forgotten: approved, it would be told without anybody having seen the wish (G1). What rests on words
/// that were said after the wish stands, and what rests on none and was proposed after it.
pub(crate) fn to_take_out(forget: &Forget, reading: &Reading, known: &Known) -> Vec<CandidateId> {
    let meant = matcher::meant_waiting(&forget.what, &stored(known));
    let said_since = |candidate: &Candidate| {
        let mut messages = candidate
            .proposal
            .evidence
            .iter()
            .filter_map(|piece| piece.message.as_ref())
            .peekable();
        if messages.peek().is_none() {
            return reading.is_before(candidate.created_at, forget.turn);
        }
        messages.any(|message| reading.is_after(message, forget.turn))
    };
    known
        .waiting
        .iter()
        .filter(|candidate| meant.contains(&candidate.id) && !said_since(candidate))
        .map(|candidate| candidate.id.clone())
        .collect()
}

fn retire_proposal(forget: &Forget) -> Proposal {
    Proposal {
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
        flags: vec![Flag::AskedToForget],
        evidence: vec![forget.evidence.clone()],
        explanation: None,
        cause: None,
    }
}
