//! Exports (E4).

mod create;
mod file;
mod list;
mod remove;
mod show;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_exports))
        .routes(guarded!(create::create_export))
        .routes(guarded!(show::get_export))
        .routes(guarded!(remove::remove_export))
        .routes(guarded!(file::get_export_file))
}
