//! The closed lists of a candidate: what it would do, what a reviewer is warned of, why it was dropped or rejected.

use serde::{Deserialize, Serialize};

use crate::{conversation::words, time::Span};

/// What a candidate would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A new memory.
    Create,
    /// A new revision of a memory.
    Update,
    /// One memory out of several.
    Merge,
    /// No longer serve a memory.
    Retire,
}

words!(Action { Create = "create", Update = "update", Merge = "merge", Retire = "retire" });

/// A warning a reviewer sees. A closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Says otherwise than what is stored.
    Contradiction,
    /// Close to something stored or waiting.
    PossibleDuplicate,
    /// About somebody else, or somebody else's words.
    ThirdParty,
    /// Holds a personal identifier.
    PersonalData,
    /// Health, religion, politics and the like (G3).
    SpecialCategory,
    /// Reads like an instruction to the agent.
    Instruction,
    /// Holds characters that do not show.
    HiddenCharacters,
    /// A score was not a number from 0 to 1.
    BadNumber,
    /// Proposed by hand without supporting words.
    NoEvidence,
    /// Rests on an agent's or tool's words.
    NotSaidByUser,
    /// It came out of a file, not out of a conversation (G13).
    Imported,
    /// The user asked to forget it, so it stands before everything else in the queue (G1).
    AskedToForget,
    /// The memory changed since this was proposed. Worked out on reading.
    TargetMoved,
    /// The date it speaks of has passed. Worked out on reading.
    DatePassed,
    /// The person has opted out, so it cannot be approved (G2). Worked out on reading.
    OptedOut,
}

words!(Flag {
    Contradiction = "contradiction",
    PossibleDuplicate = "possible_duplicate",
    ThirdParty = "third_party",
    PersonalData = "personal_data",
    SpecialCategory = "special_category",
    Instruction = "instruction",
    HiddenCharacters = "hidden_characters",
    BadNumber = "bad_number",
    NoEvidence = "no_evidence",
    NotSaidByUser = "not_said_by_user",
    Imported = "imported",
    AskedToForget = "asked_to_forget",
    TargetMoved = "target_moved",
    DatePassed = "date_passed",
    OptedOut = "opted_out",
});

impl Flag {
    /// Whether it is kept with the proposal. What depends on the day it is read is not, and nothing can be looked for by it.
    pub fn is_stored(self) -> bool {
        !matches!(self, Self::TargetMoved | Self::DatePassed | Self::OptedOut)
    }
}

/// What made Keepsake itself propose something, where no words in a conversation did. A closed list; the dashboard says each in its
/// own language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The user has as many memories as the agent allows, and this one is worth least (A12).
    Limit,
    /// It was served often and never helped (C9).
    NeverHelpful,
    /// The date it speaks of has passed (G12).
    DatePassed,
    /// It no longer fits the schema of its kind or profile (C8).
    SchemaChanged,
    /// Figures went one way over several sessions (B9).
    Trend,
    /// It came back in several sessions (B9).
    Returning,
    /// Under another id of the person it was said that this should be forgotten (G1, G15).
    OtherId,
}

words!(Cause {
    Limit = "limit",
    NeverHelpful = "never_helpful",
    DatePassed = "date_passed",
    SchemaChanged = "schema_changed",
    Trend = "trend",
    Returning = "returning",
    OtherId = "other_id",
});

/// Why a draft did not become a candidate. A closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dropped {
    /// No words support it.
    NoEvidence,
    /// Keepsake itself had served it.
    Served,
    /// A machine wrote the words.
    MachineMade,
    /// It holds a secret.
    Secret,
    /// Its kind is not in use.
    KindNotInUse,
    /// Its metadata does not fit the schema.
    BadMetadata,
    /// It is longer than a memory may be.
    TooLong,
    /// The extractor is not sure enough.
    BelowFloor,
    /// Better ones filled the window's limit.
    OverLimit,
    /// The user asked not to remember it; of an operation also what waited until then (G1).
    AskedNotToRemember,
}

words!(Dropped {
    NoEvidence = "no_evidence",
    Served = "served",
    MachineMade = "machine_made",
    Secret = "secret",
    KindNotInUse = "kind_not_in_use",
    BadMetadata = "bad_metadata",
    TooLong = "too_long",
    BelowFloor = "below_floor",
    OverLimit = "over_limit",
    AskedNotToRemember = "asked_not_to_remember",
});

/// Why a candidate was rejected. A closed list; the last two are the system's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// True now, not worth keeping.
    NotDurable,
    /// Not true.
    Wrong,
    /// About someone else.
    ThirdParty,
    /// Should not be stored.
    Sensitive,
    /// Already stored.
    Duplicate,
    /// An instruction, not a memory.
    Instruction,
    /// Something else; the note says what.
    Other,
    /// Nobody decided in time (A6).
    Expired,
    /// A newer statement about the same thing took its place (A3).
    Superseded,
}

words!(Reason {
    NotDurable = "not_durable",
    Wrong = "wrong",
    ThirdParty = "third_party",
    Sensitive = "sensitive",
    Duplicate = "duplicate",
    Instruction = "instruction",
    Other = "other",
    Expired = "expired",
    Superseded = "superseded",
});

impl Reason {
    /// The reasons a person can give, in the order of the keys `1` to `7`.
    pub const OF_A_PERSON: &[Self] = &[
        Self::NotDurable,
        Self::Wrong,
        Self::ThirdParty,
        Self::Sensitive,
        Self::Duplicate,
        Self::Instruction,
        Self::Other,
    ];

    /// Whether a rejection for this reason keeps the same statement out for [`SUPPRESSED_FOR`] (F4).
    pub fn suppresses(self) -> bool {
        !matches!(self, Self::Duplicate | Self::Expired | Self::Superseded)
    }
}

/// How long a person's rejection keeps the same statement out (F4).
pub const SUPPRESSED_FOR: Span = Span::days(90);

/// The status of a candidate (A10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits, unless past its time.
    Pending,
    /// Became a memory or a revision.
    Approved,
    /// Kept, never served.
    Rejected,
}

words!(Status { Pending = "pending", Approved = "approved", Rejected = "rejected" });
