//! English: decisions by the hundred.

use domain::bulk::{BulkState, BulkVerdict};

use super::{super::*, many};

/// Decisions by the hundred.
pub const BULK: Bulk = Bulk {
    title: "Decided together",
    lead: "Each press that decided on many candidates: how far it is, what it could not do, and the way back.",
    none: "Nothing was decided together yet",
    none_how: "Tick rows in the queue, or take all that match a filter.",
    how: "Tick rows to decide on several at once.",
    bar: "Many at once",
    selected: "selected",
    verdict: |verdict| match verdict {
        BulkVerdict::Approve => "Approve",
        BulkVerdict::Reject => "Reject",
        BulkVerdict::Reopen => "Reopen",
    },
    selected_button: |verdict| match verdict {
        BulkVerdict::Approve => "Approve selected",
        BulkVerdict::Reject => "Reject selected",
        BulkVerdict::Reopen => "Reopen selected",
    },
    hand_over: "Hand over selected",
    all: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("Approve all {number} that match…"),
            BulkVerdict::Reject => format!("Reject all {number} that match…"),
            BulkVerdict::Reopen => format!("Reopen all {number} that match…"),
        }
    },
    note: "Note",
    note_how: "Stands on each decision, and goes along with a hand-over.",
    insist: "Approve the risky ones too",
    insist_how: "Instructions, contradictions, third parties, special categories, personal data and changes of memories that moved on are otherwise left waiting. Say why in the note.",
    confirm: |n| format!("Type {n} to approve them"),
    confirm_how: |n| {
        format!(
            "This would approve {} at once. What is approved is served at once.",
            many(n, "candidate", "candidates")
        )
    },
    still_selected: |n| format!("{} not done", many(n, "candidate was", "candidates were")),
    not_done: "Not done",
    why: |code| {
        Some(match code {
            "risky" => "Risky: look at it by itself",
            "already_decided" | "not_pending" => "Somebody decided before",
            "stale" => "It changed since it was selected",
            "expired" => "It expired",
            "moved_on" => "What it was about has moved on",
            "slot_taken" => "A memory of this kind and name is stored already",
            "memory_limit" => "The user has as many memories as the agent allows",
            "claimed" => "Somebody else has claimed it",
            "language_not_yours" => "In a language that is not of your role",
            "unknown" => "Whom you chose does not decide about it",
            "second_person_needed" => "A second, different person must agree",
            "opted_out" => "The person has opted out",
            "still_waiting" => "It waits already",
            "not_found" => "It is not there any more, or not for you",
            "secret" => "It holds a secret",
            "invalid" => "It does not fit its kind",
            "internal" => "Something went wrong inside Keepsake",
            _ => return None,
        })
    },
    why_else: |code| format!("Refused ({code})"),
    matching: |verdict, n| {
        let number = many(n, "candidate", "candidates");
        match verdict {
            BulkVerdict::Approve => format!("Approve {number}"),
            BulkVerdict::Reject => format!("Reject {number}"),
            BulkVerdict::Reopen => format!("Reopen {number}"),
        }
    },
    frozen: |at| {
        format!(
            "All that match your filter as of {at}. What arrives later is left alone; what changes until its turn comes is left as it is and named."
        )
    },
    count: |n| many(n, "candidate", "candidates"),
    by_kind: "By kind",
    by_flag: "By flag",
    flags_none: "None of them has a flag.",
    risky: |n| {
        format!(
            "{} risky and left waiting, to be looked at one by one.",
            many(n, "of them is", "of them are")
        )
    },
    start: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("Approve {number}"),
            BulkVerdict::Reject => format!("Reject {number}"),
            BulkVerdict::Reopen => format!("Reopen {number}"),
        }
    },
    nothing: "Nothing matches this filter",
    nothing_how: "Somebody may have decided meanwhile.",
    back: "Back to the list",
    one: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("Approval of {number}"),
            BulkVerdict::Reject => format!("Rejection of {number}"),
            BulkVerdict::Reopen => format!("Reopening of {number}"),
        }
    },
    state: |state| match state {
        BulkState::Collecting => "gathering",
        BulkState::Running => "running",
        BulkState::Done => "done",
        BulkState::Failed => "could not go on",
        BulkState::Stopped => "stopped",
    },
    error: |code| {
        match code {
        "deactivated" => {
            "Whoever asked for it was deactivated. What was not decided waits as before.".to_owned()
        }
        "forbidden" => {
            "Whoever asked for it may not decide any more. What was not decided waits as before."
                .to_owned()
        }
        "key_ended" => {
            "The key that asked for it was revoked or has expired. What was not decided waits as before."
                .to_owned()
        }
        other => format!("It could not go on ({other})."),
    }
    },
    by: "By",
    progress: |tried, total| format!("{} of {}", grouped(tried), grouped(total)),
    result: |done, failed| {
        if failed == 0 {
            format!("{} done", grouped(done))
        } else {
            format!("{} done, {} failed", grouped(done), grouped(failed))
        }
    },
    look_again: "Look again",
    stop: "Stop",
    stop_how: "What was decided stays decided; the rest waits as before.",
    undo: "Take all of it back",
    undo_how: "What was decided waits again, until the time it had or, where that is over, for seven days; the memories go back to what they were.",
    undone: "This was taken back.",
    undo_of: "This takes back an earlier press.",
    told: "Served meanwhile",
    told_lead: |memories, sessions| {
        format!(
            "{} served before it was taken back, to {}. The candidate lists them.",
            many(memories, "of them had been", "of them had been"),
            many(sessions, "session", "sessions")
        )
    },
    told_none: "None of it had been served meanwhile.",
    sessions: |n| many(n, "session", "sessions"),
    candidate: "Candidate",
    reason: "Why",
    decided: "Result",
    asked: "Asked",
    all_recent: "All that was decided together",
    flash_done: |verdict, done, failed| {
        let word = match verdict {
            BulkVerdict::Approve => "approved",
            BulkVerdict::Reject => "rejected",
            BulkVerdict::Reopen => "reopened",
        };
        if failed == 0 {
            format!("{} {word}", grouped(done))
        } else {
            format!("{} {word}, {} failed", grouped(done), grouped(failed))
        }
    },
    flash_undone: |done, failed| {
        if failed == 0 {
            format!("Taken back: {} again", many(done, "waits", "wait"))
        } else {
            format!(
                "Taken back: {} again, {} failed",
                many(done, "waits", "wait"),
                grouped(failed)
            )
        }
    },
    flash_handed_over: |done, failed| {
        if failed == 0 {
            format!("{} handed over", grouped(done))
        } else {
            format!("{} handed over, {} failed", grouped(done), grouped(failed))
        }
    },
    flash_told: |n| {
        format!(
            "{} served meanwhile.",
            many(n, "of them had been", "of them had been")
        )
    },
    flash_started: "It runs in the background. You can leave this page.",
    flash_stopped: "Stopped. What was not decided waits as before.",
    flash_none: "Nothing is selected. Tick the rows first.",
    see: "See which",
};
