//! English: exports.

use domain::export::ExportState;

use super::{super::*, many};

/// Exports.
pub const EXPORTS: Exports = Exports {
    title: "Exports",
    lead: "Everything about an agent, a user or a period in one file, which anybody can verify without Keepsake.",
    ask: "Ask for an export",
    ask_how: "What is left empty is not limited.",
    all_agents: "All agents",
    user: "User",
    user_how: "As the agent calls them, or by an id that begins with usr_.",
    from: "From",
    to: "To",
    to_how: "This day is included.",
    bom: "Table for Excel",
    bom_how: "Begins events.csv with a byte order mark, without which Excel shows Japanese and Chinese wrong.",
    submit: "Make the export",
    another: "Ask for another",
    list: "Made so far",
    none: "No exports yet",
    none_how: "Ask for one above. It is written in the background; then you can download it here for a week.",
    what: "What it holds",
    asked: "Asked for",
    standing: "State",
    file: "File",
    everything: "Everything",
    of_user: |who| format!("User {who}"),
    since: |at| format!("from {at}"),
    until: |at| format!("before {at}"),
    state: |state| match state {
        ExportState::Queued => "Waits for its turn",
        ExportState::Running => "Being written",
        ExportState::Done => "Done",
        ExportState::Failed => "Not written",
        ExportState::Expired => "File removed",
    },
    error: |code| match code {
        "stopped" => "Somebody stopped it.",
        "user_unknown" => "There is nobody of that name any more; they may have been erased.",
        "deactivated" => "Whoever asked for it was deactivated.",
        "forbidden" => "Whoever asked for it may not export this any more.",
        "key_ended" => "The key that asked for it was revoked or has expired.",
        "storage" => "The file could not be written. Look for room on the server’s disk.",
        "no_folder" => "This installation has no folder for exports.",
        "checkpoint" => "The audit chains could not be signed. Verify them on the audit page.",
        "chain_damaged" => {
            "An audit chain is damaged, so nothing in it can be proven. Verify it on the audit page."
        }
        "crashed" => "The process ended in the middle of it, again and again.",
        _ => "It failed inside Keepsake; the log says why.",
    },
    progress: |done, total| match total {
        0 => "Begins".to_owned(),
        total => format!("{} of about {} lines", grouped(done), grouped(total)),
    },
    look_again: "Look again",
    refreshes: "This page looks again by itself every few seconds.",
    download: "Download",
    bytes: |n| match n {
        0..10_000 => many(n, "byte", "bytes"),
        10_000..10_000_000 => format!("{} kB", grouped(n / 1000)),
        n => format!("{} MB", grouped(n / 1_000_000)),
    },
    sum: "SHA-256",
    expires: |when| format!("is removed {when}"),
    fetched: |n| match n {
        0 => "not downloaded yet".to_owned(),
        1 => "downloaded once".to_owned(),
        n => format!("downloaded {} times", grouped(n)),
    },
    stop: "Stop",
    remove: "Remove",
    check: "How to verify one",
    check_how: "Either command checks every file, signature, proof and text of an export, on any machine and without a network. VERIFY.md in each export tells how to do it by hand.",
    key: "Public key",
    fingerprint: "Its fingerprint",
    key_how: "Give the key to whoever verifies exports, and the fingerprint by another way, so that they can compare the two.",
    flash_asked: "The export is being written. You can leave this page.",
    flash_removed: "Removed.",
};
