//! `/webhooks`: who is told what happened, and one of them with what it was told (G4).

use std::collections::BTreeMap;

use app::{
    pages::webhooks::{ALL, Delivery, Detail, EVENT, GROUP, Webhook, Webhooks, webhook, webhooks},
    shell::Place,
    text::Text,
};
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use domain::{
    agent::{AgentName, AgentScope},
    audit::EventType,
    id::{DeliveryId, WebhookId},
    permission::Permission,
};
use engine::{DeliveryView, EngineError, NewWebhook, Page, WebhookPatch, WebhookView};
use serde::Deserialize;

use super::{
    by::by,
    form::{id, refused, typed_of},
    look::Look,
};
use crate::{
    auth::{Admin, FreshForm},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// A form with a box for each type of event.
type Form = BTreeMap<String, String>;

/// The list, and the form that makes one.
pub async fn list(admin: Admin, look: Look) -> Result<Response, PageError> {
    let frame = look.frame(&admin, Place::Agents).await?;
    let (engine, permit, text) = (look.engine(), &admin.permit, look.text());
    let rows = engine.webhooks(permit, None).await?.into_iter();
    let reads = admin.ask(Permission::ReadAgents)?;
    let agents = engine.agents(&reads).await?.into_iter();
    let page = Webhooks {
        rows: rows.map(|view| row(text, view)).collect(),
        agents: agents
            .map(|agent| agent.name)
            .filter(|agent| permit.scope().contains(agent))
            .map(|agent| agent.to_string())
            .collect(),
        may_all: *permit.scope() == AgentScope::All,
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || webhooks(&frame, &page)).await
}

fn row(text: &Text, view: WebhookView) -> Webhook {
    Webhook {
        by: by(text, &view.by).unwrap_or_else(|| text.words.by_system.to_owned()),
        id: view.id,
        agent: view.agent.map(|agent| agent.to_string()),
        url: view.url,
        events: view.events,
        state: view.state,
        created_at: view.created_at,
        rotated_at: view.rotated_at,
        overlaps_until: view.overlaps_until,
        delivered_at: view.delivered_at,
        waiting: view.waiting,
        failed: view.last_failure.map(|failure| {
            let status = failure.status.map(|status| status.to_string());
            (failure.at, status.or(failure.error).unwrap_or_default())
        }),
    }
}

/// Where the page of the deliveries begins.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
}

/// One of them.
pub async fn show(
    admin: Admin,
    look: Look,
    Path(text): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&admin, Place::Agents).await?;
    let (engine, permit) = (look.engine(), &admin.permit);
    let id: WebhookId = id(&text)?;
    let view = engine.webhook(permit, &id).await?;
    let page = Page {
        cursor: Some(asked.after).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let listed = engine.deliveries(permit, &id, &page).await?;
    let flash = look.flash.as_ref();
    let told = |code: &str, field: &str| {
        let flash = flash.filter(|flash| flash.code == code)?;
        flash.fields.get(field).cloned()
    };
    let detail = Detail {
        webhook: row(look.text(), view),
        deliveries: listed.data.into_iter().map(delivery).collect(),
        next: listed.next,
        secret: told("webhook_secret", "secret"),
        failed: told("webhook_not_arrived", "why"),
        typed: typed_of(flash),
    };
    look.draw(move || webhook(&frame, &detail)).await
}

fn delivery(view: DeliveryView) -> Delivery {
    Delivery {
        id: view.id,
        agent: view.agent,
        seq: view.seq,
        r#type: view.r#type,
        state: view.state,
        attempt: view.attempt,
        next_at: view.next_at,
        status: view.status,
        error: view.error,
        duration_ms: view.duration_ms,
        attempted_at: view.attempted_at,
    }
}

fn url(form: &Form) -> String {
    form.get("url").map_or("", |url| url.trim()).to_owned()
}

/// The events that are ticked, one by one or as groups; those of a group are the ones that there are now.
fn events(form: &Form) -> Vec<EventType> {
    let ticked = |event: &EventType| {
        let group = event.as_str().split('.').next().unwrap_or_default();
        form.contains_key(&format!("{EVENT}{event}"))
            || form.contains_key(&format!("{GROUP}{group}"))
    };
    EventType::ALL.iter().copied().filter(ticked).collect()
}

/// What was refused, with all that was typed.
fn refusal(error: EngineError, form: &Form) -> Result<Flash, PageError> {
    let typed: Vec<(&str, &str)> = form
        .iter()
        .map(|(field, value)| (field.as_str(), value.as_str()))
        .collect();
    refused(error, &typed)
}

/// Makes one; its page shows the secret this once.
pub async fn create(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    FreshForm(form): FreshForm<Form>,
) -> Result<Response, PageError> {
    let made = async {
        let new = NewWebhook {
            agent: agent(&form)?,
            url: url(&form),
            events: events(&form),
            enabled: true,
        };
        app.engine.create_webhook(&admin.permit, new).await
    };
    match made.await {
        Ok((secret, view)) => shown(&flashes, &view, secret).await,
        Err(error) => {
            flashes
                .see_other("/webhooks#make", refusal(error, &form)?)
                .await
        }
    }
}

fn agent(form: &Form) -> Result<Option<AgentName>, EngineError> {
    let name = form.get("agent").map_or("", String::as_str);
    if name == ALL {
        return Ok(None);
    }
    let unknown = |_| EngineError::invalid("/agent", "unknown", "the name of an agent");
    AgentName::parse(name).map(Some).map_err(unknown)
}

/// To the page of one, with a secret that it shows this once.
async fn shown(
    flashes: &Flashes,
    view: &WebhookView,
    secret: String,
) -> Result<Response, PageError> {
    let flash = Flash::new("webhook_secret").with("secret", secret);
    flashes
        .see_other(&format!("/webhooks/{}", view.id), flash)
        .await
}

/// To the page of one.
async fn back(flashes: &Flashes, id: &WebhookId, flash: Flash) -> Result<Response, PageError> {
    flashes.see_other(&format!("/webhooks/{id}"), flash).await
}

/// Saves another address and other events.
pub async fn change(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(form): FreshForm<Form>,
) -> Result<Response, PageError> {
    let id: WebhookId = id(&text)?;
    let patch = WebhookPatch {
        url: Some(url(&form)),
        events: Some(events(&form)),
        enabled: None,
    };
    let changed = app.engine.change_webhook(&admin.permit, &id, &patch).await;
    let flash = match changed {
        Ok(_) => Flash::new("saved"),
        Err(error) => refusal(error, &form)?,
    };
    back(&flashes, &id, flash).await
}

/// Switches one on.
pub async fn enable(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    switch(&admin, &flashes, &app, &text, true).await
}

/// Switches one off.
pub async fn disable(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    switch(&admin, &flashes, &app, &text, false).await
}

async fn switch(
    admin: &Admin,
    flashes: &Flashes,
    app: &AppState,
    text: &str,
    on: bool,
) -> Result<Response, PageError> {
    let id: WebhookId = id(text)?;
    let patch = WebhookPatch {
        enabled: Some(on),
        ..WebhookPatch::default()
    };
    let code = if on {
        "webhook_enabled"
    } else {
        "webhook_disabled"
    };
    let switched = app.engine.change_webhook(&admin.permit, &id, &patch).await;
    let flash = match switched {
        Ok(_) => Flash::new(code),
        Err(error) => refused(error, &[])?,
    };
    back(flashes, &id, flash).await
}

/// Gives one another secret; its page shows it this once.
pub async fn rotate(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(_): FreshForm<Form>,
) -> Result<Response, PageError> {
    let id: WebhookId = id(&text)?;
    match app.engine.rotate_webhook(&admin.permit, &id).await {
        Ok((secret, view)) => shown(&flashes, &view, secret).await,
        Err(error) => back(&flashes, &id, refused(error, &[])?).await,
    }
}

/// Sends something now, to see whether it arrives.
pub async fn test(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let id: WebhookId = id(&text)?;
    let flash = match app.engine.test_webhook(&admin.permit, &id).await {
        Ok(tested) if tested.arrived => Flash::new("webhook_arrived"),
        Ok(tested) => {
            let status = tested.status.map(|status| status.to_string());
            let why = status.or(tested.error).unwrap_or_default();
            Flash::new("webhook_not_arrived").with("why", why)
        }
        Err(error) => refused(error, &[])?,
    };
    back(&flashes, &id, flash).await
}

/// Removes one.
pub async fn remove(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let id: WebhookId = id(&text)?;
    app.engine.remove_webhook(&admin.permit, &id).await?;
    flashes
        .see_other("/webhooks", Flash::new("webhook_removed"))
        .await
}

/// Has a delivery sent again.
pub async fn resend(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path((text, delivery)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let (webhook, delivery): (WebhookId, DeliveryId) = (id(&text)?, id(&delivery)?);
    app.engine
        .resend_delivery(&admin.permit, &webhook, &delivery)
        .await?;
    back(&flashes, &webhook, Flash::new("webhook_resent")).await
}
