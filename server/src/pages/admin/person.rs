//! `/admin/people/{id}`, and the forms that change a person.

use std::collections::BTreeMap;

use app::{
    pages::admin::{self, Subject},
    shell::Place,
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use domain::id::PersonId;
use engine::{EngineError, PersonPatch, Version};

use super::{agents, link_made, new_link, roles, row, typed};
use crate::{
    auth::{FreshForm, Manager},
    flash::{Flash, Flashes},
    page_error::PageError,
    pages::{
        account::session,
        form::{id, keep, number, refused, typed_of, version},
        look::Look,
    },
    state::AppState,
};

/// One person.
pub async fn person(
    manager: Manager,
    look: Look,
    Path(text): Path<String>,
) -> Result<Response, PageError> {
    let frame = look.frame(&manager, Place::People).await?;
    let which: PersonId = id(&text)?;
    let found = look.engine().person(&which).await?;
    let found = found.ok_or(EngineError::NotFound)?;
    let sessions = look.engine().sessions_of(&manager.permit, &which).await?;
    let typed = typed_of(look.flash.as_ref());
    let mut rows = roles::sent(&typed.values);
    if rows.is_empty() {
        rows = roles::stored(&found.roles);
    }
    let subject = Subject {
        rows,
        version: found.version,
        agents: agents(&look, &manager).await?,
        link: new_link(&look),
        sessions: sessions.into_iter().map(session).collect(),
        person: row(found, &manager.person),
        typed,
    };
    look.draw(move || admin::person(&frame, &subject)).await
}

/// Saves name and roles.
pub async fn change(
    manager: Manager,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(form): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let id: PersonId = id(&text)?;
    let changed = async {
        let patch = PersonPatch {
            name: form.get("name").cloned(),
            grants: Some(roles::grants(&form)?),
            active: None,
        };
        let seen = Some(seen(&form)?);
        app.engine
            .change_person(&manager.permit, &id, seen, patch)
            .await
    };
    let flash = match changed.await {
        Ok(_) => Flash::new("saved"),
        Err(error @ EngineError::Stale { .. }) => keep(Flash::new(error.code()), &typed(&form)),
        Err(error @ EngineError::LastAdmin) => {
            let flash = Flash::new("refused").with("fault.roles", error.code());
            keep(flash, &typed(&form))
        }
        Err(error) => refused(error, &typed(&form))?,
    };
    flashes.see_other(&at(&id), flash).await
}

/// Makes a link with which they choose a password; the page that follows shows it this once.
pub async fn link(
    manager: Manager,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(_): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let id: PersonId = id(&text)?;
    let flash = match app.engine.password_link(&manager.permit, &id).await {
        Ok(invited) => link_made(&app, &invited),
        Err(error @ EngineError::Deactivated) => Flash::new(error.code()),
        Err(error) => return Err(error.into()),
    };
    flashes.see_other(&at(&id), flash).await
}

/// Takes their second factor away, for who has lost it; their sessions end.
pub async fn reset_second_factor(
    manager: Manager,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(_): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let id: PersonId = id(&text)?;
    let reset = app.engine.reset_second_factor(&manager.permit, &id).await;
    let flash = match reset {
        Ok(person) => Flash::new("second_factor_reset").with("name", person.name),
        Err(error @ EngineError::NoSecondFactor) => Flash::new(error.code()),
        Err(error) => return Err(error.into()),
    };
    flashes.see_other(&at(&id), flash).await
}

/// Ends every sign-in of theirs.
pub async fn end_sessions(
    manager: Manager,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(_): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let id: PersonId = id(&text)?;
    app.engine.end_sessions_of(&manager.permit, &id).await?;
    let ended = app.engine.person(&id).await?.ok_or(EngineError::NotFound)?;
    let flash = Flash::new("all_ended").with("name", ended.name);
    flashes.see_other(&at(&id), flash).await
}

/// Shuts them out.
pub async fn deactivate(
    manager: Manager,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(form): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let id: PersonId = id(&text)?;
    let flash = let_in(&app, &manager, &id, &form, false).await?;
    flashes.see_other(&at(&id), flash).await
}

/// Lets them in again.
pub async fn reactivate(
    manager: Manager,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    FreshForm(form): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let id: PersonId = id(&text)?;
    let flash = let_in(&app, &manager, &id, &form, true).await?;
    flashes.see_other(&at(&id), flash).await
}

async fn let_in(
    app: &AppState,
    manager: &Manager,
    id: &PersonId,
    form: &BTreeMap<String, String>,
    active: bool,
) -> Result<Flash, PageError> {
    let patch = PersonPatch {
        active: Some(active),
        ..PersonPatch::default()
    };
    let code = if active {
        "person_reactivated"
    } else {
        "person_deactivated"
    };
    let changed = async {
        let seen = Some(seen(form)?);
        app.engine
            .change_person(&manager.permit, id, seen, patch)
            .await
    };
    match changed.await {
        Ok(person) => Ok(Flash::new(code).with("name", person.name)),
        Err(error @ (EngineError::LastAdmin | EngineError::Stale { .. })) => {
            Ok(Flash::new(error.code()))
        }
        Err(error) => refused(error, &[]),
    }
}

/// The version a form was drawn with.
fn seen(form: &BTreeMap<String, String>) -> Result<Version, EngineError> {
    let seen = form.get("version").map_or("", String::as_str);
    Ok(version(number(seen, "/version")?))
}

fn at(id: &PersonId) -> String {
    format!("/admin/people/{id}")
}
