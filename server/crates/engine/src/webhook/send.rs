//! Telling webhooks: one is taken into the hands of one process, what it asked for is written down, and sent one after the other. No
//! transaction is open while a peer is waited for; whoever dies leaves the webhook to another once the claim has run out, and what was sent
//! and not noted is sent again.
//!
//! Each event is tried first in the order of its chain. One that fails is tried again later and holds nothing back: a recall must not wait
//! behind an event that a peer will never take.

use domain::{
    Timestamp,
    id::{DeliveryId, WebhookId},
    permission::{Permission, Permit},
    time::Span,
    webhook::{DeliveryState, WebhookState, wait_after},
};
use store::{Attempted, DueDelivery, Stamp, Webhook, WebhookClaim, WebhookTarget};
use tokio::{sync::watch, task::JoinSet};

use super::{TestedView, payload, readable, sign};
use crate::{
    Engine, again,
    error::Result,
    need,
    outside::{Answer, post},
    worker::told_to_stop,
};

/// How long a process may hold a webhook without a sign; longer than a look-up and an answer may take together.
const HOLD: Span = Span::minutes(1);
/// Events that are written down at once.
const EVENTS: u32 = 200;
/// How long a webhook is left alone after a try that failed, whatever else waits for it: a peer that is down is not asked a thousand times
/// because a thousand things happened.
const PAUSE: Span = Span::seconds(2);
/// Deliveries of one claim, so that webhooks take turns.
const DELIVERIES: u32 = 50;
/// Webhooks that a process tells at once.
const AT_ONCE: usize = 8;
/// The longest wait that a peer may ask for.
const LONGEST: Span = Span::hours(24);

/// Whether this claim goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    More,
    Ended,
    /// A try failed.
    Failed,
}

/// How sending went: what the peer answered, or why it did not; and how long that took, in milliseconds.
struct Try {
    answer: std::result::Result<Answer, &'static str>,
    took: i64,
}

impl Try {
    fn arrived(&self) -> bool {
        self.answer.is_ok_and(Answer::took_it)
    }

    fn status(&self) -> Option<u16> {
        self.answer.ok().map(|answer| answer.status)
    }

    /// The word of it for the figures.
    fn outcome(&self) -> &'static str {
        match self.answer {
            Ok(answer) if answer.took_it() => "delivered",
            Ok(_) => "refused",
            Err(why) => why,
        }
    }
}

impl Engine {
    /// Tells webhooks until it is told to stop.
    pub(crate) async fn take_webhooks(self, mut stopped: watch::Receiver<bool>) {
        let mut telling = JoinSet::new();
        while !*stopped.borrow() {
            if telling.len() < AT_ONCE {
                match self.take_webhook().await {
                    Ok(Some(claim)) => {
                        let (engine, stopped) = (self.clone(), stopped.clone());
                        telling.spawn(async move { engine.tell_webhook(&claim, stopped).await });
                        continue;
                    }
                    Ok(None) => {}
                    Err(error) => tracing::error!(%error, "no webhook could be claimed"),
                }
            }
            tokio::select! {
                Some(_) = telling.join_next() => {}
                () = tokio::time::sleep(self.settings().poll) => {}
                _ = stopped.changed() => {}
            }
        }
        while telling.join_next().await.is_some() {}
    }

    /// Claims a webhook and tells it what is due; `false` where none waits.
    ///
    /// # Errors
    /// Only the database's; the webhook is then told when its claim has run out.
    pub async fn work_webhook_once(&self) -> Result<bool> {
        let Some(claim) = self.take_webhook().await? else {
            return Ok(false);
        };
        self.serve_webhook(&claim).await?;
        Ok(true)
    }

    async fn take_webhook(&self) -> Result<Option<WebhookClaim>> {
        let now = self.now();
        Ok(self.db().claim_webhook(now, now + HOLD).await?)
    }

    /// One claim, to its end or to ours.
    async fn tell_webhook(&self, claim: &WebhookClaim, mut stopped: watch::Receiver<bool>) {
        let done = tokio::select! {
            done = self.serve_webhook(claim) => done,
            // What was under way may have arrived: it is sent again, and carries the same id.
            () = told_to_stop(&mut stopped) => self.give_webhook_back(claim).await,
        };
        if let Err(error) = done {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(webhook = %claim.webhook, %error, source, "a webhook could not be told; it is tried again");
        }
    }

    async fn serve_webhook(&self, claim: &WebhookClaim) -> Result<()> {
        match self.tell_what_is_due(claim).await {
            Err(error) if error.is_lost_claim() => {
                tracing::debug!(webhook = %claim.webhook, "a webhook was removed, or somebody else tells it");
                Ok(())
            }
            done => done,
        }
    }

    async fn tell_what_is_due(&self, claim: &WebhookClaim) -> Result<()> {
        again!(self.look_at_chains(claim).await)?;
        for _ in 0..DELIVERIES {
            match self.tell_next(claim).await? {
                Progress::More => {}
                Progress::Ended => break,
                Progress::Failed => {
                    let until = self.now() + PAUSE;
                    return again!(self.hold_webhook_until(claim, until).await);
                }
            }
        }
        // Whoever waited longest comes next.
        self.give_webhook_back(claim).await
    }

    /// Writes down what the webhook asked for of what was committed since.
    async fn look_at_chains(&self, claim: &WebhookClaim) -> Result<()> {
        let now = self.now();
        let mut tx = self.read_all().await?;
        let behind = match tx.webhook(&claim.webhook).await? {
            Some(webhook) => tx.is_behind(&webhook).await?,
            None => false,
        };
        drop(tx);
        if !behind {
            return Ok(());
        }
        let mut tx = self.write_all().await?;
        tx.hold_webhook(claim, now + HOLD, None).await?;
        if let Some(webhook) = tx.webhook(&claim.webhook).await? {
            tx.write_deliveries(&webhook, EVENTS, now).await?;
        }
        Ok(tx.commit().await?)
    }

    async fn give_webhook_back(&self, claim: &WebhookClaim) -> Result<()> {
        again!(self.hold_webhook_until(claim, self.now()).await)
    }

    async fn hold_webhook_until(&self, claim: &WebhookClaim, until: Timestamp) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.hold_webhook(claim, until, None).await?;
        Ok(tx.commit().await?)
    }

    /// Sends the delivery that is due. After one that failed the claim ends, so that a peer that hangs takes no more time than one try.
    async fn tell_next(&self, claim: &WebhookClaim) -> Result<Progress> {
        let mut tx = self.read_all().await?;
        let webhook = tx.webhook(&claim.webhook).await?;
        let Some(webhook) = webhook.filter(|webhook| webhook.state.is_enabled()) else {
            return Ok(Progress::Ended);
        };
        let Some(due) = tx.due_delivery(&webhook.id, self.now()).await? else {
            return Ok(Progress::Ended);
        };
        let taken_back = tx.is_taken_back(&due).await?;
        drop(tx);
        let Some(target) = &webhook.target else {
            again!(self.switch_unreadable_off(claim, &webhook).await)?;
            return Ok(Progress::Ended);
        };
        if taken_back {
            again!(self.drop_delivery(claim, &due).await)?;
            return Ok(Progress::More);
        }
        let Some(body) = self.webhook_payload(&due.event).await? else {
            let never = Attempted {
                status: None,
                error: Some("unreadable".to_owned()),
                duration_ms: 0,
                state: DeliveryState::Failed,
                next_at: None,
            };
            again!(
                self.note_delivery(claim, &webhook, &due, &never, None)
                    .await
            )?;
            return Ok(Progress::More);
        };
        let tried = self.send_signed(target, &due.id, body).await;
        metrics::counter!("keepsake_webhook_attempts_total", "outcome" => tried.outcome())
            .increment(1);
        let (attempted, off) = self.after_try(&webhook, &due, &tried);
        if !tried.arrived() {
            let (status, why) = (tried.status(), tried.outcome());
            tracing::warn!(webhook = %webhook.id, delivery = %due.id, status, why, "a webhook did not take a delivery");
        }
        again!(
            self.note_delivery(claim, &webhook, &due, &attempted, off)
                .await
        )?;
        Ok(if tried.arrived() {
            Progress::More
        } else {
            Progress::Failed
        })
    }

    /// What becomes of a delivery after a try, and why its webhook is switched off, where it is.
    fn after_try(
        &self,
        webhook: &Webhook,
        due: &DueDelivery,
        tried: &Try,
    ) -> (Attempted, Option<WebhookState>) {
        let now = self.now();
        let gone = tried.status() == Some(410);
        let wait = wait_after(due.attempt + 1)
            .filter(|_| !gone)
            .map(|wait| self.with_jitter(wait).max(asked_to_wait(tried)));
        let (state, next_at) = match wait {
            _ if tried.arrived() => (DeliveryState::Delivered, None),
            Some(wait) => (DeliveryState::Waiting, Some(now + wait)),
            None => (DeliveryState::Failed, None),
        };
        // Where something else arrived in all that time, this one event is at fault, not the peer.
        let silent = webhook.delivered_at.is_none_or(|at| at < due.created_at);
        let off = match state {
            DeliveryState::Failed if gone => Some(WebhookState::Gone),
            DeliveryState::Failed if silent => Some(WebhookState::Failing),
            _ => None,
        };
        let attempted = Attempted {
            status: tried.status().map(i64::from),
            error: tried.answer.err().map(str::to_owned),
            duration_ms: tried.took,
            state,
            next_at,
        };
        (attempted, off)
    }

    /// A wait, and up to a tenth of it more, so that what failed together does not come back together.
    fn with_jitter(&self, wait: Span) -> Span {
        let mut byte = [0_u8];
        self.entropy().fill(&mut byte);
        wait + Span::milliseconds(wait.num_milliseconds() / 10 * i64::from(byte[0]) / 255)
    }

    async fn note_delivery(
        &self,
        claim: &WebhookClaim,
        webhook: &Webhook,
        due: &DueDelivery,
        attempted: &Attempted,
        off: Option<WebhookState>,
    ) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let until = stamp.now + HOLD;
        let mut tx = self.write_all().await?;
        tx.note_attempt(claim, due, attempted, until, stamp.now)
            .await?;
        if let Some(why) = off {
            tx.disable_webhook(claim, webhook.agent.as_ref(), why, &stamp)
                .await?;
            tracing::warn!(webhook = %webhook.id, why = why.as_str(), "a webhook was switched off");
        }
        Ok(tx.commit().await?)
    }

    async fn drop_delivery(&self, claim: &WebhookClaim, due: &DueDelivery) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.drop_delivery(claim, due, self.now() + HOLD).await?;
        Ok(tx.commit().await?)
    }

    async fn switch_unreadable_off(&self, claim: &WebhookClaim, webhook: &Webhook) -> Result<()> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        let why = WebhookState::Unreadable;
        tx.disable_webhook(claim, webhook.agent.as_ref(), why, &stamp)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Sends a body, signed as of now.
    async fn send_signed(&self, target: &WebhookTarget, id: &DeliveryId, body: String) -> Try {
        let now = self.now();
        let sent_at = now.timestamp();
        let signature = sign::signatures(target, id.as_str(), sent_at, &body, now);
        let headers = payload::headers(id, sent_at, signature);
        let allowed = &self.outgoing().allowed_private;
        let patience = self.settings().webhook_timeout;
        let answer = post(&target.url, allowed, patience, &headers, body).await;
        Try {
            answer,
            took: (self.now() - now).num_milliseconds(),
        }
    }

    /// Sends something at once, to see whether it arrives, also where the webhook is switched off. It is not tried again.
    ///
    /// # Errors
    /// [`crate::EngineError::NotFound`]; `invalid` for one that cannot be read any more.
    pub async fn test_webhook(&self, permit: &Permit, id: &WebhookId) -> Result<TestedView> {
        need(permit, &[Permission::Administer])?;
        let webhook = readable(self.read(permit).await?.webhook(id).await?)?;
        let now = self.now();
        let body = payload::test(id, webhook.agent.as_ref(), now);
        let delivery = DeliveryId::new(now, self.entropy());
        let target = webhook.target.ok_or(crate::EngineError::NotFound)?;
        let tried = self.send_signed(&target, &delivery, body).await;
        Ok(TestedView {
            arrived: tried.arrived(),
            status: tried.status().map(i64::from),
            error: tried.answer.err().map(str::to_owned),
            duration_ms: tried.took,
        })
    }
}

/// How long the peer wants to be left alone, at most [`LONGEST`].
fn asked_to_wait(tried: &Try) -> Span {
    let seconds = tried.answer.ok().and_then(|answer| answer.retry_after);
    let asked = seconds.map_or(Span::zero(), |seconds| Span::seconds(i64::from(seconds)));
    asked.min(LONGEST)
}
