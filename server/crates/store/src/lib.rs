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
mod agreements;
mod as_of;
mod audit_key;
mod backup;
mod bulks;
mod bundle;
mod candidate_rows;
mod candidates;
mod checkpoints;
mod claims;
mod column;
mod conversations;
mod db;
mod decisions;
mod demo;
mod dialect;
mod digests;
mod dry_runs;
mod erasures;
mod error;
mod events;
mod export;
mod exports;
mod extractions;
mod feedback;
mod first_steps;
mod frontier;
mod guidelines;
mod handovers;
mod holds;
mod idempotency;
mod imports;
mod index;
mod instance;
mod job_lists;
mod jobs;
mod joins;
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
mod person_links;
mod person_settings;
#[cfg(test)]
mod plans;
pub mod private;
mod profile_schemas;
mod quality;
mod queue;
mod queue_filter;
mod recalls;
mod remarks;
mod requests;
mod retention;
mod revisions;
mod saved_views;
mod seal;
mod second_factors;
mod servings;
mod sessions;
mod sightings;
mod sign_in;
mod staff;
mod stamp;
mod statement;
#[cfg(feature = "testing")]
pub mod testing;
mod tx;
mod usage;
mod users;
mod verifications;
mod webhook_deliveries;
mod webhooks;
mod work;

pub use agents::Figures;
pub use agreements::{AgreedTo, Agreement};
pub use as_of::{Stood, Waited};
pub use audit_key::AuditKey;
pub use backup::{BackedUp, BackupError, back_up, restore};
pub use bulks::{Bulk, BulkClaim, BulkItem, BulkOf, Items, NewBulk};
pub use bundle::{
    ImportCounts, ImportedCandidate, ImportedEvent, ImportedPost, ImportedRevision, Leftover,
};
pub use candidates::{Known, NewCandidate};
pub use checkpoints::{Grown, KeptCheckpoint};
pub use claims::Claim;
pub use conversations::SentMessage;
pub use db::{Db, Options, Wakeups};
pub use digests::{Digest, Sent, WaitingWork};
pub use dry_runs::{
    AnswersCost, CameOf, DryRun, DryRunClaim, DryRunItem, DryRunResult, DryRunSums, NewDryRun,
    Triable, TriedWindow,
};
pub use erasures::{Erased, Erasing, Erasure, ErasureMark};
pub use error::{Error, Result};
pub use events::{EventFilter, Head};
pub use export::{
    Along, ChainPart, ExportPart, ExportedCandidate, ExportedDecision, ExportedEvent, ExportedPost,
    ExportedRemark, ExportedRevision, ExportedServing, ExportedUser, Proof,
};
pub use exports::{Export, ExportClaim, ExportFile, NewExport};
pub use extractions::{Extraction, ExtractionState, KeptSummary, NewExtraction};
pub use feedback::Unhelpful;
pub use first_steps::FirstSteps;
pub use guidelines::Guideline;
pub use handovers::{HandedTo, Handover};
pub use holds::{Held, Hold, HoldOn};
pub use idempotency::Idempotent;
pub use imports::{
    CheckedRow, Import, ImportClaim, ImportHead, ImportRow, ImportedAs, NewImport, NewImportRow,
    Origin, RowEnd,
};
pub use instance::Gap;
pub use job_lists::{Depth, GivenUp, ScheduleRow, Why};
pub use jobs::{JobState, JobType, Operation, Outcome, Provenance, Skipped};
pub use joins::{Join, JoinReasons, NewJoin};
pub use keys::{Key, NewKey};
pub use lease::Claimed;
pub use memories::Write;
pub use memory_rows::MemoryFilter;
pub use page::{Cursor, Listed, Page};
pub use people::{NewPerson, Person};
pub use person_links::{LinkPurpose, PersonLink};
pub use quality::{BadAnswer, DecidedFilter, Extracted, Judge, Judged, Pace, Quantiles, Stretch};
pub use queue::{QueueFigures, Queued, TargetNow};
pub use queue_filter::{ClaimedBy, HandedFor, QueueFilter, Sort, View};
pub use recalls::TimeTold;
pub use remarks::RemarkType;
pub use requests::{Asked, Closed, Find, Looked, NewRequest, Request};
pub use retention::Stretched;
pub use saved_views::SavedView;
pub use seal::MasterKey;
pub use second_factors::{SecondFactor, SecondProof};
pub use servings::{ServedLines, Serving};
pub use sessions::{SessionRow, session_name};
pub use sightings::{Seen, Sighting};
pub use sign_in::Throttle;
pub use staff::Freed;
pub use stamp::{InBulk, Stamp};
pub use tx::Tx;
pub use usage::Usage;
pub use users::{UserFilter, UserLine};
pub use verifications::Verification;
pub use webhook_deliveries::{Attempted, Delivery, DueDelivery, Failure};
pub use webhooks::{NewWebhook, OldSecret, Webhook, WebhookChange, WebhookClaim, WebhookTarget};
pub use work::{Work, WorkClaim, WorkTable};
