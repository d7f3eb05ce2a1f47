//! What an agent is told.

mod ask;
mod feedback;

pub use ask::{ContextPost, ask};
pub use feedback::{FeedbackPost, report};
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(ask::ask_context))
        .routes(guarded!(feedback::report_feedback))
}
