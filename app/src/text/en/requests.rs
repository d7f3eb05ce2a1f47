//! English: requests of people.

use domain::request::{FoundBy, RequestOutcome, RequestSort};

use super::super::*;
use super::many;

/// Requests of people.
pub const REQUESTS: Requests = Requests {
    title: "Requests",
    lead: "People who ask for what is kept of them, or to be erased: found in every agent, answered by a deadline, and proven.",
    open: "Register a request",
    open_how: "The person is looked for at once. Their name is forgotten when the request is closed.",
    all_agents: "All agents",
    who: "Who asks",
    who_how: "As the agents call them; for pairs, key=value with commas between them.",
    words: "Words by which others speak of them",
    words_how: "A full name, for instance: looked for in the memories of others. Empty: the user id.",
    sort_label: "What they ask for",
    sort: |sort| match sort {
        RequestSort::Copy => "a copy",
        RequestSort::Erase => "erasure",
        RequestSort::Both => "a copy and erasure",
    },
    received: "Came in on",
    received_how: "Empty: now.",
    due: "To be answered by",
    due_how: "The end of this day. Empty: as the installation is set, 30 days unless changed.",
    note: "Note",
    note_how: "How it came in, for instance. It is forgotten when the request is closed.",
    submit: "Register",
    list: "All requests",
    none: "No requests yet",
    none_how: "Register the first one above.",
    standing: "Standing",
    waits: "open",
    overdue: |span| format!("overdue by {span}"),
    forgotten: "(forgotten)",
    forgotten_how: "The request is closed, so nothing here tells any more who asked.",
    request: "Request",
    by: |who, ago| format!("registered by {who} {ago}"),
    find: "Finding the person",
    looked: |n| {
        format!(
            "All {} were looked through for the same values.",
            many(n, "name", "names")
        )
    },
    looked_part: |n| {
        format!(
            "{} were looked through for the same values; there are more.",
            many(n, "name", "names")
        )
    },
    look_on: "Go on looking",
    look_again: "Look again",
    found: "Found, by agent",
    found_none: "Nobody of this name was found, and nothing about them.",
    users: "Users",
    erased: "Erased",
    elsewhere: "In what is kept of others",
    elsewhere_how: "Memories and proposals of other people that hold all of the words. Whether they speak of this person is for you to see; edit or retire them there.",
    not_looked: "Conversations of others, and proposals of theirs that were decided, are encrypted and have no search words: they are not looked through.",
    by_what: "Found by",
    found_by: |by| match by {
        FoundBy::Name => "exactly this name",
        FoundBy::Value => "the same value in another name; it may be somebody else",
        FoundBy::Words => "words",
    },
    there: "still here",
    erased_at: |at| format!("erased {at}"),
    erase: "Erase",
    gone: "It is gone.",
    copy: "1. Copy",
    copy_how: "Ask for the person’s own copy, hand it to them, and note here which one it was.",
    copy_ask: "Ask for a copy",
    copy_which: "Copy that was handed out",
    copy_none: "No copy is finished yet.",
    copy_note: "Note the copy",
    copied: |export, at| format!("Export {export} was handed out {at}."),
    copy_none_wanted: "No copy is asked for.",
    erasure: "2. Erasure",
    erasure_how: "Erase each user who is this person, on their own page. An administrator can.",
    erasure_done: "Everybody who was found by name is erased.",
    erasure_none_wanted: "Erasure is not asked for.",
    close: "3. Close",
    close_how: "It ends with this, and who asked is forgotten. Print the proof first if it must name them.",
    outcome: "Outcome",
    outcomes: |outcome| match outcome {
        RequestOutcome::Done => "done",
        RequestOutcome::Partly => "done in part",
        RequestOutcome::NothingFound => "nothing is kept of them",
        RequestOutcome::Refused => "refused",
        RequestOutcome::Withdrawn => "taken back by them",
    },
    closing_note: "Note on the outcome",
    closing_note_how: "It stays, so do not name the person. Needed where it is refused, or done in part.",
    close_button: "Close the request",
    closed: |who, at| format!("Closed by {who}, {at}"),
    proof: "Proof of completion",
    proof_lead: "What was asked for and done, with the events that the chain holds. Print it, or save it with your browser.",
    proof_signed: "Signed",
    proof_yes: "yes",
    proof_not_yet: "not yet",
    proof_wait: "Not every event is signed yet. That happens within the hour; print the proof after it.",
    checkpoint: "The newest checkpoint",
    checkpoint_how: "A signed note over all chains. It proves that what is marked as signed stood there then.",
    checkpoint_limited: "The signed note names every agent, so only who may read all of them is given it.",
    sum: "SHA-256 of the file that was handed out",
    overview_open: |n| {
        if n == 1 {
            "open request of a person".into()
        } else {
            "open requests of people".into()
        }
    },
    overview_overdue: |n| {
        if n == 1 {
            "request is overdue".into()
        } else {
            "requests are overdue".into()
        }
    },
    flash_opened: "Registered. This is what was found.",
    flash_looked: "Looked again.",
    flash_copied: "The copy is noted.",
    flash_closed: "Closed. Who asked is forgotten.",
};
