//! Filters of the queue that a person keeps under a name.

mod list;
mod remove;
mod rename;
mod save;

use domain::id::ViewId;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::guard::guarded;
use crate::state::AppState;

pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(guarded!(list::list_views))
        .routes(guarded!(save::save_view))
        .routes(guarded!(rename::rename_view))
        .routes(guarded!(remove::remove_view))
}

/// A filter with its name.
#[derive(Debug, Serialize, ToSchema)]
pub struct SavedView {
    /// Ours.
    id: ViewId,
    /// As its owner calls it.
    name: String,
    /// The query of the dashboard's address `/review`.
    query: String,
}

impl From<engine::SavedView> for SavedView {
    fn from(view: engine::SavedView) -> Self {
        let engine::SavedView { id, name, query } = view;
        Self { id, name, query }
    }
}
