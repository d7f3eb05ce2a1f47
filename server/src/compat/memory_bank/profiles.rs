//! `POST …/memories:retrieveProfiles`

use std::collections::BTreeMap;

use axum::{Json, extract::State};
use engine::UserRef;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{name::Bank, written::about};
use crate::{
    api::{body::Body, subject::fault},
    auth::{Caller, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// Whose profiles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfilesPost {
    scope: Option<BTreeMap<String, String>>,
}

/// The profiles by the ids of their schemas.
#[derive(Debug, Serialize)]
pub struct Profiles {
    profiles: BTreeMap<String, Profile>,
}

/// A profile: its approved fields.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    schema_id: String,
    profile: BTreeMap<String, Value>,
}

/// The profiles of a user, one for each schema of the agent; without search.
pub async fn retrieve(
    caller: Caller<ReadMemories>,
    State(app): State<AppState>,
    bank: Bank,
    body: Body<ProfilesPost>,
) -> Result<Json<Profiles>, Problem> {
    let reads = bank.permit(&caller)?;
    let user = UserRef::Scope(about(body.value.scope).map_err(fault)?);
    let view = app.engine.profile(&reads, &user, Some(&bank.agent)).await?;
    let profiles = view.profiles.into_iter().map(|(schema_id, profile)| {
        let id = schema_id.clone();
        (id, Profile { schema_id, profile })
    });
    Ok(Json(Profiles {
        profiles: profiles.collect(),
    }))
}
