//! The forms of an agent's keys.

use axum::{
    extract::{Path, State},
    response::Response,
};
use domain::{agent::AgentName, key::KeyScope};
use engine::NewKey;
use serde::Deserialize;

use crate::{
    auth::{Admin, FreshForm},
    flash::{Flash, Flashes},
    page_error::PageError,
    pages::form::{id, typed},
    state::AppState,
};

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
    FreshForm(form): FreshForm<KeyForm>,
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
