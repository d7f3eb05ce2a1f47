//! The types and rules of Keepsake: what a candidate, a memory and an event are, and what may become of them.
//!
//! Nothing here does I/O, is async, reads a clock or speaks SQL; the crate compiles to wasm. Time comes in as a [`Timestamp`],
//! randomness as [`Entropy`], so that every rule can be tested and replayed.

pub mod agent;
pub mod answer;
pub mod as_of;
pub mod audit;
pub mod builtin;
pub mod bulk;
pub mod candidate;
pub mod conversation;
pub mod date;
pub mod diff;
pub mod draft;
pub mod dry_run;
pub mod erasure;
pub mod export;
pub mod fitting;
pub mod flags;
pub mod gate;
pub mod guideline;
pub mod id;
pub mod import;
pub mod join;
pub mod key;
pub mod kind;
pub mod matcher;
pub mod memory;
#[cfg(feature = "openapi")]
mod openapi;
pub mod period;
pub mod permission;
pub mod profile;
pub mod quality;
pub mod rank;
pub mod render;
pub mod request;
pub mod schedule;
pub mod secret;
pub mod series;
pub mod text;
pub mod time;
pub mod trend;
pub mod user;
pub mod values;
pub mod webhook;

pub use id::Entropy;
pub use time::Timestamp;
