//! `/agents`.

use app::{pages::agents::agents, shell::Place};
use axum::{Form, extract::State, response::Response};
use domain::{
    agent::{AgentName, AgentSettings},
    permission::Permission,
};
use engine::EngineError;
use serde::Deserialize;

use super::{
    form::{refused, typed_of},
    look::Look,
    overview::all_figures,
};
use crate::{
    auth::{Admin, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// The agents.
pub async fn show(signed: Signed<need::ReadAgents>, look: Look) -> Result<Response, PageError> {
    let frame = look.frame(&signed, Place::Agents).await?;
    let all = all_figures(&look, &signed).await?;
    let (may_make, typed) = (
        signed.may(Permission::Administer),
        typed_of(look.flash.as_ref()),
    );
    look.draw(move || agents(&frame, &all, may_make, &typed))
        .await
}

/// The form that makes one.
#[derive(Deserialize)]
pub struct New {
    name: String,
}

/// Makes an agent.
pub async fn create(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Form(new): Form<New>,
) -> Result<Response, PageError> {
    let made = match AgentName::parse(new.name.trim()) {
        Ok(name) => {
            app.engine
                .create_agent(&admin.permit, name, AgentSettings::default())
                .await
        }
        Err(error) => Err(EngineError::invalid(
            "/name",
            "agent_name",
            error.to_string(),
        )),
    };
    match made {
        Ok(agent) => {
            let flash = Flash::new("agent_made").with("name", agent.name.as_str());
            flashes
                .see_other(&format!("/agents/{}", agent.name), flash)
                .await
        }
        Err(error) => {
            let flash = refused(error, &[("name", &new.name)])?;
            flashes.see_other("/agents", flash).await
        }
    }
}
