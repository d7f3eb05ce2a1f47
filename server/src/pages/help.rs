//! `/help`.

use app::{pages::help::help, shell::Place};
use axum::response::Response;

use super::look::Look;
use crate::{auth::Visitor, page_error::PageError};

/// The keys.
pub async fn show(visitor: Visitor, look: Look) -> Result<Response, PageError> {
    let frame = match &visitor.person {
        Some(person) => look.frame_of(&person.actor, Place::Elsewhere).await?,
        None => look.open_frame(&visitor),
    };
    look.draw(move || help(&frame)).await
}
