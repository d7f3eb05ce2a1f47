//! Agents and their settings.

mod change;
mod create;
mod dry_runs;
mod kinds;
mod list;
mod report;
mod schemas;
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
        .merge(kinds::routes())
        .merge(schemas::routes())
        .merge(dry_runs::routes())
        .routes(guarded!(stats::get_agent_stats))
        .routes(guarded!(report::get_agent_report))
}
