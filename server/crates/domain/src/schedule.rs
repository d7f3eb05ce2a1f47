//! What the clock does.

use crate::conversation::words;

/// What is done by the clock. By its word processes agree whose turn it is, and every language of the dashboard has to say what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScheduleName {
    /// Rejects what nobody decided in seven days (A6), retires what has outlived its kind's time (B6), sweeps old sign-ins.
    Expiry,
    /// Looks over the sessions of users who had one that ended, for patterns and trends (C1, B9).
    Patterns,
    /// Proposes to retire situations whose date has passed (G12).
    Passed,
    /// Proposes to retire what is served often and never helps (C9).
    Report,
    /// Makes findable by its words what was proposed before the queue could be searched (F7).
    Words,
    /// Tells reviewers what waits (G8).
    Digests,
    /// Removes the files of exports that are past their time (E4), and what lies beside them and is nobody's.
    Exports,
    /// Takes the words out of conversations that are older than they are kept.
    RetentionConversations,
    /// Removes rejected candidates that are older than they are kept.
    RetentionRejected,
    /// Removes records of what agents were told that are older than they are kept.
    RetentionServings,
    /// Removes the records of exports that are older than they are kept, and whose file is gone.
    RetentionExports,
    /// Signs how far every audit chain reaches, where anything happened since, and writes it down outside the database; beside it the
    /// erasures that could not be written down when they were made.
    Checkpoints,
    /// Reads every audit chain and compares it with everything that was signed.
    Verification,
}

words!(ScheduleName {
    Expiry = "expiry",
    Patterns = "patterns",
    Passed = "passed",
    Report = "report",
    Words = "words",
    Digests = "digests",
    Exports = "exports",
    RetentionConversations = "retention_conversations",
    RetentionRejected = "retention_rejected",
    RetentionServings = "retention_servings",
    RetentionExports = "retention_exports",
    Checkpoints = "checkpoints",
    Verification = "verification",
});
