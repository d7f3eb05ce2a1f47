//! English: recall.

use super::super::*;

/// Recall.
pub const RECALL: Recall = Recall {
    title: "Recall",
    button: "Recall this memory",
    lead: "For a memory that should never have been approved. It leaves every context at once, and you see who was told and what was made from it.",
    reason: "Why it is recalled",
    reason_how: "Kept in the history.",
    reach: |sessions, times, made| {
        let told = match sessions {
            0 => "It was told to nobody".to_owned(),
            1 => format!("It was told in 1 session ({})", many_times(times)),
            n => format!("It was told in {n} sessions ({})", many_times(times)),
        };
        match made {
            0 => format!("{told}; nothing was made from it."),
            1 => format!("{told}; 1 thing was made from it."),
            n => format!("{told}; {n} things were made from it."),
        }
    },
    recalled: |who, ago| format!("Recalled by {who} {ago}"),
    undo_how: "Restore it to undo this.",
    told: "Sessions that were told",
    told_none: "No session was told.",
    told_how: "Keepsake does not call these runtimes. Whoever runs them has to know: a session under way still holds what it was told.",
    conversation: "Conversation",
    conversation_none: "not named",
    revisions: "Revisions",
    times: "Times",
    last: "Last told",
    older: |n| format!("{} earlier times are not listed.", grouped(n)),
    made: "Made from it",
    made_none: "Nothing was made from it.",
    made_means: "Listed are: memories into which a merge took it; proposals that wait and would change it or take it in; patterns that cite words it rests on; summaries of a conversation in which those words were said. What only stands beside it in the same conversation is not listed. Open each to see what was made from it in turn.",
    by_merge: "Merge",
    by_change: "Waiting change",
    by_pattern: "Pattern",
    by_summary: "Summary",
    waits: "waits for review",
    served_no_more: "served no more",
    of_candidate: |who, ago| format!("The memory was recalled by {who} {ago}."),
    flash: "Recalled: it is in no context from now on.",
};

fn many_times(times: u64) -> String {
    match times {
        1 => "once".to_owned(),
        n => format!("{} times", grouped(n)),
    }
}
