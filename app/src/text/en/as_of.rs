//! English: an earlier instant, and one answer that an agent got.

use super::super::*;
use super::many;

/// An earlier instant.
pub const AS_OF: AsOf = AsOf {
    title: "What was known then",
    lead: "What was approved and what waited about this person at an instant, and what the agent had been told up to then.",
    link: "Look at an earlier instant",
    link_how: "See what was approved, what waited and what had been told at any instant.",
    at: |zone| format!("Date and time ({zone})"),
    at_how: "In the time zone of your browser, which the review desk tells us; UTC before that.",
    show: "Show",
    then: |local, utc| format!("As of {local}, which is {utc}"),
    same: "The link to this instant, the same in every time zone",
    export: "Export this",
    export_how: "An auditor’s export with all of this in it, which anybody can verify without Keepsake.",
    known: "Approved and unexpired",
    known_none: "Nothing was approved.",
    memory: "Memory",
    approved: "Approved",
    by: "By",
    agreed: |who| format!("agreed before by {who}"),
    ends: "Was to end",
    waiting: "Waiting for a decision",
    waiting_none: "Nothing waited.",
    since: "Waited since",
    until: "Was to wait until",
    served: "Told to the agent up to then",
    served_none: "Nothing had been told.",
};

/// One answer that an agent got.
pub const SERVED: Served = Served {
    title: "What was told",
    lead: "One answer that the agent got, each statement in the revision in which it was told.",
    told: |n| format!("{} told", many(n, "memory", "memories")),
    in_session: |session| format!("in session {session}"),
    in_no_session: "in no named session",
    session: "Session",
    tokens: |n| format!("about {}", many(n, "token", "tokens")),
    cut: |n| format!("{} left out", grouped(n)),
    nothing: "The text was empty: nothing was told.",
    gone: "What this revision said is gone.",
    see: "What was told",
};
