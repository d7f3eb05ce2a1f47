//! The forms that fill the demo in and remove it.

use axum::{extract::State, response::Response};
use engine::{EngineError, Filled};

use crate::{
    auth::Admin,
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// Fills the agent with made-up people.
pub async fn fill(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
) -> Result<Response, PageError> {
    match app.engine.fill_demo(&admin.permit).await {
        Ok(Filled::Whole) => {
            let flash = Flash::new("demo_filled");
            flashes.see_other("/review?agent=demo", flash).await
        }
        Ok(Filled::Underway) => flashes.see_other("/", Flash::new("demo_filling")).await,
        Err(EngineError::NameTaken) => flashes.see_other("/", Flash::new("demo_name_taken")).await,
        Err(error) => Err(error.into()),
    }
}

/// Removes it whole. Where it is gone already, that is what was wanted.
pub async fn remove(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
) -> Result<Response, PageError> {
    match app.engine.remove_demo(&admin.permit).await {
        Ok(()) | Err(EngineError::NotFound) => {
            flashes.see_other("/", Flash::new("demo_removed")).await
        }
        Err(error) => Err(error.into()),
    }
}
