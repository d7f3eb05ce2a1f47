//! Legal holds (F9).

mod list;
mod place;
mod release;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_holds))
        .routes(guarded!(place::place_hold))
        .routes(guarded!(release::release_hold))
}
