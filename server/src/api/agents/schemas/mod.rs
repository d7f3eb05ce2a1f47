//! The profile schemas of an agent: what it wants to know of every user.

mod create;
mod list;
mod put;
mod remove;
mod show;

use utoipa_axum::router::OpenApiRouter;

use crate::{api::guard::guarded, state::AppState};

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_schemas))
        .routes(guarded!(create::create_schema))
        .routes(guarded!(show::get_schema))
        .routes(guarded!(put::put_schema))
        .routes(guarded!(remove::remove_schema))
}
