//! The audit chain.

mod checkpoints;
mod events;
mod verify;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(events::list_events))
        .routes(guarded!(verify::verify_chain))
        .routes(guarded!(checkpoints::list_checkpoints))
}
