//! What Keepsake keeps: the only crate that speaks SQL, to SQLite and to PostgreSQL, and the only one that seals text.
//!
//! A [`Db`] opens a [`Tx`], which carries the agents its caller may see and binds them into every statement. Methods of `Tx` are split
//! over files by subject. Each method that changes something takes a [`Stamp`] and buffers the event that tells of it; [`Tx::commit`]
//! writes the events last, so that a chain's head is locked only for a moment, and change and event are kept together or not at all.
//!
//! A person's words leave this crate in the clear and enter the tables sealed, under a key of that person's own (`seal.rs`,
//! `key_store.rs`). What SQL has to compare is a keyed hash.
//!
//! Writes about a user lock that user's row first, then whatever else, then the heads: one order everywhere, so that nothing deadlocks.

mod agents;
mod candidate_rows;
mod candidates;
mod column;
mod conversations;
mod db;
mod decisions;
mod dialect;
mod error;
mod events;
mod extractions;
mod feedback;
mod idempotency;
mod index;
mod instance;
mod jobs;
mod key_store;
mod keys;
mod lease;
mod made_by;
mod memories;
mod memory_rows;
mod opt_outs;
mod page;
mod patterns;
mod people;
#[cfg(test)]
mod plans;
mod profile_schemas;
mod queue;
mod revisions;
mod seal;
mod servings;
mod sessions;
mod sightings;
mod sign_in;
mod stamp;
mod statement;
#[cfg(feature = "testing")]
pub mod testing;
mod tx;
mod usage;
mod users;

pub use agents::Figures;
pub use candidates::{Known, NewCandidate};
pub use db::{Db, Options, Wakeups};
pub use error::{Error, Result};
pub use events::{EventFilter, Head};
pub use extractions::{Extraction, ExtractionState, KeptSummary, NewExtraction};
pub use feedback::Unhelpful;
pub use idempotency::Idempotent;
pub use instance::Gap;
pub use jobs::{JobCounts, JobState, JobType, Operation, Outcome, Provenance, Skipped};
pub use keys::{Key, NewKey};
pub use lease::Claimed;
pub use memories::Write;
pub use memory_rows::MemoryFilter;
pub use page::{Cursor, Listed, Page};
pub use people::{NewPerson, Person};
pub use queue::{QueueFigures, QueueFilter, Queued, Sort, TargetNow, View};
pub use seal::MasterKey;
pub use servings::{ServedLines, Serving};
pub use sessions::SessionRow;
pub use sightings::{Seen, Sighting};
pub use sign_in::Throttle;
pub use stamp::Stamp;
pub use tx::Tx;
pub use usage::Usage;
pub use users::{UserFilter, UserLine};
