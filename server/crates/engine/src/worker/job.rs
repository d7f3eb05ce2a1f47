//! One extraction job: window by window, each read without a transaction and kept in a short one that holds only for the claimed
//! epoch. A crash loses at most the window under way; what a window made is never made twice.

use std::time::Duration;

use domain::{
    Timestamp,
    agent::Agent,
    candidate::{Action, Proposal},
    conversation::Conversation,
    gate::{Forget, Gated, Kept},
    id::MemoryId,
    kind::Kind,
    matcher::{self, Judgement, Seen},
};
use store::{Claimed, ExtractionState, JobState, NewCandidate, NewExtraction, Outcome, Skipped, Stamp, Tx};

use super::{
    span, stored,
    window::{NEW, OVERLAP, Reading},
};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    extractor::{ExtractError, Extracted, ExtractedState, Extractor, Provenance, Retry},
};

/// What a job still has to read.
struct Plan {
    conversation: Conversation,
    agent: Agent,
    /// Stretches of positions, both ends included.
    windows: Vec<(i64, i64)>,
    /// Whether this is a first reading, which moves `extracted_upto`.
    moves: bool,
}

/// Cuts a stretch into windows.
fn windows(from: i64, upto: i64) -> Vec<(i64, i64)> {
    let mut cut = Vec::new();
    let mut start = from;
    while start <= upto {
        let end = (start + NEW - 1).min(upto);
        cut.push((start, end));
        start = end + 1;
    }
    cut
}

impl Engine {
    pub(super) async fn extract(&self, claimed: &Claimed) -> Result<()> {
        let mut outcome = claimed.operation.outcome.clone();
        let Some(plan) = self.plan(claimed).await? else {
            return self.end(claimed, JobState::Failed, Some("gone"), &outcome).await;
        };
        if !plan.agent.settings.learn {
            outcome.skipped = Some(Skipped::MemoryOff);
            return self.end(claimed, JobState::Succeeded, None, &outcome).await;
        }
        let Some(extractor) = self.extractors().of(plan.agent.settings.extractor.as_deref()) else {
            return self.give_up(claimed, &plan, outcome, "no_extractor", None, unknown_extractor()).await;
        };
        outcome.extractor = Some(extractor.provenance().into());
        let mut worst = self.worst_so_far(claimed, &plan).await?;
        for (at, &(from, upto)) in plan.windows.iter().enumerate() {
            let last = at + 1 == plan.windows.len();
            let reading = self.reading(&plan, from, upto).await?;
            let extracted = match self.ask(&extractor, &reading).await {
                Ok(extracted) => extracted,
                Err(error) => {
                    let rest = Plan { windows: plan.windows[at..].to_vec(), ..plan };
                    return self.later_or_never(claimed, &rest, outcome, error, extractor.provenance()).await;
                }
            };
            let error = match extracted.state {
                ExtractedState::Failed(why) => Some(why),
                _ => None,
            };
            worst = worst.worse(&extracted.state, error);
            outcome.extractor = Some(extracted.provenance.clone().into());
            let ends = last.then(|| (worst.state(), worst.error));
            outcome = self.keep(claimed, &plan, (from, upto), &reading, extracted, outcome, ends).await?;
        }
        if plan.windows.is_empty() {
            self.end(claimed, worst.state(), worst.error, &outcome).await?;
        }
        Ok(())
    }

    /// What is to be read: of a first reading what nobody has read, of a retry the windows that ended badly; never what this very job
    /// has already kept.
    async fn plan(&self, claimed: &Claimed) -> Result<Option<Plan>> {
        let operation = &claimed.operation;
        let mut tx = self.read_all().await?;
        let Some(id) = &operation.conversation else { return Ok(None) };
        let Some(conversation) = tx.conversation(id).await? else { return Ok(None) };
        let Some(agent) = tx.agent(&operation.agent).await? else { return Ok(None) };
        let windows = match (&operation.retry_of, operation.from) {
            (None, None) => windows(conversation.extracted_upto + 1, operation.upto),
            (origin, from) => {
                let done = tx.extractions_of(&conversation).await?;
                let mut bad: Vec<(i64, i64)> = done
                    .iter()
                    .filter(|extraction| Some(&extraction.operation) == origin.as_ref() && extraction.state != ExtractionState::Parsed)
                    .flat_map(|extraction| windows(extraction.from, extraction.upto))
                    .collect();
                if bad.is_empty() {
                    bad = windows(from.unwrap_or(1), operation.upto);
                }
                bad.sort_unstable();
                bad.dedup();
                let mine = |window: &(i64, i64)| done.iter().any(|extraction| extraction.operation == operation.id && extraction.from == window.0);
                bad.retain(|window| !mine(window));
                bad
            }
        };
        let moves = operation.retry_of.is_none();
        Ok(Some(Plan { conversation, agent, windows, moves }))
    }

    /// How the windows went that this job kept before it was interrupted.
    async fn worst_so_far(&self, claimed: &Claimed, plan: &Plan) -> Result<Worst> {
        let mut worst = Worst::default();
        if claimed.operation.attempt > 1 {
            let done = self.read_all().await?.extractions_of(&plan.conversation).await?;
            for extraction in done.iter().filter(|extraction| extraction.operation == claimed.operation.id) {
                let state = match extraction.state {
                    ExtractionState::Parsed => ExtractedState::Parsed,
                    ExtractionState::Truncated => ExtractedState::Truncated,
                    ExtractionState::Failed => ExtractedState::Failed("failed"),
                };
                worst = worst.worse(&state, matches!(state, ExtractedState::Failed(_)).then_some("failed"));
            }
        }
        Ok(worst)
    }

    async fn reading(&self, plan: &Plan, from: i64, upto: i64) -> Result<Reading> {
        let conversation = &plan.conversation;
        let now = self.now();
        let mut tx = self.read_all().await?;
        let messages = tx.messages(conversation, (from - OVERLAP).max(1), upto).await?;
        let kinds = tx.kinds(&conversation.agent).await?;
        let memories = tx.approved(&conversation.agent, &conversation.user, now).await?;
        let served = tx.served_lines(&conversation.agent, &conversation.user).await?;
        let ended = conversation.ended_at.is_some() && upto >= conversation.messages;
        Ok(Reading::new(conversation, messages, from, ended, &plan.agent, kinds, &memories, served, now))
    }

    /// Asks the extractor, with a limit on its time. A window in which nothing may be read is answered without asking.
    async fn ask(&self, extractor: &Extractor, reading: &Reading) -> Result<Extracted, ExtractError> {
        if reading.is_empty() {
            return Ok(Extracted {
                drafts: Vec::new(),
                state: ExtractedState::Parsed,
                provenance: extractor.provenance(),
                raw: None,
                tokens_in: None,
                tokens_out: None,
            });
        }
        // A repair attempt or two halves are calls of their own, each with its own limit inside the extractor; this one is the last net.
        let limit = self.settings().model_timeout.saturating_mul(4);
        match tokio::time::timeout(limit, extractor.extract(&reading.window)).await {
            Ok(answer) => answer,
            Err(_) => Err(ExtractError { retry: Retry::After(None), code: "timeout", raw: None }),
        }
    }

    /// Keeps a window: candidates, sightings, the extraction, the events, and with the last window the end of the job.
    #[expect(clippy::too_many_arguments, reason = "one transaction needs all of it, and nothing else does")]
    async fn keep(
        &self,
        claimed: &Claimed,
        plan: &Plan,
        stretch: (i64, i64),
        reading: &Reading,
        extracted: Extracted,
        outcome: Outcome,
        ends: Option<(JobState, Option<&'static str>)>,
    ) -> Result<Outcome> {
        let Extracted { drafts, state, provenance, raw, tokens_in, tokens_out } = extracted;
        let gated = reading.gate(drafts, &plan.agent.settings);
        let (state, error) = match state {
            ExtractedState::Parsed => (ExtractionState::Parsed, None),
            ExtractedState::Truncated => (ExtractionState::Truncated, None),
            ExtractedState::Failed(why) => (ExtractionState::Failed, Some(why.to_owned())),
        };
        let extraction = NewExtraction {
            conversation: &plan.conversation,
            operation: &claimed.operation.id,
            from: stretch.0,
            upto: stretch.1,
            state,
            provenance: provenance.into(),
            error,
            raw,
            tokens_in: tokens_in.unwrap_or(0),
            tokens_out: tokens_out.unwrap_or(0),
            candidates: 0,
            dropped: gated.dropped.clone(),
            moves: plan.moves,
        };
        again!(self.keep_once(claimed, plan, &gated, &extraction, &outcome, ends).await)
    }

    async fn keep_once(
        &self,
        claimed: &Claimed,
        plan: &Plan,
        gated: &Gated,
        extraction: &NewExtraction<'_>,
        before: &Outcome,
        ends: Option<(JobState, Option<&'static str>)>,
    ) -> Result<Outcome> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease)).await?;
        let id = tx.begin_extraction_id(stamp.now);
        let kinds = tx.kinds(&plan.conversation.agent).await?;
        let mut outcome = before.clone();
        for (why, count) in &gated.dropped {
            *outcome.dropped.entry(*why).or_default() += count;
        }
        let already = outcome.candidates.len();
        let wishes: Vec<Kept> = gated.asked_to_forget.iter().map(retire_proposal).collect();
        for kept in gated.kept.iter().chain(&wishes) {
            self.judge(&mut tx, &plan.conversation, kept, &kinds, &id, &mut outcome, &stamp).await?;
        }
        let made = u32::try_from(outcome.candidates.len() - already).unwrap_or(u32::MAX);
        let extraction = NewExtraction { candidates: made, ..extraction.clone() };
        tx.record_extraction(&id, &extraction, &stamp).await?;
        match ends {
            Some((state, error)) => tx.finish_job(claimed, state, error, &outcome, stamp.now).await?,
            None => tx.save_outcome(claimed, &outcome).await?,
        }
        tx.commit().await?;
        Ok(outcome)
    }

    /// Compares a draft with what is stored, waiting and rejected, and keeps what comes of it. Read anew for each draft, so that two
    /// of one window see each other.
    #[expect(clippy::too_many_arguments, reason = "the matcher's inputs and the place where its answer goes")]
    async fn judge(
        &self,
        tx: &mut Tx,
        conversation: &Conversation,
        kept: &Kept,
        kinds: &[Kind],
        extraction: &domain::id::ExtractionId,
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
            if let Some(memory) = wanted.first().and_then(|id| known.memories.iter().find(|memory| memory.id == *id)) {
                proposal.kind.clone_from(&memory.kind);
                proposal.name.clone_from(&memory.name);
                proposal.content.clone_from(&memory.content);
            }
        }
        match matcher::judge(&proposal, &wanted, &known) {
            Judgement::NoTarget => {}
            Judgement::Suppressed(rejected) => {
                outcome.suppressed += 1;
                tx.suppress(agent, user, &rejected, &proposal.evidence, Some(extraction), stamp).await?;
            }
            Judgement::SeenAgain(seen) => {
                outcome.sightings += 1;
                let (seen, expires_at) = match seen {
                    Seen::Waiting(id) => (store::Seen::Waiting(id), None),
                    Seen::Memory(id) => {
                        let kind = known.memories.iter().find(|memory| memory.id == id).map(|memory| &memory.kind);
                        let life = kinds.iter().find(|row| Some(&row.name) == kind).and_then(Kind::time_to_live);
                        (store::Seen::Memory(id), life.map(|life| stamp.now + life))
                    }
                };
                tx.see_again(agent, user, &seen, &proposal.evidence, Some(extraction), expires_at, stamp).await?;
            }
            Judgement::Propose { action, targets, flags, supersedes } => {
                proposal.action = action;
                proposal.targets = targets;
                proposal.flags.extend(flags);
                proposal.flags.sort();
                proposal.flags.dedup();
                let evidence = proposal.evidence.clone();
                let new = NewCandidate { agent: agent.clone(), user: user.clone(), proposal, extraction: Some(extraction.clone()), supersedes };
                match tx.propose(&new, stamp).await {
                    Ok(candidate) => outcome.candidates.push(candidate.id),
                    Err(store::Error::StillWaiting(id)) => {
                        outcome.sightings += 1;
                        tx.see_again(agent, user, &store::Seen::Waiting(id), &evidence, Some(extraction), None, stamp).await?;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    async fn end(&self, claimed: &Claimed, state: JobState, error: Option<&str>, outcome: &Outcome) -> Result<()> {
        again!(self.end_once(claimed, state, error, outcome).await)
    }

    async fn end_once(&self, claimed: &Claimed, state: JobState, error: Option<&str>, outcome: &Outcome) -> Result<()> {
        let now = self.now();
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, now, span(self.settings().lease)).await?;
        tx.finish_job(claimed, state, error, outcome, now).await?;
        Ok(tx.commit().await?)
    }

    /// The extractor gave no answer: another try after a while, or the end where that makes no sense.
    async fn later_or_never(&self, claimed: &Claimed, rest: &Plan, outcome: Outcome, error: ExtractError, by: Provenance) -> Result<()> {
        let attempt = claimed.operation.attempt;
        match error.retry {
            Retry::After(asked) if attempt < self.settings().attempts => {
                let wait = self.back_off(attempt).max(asked.unwrap_or(Duration::ZERO));
                tracing::warn!(operation = %claimed.operation.id, attempt, code = error.code, "the extractor gave no answer; it is asked again");
                again!(self.postpone(claimed, &outcome, self.now() + span(wait), error.code).await)
            }
            _ => self.give_up(claimed, rest, outcome, error.code, error.raw, by).await,
        }
    }

    async fn postpone(&self, claimed: &Claimed, outcome: &Outcome, next_at: Timestamp, code: &str) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, self.now(), span(self.settings().lease)).await?;
        tx.save_outcome(claimed, outcome).await?;
        tx.postpone_job(claimed, next_at, code).await?;
        Ok(tx.commit().await?)
    }

    /// 5 s, 10 s, 20 s … each up to a quarter longer, so that many do not come back at once.
    fn back_off(&self, attempt: i64) -> Duration {
        let doubled = self.settings().backoff.saturating_mul(1 << (attempt - 1).clamp(0, 16));
        let mut byte = [0_u8];
        self.entropy().fill(&mut byte);
        doubled + doubled.mul_f64(f64::from(byte[0]) / 255.0 / 4.0)
    }

    /// A visible failure: the stretch is left unread, the conversation and the raw answer are kept, a person can retry.
    async fn give_up(&self, claimed: &Claimed, rest: &Plan, outcome: Outcome, code: &str, raw: Option<String>, by: Provenance) -> Result<()> {
        tracing::warn!(operation = %claimed.operation.id, code, "an extraction failed for good; it can be retried");
        again!(self.give_up_once(claimed, rest, &outcome, code, raw.clone(), by.clone()).await)
    }

    async fn give_up_once(&self, claimed: &Claimed, rest: &Plan, outcome: &Outcome, code: &str, raw: Option<String>, by: Provenance) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease)).await?;
        if let (Some(first), Some(last)) = (rest.windows.first(), rest.windows.last()) {
            let id = tx.begin_extraction_id(stamp.now);
            let extraction = NewExtraction {
                conversation: &rest.conversation,
                operation: &claimed.operation.id,
                from: first.0,
                upto: last.1,
                state: ExtractionState::Failed,
                provenance: by.into(),
                error: Some(code.to_owned()),
                raw,
                tokens_in: 0,
                tokens_out: 0,
                candidates: 0,
                dropped: Default::default(),
                moves: rest.moves,
            };
            tx.record_extraction(&id, &extraction, &stamp).await?;
        }
        tx.finish_job(claimed, JobState::Failed, Some(code), outcome, stamp.now).await?;
        Ok(tx.commit().await?)
    }

    /// An error of our own in a job: it is tried again like any other failure, and in the end is visible, never lost.
    pub(super) async fn failed_inside(&self, claimed: &Claimed, error: EngineError) -> Result<()> {
        if let EngineError::Internal(source) = &error
            && source.downcast_ref::<store::Error>().is_some_and(|error| matches!(error, store::Error::LostClaim))
        {
            tracing::warn!(operation = %claimed.operation.id, "another worker has this job; nothing was kept here");
            return Ok(());
        }
        let source = std::error::Error::source(&error).map(ToString::to_string);
        tracing::error!(operation = %claimed.operation.id, %error, source, "a job failed inside Keepsake");
        let plan = self.plan(claimed).await?;
        let again = ExtractError { retry: Retry::After(None), code: "internal", raw: None };
        let outcome = claimed.operation.outcome.clone();
        match plan {
            Some(plan) => self.later_or_never(claimed, &plan, outcome, again, unknown_extractor()).await,
            None => self.end(claimed, JobState::Failed, Some("gone"), &outcome).await,
        }
    }
}

/// What is written where no extractor was reached.
fn unknown_extractor() -> Provenance {
    Provenance { name: "none".to_owned(), version: String::new(), model: None, prompt_version: None, schema_version: None }
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
        },
        wanted: Vec::new(),
    }
}

/// The worst that happened to a window of a job.
#[derive(Debug, Clone, Copy, Default)]
struct Worst {
    truncated: bool,
    error: Option<&'static str>,
}

impl Worst {
    fn worse(mut self, state: &ExtractedState, error: Option<&'static str>) -> Self {
        self.truncated |= *state == ExtractedState::Truncated;
        self.error = self.error.or(error);
        self
    }

    fn state(self) -> JobState {
        match self {
            Self { error: Some(_), .. } => JobState::Failed,
            Self { truncated: true, .. } => JobState::Truncated,
            Self { .. } => JobState::Succeeded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // C3
    #[test]
    fn a_long_conversation_is_cut_into_windows_of_twenty() {
        assert_eq!(windows(1, 45), [(1, 20), (21, 40), (41, 45)]);
        assert_eq!(windows(5, 5), [(5, 5)]);
        assert_eq!(windows(6, 5), []);
    }
}
