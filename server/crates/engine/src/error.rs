//! What can go wrong in a use case, in the words of the API.

use std::time::Duration;

use domain::{Timestamp, memory::MemoryStatus};
use serde::Serialize;

use crate::candidate::CandidateView;
use crate::memory::MemoryView;

/// The result of a use case.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

/// A part of a request that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// Where, as a JSON pointer: `/messages/3/content`.
    pub pointer: String,
    /// A word for programs: `required`, `too_long`, `unknown`.
    pub code: &'static str,
    /// A sentence for people.
    pub detail: String,
    /// Which one of several it is about, where no pointer can say that: a line of a file, the name of a column. The detail says it too.
    #[serde(skip)]
    pub which: Option<String>,
}

impl FieldError {
    /// One error.
    pub fn new(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            code,
            detail: detail.into(),
            which: None,
        }
    }

    /// With what of several it is about.
    #[must_use]
    pub fn about(mut self, which: impl Into<String>) -> Self {
        self.which = Some(which.into());
        self
    }
}

/// The present state of what a refused write was about.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Current {
    /// A candidate.
    Candidate(Box<CandidateView>),
    /// A memory.
    Memory(Box<MemoryView>),
    /// An agent.
    Agent(Box<crate::agent::AgentView>),
    /// A kind of memory.
    Kind(Box<crate::kind::KindView>),
    /// A profile schema.
    Schema(Box<crate::schema::SchemaView>),
    /// What a kind should and should not hold.
    Guideline(Box<crate::kind::GuidelineView>),
    /// A person who signs in.
    Person(Box<crate::person::PersonView>),
    /// What would go with somebody.
    Erasure(Box<crate::erasure::ErasurePreview>),
    /// Two ids that are one person, or were, or may be.
    Join(Box<crate::join::JoinView>),
}

/// Why a use case refused. `Display` is fit to be shown to the caller; it never holds SQL or a provider's words.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It is not there, or belongs to somebody else: the same words for both.
    #[error("there is nothing here under that name")]
    NotFound,
    /// The actor may not do this.
    #[error("not permitted")]
    Forbidden,
    /// The person's role is for content in other languages (G7).
    #[error("your role decides about content in {}; this is in {language}", languages.join(", "))]
    LanguageNotYours {
        /// The language of the content.
        language: String,
        /// Those of the role.
        languages: Vec<String>,
    },
    /// Nobody would be left who can administer everything.
    #[error("somebody must stay who can administer everything; make another administrator first")]
    LastAdmin,
    /// The person was shut out.
    #[error("this person was deactivated; reactivate them first")]
    Deactivated,
    /// Parts of the request cannot be taken.
    #[error("{}", list(.0))]
    Invalid(Vec<FieldError>),
    /// The text holds a key, a card number or the like.
    #[error("this text holds a secret, and secrets are never stored")]
    Secret {
        /// Where.
        pointer: &'static str,
    },
    /// A known message came with other words.
    #[error("message {id} is already stored with another content")]
    MessageChanged {
        /// The agent's own id of it.
        id: String,
    },
    /// Another version is the present one.
    #[error("it has changed since you read it")]
    Stale {
        /// What is there now.
        current: Current,
    },
    /// Somebody decided before.
    #[error("{} {} this {} ago", by.as_deref().unwrap_or("the system"), past(verdict), ago(*.at, *.now))]
    AlreadyDecided {
        /// `approve` or `reject`.
        verdict: &'static str,
        /// The person's name.
        by: Option<String>,
        /// When.
        at: Timestamp,
        /// When that was noticed.
        now: Timestamp,
        /// The candidate now.
        current: Current,
    },
    /// Nobody decided in time (A6).
    #[error("this candidate expired at {}", domain::time::rfc3339(*.at))]
    Expired {
        /// When.
        at: Timestamp,
        /// The candidate now.
        current: Current,
    },
    /// Only what waits can be decided.
    #[error("this candidate is not waiting")]
    NotPending {
        /// The candidate now.
        current: Current,
    },
    /// Two different people must agree, and the first of them came again (G9).
    #[error("a second, different person must agree to this too")]
    SecondPersonNeeded {
        /// The candidate now.
        current: Current,
    },
    /// The person wants nothing remembered (G2).
    #[error(
        "this person has opted out, so nothing about them is approved; reject it, or leave it to expire"
    )]
    OptedOut,
    /// It waits already.
    #[error("this candidate is still waiting")]
    StillWaiting {
        /// The candidate now.
        current: Current,
    },
    /// Somebody else has claimed it (F7).
    #[error("{} has claimed this until {}", by.as_deref().unwrap_or("somebody else"), domain::time::rfc3339(*.until))]
    Claimed {
        /// The person's name.
        by: Option<String>,
        /// When the claim runs out, unless it is renewed.
        until: Timestamp,
        /// The candidate now.
        current: Current,
    },
    /// What it was about has moved on: a newer statement waits, or the memory was changed or retired.
    #[error("{}", moved_on(current))]
    MovedOn {
        /// What is there now.
        current: Current,
    },
    /// Another memory already holds what is said of this name.
    #[error(
        "another memory of this user already speaks of this; merge the statement into it, or retire it first"
    )]
    SlotTaken {
        /// That memory.
        memory: domain::id::MemoryId,
    },
    /// The name is in use.
    #[error("this name is already in use")]
    NameTaken,
    /// Only what has ended badly can be tried again.
    #[error("only an operation that failed or was cut off can be retried, and only once")]
    NotFinal,
    /// The agent does not learn (A1); the failed stretch keeps its retry.
    #[error("learning is off for this agent; turn it on, then retry")]
    MemoryOff,
    /// There is an administrator already.
    #[error("Keepsake is already set up")]
    SetupOver,
    /// The one-time link is unknown, used or too old.
    #[error("this link is not valid any more; the server prints a new one when it starts")]
    LinkInvalid,
    /// The e-mail address or the password is wrong; which one is not said.
    #[error("the e-mail address or the password is not right")]
    WrongCredentials,
    /// The code of the second factor is wrong, too old, or was used before.
    #[error("the code is not right, or was used before")]
    WrongCode,
    /// The password was given too long ago, another one was chosen since, or the sign-in has been gone on with.
    #[error("this sign-in is over; begin again with the password")]
    SignInOver,
    /// There is no second factor that could be used, changed or taken away.
    #[error("there is no second factor here; set one up first")]
    NoSecondFactor,
    /// Too many tries.
    #[error("too many tries; wait {} s", retry_after.as_secs().max(1))]
    Throttled {
        /// How long to wait.
        retry_after: Duration,
    },
    /// The database does not answer.
    #[error("the database cannot be reached")]
    Unavailable,
    /// Other transactions were in the way again and again.
    #[error("the database is busy; try again")]
    Busy,
    /// The user has as many approved memories as the agent allows (A12).
    #[error(
        "this user already has {limit} approved memories, the most this agent allows; retire one or raise the limit{}",
        if retire.is_some() { "; a proposal to retire the one worth least waits" } else { "" }
    )]
    Full {
        /// The limit.
        limit: u32,
        /// The candidate that proposes to retire the memory worth least.
        retire: Option<domain::id::CandidateId>,
    },
    /// It must be looked at by itself, not approved among many (F7).
    #[error("this one must be looked at by itself; an administrator may insist, with a reason")]
    Risky,
    /// The bulk was taken back before.
    #[error("this was taken back already")]
    AlreadyUndone,
    /// There is nothing in the bulk to take back, or not yet.
    #[error("only many approvals or rejections that have ended can be taken back")]
    NotUndoable,
    /// The bulk has ended.
    #[error("this has ended already")]
    BulkOver,
    /// The export has no file yet, or was given up.
    #[error("{}", if *given_up { "this export was given up and has no file; ask for it again" } else { "this export is still being written" })]
    ExportNotReady {
        /// Whether it was given up.
        given_up: bool,
    },
    /// The file of the export was removed, in time or by a person.
    #[error("the file of this export is gone; ask for it again")]
    ExportExpired,
    /// The file of the export lies in the data folder of another server.
    #[error(
        "the file of this export is not on this server; all servers of an installation need one folder for exports"
    )]
    ExportElsewhere,
    /// A legal hold keeps this person.
    #[error(
        "a legal hold of {} keeps this person{}: {reason}",
        by.as_deref().unwrap_or("somebody"),
        kept_until(*.until)
    )]
    Held {
        /// Who placed it.
        by: Option<String>,
        /// Why.
        reason: String,
        /// When it ends by itself.
        until: Option<Timestamp>,
    },
    /// The person was erased.
    #[error("this person was erased at {}", domain::time::rfc3339(*.at))]
    Erased {
        /// When.
        at: Timestamp,
    },
    /// Retention removed the candidate.
    #[error("this candidate was removed at {}: it had been kept for as long as rejected ones are", domain::time::rfc3339(*.at))]
    CandidateRemoved {
        /// When.
        at: Timestamp,
    },
    /// The request of a person was answered before.
    #[error("this request is closed")]
    RequestClosed,
    /// The two ids are joined already (G15).
    #[error("these two ids are joined already, or that is proposed")]
    AlreadyJoined,
    /// One of the two ids is joined otherwise (G15).
    #[error(
        "one of these ids is joined with another: a guest id belongs to one person, an id that is a guest can be no main id, and one that has \
         guests can be no guest; split that join first"
    )]
    JoinChain,
    /// Anything else; the details go to the log, never outward.
    #[error("something went wrong inside Keepsake")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl EngineError {
    /// One field that cannot be taken.
    pub fn invalid(
        pointer: impl Into<String>,
        code: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Self::Invalid(vec![FieldError::new(pointer, code, detail)])
    }

    /// Whether another worker has the job by now.
    pub(crate) fn is_lost_claim(&self) -> bool {
        let Self::Internal(source) = self else {
            return false;
        };
        source
            .downcast_ref::<store::Error>()
            .is_some_and(|error| matches!(error, store::Error::LostClaim))
    }

    /// The same where the fields stand within a part of the request, `/filter`.
    pub(crate) fn within(self, part: &str) -> Self {
        let inside = |field: FieldError| FieldError {
            pointer: format!("{part}{}", field.pointer),
            ..field
        };
        match self {
            Self::Invalid(fields) => Self::Invalid(fields.into_iter().map(inside).collect()),
            other => other,
        }
    }

    /// A cursor that this list has not given.
    pub(crate) fn cursor() -> Self {
        Self::invalid("/cursor", "unknown", "this cursor is not one of ours")
    }

    /// The word of it, as problem documents have it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Forbidden => "forbidden",
            Self::LanguageNotYours { .. } => "language_not_yours",
            Self::LastAdmin => "last_admin",
            Self::Deactivated => "deactivated",
            Self::Invalid(_) => "invalid",
            Self::Secret { .. } => "secret",
            Self::MessageChanged { .. } => "message_changed",
            Self::Stale { .. } => "stale",
            Self::AlreadyDecided { .. } => "already_decided",
            Self::Expired { .. } => "expired",
            Self::NotPending { .. } => "not_pending",
            Self::SecondPersonNeeded { .. } => "second_person_needed",
            Self::OptedOut => "opted_out",
            Self::StillWaiting { .. } => "still_waiting",
            Self::Claimed { .. } => "claimed",
            Self::MovedOn { .. } => "moved_on",
            Self::SlotTaken { .. } => "slot_taken",
            Self::NameTaken => "name_taken",
            Self::NotFinal => "not_final",
            Self::MemoryOff => "memory_off",
            Self::SetupOver => "setup_over",
            Self::LinkInvalid => "link_invalid",
            Self::WrongCredentials => "wrong_credentials",
            Self::WrongCode => "wrong_code",
            Self::SignInOver => "sign_in_over",
            Self::NoSecondFactor => "no_second_factor",
            Self::Throttled { .. } => "throttled",
            Self::Unavailable | Self::Busy => "unavailable",
            Self::Full { .. } => "memory_limit",
            Self::Risky => "risky",
            Self::AlreadyUndone => "already_undone",
            Self::NotUndoable => "not_undoable",
            Self::BulkOver => "bulk_over",
            Self::ExportNotReady { .. } => "export_not_ready",
            Self::ExportExpired => "export_expired",
            Self::ExportElsewhere => "export_elsewhere",
            Self::RequestClosed => "request_closed",
            Self::AlreadyJoined => "already_joined",
            Self::JoinChain => "join_chain",
            Self::Held { .. } => "held",
            Self::Erased { .. } => "erased",
            Self::CandidateRemoved { .. } => "removed",
            Self::Internal(_) => "internal",
        }
    }

    /// The HTTP status that fits.
    pub fn status(&self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::Forbidden | Self::LanguageNotYours { .. } => 403,
            Self::Invalid(_) | Self::Secret { .. } => 422,
            Self::Stale { .. } | Self::AlreadyDecided { .. } => 412,
            Self::MessageChanged { .. }
            | Self::Expired { .. }
            | Self::NotPending { .. }
            | Self::SecondPersonNeeded { .. }
            | Self::OptedOut
            | Self::StillWaiting { .. }
            | Self::Claimed { .. }
            | Self::MovedOn { .. }
            | Self::SlotTaken { .. }
            | Self::NameTaken
            | Self::NotFinal
            | Self::MemoryOff
            | Self::Full { .. }
            | Self::Risky
            | Self::AlreadyUndone
            | Self::NotUndoable
            | Self::BulkOver
            | Self::ExportNotReady { .. }
            | Self::ExportElsewhere
            | Self::RequestClosed
            | Self::AlreadyJoined
            | Self::JoinChain
            | Self::Held { .. }
            | Self::LastAdmin
            | Self::NoSecondFactor
            | Self::Deactivated
            | Self::SetupOver => 409,
            Self::LinkInvalid
            | Self::SignInOver
            | Self::ExportExpired
            | Self::Erased { .. }
            | Self::CandidateRemoved { .. } => 410,
            Self::WrongCredentials | Self::WrongCode => 401,
            Self::Throttled { .. } => 429,
            Self::Unavailable | Self::Busy => 503,
            Self::Internal(_) => 500,
        }
    }

    /// The fields it names.
    pub fn fields(&self) -> Vec<FieldError> {
        match self {
            Self::Invalid(fields) => fields.clone(),
            Self::Secret { pointer } => vec![FieldError::new(*pointer, "secret", self.to_string())],
            _ => Vec::new(),
        }
    }

    /// The memory that stands in the way.
    pub fn memory(&self) -> Option<&domain::id::MemoryId> {
        match self {
            Self::SlotTaken { memory } => Some(memory),
            _ => None,
        }
    }

    /// The candidate that would clear the way.
    pub fn candidate(&self) -> Option<&domain::id::CandidateId> {
        match self {
            Self::Full { retire, .. } => retire.as_ref(),
            _ => None,
        }
    }

    /// What is there now, where the write was refused because of it.
    pub fn current(&self) -> Option<&Current> {
        match self {
            Self::Stale { current }
            | Self::AlreadyDecided { current, .. }
            | Self::Expired { current, .. }
            | Self::NotPending { current }
            | Self::SecondPersonNeeded { current }
            | Self::StillWaiting { current }
            | Self::Claimed { current, .. }
            | Self::MovedOn { current } => Some(current),
            _ => None,
        }
    }
}

impl From<store::Error> for EngineError {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Exists => Self::NameTaken,
            store::Error::SlotTaken(memory) => Self::SlotTaken { memory },
            store::Error::OutOfScope | store::Error::Erased => Self::NotFound,
            store::Error::Cursor => Self::cursor(),
            error if error.is_unavailable() => {
                tracing::error!(%error, "the database cannot be reached");
                Self::Unavailable
            }
            error if error.is_retryable() => Self::Busy,
            error => Self::Internal(Box::new(error)),
        }
    }
}

fn list(fields: &[FieldError]) -> String {
    let sentences: Vec<_> = fields
        .iter()
        .map(|field| match field.pointer.as_str() {
            "" => field.detail.clone(),
            pointer => format!("{pointer}: {}", field.detail),
        })
        .collect();
    sentences.join("; ")
}

/// What moved on, and what to do then.
fn moved_on(current: &Current) -> &'static str {
    match current {
        Current::Memory(memory) if memory.status == MemoryStatus::Retired => {
            "this memory is retired, so it is told to nobody; restore it first to change or recall it"
        }
        Current::Candidate(_) => {
            "a newer statement about the same waits or was decided; look at that one instead"
        }
        _ => "it has changed or ended meanwhile; look at it as it is now, then decide anew",
    }
}

fn kept_until(until: Option<Timestamp>) -> String {
    until.map_or_else(String::new, |until| {
        format!(" until {}", domain::time::rfc3339(until))
    })
}

fn past(verdict: &str) -> &'static str {
    if verdict == "approve" {
        "approved"
    } else {
        "rejected"
    }
}

fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = (now - at).num_seconds().max(0);
    let (number, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7200 => (seconds / 60, "minute"),
        7200..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Span;

    #[test]
    fn a_place_is_named_where_there_is_one() {
        let told =
            |pointer| EngineError::invalid(pointer, "required", "nothing to change").to_string();
        assert_eq!(told(""), "nothing to change");
        assert_eq!(told("/name"), "/name: nothing to change");
    }

    #[test]
    fn a_lost_race_is_told_in_units_a_person_reads() {
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(ago(at, at + Span::seconds(12)), "12 seconds");
        assert_eq!(ago(at, at + Span::seconds(1)), "1 second");
        assert_eq!(ago(at, at + Span::minutes(5)), "5 minutes");
        assert_eq!(ago(at, at + Span::days(3)), "3 days");
    }
}
