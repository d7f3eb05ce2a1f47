//! People who sign in to the dashboard.

mod change;
mod invite;
mod list;

use domain::permission::Grant;
use engine::{EngineError, RoleView};
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_people))
        .routes(guarded!(invite::invite_person))
        .routes(guarded!(change::change_person))
}

/// The roles of a body, each checked.
fn grants(roles: Vec<RoleView>) -> Result<Vec<Grant>, EngineError> {
    let mut faults = Vec::new();
    let mut grants = Vec::new();
    for (at, role) in roles.into_iter().enumerate() {
        match role.grant(at) {
            Ok(grant) => grants.push(grant),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() {
        Ok(grants)
    } else {
        Err(EngineError::Invalid(faults))
    }
}
