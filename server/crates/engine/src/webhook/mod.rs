//! Webhooks: an agent's runtimes are told what happened, by the form of Standard Webhooks. A recall reaches them this way (G4).
//!
//! What is sent is worked out of the committed audit chains, an event at a time and one webhook in one pair of hands (`send.rs`), so that
//! nothing is sent before it is true and nothing is left out. It names things by our ids and holds no words of anybody (`payload.rs`).

mod payload;
mod send;
mod sign;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    audit::EventType,
    candidate::DecidedBy,
    id::{DeliveryId, WebhookId},
    permission::{Permission, Permit},
    webhook::{DeliveryState, WebhookState},
};
use serde::Serialize;
use store::{Delivery, Tx, Webhook, WebhookChange, WebhookTarget};

use crate::{
    Engine, again,
    error::{EngineError, FieldError, Result},
    need,
    outside::to_be_told,
    page::{By, List, Page},
    queue::page,
    view::Names,
};

/// The most webhooks of an installation: each of them costs a look at every chain.
const MOST: i64 = 100;

/// A webhook to be made.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// The one agent it is told of; `None`: all, and the installation.
    pub agent: Option<AgentName>,
    /// Where to.
    pub url: String,
    /// The types of the events that are sent.
    pub events: Vec<EventType>,
    /// Whether it is told anything from now on.
    pub enabled: bool,
}

/// What is to change about a webhook; `None`: it stays.
#[derive(Debug, Clone, Default)]
pub struct WebhookPatch {
    /// Another address.
    pub url: Option<String>,
    /// Other events.
    pub events: Option<Vec<EventType>>,
    /// On or off.
    pub enabled: Option<bool>,
}

/// A webhook, outward; never its secret.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct WebhookView {
    /// Ours.
    pub id: WebhookId,
    /// The one agent it is told of; `null`: all, and the installation.
    pub agent: Option<AgentName>,
    /// Where it leads; `null`: that cannot be read any more.
    pub url: Option<String>,
    /// The types of the events that are sent.
    pub events: Vec<EventType>,
    /// Whether it is told anything, and if not, why.
    pub state: WebhookState,
    /// Who made it.
    pub by: By,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When its secret was last made anew.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub rotated_at: Option<Timestamp>,
    /// Until when a secret before it signs too.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub overlaps_until: Option<Timestamp>,
    /// When something last arrived.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub delivered_at: Option<Timestamp>,
    /// How many deliveries wait, for their first or another try.
    pub waiting: i64,
    /// The last try that did not arrive, where nothing has arrived since.
    pub last_failure: Option<FailureView>,
}

/// A try that did not arrive, outward.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FailureView {
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What the peer answered.
    pub status: Option<i64>,
    /// Why it did not, in a word.
    pub error: Option<String>,
}

/// Telling a webhook of one event, outward.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct DeliveryView {
    /// Ours, and the header `webhook-id` of every try.
    pub id: DeliveryId,
    /// The chain of the event: an agent's name, or `system`.
    pub agent: String,
    /// Its number there.
    pub seq: i64,
    /// What happened.
    pub r#type: EventType,
    /// What became of it.
    pub state: DeliveryState,
    /// How often it was tried since it was last asked for.
    pub attempt: i64,
    /// When it is tried next.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_at: Option<Timestamp>,
    /// What the peer answered last.
    pub status: Option<i64>,
    /// Why it did not, in a word.
    pub error: Option<String>,
    /// How long that took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// When it was last tried.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub attempted_at: Option<Timestamp>,
    /// When it was written down.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// What a test came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct TestedView {
    /// Whether the peer took it.
    pub arrived: bool,
    /// What it answered.
    pub status: Option<i64>,
    /// Why it did not, in a word.
    pub error: Option<String>,
    /// How long that took, in milliseconds.
    pub duration_ms: i64,
}

impl Engine {
    /// The webhooks of an agent, or all the permit holds for, newest first; those of all agents only where it holds for all.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn webhooks(
        &self,
        permit: &Permit,
        agent: Option<&AgentName>,
    ) -> Result<Vec<WebhookView>> {
        need(permit, &[Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        let webhooks = tx.webhooks(agent).await?;
        self.webhook_views(&mut tx, webhooks).await
    }

    /// How many of them Keepsake has switched off, so that somebody has to look.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn webhooks_off(&self, permit: &Permit) -> Result<u64> {
        need(permit, &[Permission::Administer])?;
        let off = self.read(permit).await?.webhooks_off().await?;
        Ok(off.unsigned_abs())
    }

    /// One of them.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn webhook(&self, permit: &Permit, id: &WebhookId) -> Result<WebhookView> {
        need(permit, &[Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        self.webhook_view(&mut tx, id).await
    }

    /// Makes a webhook, which is told of what happens from now on. Its secret is in the answer, and nowhere else.
    ///
    /// # Errors
    /// `invalid`; [`EngineError::Forbidden`] for all agents where the permit holds for some.
    pub async fn create_webhook(
        &self,
        permit: &Permit,
        new: NewWebhook,
    ) -> Result<(String, WebhookView)> {
        need(permit, &[Permission::Administer])?;
        let mut wrong = self.url_faults(&new.url);
        wrong.extend(event_faults(&new.events));
        if !wrong.is_empty() {
            return Err(EngineError::Invalid(wrong));
        }
        if new.agent.is_none() && *permit.scope() != AgentScope::All {
            return Err(EngineError::Forbidden);
        }
        let secret = sign::new_secret(self.entropy());
        let stored = store::NewWebhook {
            agent: new.agent,
            events: sorted(new.events),
            target: WebhookTarget {
                url: new.url,
                secret: secret.clone(),
                old: Vec::new(),
            },
            enabled: new.enabled,
        };
        let view = again!(self.create_webhook_once(permit, &stored).await)?;
        Ok((secret, view))
    }

    async fn create_webhook_once(
        &self,
        permit: &Permit,
        new: &store::NewWebhook,
    ) -> Result<WebhookView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        if let Some(agent) = &new.agent {
            tx.agent(agent).await?.ok_or_else(|| {
                EngineError::invalid("/agent", "unknown", "there is no such agent")
            })?;
        }
        if tx.webhooks_in_all().await? >= MOST {
            let detail = format!("at most {MOST} webhooks; remove one that is not needed");
            return Err(EngineError::invalid("", "too_many", detail));
        }
        let id = tx.create_webhook(new, &stamp).await?;
        let view = self.webhook_view(&mut tx, &id).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Changes a webhook. What waits goes to the new address; other events count from those on that were not looked at yet. Switched on
    /// again, it is told of what happened meanwhile.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `invalid`.
    pub async fn change_webhook(
        &self,
        permit: &Permit,
        id: &WebhookId,
        patch: &WebhookPatch,
    ) -> Result<WebhookView> {
        need(permit, &[Permission::Administer])?;
        let mut wrong = Vec::new();
        if let Some(url) = &patch.url {
            wrong.extend(self.url_faults(url));
        }
        if let Some(events) = &patch.events {
            wrong.extend(event_faults(events));
        }
        if !wrong.is_empty() {
            return Err(EngineError::Invalid(wrong));
        }
        again!(self.change_webhook_once(permit, id, patch).await)
    }

    async fn change_webhook_once(
        &self,
        permit: &Permit,
        id: &WebhookId,
        patch: &WebhookPatch,
    ) -> Result<WebhookView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = readable(tx.webhook_for_update(id).await?)?;
        let url = before.target.as_ref().map(|target| target.url.as_str());
        // Only what differs is a change, and told as one.
        let change = WebhookChange {
            url: patch.url.clone().filter(|new| Some(new.as_str()) != url),
            events: patch
                .events
                .clone()
                .map(sorted)
                .filter(|new| *new != before.events),
            enabled: patch
                .enabled
                .filter(|&on| on != before.state.is_enabled() || before.state.needs_a_look()),
        };
        if change.url.is_some() || change.events.is_some() || change.enabled.is_some() {
            tx.change_webhook(&before, &change, &stamp).await?;
        }
        let view = self.webhook_view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Gives a webhook another secret, which is in the answer and nowhere else. The one before signs too for 24 hours.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn rotate_webhook(
        &self,
        permit: &Permit,
        id: &WebhookId,
    ) -> Result<(String, WebhookView)> {
        need(permit, &[Permission::Administer])?;
        let secret = sign::new_secret(self.entropy());
        let view = again!(self.rotate_webhook_once(permit, id, &secret).await)?;
        Ok((secret, view))
    }

    async fn rotate_webhook_once(
        &self,
        permit: &Permit,
        id: &WebhookId,
        secret: &str,
    ) -> Result<WebhookView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = readable(tx.webhook_for_update(id).await?)?;
        tx.rotate_webhook(&before, secret.to_owned(), &stamp)
            .await?;
        let view = self.webhook_view(&mut tx, id).await?;
        tx.commit().await?;
        Ok(view)
    }

    /// Removes a webhook; what waits for it is not sent.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn remove_webhook(&self, permit: &Permit, id: &WebhookId) -> Result<()> {
        need(permit, &[Permission::Administer])?;
        again!(self.remove_webhook_once(permit, id).await)
    }

    async fn remove_webhook_once(&self, permit: &Permit, id: &WebhookId) -> Result<()> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        let before = tx.webhook_for_update(id).await?;
        let before = before.ok_or(EngineError::NotFound)?;
        tx.remove_webhook(&before, &stamp).await?;
        Ok(tx.commit().await?)
    }

    /// What a webhook was told, newest first.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `invalid` for a cursor that is not ours.
    pub async fn deliveries(
        &self,
        permit: &Permit,
        id: &WebhookId,
        wanted: &Page,
    ) -> Result<List<DeliveryView>> {
        need(permit, &[Permission::Administer])?;
        let mut tx = self.read(permit).await?;
        tx.webhook(id).await?.ok_or(EngineError::NotFound)?;
        let listed = tx.deliveries(id, &page(wanted)?).await?;
        Ok(List {
            data: listed.rows.into_iter().map(outward).collect(),
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// Has a delivery sent again, whatever became of it, with all the tries of a new one.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn resend_delivery(
        &self,
        permit: &Permit,
        id: &WebhookId,
        delivery: &DeliveryId,
    ) -> Result<DeliveryView> {
        need(permit, &[Permission::Administer])?;
        again!(self.resend_delivery_once(permit, id, delivery).await)
    }

    async fn resend_delivery_once(
        &self,
        permit: &Permit,
        id: &WebhookId,
        delivery: &DeliveryId,
    ) -> Result<DeliveryView> {
        let now = self.stamp(permit).now;
        let mut tx = self.write(permit).await?;
        tx.webhook_for_update(id)
            .await?
            .ok_or(EngineError::NotFound)?;
        if !tx.resend_delivery(id, delivery, now).await? {
            return Err(EngineError::NotFound);
        }
        let again = tx.delivery(id, delivery).await?;
        let view = again.map(outward).ok_or(EngineError::NotFound)?;
        tx.commit().await?;
        Ok(view)
    }

    fn url_faults(&self, url: &str) -> Vec<FieldError> {
        if url.is_empty() {
            return vec![FieldError::new("/url", "required", "where to")];
        }
        let fault = to_be_told(url, &self.outgoing().allowed_private).err();
        fault
            .map(|code| FieldError::new("/url", code, url_detail(code)))
            .into_iter()
            .collect()
    }

    async fn webhook_view(&self, tx: &mut Tx, id: &WebhookId) -> Result<WebhookView> {
        let webhook = tx.webhook(id).await?.ok_or(EngineError::NotFound)?;
        let mut views = self.webhook_views(tx, vec![webhook]).await?;
        views.pop().ok_or(EngineError::NotFound)
    }

    async fn webhook_views(&self, tx: &mut Tx, webhooks: Vec<Webhook>) -> Result<Vec<WebhookView>> {
        let now = self.now();
        let mut names = Names::default();
        let people: Vec<_> = webhooks
            .iter()
            .filter_map(|webhook| webhook.person.clone())
            .collect();
        names.learn_people(tx, people).await?;
        let mut views = Vec::with_capacity(webhooks.len());
        for webhook in webhooks {
            let waiting = tx.deliveries_waiting(&webhook.id).await?;
            let failure = tx.last_failure(&webhook.id).await?;
            let since = |at| webhook.delivered_at.is_none_or(|arrived| arrived < at);
            let last_failure = failure.filter(|failure| since(failure.at));
            let by = webhook.person.map_or(DecidedBy::System, DecidedBy::Person);
            let old = webhook.target.iter().flat_map(|target| &target.old);
            let ends = old.map(|old| old.until).filter(|until| now < *until);
            views.push(WebhookView {
                overlaps_until: ends.max(),
                id: webhook.id,
                agent: webhook.agent,
                url: webhook.target.map(|target| target.url),
                events: webhook.events,
                state: webhook.state,
                by: names.by(&by),
                created_at: webhook.created_at,
                rotated_at: webhook.rotated_at,
                delivered_at: webhook.delivered_at,
                waiting,
                last_failure: last_failure.map(|failure| FailureView {
                    at: failure.at,
                    status: failure.status,
                    error: failure.error,
                }),
            });
        }
        Ok(views)
    }
}

/// What is wrong with an address, and what to do.
fn url_detail(code: &str) -> &'static str {
    match code {
        "https" => {
            "an address begins with https://; plain http leads only to hosts that KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES names, and to this machine where it is allowed"
        }
        "user_info" => {
            "take out the user and the password before the host; what is sent is signed instead"
        }
        "fragment" => "take out the part from # on; it is never sent",
        "private_address" => {
            "this address lies inside a private network; KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES can allow it"
        }
        "too_long" => "an address has at most 2,048 characters",
        _ => "this is no address; one looks like https://runtime.example/keepsake",
    }
}

/// A webhook that can be changed: one whose secret cannot be read can only be removed.
fn readable(webhook: Option<Webhook>) -> Result<Webhook> {
    let webhook = webhook.ok_or(EngineError::NotFound)?;
    if webhook.target.is_none() {
        let detail =
            "its address and its secret cannot be read any more; remove it and make a new one";
        return Err(EngineError::invalid("", "unreadable", detail));
    }
    Ok(webhook)
}

fn event_faults(events: &[EventType]) -> Option<FieldError> {
    let detail = "at least one type of event";
    events
        .is_empty()
        .then(|| FieldError::new("/events", "required", detail))
}

/// In the order of the closed list, each once.
fn sorted(events: Vec<EventType>) -> Vec<EventType> {
    let all = EventType::ALL.iter().copied();
    all.filter(|event| events.contains(event)).collect()
}

fn outward(delivery: Delivery) -> DeliveryView {
    DeliveryView {
        id: delivery.id,
        agent: delivery.chain,
        seq: delivery.seq,
        r#type: delivery.r#type,
        state: delivery.state,
        attempt: delivery.attempt,
        next_at: delivery.next_at,
        status: delivery.status,
        error: delivery.error,
        duration_ms: delivery.duration_ms,
        attempted_at: delivery.attempted_at,
        created_at: delivery.created_at,
    }
}
