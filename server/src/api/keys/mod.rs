//! Keys.

mod create;
mod list;
mod revoke;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_keys))
        .routes(guarded!(create::create_key))
        .routes(guarded!(revoke::revoke_key))
}
