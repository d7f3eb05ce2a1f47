//! Surfaces for clients that were written for other memory services, onto the same governed store: what they add waits for a person,
//! what they read is approved, and what they change or delete is a proposal unless the key is that of a person who decides.
//!
//! They are no part of the OpenAPI document: each speaks another project's language, which `docs/COMPAT.md` compares with ours.

mod change;
mod mem0;
mod memories;
mod memory_bank;
mod outcome;
mod place;
mod table;
mod way_in;

use axum::Router;

use crate::state::AppState;

pub use table::Route;

/// `/compat/…` and `/v1beta1/…`
pub fn router(app: &AppState) -> Router<AppState> {
    mem0::router(app).merge(memory_bank::router(app))
}

/// Every route with what it asks for.
pub fn routes() -> Vec<Route> {
    let mut routes = mem0::routes();
    routes.extend(memory_bank::routes());
    routes
}
