//! Reading the conversations of dry runs, a window a claim: claimed like a job, so that one process of many does it, and another goes on
//! where one died. What is known is what was known before the conversation was first read, and what the dry run itself has found since.

use std::sync::OnceLock;

use domain::{
    Timestamp,
    agent::Agent,
    answer::Summary,
    candidate::{Candidate, Dropped, Proposal, State},
    conversation::Conversation,
    draft::Score,
    dry_run::{Found, TrialState},
    gate::Kept,
    id::{CandidateId, DryRunId},
    matcher::Judgement,
    memory::{Memory, MemoryStatus},
    profile::ProfileSchema,
    time::Span,
};
use store::{
    DryRun, DryRunClaim, DryRunItem, DryRunResult, KeptSummary, Known, Stamp, Stood, TriedWindow,
    Tx,
};
use tokio::sync::watch;

use crate::{
    Engine, again,
    allowed::{NOT_ALLOWED, Wait},
    error::{EngineError, Result},
    extractor::{ExtractError, Extracted, ExtractedState, Extractor, Retry},
    opt_out,
    worker::{
        Beside, OVERLAP, Reading, judged, span, stored, to_forget, to_take_out, told_to_stop,
        windows,
    },
};

/// What is to be done next for a dry run.
enum Next {
    /// Read this window.
    Window(Box<Under>),
    /// Write down that the conversation is not read, or has nothing more to be read.
    Item(Box<DryRunItem>, TriedWindow),
    /// Wait.
    Wait(Wait),
    /// It has come to its end; a code says why it cannot go on.
    End(Option<&'static str>),
}

/// A window, and what is known beside it.
struct Under {
    item: DryRunItem,
    agent: Agent,
    extractor: Extractor,
    schemas: Vec<ProfileSchema>,
    reading: Reading,
    known: Known,
    /// The position of its last message.
    upto: i64,
}

impl Engine {
    /// Claims a dry run and does a part of it; `false` where none waits.
    ///
    /// # Errors
    /// Only the database's; the dry run is then tried again when its claim has run out.
    pub async fn work_dry_run_once(&self) -> Result<bool> {
        let (_running, mut stopped) = watch::channel(false);
        self.work_dry_run(&mut stopped).await
    }

    /// [`Self::work_dry_run_once`], but a window that is read when `stopped` says true is read again by another process, or at the next start.
    pub(crate) async fn work_dry_run(&self, stopped: &mut watch::Receiver<bool>) -> Result<bool> {
        let (now, until) = (self.now(), self.lease_until());
        let Some(claim) = self.db().claim_work::<DryRunId>(now, until).await? else {
            return Ok(false);
        };
        let tried = OnceLock::new();
        let done = tokio::select! {
            done = self.dry_run_part(&claim, &tried) => done,
            () = self.beat_dry_run(&claim) => {
                tracing::debug!(dry_run = %claim.id, "a dry run was stopped, or somebody else works on it");
                return Ok(true);
            }
            () = told_to_stop(stopped) => {
                again!(self.let_go_of_dry_run(&claim, tried.get().copied()).await)?;
                return Ok(true);
            }
        };
        match done {
            Err(error) if error.is_lost_claim() => {
                tracing::debug!(dry_run = %claim.id, "a dry run was stopped, or somebody else works on it");
            }
            done => done?,
        }
        Ok(true)
    }

    /// Does a part of it; `tried` is told of which conversation a window is tried.
    async fn dry_run_part(&self, claim: &DryRunClaim, tried: &OnceLock<i64>) -> Result<()> {
        // What this process served a moment ago may still wait to be written, and must not be read as the user's words (F6).
        self.flush().await?;
        let run = self.read_all().await?.dry_run(&claim.id).await?;
        let run = run.ok_or(EngineError::NotFound)?;
        match self.next_of_dry_run(&run).await? {
            Next::End(error) => again!(self.end_dry_run(claim, &run, error).await),
            Next::Wait(wait) => {
                again!(
                    self.pass_on_dry_run(claim, wait.until, Some(wait.why))
                        .await
                )
            }
            Next::Item(item, tried) => self.keep_tried(claim, &run, &item, &tried).await,
            Next::Window(under) => {
                if again!(self.begin_try(claim, &under.item).await)? {
                    tried.get_or_init(|| under.item.number);
                    self.try_window(claim, &run, *under).await
                } else {
                    again!(self.pass_on_dry_run(claim, self.now(), None).await)
                }
            }
        }
    }

    async fn begin_try(&self, claim: &DryRunClaim, item: &DryRunItem) -> Result<bool> {
        let mut tx = self.write_all().await?;
        let begun = tx.begin_try(claim, item, self.lease_until()).await?;
        tx.commit().await?;
        Ok(begun)
    }

    async fn next_of_dry_run(&self, run: &DryRun) -> Result<Next> {
        if let Err(code) = self
            .still_administers(&run.agent, run.person.as_ref(), None)
            .await?
        {
            return Ok(Next::End(Some(code)));
        }
        let mut tx = self.read_all().await?;
        let Some(agent) = tx.agent(&run.agent).await? else {
            return Ok(Next::End(Some("gone")));
        };
        // What is set meanwhile for what is not tried holds from the next window on.
        let agent = Agent {
            settings: run.trial.settings(&agent.settings),
            ..agent
        };
        let Some(extractor) = self.extractors().of(run.trial.extractor.as_deref()) else {
            return Ok(Next::End(Some("no_extractor")));
        };
        let Some(item) = tx.next_dry_run_item(run).await? else {
            return Ok(Next::End(None));
        };
        let read_upto = item.read_upto;
        let skipped = |why: &str| TriedWindow {
            read_upto: Some(read_upto),
            error: Some(why.to_owned()),
            ends: Some(TrialState::Skipped),
            ..TriedWindow::default()
        };
        let conversation = tx.conversation(&item.conversation).await?;
        let Some(conversation) = conversation else {
            let gone = skipped("gone");
            return Ok(Next::Item(Box::new(item), gone));
        };
        if let Some(why) = opt_out::kept_out(&mut tx, &agent.settings, &item.user).await? {
            let left_alone = skipped(why.as_str());
            return Ok(Next::Item(Box::new(item), left_alone));
        }
        drop(tx);
        if item.attempt >= self.settings().attempts {
            // Each try was counted when it began, and none came back to say how it went.
            let crashed = TriedWindow {
                error: Some("crashed".to_owned()),
                ends: Some(TrialState::Failed),
                ..TriedWindow::default()
            };
            return Ok(Next::Item(Box::new(item), crashed));
        }
        let next = windows(read_upto + 1, item.upto).first().copied();
        let Some((from, upto)) = next else {
            let over = TriedWindow {
                read_upto: Some(read_upto),
                ends: Some(TrialState::Done),
                ..TriedWindow::default()
            };
            return Ok(Next::Item(Box::new(item), over));
        };
        match self.waits_for(&agent, &extractor, self.now()).await? {
            // Where it goes is chosen for this dry run alone, so it does not wait for another list.
            Some(Wait {
                why: NOT_ALLOWED, ..
            }) => return Ok(Next::End(Some(NOT_ALLOWED))),
            Some(wait) => return Ok(Next::Wait(wait)),
            None => {}
        }
        let mut tx = self.read_all().await?;
        let then = first_read(&mut tx, &conversation)
            .await?
            .unwrap_or_else(|| self.now());
        let known = known_then(&mut tx, &item, &agent, then).await?;
        let messages = tx
            .messages(&conversation, (from - OVERLAP).max(1), upto)
            .await?;
        let schemas = tx.profile_schemas(&agent.name).await?;
        let beside = Beside {
            kinds: run.trial.kinds(tx.kinds(&agent.name).await?),
            schemas: schemas.clone(),
            memories: known.memories.clone(),
            served: tx.served_lines(&agent.name, &item.user).await?,
            summary_so_far: item.result.summary.clone().map(|summary| summary.content),
        };
        let ends = conversation.ended_at.is_some() && upto >= conversation.messages;
        let reading = Reading::new(&conversation, messages, from, ends, &agent, beside, then);
        Ok(Next::Window(Box::new(Under {
            item,
            agent,
            extractor,
            schemas,
            reading,
            known,
            upto,
        })))
    }

    async fn try_window(&self, claim: &DryRunClaim, run: &DryRun, under: Under) -> Result<()> {
        let Under {
            item,
            agent,
            extractor,
            schemas,
            reading,
            known,
            upto,
        } = under;
        let asked = !reading.is_empty();
        let began = self.now();
        let answer = self.ask(&extractor, &reading).await;
        let took_ms = (self.now() - began).num_milliseconds().max(0);
        match answer {
            Ok(extracted) => {
                let (tokens_in, tokens_out) = (extracted.tokens_in, extracted.tokens_out);
                let error = match extracted.state {
                    ExtractedState::Parsed => None,
                    ExtractedState::Truncated => Some("truncated".to_owned()),
                    ExtractedState::Failed(why) => Some(why.to_owned()),
                };
                let mut found = Finding {
                    item: &item,
                    agent: &agent,
                    schemas: &schemas,
                    known,
                    result: item.result.clone(),
                    now: self.now(),
                    engine: self,
                };
                found.take(&reading, extracted);
                let tried = TriedWindow {
                    read_upto: Some(upto),
                    asked,
                    error,
                    ends: (upto >= item.upto).then_some(TrialState::Done),
                    tokens_in: tokens_in.unwrap_or(0),
                    tokens_out: tokens_out.unwrap_or(0),
                    took_ms,
                    result: Some(found.result),
                    wait: None,
                };
                self.keep_tried(claim, run, &item, &tried).await
            }
            Err(error) => self.no_answer(claim, run, &item, &error, took_ms).await,
        }
    }

    /// The extractor gave no answer: another try after a while, or the end of the conversation where that makes no sense.
    async fn no_answer(
        &self,
        claim: &DryRunClaim,
        run: &DryRun,
        item: &DryRunItem,
        error: &ExtractError,
        took_ms: i64,
    ) -> Result<()> {
        // This one was counted after the item was read.
        let attempt = item.attempt + 1;
        let again_in = match error.retry {
            Retry::After(asked) if attempt < self.settings().attempts => {
                Some(self.back_off(attempt).max(asked.unwrap_or_default()))
            }
            Retry::After(_) | Retry::Never => None,
        };
        tracing::warn!(dry_run = %run.id, attempt, code = error.code, "the extractor gave no answer in a dry run");
        let wait = again_in.map(|wait| (self.now() + span(wait), error.code));
        let tried = TriedWindow {
            wait,
            asked: true,
            error: again_in.is_none().then(|| error.code.to_owned()),
            ends: again_in.is_none().then_some(TrialState::Failed),
            tokens_in: error.tokens_in,
            tokens_out: error.tokens_out,
            took_ms,
            ..TriedWindow::default()
        };
        self.keep_tried(claim, run, item, &tried).await
    }

    /// Keeps what came of a window, and lets whoever waited longest come next.
    async fn keep_tried(
        &self,
        claim: &DryRunClaim,
        run: &DryRun,
        item: &DryRunItem,
        tried: &TriedWindow,
    ) -> Result<()> {
        again!(self.keep_tried_once(claim, run, item, tried).await)
    }

    async fn keep_tried_once(
        &self,
        claim: &DryRunClaim,
        run: &DryRun,
        item: &DryRunItem,
        tried: &TriedWindow,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        let kept = tx
            .keep_tried(claim, &run.agent, item, tried, self.now())
            .await?;
        if !kept {
            tracing::debug!(dry_run = %run.id, "a conversation went while it was read in a dry run");
        }
        Ok(tx.commit().await?)
    }

    async fn pass_on_dry_run(
        &self,
        claim: &DryRunClaim,
        until: Timestamp,
        waits: Option<&str>,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        match tx.pass_on_dry_run(claim, until, waits).await {
            // It ended meanwhile.
            Err(store::Error::LostClaim) => return Ok(()),
            held => held?,
        }
        Ok(tx.commit().await?)
    }

    /// Passes it on as if its window had not been tried: the worker is asked to stop.
    async fn let_go_of_dry_run(&self, claim: &DryRunClaim, tried: Option<i64>) -> Result<()> {
        let mut tx = self.write_all().await?;
        match tx.pass_on_dry_run(claim, self.now(), None).await {
            // It ended meanwhile, or what came of the window is kept.
            Err(store::Error::LostClaim) => return Ok(()),
            held => held?,
        }
        if let Some(number) = tried {
            tx.give_try_back(&claim.id, number).await?;
        }
        Ok(tx.commit().await?)
    }

    async fn end_dry_run(
        &self,
        claim: &DryRunClaim,
        run: &DryRun,
        error: Option<&str>,
    ) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.finish_dry_run(claim, run, error, &stamp).await?;
        Ok(tx.commit().await?)
    }

    /// Returns when the claim is lost.
    async fn beat_dry_run(&self, claim: &DryRunClaim) {
        loop {
            tokio::time::sleep(self.settings().heartbeat).await;
            let held = async {
                let mut tx = self.write_all().await?;
                tx.hold_work(claim, self.lease_until()).await?;
                Ok(tx.commit().await?) as Result<()>
            };
            // One missed beat is no lost claim; where the lease runs out, what is kept is refused.
            if held.await.is_err_and(|error| error.is_lost_claim()) {
                return;
            }
        }
    }
}

/// What a window of a dry run comes to.
struct Finding<'a> {
    item: &'a DryRunItem,
    agent: &'a Agent,
    schemas: &'a [ProfileSchema],
    /// What was known before, and what was found since.
    known: Known,
    result: DryRunResult,
    now: Timestamp,
    engine: &'a Engine,
}

impl Finding<'_> {
    /// Takes an answer through the gate and the matcher, as a job does.
    fn take(&mut self, reading: &Reading, extracted: Extracted) {
        let failed = matches!(extracted.state, ExtractedState::Failed(_));
        let passed = reading.gate(extracted.drafts, extracted.fields, extracted.summary);
        for (why, count) in passed.gated.dropped {
            *self.result.dropped.entry(why).or_default() += count;
        }
        for kept in &passed.gated.kept {
            self.judge(kept);
        }
        for forget in &passed.gated.asked_to_forget {
            for kept in to_forget(forget, &stored(&self.known)) {
                self.judge(&kept);
            }
            let taken_out = to_take_out(forget, reading, &self.known);
            if !taken_out.is_empty() {
                *self
                    .result
                    .dropped
                    .entry(Dropped::AskedNotToRemember)
                    .or_default() += u32::try_from(taken_out.len()).unwrap_or(u32::MAX);
            }
            self.known
                .waiting
                .retain(|candidate| !taken_out.contains(&candidate.id));
        }
        if let Some(kept) = &passed.summary {
            self.result.summary = Some(KeptSummary {
                content: kept.proposal.content.clone(),
                importance: kept.proposal.importance,
            });
        }
        if reading.window.ended && !failed {
            self.sum_up(reading);
        }
    }

    /// The summary becomes a candidate at the end (C4): that of the last window that had one.
    fn sum_up(&mut self, reading: &Reading) {
        let Some(KeptSummary {
            content,
            importance,
        }) = self.result.summary.clone()
        else {
            return;
        };
        let summary = Summary {
            content,
            importance: Score::Given(importance),
        };
        let passed = reading.gate(Vec::new(), Vec::new(), Some(summary));
        if let Some(kept) = &passed.summary {
            self.judge(kept);
        }
    }

    fn judge(&mut self, kept: &Kept) {
        let stored = stored(&self.known);
        let judged = judged(kept, &self.known, &stored, self.schemas);
        match judged.judgement {
            Judgement::NoTarget => {}
            Judgement::Suppressed(_) => self.result.suppressed += 1,
            Judgement::SeenAgain(_) => self.result.sightings += 1,
            Judgement::Propose {
                action,
                targets,
                flags,
                supersedes,
            } => {
                let mut proposal = judged.proposal;
                proposal.action = action;
                proposal.targets = targets;
                proposal.flags.extend(flags);
                proposal.flags.sort();
                proposal.flags.dedup();
                // What would be overtaken would not be looked at.
                self.known
                    .waiting
                    .retain(|candidate| !supersedes.contains(&candidate.id));
                let waits = self.waits(proposal.clone());
                self.known.waiting.push(waits);
                self.result.found.push(Found::from(proposal));
            }
        }
    }

    /// A proposal as if it waited. Its id is nobody's.
    fn waits(&self, proposal: Proposal) -> Candidate {
        Candidate {
            agent: self.agent.name.clone(),
            id: CandidateId::new(self.now, self.engine.entropy()),
            user: self.item.user.clone(),
            proposal,
            state: State::Pending,
            version: 1,
            expires_at: self.now + domain::candidate::WAITS_FOR,
            created_at: self.now,
            extraction: None,
        }
    }
}

/// The instant before a conversation was first read; `None` where that is not known any more.
async fn first_read(tx: &mut Tx, conversation: &Conversation) -> Result<Option<Timestamp>> {
    let all = tx.extractions_of(conversation).await?;
    let first = all.into_iter().map(|extraction| extraction.at).min();
    Ok(first.map(|at| at - Span::microseconds(1)))
}

/// What a statement of the conversation was compared with then, and what the dry run has found in it before.
async fn known_then(
    tx: &mut Tx,
    item: &DryRunItem,
    agent: &Agent,
    then: Timestamp,
) -> Result<Known> {
    let (name, user) = (&agent.name, &item.user);
    let memories = tx.memories_as_of(name, user, then).await?;
    let waiting = tx.candidates_as_of(name, user, then).await?;
    let rejected = tx.known_beside(name, user, then).await?.rejected;
    let decided_by_then =
        |candidate: &Candidate| matches!(candidate.state, State::Rejected { at, .. } if at <= then);
    let found = item.result.found.iter().cloned().zip(0..);
    let found = found.map(|(found, place)| Candidate {
        agent: name.clone(),
        // Only compared within this window: places tell them apart.
        id: CandidateId::new(then + Span::milliseconds(place), &Place),
        user: user.clone(),
        proposal: found.into(),
        state: State::Pending,
        version: 1,
        expires_at: then + domain::candidate::WAITS_FOR,
        created_at: then,
        extraction: None,
    });
    Ok(Known {
        memories: memories
            .into_iter()
            .map(|stood| memory(agent, item, stood))
            .collect(),
        waiting: waiting
            .into_iter()
            .map(|waited| Candidate {
                state: State::Pending,
                ..waited.candidate
            })
            .chain(found)
            .collect(),
        rejected: rejected.into_iter().filter(decided_by_then).collect(),
    })
}

/// Ids that are told apart by their time alone.
struct Place;

impl domain::Entropy for Place {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// A memory as it stood.
fn memory(agent: &Agent, item: &DryRunItem, stood: Stood) -> Memory {
    let revision = stood.revision;
    Memory {
        agent: agent.name.clone(),
        id: revision.memory,
        user: item.user.clone(),
        kind: revision.kind,
        name: revision.name,
        content: revision.content,
        metadata: revision.metadata,
        tags: revision.tags,
        confidence: revision.confidence,
        importance: revision.importance,
        language: String::new(),
        status: MemoryStatus::Approved,
        reason: None,
        revision: revision.number,
        conversation: revision.conversation,
        said_at: revision.said_at,
        expires_at: stood.expires_at,
        created_at: revision.at,
        updated_at: revision.at,
        serve_from: None,
    }
}
