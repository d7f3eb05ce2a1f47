//! Dry runs of another model or other words (G14).

mod list;
mod show;
mod start;
mod stop;

use utoipa_axum::router::OpenApiRouter;

use crate::{api::guard::guarded, state::AppState};

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_dry_runs))
        .routes(guarded!(start::start_dry_run))
        .routes(guarded!(show::get_dry_run))
        .routes(guarded!(stop::stop_dry_run))
}
