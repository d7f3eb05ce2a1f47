//! What runs in the browser: one island, and nothing else of the application.

#[cfg(feature = "hydrate")]
mod browser;
pub mod palette;
