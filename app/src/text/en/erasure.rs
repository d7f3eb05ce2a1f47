//! English: erasing a person, legal holds, retention.

use domain::erasure::ErasureReason;

use super::super::*;

/// Erasing a person.
pub const ERASURE: Erasure = Erasure {
    title: "Erase",
    lead: "Everything about this person goes, and nobody can bring it back. The audit stays and still verifies; it names nobody and holds no words. Running jobs, answers kept for repeated requests, and files of exports that hold the person go too.",
    count: |name| match name {
        "conversations" => "Conversations",
        "messages" => "Messages",
        "extractions" => "Extractions",
        "candidates" => "Candidates",
        "decisions" => "Decisions",
        "memories" => "Memories",
        "revisions" => "Revisions",
        "servings" => "Records of what was told",
        "jobs" => "Jobs",
        "exports" => "Files of exports",
        _ => "Other",
    },
    why: "Why",
    reason: |reason| match reason {
        ErasureReason::AskedFor => "The person asked for it",
        ErasureReason::ConsentWithdrawn => "The person took their consent back",
        ErasureReason::Objected => "The person objected",
        ErasureReason::NoLongerNeeded => "It is no longer needed",
        ErasureReason::Unlawful => "It should never have been kept",
        ErasureReason::Other => "Another reason, kept elsewhere",
        ErasureReason::Restored => "A restored backup had brought them back",
    },
    confirm: "Name",
    confirm_how: |name| format!("Type {name} to confirm."),
    button: "Erase this person",
    kept: "A legal hold keeps this person. Nothing can be erased until it is released.",
    flash_done: "Erased. Nobody can bring it back.",
    flash_changed: "Something happened about this person since the page was drawn. Look at the figures again, then erase.",
    flash_held: |who, why| format!("A legal hold of {who} keeps this person: {why}"),
    gone: "Erased",
    gone_how: "What was known, proposed, decided and said is gone, and so is the key under which it was sealed. The audit still tells that it happened.",
    gone_at: "Erased on",
    gone_by: "By",
    known_since: "First heard of",
    audit: "What the audit still tells",
    conversation_removed: |when| {
        format!("Retention removed the words of this conversation on {when}.")
    },
    candidate_removed: |when| {
        format!(
            "Retention removed this candidate on {when}. It had been rejected, and never became a memory."
        )
    },
    words_only: "The conversation was removed. These words are kept, because something rests on them.",
};

/// Legal holds.
pub const HOLDS: Holds = Holds {
    title: "Legal holds",
    lead: "What a hold keeps is neither erased nor removed by retention.",
    none: "No legal holds",
    none_how: "A hold is placed on a person’s page.",
    section: "Legal hold",
    section_none: "Nothing keeps this person.",
    place: "Place a hold",
    place_agent: "Keep everybody of an agent",
    reason: "Why",
    reason_how: "And by whose order. It is shown to whoever wants to erase.",
    until: "Until",
    until_how: "The end of this day. Empty: until it is released.",
    everywhere: "In every agent",
    everywhere_how: "Keeps whoever has this name, also in agents that have not heard of them yet.",
    all: "All legal holds",
    what: "Keeps",
    placed: "Placed",
    standing: "State",
    release: "Release",
    release_how: "From then on the person can be erased, and retention applies again.",
    release_sure: "Release the hold",
    of_agent: |agent| format!("everybody of {agent}"),
    of_name: |name| format!("{name}, in every agent"),
    keeps: "until it is released",
    keeps_until: |when| format!("until {when}"),
    over: |when| format!("ran out on {when}"),
    released: |who, when| format!("released by {who} on {when}"),
    flash_placed: "The hold is placed.",
    flash_released: "The hold is released.",
};
