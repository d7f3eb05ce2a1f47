//! One extraction job: window by window, each read without a transaction and kept in a short one that holds only for the claimed
//! epoch. A crash loses at most the window under way; what a window made is never made twice.

use std::time::Duration;

use domain::Timestamp;
use store::{Claimed, ExtractionState, JobState, NewExtraction, Outcome, Stamp};

use super::{
    keep::{Keeping, kept_as},
    plan::{Plan, Worst},
    span,
    window::Reading,
};
use crate::{
    Engine, again,
    error::{EngineError, Result},
    extractor::{ExtractError, Extracted, Extractor, Provenance, Retry},
};

impl Engine {
    /// Reads what is new in a conversation. A job that was queued while the agent learnt and is run after learning was switched off
    /// ends `succeeded` with `skipped`, and reads nothing: the switch holds from the moment it is pressed (A1). The messages stay
    /// unread; where learning is on again, the next job of the conversation reads them.
    pub(super) async fn extract(&self, claimed: &Claimed) -> Result<()> {
        let mut outcome = claimed.operation.outcome.clone();
        let Some(mut plan) = self.plan(claimed).await? else {
            return self
                .end(claimed, JobState::Failed, Some("gone"), &outcome)
                .await;
        };
        outcome.skipped = self.kept_out_now(&mut plan).await?;
        if outcome.skipped.is_some() {
            return self.end(claimed, JobState::Succeeded, None, &outcome).await;
        }
        // A job that ends its worker each time must not do so for ever.
        if claimed.operation.attempt > self.settings().attempts {
            return self
                .give_up(
                    claimed,
                    &plan,
                    outcome,
                    "crashed",
                    None,
                    unknown_extractor(),
                )
                .await;
        }
        let Some(extractor) = self
            .extractors()
            .of(plan.agent.settings.extractor.as_deref())
        else {
            return self
                .give_up(
                    claimed,
                    &plan,
                    outcome,
                    "no_extractor",
                    None,
                    unknown_extractor(),
                )
                .await;
        };
        outcome.extractor = Some(extractor.provenance().into());
        let mut worst = self.worst_so_far(claimed, &plan).await?;
        for (at, (from, upto)) in plan.windows.clone().into_iter().enumerate() {
            if at > 0 {
                outcome.skipped = self.kept_out_now(&mut plan).await?;
                if outcome.skipped.is_some() {
                    return self.end(claimed, JobState::Succeeded, None, &outcome).await;
                }
            }
            if let Some(wait) = self.waits_for(&plan.agent, &extractor, self.now()).await? {
                return self.put_off(claimed, &outcome, wait).await;
            }
            let last = at + 1 == plan.windows.len();
            let reading = self.reading(&plan, from, upto).await?;
            let extracted = match self.ask(&extractor, &reading).await {
                Ok(extracted) => extracted,
                Err(error) => {
                    let rest = Plan {
                        windows: plan.windows[at..].to_vec(),
                        ..plan
                    };
                    let by = extractor.provenance_over(&reading.window);
                    return self
                        .later_or_never(claimed, &rest, outcome, error, by)
                        .await;
                }
            };
            let (state, error) = kept_as(&extracted.state);
            worst = worst.with(state, error);
            outcome.extractor = Some(extracted.provenance.clone().into());
            let keeping = Keeping {
                plan: &plan,
                reading: &reading,
                stretch: (from, upto),
                ends: last.then_some(&worst),
            };
            outcome = self.keep(claimed, &keeping, extracted, outcome).await?;
            if outcome.skipped.is_some() {
                return Ok(());
            }
        }
        if plan.windows.is_empty() {
            self.close(claimed, plan, &extractor, outcome, worst)
                .await?;
        }
        Ok(())
    }

    /// Ends a job that has nothing to read. Where the conversation has ended since it was read, its summary is proposed now (C4): the
    /// one that is kept of the last window, else one that the extractor makes of what was said last.
    async fn close(
        &self,
        claimed: &Claimed,
        plan: Plan,
        extractor: &Extractor,
        mut outcome: Outcome,
        worst: Worst,
    ) -> Result<()> {
        let conversation = &plan.conversation;
        // Messages that came meanwhile have a job of their own.
        let more_follows = claimed.operation.upto < conversation.messages;
        if conversation.ended_at.is_none() || more_follows {
            return self
                .end(claimed, worst.state(), worst.error.as_deref(), &outcome)
                .await;
        }
        let behind = (conversation.messages + 1, conversation.messages);
        let reading = self.reading(&plan, behind.0, behind.1).await?;
        let nothing_said = reading.window.turns.is_empty();
        if !reading.window.wants_summary() || nothing_said {
            return self
                .end(claimed, worst.state(), worst.error.as_deref(), &outcome)
                .await;
        }
        if reading.window.summary_so_far.is_some() {
            let keeping = Keeping {
                plan: &plan,
                reading: &reading,
                stretch: behind,
                ends: Some(&worst),
            };
            return self.keep_summary(claimed, &keeping, &outcome).await;
        }
        if let Some(wait) = self.waits_for(&plan.agent, extractor, self.now()).await? {
            return self.put_off(claimed, &outcome, wait).await;
        }
        match self.answer(extractor, &reading).await {
            Ok(extracted) => {
                // Statements and fields were proposed when their messages were new.
                let extracted = Extracted {
                    drafts: Vec::new(),
                    fields: Vec::new(),
                    ..extracted
                };
                let (state, error) = kept_as(&extracted.state);
                let worst = worst.with(state, error);
                outcome.extractor = Some(extracted.provenance.clone().into());
                let keeping = Keeping {
                    plan: &plan,
                    reading: &reading,
                    stretch: behind,
                    ends: Some(&worst),
                };
                self.keep(claimed, &keeping, extracted, outcome).await?;
                Ok(())
            }
            Err(error) => {
                // A stretch of nothing: a retry comes here again, and reads no message twice.
                let rest = Plan {
                    windows: vec![behind],
                    ..plan
                };
                let by = extractor.provenance_over(&reading.window);
                self.later_or_never(claimed, &rest, outcome, error, by)
                    .await
            }
        }
    }

    /// Asks the extractor. A window in which nothing new may be read is answered without asking.
    pub(crate) async fn ask(
        &self,
        extractor: &Extractor,
        reading: &Reading,
    ) -> Result<Extracted, ExtractError> {
        if reading.is_empty() {
            let by = extractor.provenance_over(&reading.window);
            return Ok(Extracted::nothing(by));
        }
        self.answer(extractor, reading).await
    }

    /// Asks the extractor, with a limit on its time.
    async fn answer(
        &self,
        extractor: &Extractor,
        reading: &Reading,
    ) -> Result<Extracted, ExtractError> {
        // A repair attempt and halves of halves are calls of their own, each with its own limit inside the extractor; this is the last
        // net, for one that does not keep it.
        let limit = self.settings().model_timeout.saturating_mul(8);
        match tokio::time::timeout(limit, extractor.extract(&reading.window)).await {
            Ok(answer) => answer.map(|mut extracted| {
                // Every memory says which schemas it was made under, whatever made it (C8).
                extracted
                    .provenance
                    .schema_version
                    .get_or_insert_with(|| reading.window.schema_hash());
                extracted
            }),
            Err(_) => Err(ExtractError {
                retry: Retry::After(None),
                code: "timeout",
                raw: None,
                tokens_in: 0,
                tokens_out: 0,
            }),
        }
    }

    pub(super) async fn end(
        &self,
        claimed: &Claimed,
        state: JobState,
        error: Option<&str>,
        outcome: &Outcome,
    ) -> Result<()> {
        again!(self.end_once(claimed, state, error, outcome).await)
    }

    async fn end_once(
        &self,
        claimed: &Claimed,
        state: JobState,
        error: Option<&str>,
        outcome: &Outcome,
    ) -> Result<()> {
        let now = self.now();
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, now, span(self.settings().lease))
            .await?;
        tx.finish_job(claimed, state, error, outcome, now).await?;
        Ok(tx.commit().await?)
    }

    /// The extractor gave no answer: another try after a while, or the end where that makes no sense.
    async fn later_or_never(
        &self,
        claimed: &Claimed,
        rest: &Plan,
        mut outcome: Outcome,
        error: ExtractError,
        by: Provenance,
    ) -> Result<()> {
        self.spent(claimed, &mut outcome, &error).await?;
        let attempt = claimed.operation.attempt;
        match error.retry {
            Retry::After(asked) if attempt < self.settings().attempts => {
                let wait = self.back_off(attempt).max(asked.unwrap_or(Duration::ZERO));
                tracing::warn!(operation = %claimed.operation.id, attempt, code = error.code, "the extractor gave no answer; it is asked again");
                again!(
                    self.postpone(claimed, &outcome, self.now() + span(wait), error.code)
                        .await
                )
            }
            _ => {
                self.give_up(claimed, rest, outcome, error.code, error.raw, by)
                    .await
            }
        }
    }

    /// Counts what an attempt cost that came to nothing: the day's budget sees it before the next one (G14).
    pub(super) async fn spent(
        &self,
        claimed: &Claimed,
        outcome: &mut Outcome,
        error: &ExtractError,
    ) -> Result<()> {
        if error.tokens_in == 0 && error.tokens_out == 0 {
            return Ok(());
        }
        outcome.tokens_in += error.tokens_in;
        outcome.tokens_out += error.tokens_out;
        again!(self.spend_once(claimed, error).await)
    }

    async fn spend_once(&self, claimed: &Claimed, error: &ExtractError) -> Result<()> {
        let now = self.now();
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, now, span(self.settings().lease))
            .await?;
        let agent = &claimed.operation.agent;
        tx.spend(agent, error.tokens_in, error.tokens_out, now)
            .await?;
        Ok(tx.commit().await?)
    }

    pub(super) async fn postpone(
        &self,
        claimed: &Claimed,
        outcome: &Outcome,
        next_at: Timestamp,
        code: &str,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, self.now(), span(self.settings().lease))
            .await?;
        tx.save_outcome(claimed, outcome).await?;
        tx.postpone_job(claimed, next_at, code).await?;
        Ok(tx.commit().await?)
    }

    /// 5 s, 10 s, 20 s … each up to a quarter longer, so that many do not come back at once.
    pub(crate) fn back_off(&self, attempt: i64) -> Duration {
        let doubled = self
            .settings()
            .backoff
            .saturating_mul(1 << (attempt - 1).clamp(0, 16));
        let mut byte = [0_u8];
        self.entropy().fill(&mut byte);
        doubled + doubled.mul_f64(f64::from(byte[0]) / 255.0 / 4.0)
    }

    /// A visible failure: the stretch is left unread, the conversation and the raw answer are kept, a person can retry.
    async fn give_up(
        &self,
        claimed: &Claimed,
        rest: &Plan,
        outcome: Outcome,
        code: &str,
        raw: Option<String>,
        by: Provenance,
    ) -> Result<()> {
        tracing::warn!(operation = %claimed.operation.id, code, "an extraction failed for good; it can be retried");
        again!(
            self.give_up_once(claimed, rest, &outcome, code, raw.clone(), by.clone())
                .await
        )
    }

    async fn give_up_once(
        &self,
        claimed: &Claimed,
        rest: &Plan,
        outcome: &Outcome,
        code: &str,
        raw: Option<String>,
        by: Provenance,
    ) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease))
            .await?;
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
                summary: None,
                moves: rest.moves,
            };
            tx.record_extraction(&id, &extraction, &stamp).await?;
        }
        tx.finish_job(claimed, JobState::Failed, Some(code), outcome, stamp.now)
            .await?;
        Ok(tx.commit().await?)
    }

    /// An error of our own in a job: it is tried again like any other failure, and in the end is visible, never lost.
    pub(super) async fn failed_inside(&self, claimed: &Claimed, error: EngineError) -> Result<()> {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        tracing::error!(operation = %claimed.operation.id, %error, source, "a job failed inside Keepsake");
        let plan = self.plan(claimed).await?;
        let again = ExtractError {
            retry: Retry::After(None),
            code: "internal",
            raw: None,
            tokens_in: 0,
            tokens_out: 0,
        };
        // Windows may have been kept since the claim; what came of them is on the job as it is now.
        let present = self
            .read_all()
            .await?
            .operation(&claimed.operation.id)
            .await?;
        let outcome = present
            .map(|operation| operation.outcome)
            .unwrap_or_default();
        match plan {
            Some(plan) => {
                self.later_or_never(claimed, &plan, outcome, again, unknown_extractor())
                    .await
            }
            None => {
                self.end(claimed, JobState::Failed, Some("gone"), &outcome)
                    .await
            }
        }
    }
}

/// What is written where no extractor was reached.
fn unknown_extractor() -> Provenance {
    Provenance {
        name: "none".to_owned(),
        version: String::new(),
        model: None,
        prompt_version: None,
        schema_version: None,
    }
}
