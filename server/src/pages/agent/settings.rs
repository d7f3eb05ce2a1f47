//! The form of an agent's settings, and that of the sets of kinds in use.

use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::agent::{AgentName, Budget, ExtractionTrigger};
use engine::{AgentPatch, EngineError, KindsPatch};
use serde::Deserialize;

use crate::{
    auth::Admin,
    flash::{Flash, Flashes},
    page_error::PageError,
    pages::form::{id, keep, maybe, number, refused, typed, version},
    state::AppState,
};

/// What the form sends; a switch that is off sends nothing.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Settings {
    version: i64,
    learn: String,
    serve: String,
    natural_language: String,
    max_memories: String,
    grace_seconds: String,
    confidence_floor: String,
    max_candidates: String,
    extractor: String,
    allowed_extractors: String,
    guidance: String,
    shared_ids: String,
    trigger_messages: String,
    trigger_quiet_seconds: String,
    trigger_interval_seconds: String,
    budget_tokens_per_day: String,
    budget_money_per_day: String,
    budget_price_in: String,
    budget_price_out: String,
}

impl Settings {
    fn patch(&self) -> Result<AgentPatch, EngineError> {
        let trigger = ExtractionTrigger {
            messages: maybe(&self.trigger_messages, "/trigger/messages")?,
            quiet_seconds: maybe(&self.trigger_quiet_seconds, "/trigger/quiet_seconds")?,
            interval_seconds: maybe(&self.trigger_interval_seconds, "/trigger/interval_seconds")?,
        };
        let budget = Budget {
            tokens_per_day: maybe(&self.budget_tokens_per_day, "/budget/tokens_per_day")?,
            money_per_day: maybe(&self.budget_money_per_day, "/budget/money_per_day")?,
            price_in: maybe(&self.budget_price_in, "/budget/price_in")?,
            price_out: maybe(&self.budget_price_out, "/budget/price_out")?,
        };
        Ok(AgentPatch {
            learn: Some(!self.learn.is_empty()),
            serve: Some(!self.serve.is_empty()),
            natural_language: Some(!self.natural_language.is_empty()),
            max_memories: Some(number(&self.max_memories, "/max_memories")?),
            grace_seconds: maybe(&self.grace_seconds, "/grace_seconds")?,
            confidence_floor: Some(number(&self.confidence_floor, "/confidence_floor")?),
            max_candidates: Some(number(&self.max_candidates, "/max_candidates")?),
            extractor: Some(typed(&self.extractor)),
            allowed_extractors: Some(self.allowed_extractors.lines().filter_map(typed).collect()),
            guidance: Some(typed(&self.guidance.replace("\r\n", "\n"))),
            shared_ids: Some(self.shared_ids.lines().filter_map(typed).collect()),
            trigger: Some(trigger.into()),
            budget: Some(budget.into()),
            ..AgentPatch::default()
        })
    }

    fn typed(&self) -> [(&'static str, &str); 18] {
        [
            ("learn", &self.learn),
            ("serve", &self.serve),
            ("natural_language", &self.natural_language),
            ("max_memories", &self.max_memories),
            ("grace_seconds", &self.grace_seconds),
            ("confidence_floor", &self.confidence_floor),
            ("max_candidates", &self.max_candidates),
            ("extractor", &self.extractor),
            ("allowed_extractors", &self.allowed_extractors),
            ("guidance", &self.guidance),
            ("shared_ids", &self.shared_ids),
            ("trigger_messages", &self.trigger_messages),
            ("trigger_quiet_seconds", &self.trigger_quiet_seconds),
            ("trigger_interval_seconds", &self.trigger_interval_seconds),
            ("budget_tokens_per_day", &self.budget_tokens_per_day),
            ("budget_money_per_day", &self.budget_money_per_day),
            ("budget_price_in", &self.budget_price_in),
            ("budget_price_out", &self.budget_price_out),
        ]
    }
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
    let saved = match form.patch() {
        Ok(patch) => {
            let seen = Some(version(form.version));
            app.engine
                .change_agent(&admin.permit, &name, seen, patch)
                .await
        }
        Err(error) => Err(error),
    };
    let flash = match saved {
        Ok(_) => Flash::new("saved"),
        Err(error @ EngineError::Stale { .. }) => keep(Flash::new(error.code()), &form.typed()),
        Err(error) => refused(error, &form.typed())?,
    };
    flashes.see_other(&format!("/agents/{name}"), flash).await
}

/// The sets that are on; one that is off sends nothing.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Sets {
    version: i64,
    assistant: String,
    business: String,
}

/// Turns sets of kinds on and off (A11).
pub async fn sets(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Sets>,
) -> Result<Response, PageError> {
    let name: AgentName = id(&text)?;
    let on = [("assistant", &form.assistant), ("business", &form.business)];
    let on = on
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(set, _)| set.to_owned());
    let patch = AgentPatch {
        kinds: Some(KindsPatch {
            sets: Some(on.collect()),
            enabled: None,
        }),
        ..AgentPatch::default()
    };
    let seen = Some(version(form.version));
    let flash = match app
        .engine
        .change_agent(&admin.permit, &name, seen, patch)
        .await
    {
        Ok(_) => Flash::new("saved"),
        Err(error @ EngineError::Stale { .. }) => Flash::new(error.code()),
        Err(error) => refused(error, &[])?,
    };
    flashes
        .see_other(&format!("/agents/{name}#kinds"), flash)
        .await
}
