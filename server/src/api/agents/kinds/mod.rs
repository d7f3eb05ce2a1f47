//! The kinds of memory an agent keeps.

mod change;
mod create;
mod guidelines;
mod list;
mod show;

use utoipa_axum::router::OpenApiRouter;

use crate::{api::guard::guarded, state::AppState};

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_kinds))
        .routes(guarded!(create::create_kind))
        .routes(guarded!(show::get_kind))
        .routes(guarded!(change::change_kind))
        .merge(guidelines::routes())
}
