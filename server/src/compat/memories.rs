//! Memories as far as a surface asks for all of them.

use domain::permission::Permit;
use engine::{EngineError, MemoryFilter, MemoryView, Page};

use crate::state::AppState;

/// Every approved memory that a filter names, newest first. Of one user there are at most as many as the agent allows.
///
/// # Errors
/// As [`Engine::memories`](engine::Engine::memories).
pub async fn all(
    app: &AppState,
    reads: &Permit,
    wanted: &MemoryFilter,
) -> Result<Vec<MemoryView>, EngineError> {
    let mut page = Page {
        cursor: None,
        limit: Page::MOST,
    };
    let mut all = Vec::new();
    loop {
        let list = app.engine.memories(reads, wanted, &page).await?;
        all.extend(list.data);
        page.cursor = list.next;
        if page.cursor.is_none() {
            return Ok(all);
        }
    }
}
