//! The forms that switch a policy on and off (A12).

use std::collections::BTreeMap;

use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{agent::AgentName, permission::Permission};
use engine::{AgentPatch, AgentView, EngineError, PolicyPatch};

use crate::{
    auth::Admin,
    flash::{Flash, Flashes},
    page_error::PageError,
    pages::form::{id, keep, number, refused, version},
    state::AppState,
};

/// What the forms send: a box that is checked sends `policy_kind.` and its kind.
pub struct Written(BTreeMap<String, String>);

impl Written {
    fn value(&self, field: &str) -> &str {
        self.0.get(field).map_or("", |value| value.trim())
    }

    fn policy(&self) -> Result<PolicyPatch, EngineError> {
        let kinds = self
            .0
            .keys()
            .filter_map(|field| field.strip_prefix("policy_kind."));
        Ok(PolicyPatch {
            name: self.value("auto_approve_name").to_owned(),
            kinds: kinds.map(str::to_owned).collect(),
            min_confidence: number(
                self.value("auto_approve_min_confidence"),
                "/auto_approve/0/min_confidence",
            )?,
        })
    }

    fn version(&self) -> Result<i64, EngineError> {
        number(self.value("version"), "/version")
    }

    fn typed(&self) -> Vec<(&str, &str)> {
        self.0
            .iter()
            .filter(|(field, _)| field.as_str() != "version")
            .map(|(field, value)| (field.as_str(), value.as_str()))
            .collect()
    }
}

/// The policies as they are, to be sent back with one more or one less.
async fn present(
    app: &AppState,
    admin: &Admin,
    name: &AgentName,
) -> Result<Vec<PolicyPatch>, PageError> {
    let reads = admin.ask(Permission::ReadAgents)?;
    let agent: AgentView = app.engine.agent(&reads, name).await?;
    Ok(agent
        .settings
        .auto_approve
        .into_iter()
        .map(|policy| PolicyPatch {
            name: policy.name,
            kinds: policy.kinds,
            min_confidence: policy.min_confidence,
        })
        .collect())
}

async fn save(
    app: &AppState,
    admin: &Admin,
    name: &AgentName,
    form: &Written,
    policies: Vec<PolicyPatch>,
) -> Result<AgentView, EngineError> {
    let patch = AgentPatch {
        auto_approve: Some(policies),
        ..AgentPatch::default()
    };
    let seen = Some(version(form.version()?));
    app.engine
        .change_agent(&admin.permit, name, seen, patch)
        .await
}

/// Switches a policy on, in the name of whoever presses the button.
pub async fn switch_on(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let (name, form): (AgentName, _) = (id(&text)?, Written(form));
    let mut policies = present(&app, &admin, &name).await?;
    let saved = match form.policy() {
        Ok(policy) if policies.iter().any(|other| other.name == policy.name) => {
            Err(EngineError::invalid(
                "/auto_approve/0/name",
                "exists",
                "a policy of this name is on",
            ))
        }
        Ok(policy) => {
            policies.push(policy);
            save(&app, &admin, &name, &form, policies).await
        }
        Err(error) => Err(error),
    };
    let flash = match saved {
        Ok(_) => Flash::new("policy_on").with("what", form.value("auto_approve_name")),
        Err(error @ EngineError::Stale { .. }) => keep(Flash::new(error.code()), &form.typed()),
        Err(error) => refused(error, &form.typed())?,
    };
    flashes
        .see_other(&format!("/agents/{name}#policies"), flash)
        .await
}

/// Switches one off.
pub async fn switch_off(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let (name, form): (AgentName, _) = (id(&text)?, Written(form));
    let mut policies = present(&app, &admin, &name).await?;
    policies.retain(|policy| policy.name != form.value("name"));
    let flash = match save(&app, &admin, &name, &form, policies).await {
        Ok(_) => Flash::new("policy_off").with("what", form.value("name")),
        Err(error @ EngineError::Stale { .. }) => Flash::new(error.code()),
        Err(error) => refused(error, &[])?,
    };
    flashes
        .see_other(&format!("/agents/{name}#policies"), flash)
        .await
}
