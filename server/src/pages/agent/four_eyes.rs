//! The form of what two people must agree to (G9).

use std::collections::BTreeMap;

use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{agent::AgentName, candidate::Flag};
use engine::{AgentPatch, EngineError, FourEyesPatch};

use crate::{
    auth::Admin,
    flash::{Flash, Flashes},
    page_error::PageError,
    pages::form::{id, keep, number, refused, version},
    state::AppState,
};

/// What the boxes say; one that is off sends nothing.
fn patch(form: &BTreeMap<String, String>) -> Result<FourEyesPatch, EngineError> {
    let after = |prefix: &'static str| {
        form.keys()
            .filter_map(move |name| name.strip_prefix(prefix))
    };
    let unknown = |_| EngineError::invalid("/four_eyes/flags", "unknown", "no flag of ours");
    let flags = after("four_eyes_flag.").map(|word| word.parse::<Flag>().map_err(unknown));
    Ok(FourEyesPatch {
        all: Some(form.contains_key("four_eyes_all")),
        kinds: Some(after("four_eyes_kind.").map(str::to_owned).collect()),
        flags: Some(flags.collect::<Result<_, _>>()?),
    })
}

/// Saves it.
pub async fn four_eyes(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let name: AgentName = id(&text)?;
    let saved = async {
        let seen = form.get("version").map_or("", String::as_str);
        let seen = Some(version(number(seen, "/version")?));
        let patch = AgentPatch {
            four_eyes: Some(patch(&form)?),
            ..AgentPatch::default()
        };
        app.engine
            .change_agent(&admin.permit, &name, seen, patch)
            .await
    };
    let typed: Vec<(&str, &str)> = form
        .iter()
        .filter(|(field, _)| field.as_str() != "version")
        .map(|(field, value)| (field.as_str(), value.as_str()))
        .collect();
    let flash = match saved.await {
        Ok(_) => Flash::new("saved"),
        Err(error @ EngineError::Stale { .. }) => keep(Flash::new(error.code()), &typed),
        Err(error) => refused(error, &typed)?,
    };
    flashes
        .see_other(&format!("/agents/{name}#four-eyes"), flash)
        .await
}
