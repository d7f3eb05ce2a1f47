//! How long things take and how often they are tried: hours in production, milliseconds in tests; and how the outside is reached.

use std::{path::PathBuf, time::Duration};

use crate::outside::Outgoing;

/// The timers of the engine, and its way out.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long a worker owns a job without a sign of life.
    pub lease: Duration,
    /// How often it gives one.
    pub heartbeat: Duration,
    /// How long an extractor may take for one window.
    pub model_timeout: Duration,
    /// How often a job is tried before it has failed.
    pub attempts: i64,
    /// The wait before the second try; it doubles, with jitter.
    pub backoff: Duration,
    /// How long an idle worker sleeps at most when nothing wakes it.
    pub poll: Duration,
    /// How often what is past its time is expired.
    pub expiry_tick: Duration,
    /// How often sessions that ended are looked through for users about whom something may have been learnt over several of them.
    pub patterns_tick: Duration,
    /// How often contexts are looked through for dates that have passed.
    pub passed_tick: Duration,
    /// How often the report of what is served and never helps is drawn up.
    pub report_tick: Duration,
    /// How often the process writes that it is alive.
    pub alive_tick: Duration,
    /// A silence longer than this was a downtime, and is given back to what waited (A6).
    pub alive_gap: Duration,
    /// How long a serving waits in memory before it is written.
    pub servings_flush: Duration,
    /// How many servings are written at once at most.
    pub servings_rows: usize,
    /// How many jobs run at once in this process.
    pub workers: usize,
    /// How often it is looked for digests that are due.
    pub digest_tick: Duration,
    /// How long the peer of a webhook may take for an answer.
    pub webhook_timeout: Duration,
    /// How often the heads of the audit chains are signed, where something happened since.
    pub checkpoints_tick: Duration,
    /// How often all audit chains are walked.
    pub verification_tick: Duration,
    /// The folder of the checkpoints outside the database; `None`: they are kept in the database alone.
    pub checkpoints: Option<PathBuf>,
    /// The folder of the exports' files; `None`: none are written.
    pub exports: Option<PathBuf>,
    /// How long the file of an export stays.
    pub exports_keep: Duration,
    /// How often it is looked for files that are past their time.
    pub exports_tick: Duration,
    /// How long a candidate that was imported waits for a decision (G13).
    pub imports_wait: Duration,
    /// How long things are kept.
    pub retention: Retention,
    /// How often it is looked for what is past that.
    pub retention_tick: Duration,
    /// How long a request of a person may take, unless it says otherwise (G5).
    pub request_deadline: Duration,
    /// How the outside is reached.
    pub outgoing: Outgoing,
}

/// How long things are kept; `None`: until somebody erases them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// Conversations, counted from the last message.
    pub conversations: Option<Duration>,
    /// Rejected candidates, counted from the decision.
    pub rejected: Option<Duration>,
    /// Records of what agents were told.
    pub servings: Option<Duration>,
    /// Records of exports whose file is gone.
    pub exports: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            heartbeat: Duration::from_secs(10),
            model_timeout: Duration::from_secs(60),
            attempts: 5,
            backoff: Duration::from_secs(5),
            poll: Duration::from_secs(1),
            expiry_tick: Duration::from_secs(60),
            patterns_tick: Duration::from_secs(60 * 60),
            passed_tick: Duration::from_secs(6 * 60 * 60),
            report_tick: Duration::from_secs(24 * 60 * 60),
            alive_tick: Duration::from_secs(60),
            alive_gap: Duration::from_secs(600),
            servings_flush: Duration::from_secs(1),
            servings_rows: 500,
            workers: 2,
            digest_tick: Duration::from_secs(60),
            webhook_timeout: Duration::from_secs(10),
            checkpoints_tick: Duration::from_secs(60 * 60),
            verification_tick: Duration::from_secs(24 * 60 * 60),
            checkpoints: None,
            exports: None,
            exports_keep: Duration::from_secs(7 * 24 * 60 * 60),
            exports_tick: Duration::from_secs(10 * 60),
            imports_wait: Duration::from_secs(30 * 24 * 60 * 60),
            retention: Retention::default(),
            retention_tick: Duration::from_secs(6 * 60 * 60),
            request_deadline: Duration::from_secs(30 * 24 * 60 * 60),
            outgoing: Outgoing::default(),
        }
    }
}
