//! `/agents/{name}`: settings and keys.

use app::{
    pages::agent::{Agent, Key, Kind, agent},
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{
    agent::{AgentName, ExtractionTrigger},
    key::KeyScope,
    permission::Permission,
};
use engine::{AgentPatch, EngineError, KeyView, KindView, NewKey};
use serde::Deserialize;

use super::{
    form::{id, refused, typed, typed_of, version},
    look::Look,
    overview::figures,
};
use crate::{
    auth::{Admin, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
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
    let engine = look.engine();
    let found = engine.agent(&signed.permit, name).await?;
    let administers = signed
        .ask(Permission::Administer)
        .ok()
        .filter(|permit| permit.scope().contains(name));
    let keys = match &administers {
        Some(permit) => engine.keys(permit, Some(name)).await?,
        None => Vec::new(),
    };
    let new_key = look.flash.as_ref().filter(|flash| flash.code == "key_made");
    Ok(Agent {
        figures: figures(look, signed, &found).await?,
        kinds: engine
            .kinds(&signed.permit, name)
            .await?
            .into_iter()
            .map(kind)
            .collect(),
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

fn kind(view: KindView) -> Kind {
    Kind {
        name: view.name,
        description: view.description,
        ttl_days: view.ttl_days,
        always: view.always,
        enabled: view.enabled,
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

/// The form of the settings: a switch that is off sends nothing.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Settings {
    version: i64,
    learn: Option<String>,
    serve: Option<String>,
    max_memories: String,
    confidence_floor: String,
    max_candidates: String,
    trigger_messages: String,
    trigger_quiet: String,
    extractor: String,
}

impl Settings {
    fn patch(&self) -> Result<AgentPatch, EngineError> {
        Ok(AgentPatch {
            learn: Some(self.learn.is_some()),
            serve: Some(self.serve.is_some()),
            max_memories: Some(number(&self.max_memories, "/max_memories")?),
            confidence_floor: Some(number(&self.confidence_floor, "/confidence_floor")?),
            max_candidates: Some(number(&self.max_candidates, "/max_candidates")?),
            trigger: Some(ExtractionTrigger {
                messages: Some(number(&self.trigger_messages, "/trigger_messages")?),
                quiet_seconds: Some(number(&self.trigger_quiet, "/trigger_quiet")?),
                interval_seconds: None,
            }),
            extractor: Some(typed(&self.extractor)),
            ..AgentPatch::default()
        })
    }

    fn typed(&self) -> [(&'static str, &str); 6] {
        [
            ("max_memories", &self.max_memories),
            ("confidence_floor", &self.confidence_floor),
            ("max_candidates", &self.max_candidates),
            ("trigger_messages", &self.trigger_messages),
            ("trigger_quiet", &self.trigger_quiet),
            ("extractor", &self.extractor),
        ]
    }
}

fn number<T: std::str::FromStr>(text: &str, pointer: &'static str) -> Result<T, EngineError> {
    let wrong = |_| EngineError::invalid(pointer, "invalid", "not a number that fits");
    text.trim().parse().map_err(wrong)
}

/// Saves the settings.
pub async fn change(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Settings>,
) -> Result<Response, PageError> {
    let name: AgentName = id(&text)?;
    let seen = Some(version(form.version));
    let saved = match form.patch() {
        Ok(patch) => {
            app.engine
                .change_agent(&admin.permit, &name, seen, patch)
                .await
        }
        Err(error) => Err(error),
    };
    let flash = match saved {
        Ok(_) => Flash::new("saved"),
        Err(error @ EngineError::Stale { .. }) => Flash::new(error.code()),
        Err(error) => refused(error, &form.typed())?,
    };
    flashes.see_other(&format!("/agents/{name}"), flash).await
}

/// The form of a new key.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct KeyForm {
    name: String,
}

/// Makes a key; the page that follows shows it this once.
pub async fn create_key(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<KeyForm>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&text)?;
    let new = NewKey {
        agent: Some(agent.clone()),
        scopes: KeyScope::OF_AN_AGENT.to_vec(),
        person: None,
        name: typed(&form.name),
        expires_at: None,
    };
    let (key, _) = app.engine.create_key(&admin.permit, new).await?;
    let flash = Flash::new("key_made").with("key", key.reveal());
    flashes.see_other(&format!("/agents/{agent}"), flash).await
}

/// Revokes a key.
pub async fn revoke_key(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path((text, key)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&text)?;
    app.engine.revoke_key(&admin.permit, &id(&key)?).await?;
    flashes
        .see_other(&format!("/agents/{agent}"), Flash::new("key_revoked"))
        .await
}
