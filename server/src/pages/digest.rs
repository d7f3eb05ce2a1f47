//! `/account/digest`: when and where to one is told what waits (G8).

use std::collections::BTreeMap;

use app::{
    pages::account::{self, Digest},
    shell::Place,
};
use axum::{Form, extract::State, response::Response};
use chrono_tz::TZ_VARIANTS;
use engine::{DigestSettings, EngineError, SentBy, Shape};

use super::{
    form::{number, refused, typed_of},
    look::Look,
};
use crate::{
    auth::Reviewer,
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

const HERE: &str = "/account/digest";

/// The page.
pub async fn show(reviewer: Reviewer, look: Look) -> Result<Response, PageError> {
    let frame = look.frame(&reviewer, Place::Elsewhere).await?;
    let view = look.engine().digest(&reviewer.permit).await?;
    let saved = view.settings.is_some();
    let set = view.settings.unwrap_or_else(|| DigestSettings {
        zone: look.zone.name().to_owned(),
        ..DigestSettings::default()
    });
    let flash = look.flash.as_ref();
    // What a test has just shown is newer than what the last digest did.
    let tested = flash.filter(|flash| flash.code == "digest_failed");
    let tested = tested.and_then(|flash| flash.fields.get("why").cloned());
    let digest = Digest {
        on: set.on,
        hour: set.hour,
        weekdays: set.weekdays,
        zone: set.zone,
        zones: TZ_VARIANTS
            .iter()
            .map(|zone| zone.name().to_owned())
            .collect(),
        by: set.by.word().to_owned(),
        shape: set.shape.word().to_owned(),
        url: set.url,
        mail_to: view.mail_to,
        saved,
        next_at: view.next_at,
        sent_at: view.sent_at,
        failed: tested.or(view.failed),
        typed: typed_of(flash),
    };
    look.draw(move || account::digest(&frame, &digest)).await
}

fn settings(form: &BTreeMap<String, String>) -> Result<DigestSettings, EngineError> {
    let value = |name: &str| form.get(name).map_or("", |value| value.trim());
    let weekdays = (1..=7).filter(|day| form.contains_key(&format!("day{day}")));
    let unknown = |pointer| EngineError::invalid(pointer, "unknown", "none of those offered");
    Ok(DigestSettings {
        on: form.contains_key("on"),
        hour: number(value("hour"), "/hour")?,
        weekdays: weekdays.collect(),
        zone: value("zone").to_owned(),
        by: SentBy::of(value("by")).ok_or_else(|| unknown("/by"))?,
        shape: Shape::of(value("shape")).ok_or_else(|| unknown("/shape"))?,
        url: value("url").to_owned(),
    })
}

/// Saves it.
pub async fn change(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let saved = match settings(&form) {
        Ok(settings) => app.engine.set_digest(&reviewer.permit, &settings).await,
        Err(error) => Err(error),
    };
    let typed: Vec<(&str, &str)> = form
        .iter()
        .map(|(field, value)| (field.as_str(), value.as_str()))
        .collect();
    let flash = match saved {
        Ok(()) => Flash::new("digest_saved"),
        Err(error) => refused(error, &typed)?,
    };
    flashes.see_other(HERE, flash).await
}

/// Sends one now, to see whether it arrives.
pub async fn test(
    reviewer: Reviewer,
    flashes: Flashes,
    State(app): State<AppState>,
) -> Result<Response, PageError> {
    let flash = match app.engine.test_digest(&reviewer.permit).await? {
        None => Flash::new("digest_sent"),
        Some(why) => Flash::new("digest_failed").with("why", why),
    };
    flashes.see_other(HERE, flash).await
}
