//! `/admin`: people and what they may do, and how the installation runs.

mod person;
mod roles;
mod running;

pub use person::{change, deactivate, end_sessions, link, person, reactivate, reset_second_factor};

use std::collections::BTreeMap;

use app::{
    pages::admin::{self, NewLink, People, Role, Row, State as Access},
    shell::Place,
};
use axum::{extract::State, response::Response};
use domain::{id::PersonId, permission::Permission};
use engine::{Invitation, Invited, PersonState, PersonView, RoleView};

use super::{
    form::{refused, typed_of},
    look::Look,
};
use crate::{
    auth::{FreshForm, Manager},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// Everybody who can sign in.
pub async fn show(manager: Manager, look: Look) -> Result<Response, PageError> {
    let frame = look.frame(&manager, Place::People).await?;
    let everybody = look.engine().people(&manager.permit).await?;
    let people = People {
        rows: everybody
            .into_iter()
            .map(|one| row(one, &manager.person))
            .collect(),
        agents: agents(&look, &manager).await?,
        link: new_link(&look),
        running: running::running(&look, &manager).await?,
        typed: typed_of(look.flash.as_ref()),
    };
    look.draw(move || admin::admin(&frame, &people)).await
}

/// Invites a person; the page that follows shows the link this once.
pub async fn invite(
    manager: Manager,
    flashes: Flashes,
    State(app): State<AppState>,
    FreshForm(form): FreshForm<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let value = |field: &str| form.get(field).cloned().unwrap_or_default();
    let invited = async {
        let new = Invitation {
            name: value("name"),
            email: value("email"),
            grants: roles::grants(&form)?,
        };
        app.engine.invite(&manager.permit, new).await
    };
    let flash = match invited.await {
        Ok(invited) => link_made(&app, &invited),
        Err(engine::EngineError::NameTaken) => {
            let flash = Flash::new("refused").with("fault.email", "address_taken");
            super::form::keep(flash, &typed(&form))
        }
        Err(error) => refused(error, &typed(&form))?,
    };
    flashes.see_other("/admin", flash).await
}

/// The flash that shows a link once.
fn link_made(app: &AppState, invited: &Invited) -> Flash {
    let path = format!("/join?token={}", invited.link.reveal());
    Flash::new("link_made")
        .with("link", app.public_url().at(&path))
        .with("name", invited.person.name.clone())
}

fn new_link(look: &Look) -> Option<NewLink> {
    let flash = look
        .flash
        .as_ref()
        .filter(|flash| flash.code == "link_made")?;
    Some(NewLink {
        name: flash.fields.get("name")?.clone(),
        address: flash.fields.get("link")?.clone(),
    })
}

async fn agents(look: &Look, manager: &Manager) -> Result<Vec<String>, PageError> {
    let reads = manager.ask(Permission::ReadAgents)?;
    let agents = look.engine().agents(&reads).await?;
    Ok(agents
        .into_iter()
        .map(|agent| agent.name.to_string())
        .collect())
}

/// What was typed: all but the version, which the page that follows has anew.
fn typed(form: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
    form.iter()
        .filter(|(field, _)| field.as_str() != "version")
        .map(|(field, value)| (field.as_str(), value.as_str()))
        .collect()
}

fn row(one: PersonView, reader: &PersonId) -> Row {
    Row {
        this: one.id == *reader,
        state: match one.state {
            PersonState::Active => Access::Active,
            PersonState::Invited => Access::Invited(one.link_expires_at),
            PersonState::Deactivated => Access::Deactivated,
        },
        roles: one.roles.into_iter().map(role).collect(),
        id: one.id,
        name: one.name,
        email: one.email,
        signed_in_at: one.signed_in_at,
        second_factor: one.second_factor_at.is_some(),
    }
}

/// A role as the pages draw it.
pub fn role(view: RoleView) -> Role {
    Role {
        agent: Some(view.agent).filter(|agent| agent != admin::EVERY),
        role: view.role,
        languages: view.languages,
    }
}
