//! English: the sheet that explains a decision.

use super::super::*;
use super::many;

/// The sheet.
pub const SHEET: Sheet = Sheet {
    title: "Why this was decided",
    link: "Explain this decision",
    lead: "Everything that is on record about one proposal. Print it, or save it with your browser.",
    drawn: |at| format!("Drawn up {at}"),
    proposal: "What was proposed",
    words: "The words it rests on",
    words_kept: "The conversation is no longer stored. These words were kept:",
    proposer: "What proposed it",
    by_hand: "A person or an agent proposed it by hand; no extractor was asked.",
    by_keepsake: "Keepsake proposed it by itself:",
    extractor: "Extractor",
    model: "Model",
    prompt: "Version of the prompt",
    schema: "Version of the schema",
    run: "Run",
    decisions: "What was decided",
    decided_none: "Nothing was decided yet.",
    verdict: |verdict| match verdict {
        "approve" => "Approved",
        "reject" => "Rejected",
        _ => "Reopened",
    },
    by: |who, at| format!("by {who}, {at}"),
    agreed: |who| format!("agreed before by {who}"),
    as_proposed: "As it was proposed.",
    note: "Note",
    memory: "What came of it",
    memory_none: "No memory came of it.",
    stands: "As it stands now",
    came_of_it: "Revisions that came of it",
    served: "Where it was told",
    served_none: "No session was told.",
    served_times: |n| format!("The memory was told {} in all.", many(n, "time", "times")),
    events: "In the audit chain",
    events_how: "Each event names the hash of the one before it, so whoever changes one must change all that follow.",
    event: "What happened",
    number: "Number",
    hash: "Hash (SHA-256)",
    signed: |n, at| {
        format!(
            "The chain was last signed up to event {}, {at}.",
            grouped(n)
        )
    },
    signed_none: "The chain has not been signed yet; that happens within the hour.",
    root: "Root of its tree",
    verify: "How to verify this",
    verify_steps: [
        "`keepsake audit verify` reads every chain and compares it with what was signed.",
        "An export about this person holds these events, the proofs that they are in the chain, and the texts that they commit to. `keepsake verify FILE --key KEY` and `docs/verify.py` check it without Keepsake.",
        "Compare the fingerprint of the key with the one that you were given another way.",
    ],
};
