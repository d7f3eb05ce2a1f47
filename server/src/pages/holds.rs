//! `/holds`: the legal holds, and their release; placing one on everybody of an agent.

use app::{
    pages::holds::{Hold, Holds, holds},
    shell::Place,
    text::Text,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use chrono::{Days, NaiveDate};
use domain::{Timestamp, agent::AgentName, id::HoldId, permission::Permission};
use engine::{EngineError, HoldView, NewHold, Page};
use serde::Deserialize;

use super::{
    by::by,
    form::{id, refused, typed, typed_of},
    look::Look,
};
use crate::{
    auth::{Admin, Signed, need},
    flash::{Flash, Flashes, local},
    page_error::PageError,
    state::AppState,
};

/// Where the page of the list begins.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
}

/// All of them, newest first.
pub async fn show(
    signed: Signed<need::ReadAudit>,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Users).await?;
    let page = Page {
        cursor: Some(asked.after).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let listed = look.engine().holds(&signed.permit, &page).await?;
    let reads = signed.ask(Permission::ReadAgents)?;
    let agents: Vec<String> = match signed.ask(Permission::Administer) {
        Ok(admin) => {
            let all = look.engine().agents(&reads).await?.into_iter();
            all.map(|agent| agent.name)
                .filter(|agent| admin.scope().contains(agent))
                .map(|agent| agent.to_string())
                .collect()
        }
        Err(_) => Vec::new(),
    };
    let text = look.text();
    let found = Holds {
        rows: listed
            .data
            .into_iter()
            .map(|view| hold(text, view))
            .collect(),
        next: listed.next,
        may_release: signed.may(Permission::Administer),
        agents,
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || holds(&frame, &found)).await
}

/// A hold as the pages show it.
pub fn hold(text: &Text, view: HoldView) -> Hold {
    let name = |who: &engine::By| by(text, who).unwrap_or_else(|| text.words.by_system.to_owned());
    Hold {
        by: name(&view.by),
        released: view.released_at.zip(view.released_by.as_ref().map(name)),
        id: view.id,
        agent: view.agent.map(|agent| agent.to_string()),
        user: view.user,
        who: view.who,
        reason: view.reason,
        created_at: view.created_at,
        until: view.until,
    }
}

/// The form that places a hold on everybody of an agent.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Placing {
    agent: String,
    reason: String,
    until: String,
}

/// Places one.
pub async fn place(
    admin: Admin,
    look: Look,
    flashes: Flashes,
    Form(form): Form<Placing>,
) -> Result<Response, PageError> {
    let placed = async {
        let unknown = |_| EngineError::invalid("/agent", "unknown", "the name of an agent");
        let agent = AgentName::parse(&form.agent).map_err(unknown)?;
        let new = NewHold {
            agent: Some(agent),
            user: None,
            everywhere: false,
            until: end_of(&look, &form.until)?,
            reason: form.reason.clone(),
        };
        look.engine().place_hold(&admin.permit, &new).await
    };
    let flash = match placed.await {
        Ok(_) => Flash::new("hold_placed"),
        Err(error) => {
            let values = [
                ("agent", form.agent.as_str()),
                ("reason", &form.reason),
                ("until", &form.until),
            ];
            refused(error, &values)?
        }
    };
    flashes.see_other("/holds#place", flash).await
}

/// When a day that was typed ends where the reader is.
///
/// # Errors
/// `invalid` at `/until` for what is no day.
pub fn end_of(look: &Look, day: &str) -> Result<Option<Timestamp>, EngineError> {
    let wrong = || EngineError::invalid("/until", "invalid", "a day");
    let Some(day) = typed(day) else {
        return Ok(None);
    };
    let day: NaiveDate = day.parse().map_err(|_| wrong())?;
    let next = day.checked_add_days(Days::new(1)).ok_or_else(wrong)?;
    look.day_begins(next).map(Some).ok_or_else(wrong)
}

/// Where to go after a release.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Release {
    next: String,
}

/// Releases a hold.
pub async fn release(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<Release>,
) -> Result<Response, PageError> {
    let hold: HoldId = id(&text)?;
    app.engine.release_hold(&admin.permit, &hold).await?;
    let next = local(Some(&form.next), "/holds");
    flashes.see_other(&next, Flash::new("hold_released")).await
}
