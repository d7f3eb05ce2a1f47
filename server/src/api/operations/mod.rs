//! Operations: what came of a conversation.

mod retry;
mod show;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(show::get_operation))
        .routes(guarded!(retry::retry_operation))
}
