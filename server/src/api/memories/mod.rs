//! Memories: what is approved, and its history.

mod add;
mod edit;
mod list;
mod recall;
mod restore;
mod retire;
mod revisions;
mod search;
mod series;
mod show;

pub use search::{SearchPost, search};
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_memories))
        .routes(guarded!(add::add_memory))
        .routes(guarded!(search::search_memories))
        .routes(guarded!(show::get_memory))
        .routes(guarded!(edit::edit_memory))
        .routes(guarded!(retire::retire_memory))
        .routes(guarded!(restore::restore_memory))
        .routes(guarded!(recall::recall_memory))
        .routes(guarded!(recall::get_recall))
        .routes(guarded!(revisions::list_revisions))
        .routes(guarded!(series::get_series))
}
