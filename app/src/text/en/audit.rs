//! English: the audit chains.

use domain::audit::FaultKind;

use super::{super::*, many};

/// The audit chains.
pub const AUDIT: Audit = Audit {
    title: "Audit",
    lead: "Everything that happened, in chains that cannot be changed unseen: one an agent, and one for agents, people and sign-ins.",
    events: "What happened",
    chain: "Chain",
    any_chain: "Any chain",
    system: "system: agents, people, sign-ins",
    user: "User id",
    any_event: "Anything",
    actor: "Done by",
    any_actor: "Anybody",
    actors: |word| match word {
        "person" => "a person",
        "key" => "an agent, by its key",
        "policy" => "a policy",
        _ => "Keepsake itself",
    },
    from: "From",
    until: "Up to",
    show: "Show",
    at: "When",
    number: "Chain and number",
    what: "What",
    who: "Who",
    about: "About",
    empty: "Nothing has happened yet",
    empty_how: "Each conversation, decision, memory and context an agent is told leaves a line here.",
    not_found: "No event fits",
    not_found_how: "Choose a longer time or fewer filters. A user is found by the id that the agent sends, or by usr_….",
    verification: "Does it hold?",
    verification_how: "Every event of every chain is read and compared with what was signed. It is done each night.",
    verification_none: "It has not been looked at yet.",
    read: |events, checkpoints| {
        format!(
            "{} read, compared with {}.",
            many(events, "event", "events"),
            many(checkpoints, "checkpoint", "checkpoints")
        )
    },
    well: "Every chain holds.",
    found: |n| format!("{} found.", many(n, "fault", "faults")),
    place: |chain, seq| match seq {
        0 => chain.to_owned(),
        seq => format!("{chain}, event {seq}"),
    },
    fault: |kind| match kind {
        FaultKind::Gap => "a number is missing: an event was taken out",
        FaultKind::Link => {
            "it follows another event than the one before it: something was put in, taken out or moved"
        }
        FaultKind::Hash => "its hash is not that of what it says: it was changed",
        FaultKind::Genesis => "the chain does not begin with its first event",
        FaultKind::Column => "a column says otherwise than the event itself",
        FaultKind::Truncated => "the chain ends too early: its tail was cut off",
        FaultKind::Body => "it cannot be read",
        FaultKind::Fork => {
            "the chain is not the one that was signed: it was rewritten from somewhere before here on"
        }
        FaultKind::Signature => "a checkpoint is not as this installation signed it",
        FaultKind::Missing => "nothing is left of a chain that was signed",
    },
    fault_checkpoint: "the checkpoint that was signed here is gone from the database",
    more_faults: |n| format!("and {} more", grouped(n)),
    verify: "Verify now",
    checkpoints: "Checkpoints",
    checkpoints_how: "Each is a signature under the state of all chains. It is made each hour in which something happened, and proves later that nothing before it was changed.",
    checkpoints_none: "Nothing is signed yet. The first checkpoint comes within the hour, or by `keepsake audit checkpoint`.",
    folder: |folder| format!("They also lie outside the database, in {folder}."),
    signed: "Signed",
    size: "Events of system",
    agents: "Agents",
    root: "Root of system",
    key: "Key",
    fingerprint: "Fingerprint of the public key",
    key_how: "Write it down somewhere else. Whoever changes the history and signs it anew needs another key, and has another fingerprint.",
    check: "How to check it",
    check_steps: [
        "`keepsake audit key` prints the public key and its fingerprint: compare it with the one you wrote down.",
        "`keepsake audit verify` reads every chain and compares it with the checkpoints; its exit code is 1 where something is wrong.",
        "`keepsake audit verify --checkpoints FOLDER` does the same with a copy that you kept elsewhere.",
    ],
    alarm: |n| {
        format!(
            "The audit does not hold: the last verification found {}.",
            many(n, "fault", "faults")
        )
    },
    alarm_see: "See what it found",
    flash_well: |n| format!("Every chain holds. {} read.", many(n, "event", "events")),
    flash_found: |n| {
        format!(
            "The audit does not hold: {} found.",
            many(n, "fault", "faults")
        )
    },
};
