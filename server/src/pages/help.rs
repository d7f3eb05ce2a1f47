//! `/help`.

use app::pages::help::help;
use axum::response::Response;

use super::look::Look;
use crate::{auth::Visitor, page_error::PageError};

/// The keys.
pub async fn show(visitor: Visitor, look: Look) -> Result<Response, PageError> {
    let mut frame = look.open_frame(&visitor);
    if let Some(person) = &visitor.person {
        frame.keys = look.keys_of(&person.actor).await?;
    }
    look.draw(move || help(&frame)).await
}
