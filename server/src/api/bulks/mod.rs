//! Decisions by the hundred.

mod list;
mod show;
mod start;
mod stop;
mod undo;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_bulks))
        .routes(guarded!(start::start_bulk))
        .routes(guarded!(show::get_bulk))
        .routes(guarded!(undo::undo_bulk))
        .routes(guarded!(stop::stop_bulk))
}
