//! Agents and their settings.

mod change;
mod create;
mod kinds;
mod list;
mod show;
mod stats;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_agents))
        .routes(guarded!(create::create_agent))
        .routes(guarded!(show::get_agent))
        .routes(guarded!(change::change_agent))
        .routes(guarded!(kinds::list_kinds))
        .routes(guarded!(stats::get_agent_stats))
}
