//! What a kind should and should not hold, for the people who decide.

mod list;
mod put;

use utoipa_axum::router::OpenApiRouter;

use crate::{api::guard::guarded, state::AppState};

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_guidelines))
        .routes(guarded!(put::put_guideline))
}
