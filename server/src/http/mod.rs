//! What lies around every handler: request ids and the log, headers, the origin rule, limits, health, files.

pub mod assets;
pub mod browser;
pub mod download;
pub mod health;
pub mod idempotency;
pub mod limit;
pub mod metrics;
pub mod nul;
pub mod origin;
pub mod request;

/// The most bytes of a body: 1 MiB.
pub const BODY_LIMIT: usize = 1024 * 1024;

/// The most bytes of a file that is uploaded: 8 MiB.
pub const FILE_LIMIT: usize = 8 * BODY_LIMIT;
