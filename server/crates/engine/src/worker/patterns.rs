//! Patterns over a user's sessions (C1, B9): what the rules find in what is approved, then what the extractor finds in the sessions
//! that ended. Both end as candidates, through the same gate and matcher as everything else.

use domain::{
    Timestamp,
    agent::Agent,
    candidate::Proposal,
    conversation::{Conversation, Role},
    gate::{self, Gated, Turn},
    id::UserId,
    kind::Kind,
    text,
    time::Span,
};
use store::{Claimed, ExtractionState, JobState, NewExtraction, Outcome, ServedLines, Stamp};

use super::{
    keep::{Whose, kept_as},
    plan::settings_now,
    span,
};
use crate::{
    Engine, again,
    error::Result,
    extractor::{
        ExtractError, Extracted, Extractor, Nearest, Retry, Session, Sessions, WindowTurn,
    },
    opt_out,
    pattern::PATTERN,
};

/// Sessions that are read at once, the last ones that ended.
const MOST_SESSIONS: u32 = 10;
/// Messages of a session that are looked at, and what the user said in them that is read: its last ones.
const MOST_MESSAGES: i64 = 80;
const MOST_TURNS: usize = 20;
/// Characters of a turn that are read.
const MOST_CHARACTERS: usize = 600;
/// A time is taken before it is committed. What carries one this close to the look, or the same, may have come behind it and stays news.
const SETTLES: Span = Span::seconds(10);

/// Up to when a look sees everything.
pub(super) fn settled(began: Timestamp) -> Timestamp {
    began - SETTLES
}

/// Whom a job is about, and what it may propose.
struct Subject {
    agent: Agent,
    user: UserId,
    kinds: Vec<Kind>,
    /// Up to when all was looked at, once the look is made.
    upto: Option<Timestamp>,
}

/// Sessions with what the gate needs to judge the drafts from them.
struct Reading {
    sessions: Sessions,
    turns: Vec<Turn>,
    /// For each turn of the sessions its place in `turns`.
    places: Vec<usize>,
    served: ServedLines,
    /// The session that ended last, to which the extraction is booked.
    last: Conversation,
}

impl Engine {
    pub(super) async fn patterns(&self, claimed: &Claimed) -> Result<()> {
        let mut outcome = claimed.operation.outcome.clone();
        let now = self.now();
        let mut tx = self.read_all().await?;
        let agent = tx.agent(&claimed.operation.agent).await?;
        let (Some(agent), Some(user)) = (agent, claimed.operation.user.clone()) else {
            return self
                .end(claimed, JobState::Failed, Some("gone"), &outcome)
                .await;
        };
        let kept_out = opt_out::kept_out(&mut tx, &agent.settings, &user).await?;
        let kinds = tx.kinds(&agent.name).await?;
        let in_use = agent.settings.natural_language
            && kinds
                .iter()
                .any(|kind| kind.name == PATTERN && kind.enabled);
        let newest = tx.newest_news(&agent.name, &user).await?;
        let upto = newest.map(|at| at.min(settled(now)));
        let subject = Subject {
            agent,
            user,
            kinds,
            upto,
        };
        if kept_out.is_some() || !in_use {
            outcome.skipped = kept_out;
            return self
                .looked(claimed, subject.upto, JobState::Succeeded, None, &outcome)
                .await;
        }
        // A job that ends its worker each time must not do so for ever.
        if claimed.operation.attempt > self.settings().attempts {
            return self
                .looked(
                    claimed,
                    subject.upto,
                    JobState::Failed,
                    Some("crashed"),
                    &outcome,
                )
                .await;
        }
        // A session has ended since the look was asked for. What its extraction finds belongs to it, so the next turn asks again.
        if tx
            .has_due_work(&subject.agent.name, &subject.user, now)
            .await?
        {
            return self.end(claimed, JobState::Succeeded, None, &outcome).await;
        }
        let kind = subject.kind();
        let found = self
            .findings(&mut tx, &subject.agent.name, &subject.user, kind, now)
            .await?;
        drop(tx);
        outcome = self
            .keep_findings(claimed, &subject, &found, &outcome)
            .await?;

        let extractor = self
            .extractors()
            .of(subject.agent.settings.extractor.as_deref());
        let asks = extractor.filter(Extractor::finds_patterns);
        let (Some(extractor), Some(reading)) = (asks, self.sessions_read(&subject, now).await?)
        else {
            return self
                .looked(claimed, subject.upto, JobState::Succeeded, None, &outcome)
                .await;
        };
        if let Some(wait) = self.waits_for(&subject.agent, &extractor, now).await? {
            return self.put_off(claimed, &outcome, wait).await;
        }
        outcome.extractor = Some(extractor.provenance().into());
        match self.ask_over_sessions(&extractor, &reading.sessions).await {
            Ok(extracted) => {
                self.keep_patterns(claimed, &subject, &reading, extracted, &outcome)
                    .await
            }
            Err(error) => {
                self.ask_later_or_never(claimed, &subject, &outcome, &error)
                    .await
            }
        }
    }

    async fn ask_over_sessions(
        &self,
        extractor: &Extractor,
        sessions: &Sessions,
    ) -> Result<Extracted, ExtractError> {
        // The extractor keeps its own limit for each call; this is the last net, for one that does not.
        let limit = self.settings().model_timeout.saturating_mul(4);
        match tokio::time::timeout(limit, extractor.patterns(sessions)).await {
            Ok(answer) => answer,
            Err(_) => Err(ExtractError {
                retry: Retry::After(None),
                code: "timeout",
                raw: None,
                tokens_in: 0,
                tokens_out: 0,
            }),
        }
    }

    async fn ask_later_or_never(
        &self,
        claimed: &Claimed,
        subject: &Subject,
        outcome: &Outcome,
        error: &ExtractError,
    ) -> Result<()> {
        let mut outcome = outcome.clone();
        self.spent(claimed, &mut outcome, error).await?;
        let attempt = claimed.operation.attempt;
        match error.retry {
            Retry::After(asked) if attempt < self.settings().attempts => {
                let wait = self.back_off(attempt).max(asked.unwrap_or_default());
                tracing::warn!(operation = %claimed.operation.id, attempt, code = error.code, "the extractor gave no answer over sessions; it is asked again");
                again!(
                    self.postpone(claimed, &outcome, self.now() + span(wait), error.code)
                        .await
                )
            }
            // The next session that ends brings the next look.
            _ => {
                tracing::warn!(operation = %claimed.operation.id, code = error.code, "patterns could not be looked for");
                self.looked(
                    claimed,
                    subject.upto,
                    JobState::Failed,
                    Some(error.code),
                    &outcome,
                )
                .await
            }
        }
    }

    /// The sessions that ended, where there are two and one of them is new.
    async fn sessions_read(&self, subject: &Subject, now: Timestamp) -> Result<Option<Reading>> {
        let (agent, user) = (&subject.agent.name, &subject.user);
        // What this process served a moment ago may still wait to be written, and must not be read as the user's words (F6).
        self.flush().await?;
        let mut tx = self.read_all().await?;
        let before = tx.patterns_at(agent, user).await?;
        let mut ended = tx.ended_sessions(agent, user, MOST_SESSIONS).await?;
        let new = |session: &Conversation| {
            session
                .ended_at
                .is_some_and(|at| before.is_none_or(|before| at > before))
        };
        if ended.len() < 2 || !ended.iter().any(new) {
            return Ok(None);
        }
        let last = ended[0].clone();
        ended.reverse();
        let served = tx.served_lines(agent, user).await?;
        let mut turns: Vec<Turn> = Vec::new();
        let mut places = Vec::new();
        let mut sessions = Vec::new();
        for conversation in ended {
            let from = (conversation.messages - MOST_MESSAGES + 1).max(1);
            let said: Vec<Turn> = tx
                .messages(&conversation, from, conversation.messages)
                .await?
                .into_iter()
                .filter(|message| message.role == Role::User)
                .map(|message| Turn {
                    message: message.id,
                    conversation: conversation.id.clone(),
                    role: message.role,
                    source: message.source,
                    at: message.at,
                    content: message.content,
                })
                .collect();
            let mut readable = gate::readable(&said, &|line| served.holds(line));
            readable.drain(..readable.len().saturating_sub(MOST_TURNS));
            let begins = turns.len();
            let mut read = Vec::with_capacity(readable.len());
            for readable in readable {
                let turn = &said[readable.turn];
                places.push(begins + readable.turn);
                read.push(WindowTurn {
                    message: turn.message.clone(),
                    role: turn.role,
                    source: turn.source,
                    at: turn.at,
                    text: text::slice(&readable.text, 0, MOST_CHARACTERS).to_owned(),
                    reference: false,
                });
            }
            turns.extend(said);
            sessions.push(Session {
                ended_at: conversation.ended_at.unwrap_or(now),
                time_zone: conversation.time_zone,
                turns: read,
            });
        }
        let known = tx.approved(agent, user, now).await?;
        let patterns = known
            .into_iter()
            .filter(|memory| memory.kind == PATTERN)
            .map(|memory| Nearest {
                id: memory.id,
                kind: memory.kind,
                name: memory.name,
                content: memory.content,
            });
        Ok(Some(Reading {
            sessions: Sessions {
                sessions,
                patterns: patterns.collect(),
                kind: subject.kind().clone(),
                settings: subject.agent.settings.clone(),
                now,
            },
            turns,
            places,
            served,
            last,
        }))
    }

    async fn keep_findings(
        &self,
        claimed: &Claimed,
        subject: &Subject,
        found: &[Proposal],
        outcome: &Outcome,
    ) -> Result<Outcome> {
        if found.is_empty() {
            return Ok(outcome.clone());
        }
        again!(
            self.keep_findings_once(claimed, subject, found, outcome)
                .await
        )
    }

    async fn keep_findings_once(
        &self,
        claimed: &Claimed,
        subject: &Subject,
        found: &[Proposal],
        outcome: &Outcome,
    ) -> Result<Outcome> {
        let stamp = Stamp::system(self.now());
        let mut outcome = outcome.clone();
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease))
            .await?;
        let (agent, user) = (&subject.agent.name, &subject.user);
        for proposal in found {
            let made = self
                .suggest(&mut tx, agent, user, proposal.clone(), &stamp)
                .await?;
            outcome.candidates.extend(made);
        }
        tx.save_outcome(claimed, &outcome).await?;
        tx.commit().await?;
        Ok(outcome)
    }

    async fn keep_patterns(
        &self,
        claimed: &Claimed,
        subject: &Subject,
        reading: &Reading,
        extracted: Extracted,
        outcome: &Outcome,
    ) -> Result<()> {
        let gated = reading.gate(extracted.drafts.clone(), subject);
        again!(
            self.keep_patterns_once(claimed, subject, reading, &gated, &extracted, outcome)
                .await
        )
    }

    async fn keep_patterns_once(
        &self,
        claimed: &Claimed,
        subject: &Subject,
        reading: &Reading,
        gated: &Gated,
        extracted: &Extracted,
        before: &Outcome,
    ) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut outcome = before.clone();
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, stamp.now, span(self.settings().lease))
            .await?;
        let (agent, user) = (&subject.agent.name, &subject.user);
        // Who opted out while the model was asked is left alone, and everybody where learning was switched off.
        let settings = settings_now(&mut tx, &subject.agent).await?;
        outcome.skipped = opt_out::kept_out(&mut tx, &settings, user).await?;
        let (state, error) = kept_as(&extracted.state);
        if outcome.skipped.is_none() {
            for (why, count) in &gated.dropped {
                *outcome.dropped.entry(*why).or_default() += count;
            }
            outcome.tokens_in += extracted.tokens_in.unwrap_or(0);
            outcome.tokens_out += extracted.tokens_out.unwrap_or(0);
            outcome.extractor = Some(extracted.provenance.clone().into());
            let already = outcome.candidates.len();
            let id = tx.begin_extraction_id(stamp.now);
            let whose = Whose {
                agent,
                user,
                kinds: &subject.kinds,
                schemas: &[],
                settings: &settings,
            };
            for (place, kept) in (0..).zip(&gated.kept) {
                let stamp = Stamp {
                    now: stamp.now + Span::microseconds(place),
                    ..stamp.clone()
                };
                self.judge(&mut tx, &whose, kept, &id, &mut outcome, &stamp)
                    .await?;
            }
            let extraction = NewExtraction {
                conversation: &reading.last,
                operation: &claimed.operation.id,
                from: 1,
                upto: reading.last.messages,
                state,
                provenance: extracted.provenance.clone().into(),
                error: error.map(str::to_owned),
                raw: extracted.raw.clone(),
                summary: None,
                tokens_in: extracted.tokens_in.unwrap_or(0),
                tokens_out: extracted.tokens_out.unwrap_or(0),
                candidates: u32::try_from(outcome.candidates.len() - already).unwrap_or(u32::MAX),
                dropped: gated.dropped.clone(),
                moves: false,
            };
            tx.record_extraction(&id, &extraction, &stamp).await?;
        } else {
            let (read, wrote) = (extracted.tokens_in, extracted.tokens_out);
            tx.spend(agent, read.unwrap_or(0), wrote.unwrap_or(0), stamp.now)
                .await?;
        }
        if let Some(upto) = subject.upto {
            tx.looked_for_patterns(agent, user, upto).await?;
        }
        let ends = match state {
            ExtractionState::Parsed => JobState::Succeeded,
            ExtractionState::Truncated => JobState::Truncated,
            ExtractionState::Failed => JobState::Failed,
        };
        tx.finish_job(claimed, ends, error, &outcome, stamp.now)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Ends the job; what happened up to `upto` is no news any more.
    pub(super) async fn looked(
        &self,
        claimed: &Claimed,
        upto: Option<Timestamp>,
        state: JobState,
        error: Option<&str>,
        outcome: &Outcome,
    ) -> Result<()> {
        again!(self.looked_once(claimed, upto, state, error, outcome).await)
    }

    async fn looked_once(
        &self,
        claimed: &Claimed,
        upto: Option<Timestamp>,
        state: JobState,
        error: Option<&str>,
        outcome: &Outcome,
    ) -> Result<()> {
        let now = self.now();
        let mut tx = self.write_all().await?;
        tx.hold_claim(claimed, now, span(self.settings().lease))
            .await?;
        if let (Some(user), Some(upto)) = (&claimed.operation.user, upto) {
            tx.looked_for_patterns(&claimed.operation.agent, user, upto)
                .await?;
        }
        tx.finish_job(claimed, state, error, outcome, now).await?;
        Ok(tx.commit().await?)
    }
}

impl Subject {
    fn kind(&self) -> &Kind {
        let pattern = self.kinds.iter().find(|kind| kind.name == PATTERN);
        pattern.expect("it was looked for before")
    }
}

impl Reading {
    /// Sends drafts through the gate: only patterns, with a quote from at least two sessions.
    fn gate(&self, mut drafts: Vec<domain::draft::Draft>, subject: &Subject) -> Gated {
        for quote in drafts.iter_mut().flat_map(|draft| &mut draft.evidence) {
            quote.turn = quote.turn.and_then(|turn| self.places.get(turn).copied());
        }
        let kinds = std::slice::from_ref(subject.kind());
        gate::pass(
            drafts,
            &self.turns,
            kinds,
            &[],
            &subject.agent.settings,
            &|line| self.served.holds(line),
        )
    }
}
