//! Requests of people about what is kept of them (G5).

mod change;
mod list;
mod open;
mod show;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_requests))
        .routes(guarded!(open::open_request))
        .routes(guarded!(show::get_request))
        .routes(guarded!(change::change_request))
}
