//! How the work goes: quality and jobs.

mod jobs;
mod quality;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(quality::get_quality))
        .routes(guarded!(jobs::get_jobs))
}
