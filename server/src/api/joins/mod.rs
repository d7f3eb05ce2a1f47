//! Ids of one person (G15).

mod approve;
mod list;
mod propose;
mod reject;
mod show;
mod split;
mod undo;

use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_joins))
        .routes(guarded!(propose::propose_join))
        .routes(guarded!(show::get_join))
        .routes(guarded!(approve::approve_join))
        .routes(guarded!(reject::reject_join))
        .routes(guarded!(split::split_join))
        .routes(guarded!(undo::undo_join))
}
