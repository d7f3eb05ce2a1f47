//! Memories that come from elsewhere.

mod list;
mod moves;
mod show;
mod upload;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_imports))
        .routes(guarded!(upload::upload_import))
        .routes(guarded!(show::get_import))
        .routes(guarded!(show::list_import_errors))
        .routes(guarded!(moves::map_import))
        .routes(guarded!(moves::run_import))
        .routes(guarded!(moves::stop_import))
        .routes(guarded!(moves::withdraw_import))
}
