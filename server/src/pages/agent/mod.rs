//! `/agents/{name}`.

mod four_eyes;
mod keys;
mod policies;
mod settings;

pub use self::{
    four_eyes::four_eyes,
    keys::{create_key, revoke_key},
    policies::{switch_off, switch_on},
    settings::{change, sets},
};

use app::{
    pages::agent::{Agent, Key, Kind, Policy, Prompt, Schema, Today, Unhelpful, agent},
    shell::Place,
};
use axum::{extract::Path, response::Response};
use domain::{agent::AgentName, permission::Permission};
use engine::{KeyView, KindView, NeverHelpful, PolicyView, SchemaView, UsageView, WebhookView};

use super::{
    by::by,
    form::{id, typed_of},
    look::Look,
    overview::of_agent,
};
use crate::{
    auth::{Signed, need},
    page_error::PageError,
};

/// One agent.
pub async fn show(
    signed: Signed<need::ReadAgents>,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Agents).await?;
    let page = load(&look, &signed, &id(&text)?).await?;
    look.draw(move || agent(&frame, &page)).await
}

async fn load(
    look: &Look,
    signed: &Signed<need::ReadAgents>,
    name: &AgentName,
) -> Result<Agent, PageError> {
    let (engine, reads, text) = (look.engine(), &signed.permit, look.text());
    let found = engine.agent(reads, name).await?;
    let administers = signed
        .ask(Permission::Administer)
        .ok()
        .filter(|permit| permit.scope().contains(name));
    let keys = match &administers {
        Some(permit) => engine.keys(permit, Some(name)).await?,
        None => Vec::new(),
    };
    let webhooks = match &administers {
        Some(permit) => webhooks(&engine.webhooks(permit, None).await?, name),
        None => 0,
    };
    let new_key = look.flash.as_ref().filter(|flash| flash.code == "key_made");
    let figures = engine.agent_figures(reads, name).await?;
    let report = engine
        .report(&signed.ask(Permission::ReadHistory)?, name)
        .await?;
    let kinds = engine.kinds(reads, name).await?;
    let schemas = engine.schemas(reads, name).await?;
    let prompt = engine.prompt(reads, name).await?;
    Ok(Agent {
        figures: of_agent(&found, &figures),
        today: today(&figures.today),
        policies: found
            .policies
            .into_iter()
            .map(|one| policy(text, one))
            .collect(),
        kinds: kinds.into_iter().map(kind).collect(),
        schemas: schemas.into_iter().map(schema).collect(),
        prompt: prompt.map(|told| Prompt {
            version: told.version,
            system: told.system,
        }),
        webhooks,
        unhelpful: report.memories.into_iter().map(unhelpful).collect(),
        keys: keys.into_iter().map(key).collect(),
        new_key: new_key.and_then(|flash| flash.fields.get("key").cloned()),
        public_url: look
            .app
            .public_url()
            .origin()
            .trim_end_matches('/')
            .to_owned(),
        may_change: administers.is_some(),
        typed: typed_of(look.flash.as_ref()),
        settings: found.settings,
        version: found.version,
    })
}

/// How many are told of this agent: its own, and those of all agents.
fn webhooks(all: &[WebhookView], name: &AgentName) -> u64 {
    let told = |webhook: &&WebhookView| webhook.agent.as_ref().is_none_or(|one| one == name);
    all.iter().filter(told).count() as u64
}

fn today(usage: &UsageView) -> Today {
    Today {
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        dry_run_tokens: usage.dry_run_tokens_in + usage.dry_run_tokens_out,
        cost: usage.cost,
        used: usage.used,
        warns: usage.budget_warning,
        waiting: usage.waiting,
        not_allowed: usage.not_allowed,
    }
}

fn policy(text: &'static app::text::Text, view: PolicyView) -> Policy {
    Policy {
        name: view.name,
        kinds: view.kinds,
        min_confidence: view.min_confidence,
        by: by(text, &view.by),
        at: view.at,
    }
}

fn kind(view: KindView) -> Kind {
    Kind {
        name: view.name,
        set: view.set,
        description: view.description,
        ttl_days: view.ttl_days,
        always: view.always,
        enabled: view.enabled,
        misfits: view.misfits,
    }
}

fn schema(view: SchemaView) -> Schema {
    Schema {
        id: view.id,
        fields: view.fields.into_iter().map(|field| field.name).collect(),
        version: view.version,
        misfits: view.misfits,
        updated_at: view.updated_at,
    }
}

fn unhelpful(row: NeverHelpful) -> Unhelpful {
    Unhelpful {
        memory: row.memory.id,
        content: row.memory.content,
        language: row.memory.language,
        who: row.memory.who,
        servings: row.servings,
        not_helped: row.not_helped,
        last_served_at: row.last_served_at,
        proposal: row.proposal,
    }
}

fn key(view: KeyView) -> Key {
    Key {
        revoked: view.revoked_at.is_some(),
        id: view.id,
        name: view.name,
        hint: view.hint,
        scopes: view.scopes,
        last_used_at: view.last_used_at,
    }
}
