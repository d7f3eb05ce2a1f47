//! English: quality, decisions, jobs.

use domain::schedule::ScheduleName;

use super::{super::*, many};

/// How extraction does and how people decide.
pub const QUALITY: Quality = Quality {
    title: "Quality",
    lead: "Counted is what people decided and what still stands. Acceptance is approved ÷ (approved + rejected); the junk rate is rejected ÷ (approved + rejected).",
    span: "Span",
    days: |n| many(n, "day", "days"),
    today: "Today",
    show: "Show",
    nothing: "Nothing was decided in this span",
    nothing_how: "Figures appear as people approve and reject candidates. Choose a longer span, or go to the queue.",
    percent: |n| format!("{n} %"),
    under_one_percent: "under 1 %",
    seconds: |seconds| format!("{seconds:.1} s"),
    median_and_p90: |median, p90| format!("{median} · nine of ten {p90}"),
    decided: |n| {
        if n == 1 {
            "decision of people".into()
        } else {
            "decisions of people".into()
        }
    },
    acceptance: "Acceptance",
    junk: "Junk rate",
    edited: "Edited before approval",
    waited: "From proposal to decision, median",
    viewed: "In view before deciding, median",
    left_out: |policies, expired, superseded| {
        format!(
            "In none of these figures: {} approved by policies, {} that expired unseen, {} superseded.",
            grouped(policies),
            grouped(expired),
            grouped(superseded)
        )
    },
    table: "As a table",
    by_kind: "Acceptance by kind",
    by_extractor: "Acceptance by extractor and prompt",
    by_language: "Acceptance by language",
    extractor: "Extractor",
    language: "Language",
    by_hand: "by hand, or by Keepsake itself",
    approved: "Approved",
    rejected: "Rejected",
    answers: "Answers",
    failed: "Unreadable",
    truncated: "Cut off",
    calibration: "Confidence against acceptance",
    calibration_how: "Where an extractor knows how sure it may be, the columns follow the line.",
    rejected_for: "Why people rejected",
    reason: "Reason",
    count: "Number",
    people: "How people decide",
    people_how: "A decision under two seconds was hardly read. The time in view is known where scripts run.",
    person: "Person",
    decisions: "Decisions",
    timed: "With a time",
    quick: "Under 2 s",
    not_known: "not known",
    dropped: "Drafts that became no candidate",
    dropped_none: "No draft was dropped in this span.",
    bad: "Answers that could not be read",
    bad_how: "Each is kept with its conversation, word for word.",
    bad_none: "Every answer in this span was read whole.",
    bad_see: "Answer",
    floors: "Floor of the built-in extractor",
    floors_how: "Under this confidence it proposes nothing: set so that nearly everything it proposes is worth a look. Where the floor of an agent is higher, that one holds.",
    list: "Decisions",
    list_count: |n| many(n, "decision", "decisions"),
    list_empty: "No decision fits",
    list_empty_how: "A decision that was taken back is not listed. Choose a longer span or fewer filters.",
    verdict: "Verdict",
    any_verdict: "Any verdict",
    by: "Decided by",
    by_people: "people",
    by_policies: "policies",
    decided_by: |who| format!("by {who}"),
};

/// What works in the background.
pub const JOBS: Jobs = Jobs {
    title: "Jobs",
    lead: "What works in the background: extraction, and what the clock does.",
    queued: |n| {
        if n == 1 {
            "job waits".into()
        } else {
            "jobs wait".into()
        }
    },
    running: |_| "running now".into(),
    given_up: |n| {
        if n == 1 {
            "extraction failed or cut off".into()
        } else {
            "extractions failed or cut off".into()
        }
    },
    put_off: |n| {
        if n == 1 {
            "waits for tomorrow’s budget".into()
        } else {
            "wait for tomorrow’s budget".into()
        }
    },
    lag: "the oldest is late by",
    no_lag: "Nothing is late.",
    by_agent: "By agent",
    by_agent_none: "No job waits, runs or has failed.",
    depth: "Waiting",
    due: "Due",
    oldest: "Late by",
    in_hand: "Running",
    budget: "For budget",
    not_allowed: "For permission",
    failed: "Failed or cut off",
    failed_how: "The conversations are kept. Put right what is named, then try again.",
    failed_none: "Nothing has failed.",
    reason: "Reason",
    count: "Number",
    retry: "Try again",
    retry_all: "Try all again",
    any_reason: "All reasons",
    job: "Job",
    attempt: "Attempt",
    ended: "Ended",
    comes: "Comes",
    asked: "Asked for",
    next: "Next",
    next_none: "Nothing waits for its time.",
    running_none: "Nothing is running.",
    schedules: "By the clock",
    schedules_none: "No worker has run yet. `keepsake serve` runs one.",
    schedule: "What",
    last_run: "Last",
    next_run: "Next",
    never: "never",
    task: |task| match task {
        "extract" => "extraction",
        "patterns" => "patterns over sessions",
        "migrate" => "check against a changed schema",
        _ => "job",
    },
    why: |code| match code {
        "rate_limited" => "The model provider asks for fewer requests.",
        "timeout" => "The model did not answer in time.",
        "unreachable" | "bad_address" => "The model provider cannot be reached. Check its address.",
        "unavailable" | "provider_error" => "The model provider answers with an error of its own.",
        "key_refused" => "The model provider does not take the key.",
        "no_key" => "No key of this provider is configured: KEEPSAKE_EXTRACTOR_API_KEY.",
        "unknown_model" => "The model provider has no model of this name.",
        "too_long" => "The conversation is longer than the model takes at once.",
        "refused" | "not_supported" => "The model provider refused the request.",
        "no_extractor" => "The extractor in the agent’s settings does not exist here.",
        "internal" => "Something went wrong inside Keepsake. Its log says more.",
        "not_allowed" => {
            "The agent does not allow its extractor. Allow it, or choose another; then this goes on."
        }
        "budget" => "Today’s budget of the agent is used up.",
        "gone" => "The conversation is not there any more.",
        "crashed" => "The process ended in the middle of the work, again and again.",
        "truncated" => "The answer was cut off. What was whole of it was kept.",
        "no_json" | "not_json" | "no_answer" | "empty" | "other_schema" | "cut_off"
        | "too_tangled" => "The answer could not be read. It is kept for a look.",
        _ => "The extraction failed.",
    },
    does: |name| match name {
        ScheduleName::Expiry => "Reject what nobody decided in time",
        ScheduleName::Patterns => "Look for patterns over sessions",
        ScheduleName::Passed => "Propose to retire what has passed",
        ScheduleName::Report => "Propose to retire what never helps",
        ScheduleName::Words => "Make what waits findable by its words",
        ScheduleName::Digests => "Send digests",
        ScheduleName::Exports => "Remove the files of exports that are past their time",
        ScheduleName::RetentionConversations => "Remove old conversations",
        ScheduleName::RetentionRejected => "Remove old rejected candidates",
        ScheduleName::RetentionServings => "Remove old records of what was told",
        ScheduleName::RetentionExports => "Remove old records of exports",
        ScheduleName::Checkpoints => "Sign the state of the audit chains",
        ScheduleName::Verification => "Verify the audit chains",
    },
    retried: |queued, refused| {
        let queued = format!("{} queued again", many(queued, "extraction", "extractions"));
        match refused {
            0 => queued,
            refused => format!(
                "{queued}. {} could not be: the agent does not learn, or the conversation is gone.",
                grouped(refused)
            ),
        }
    },
    more: |n| {
        format!(
            "{} not looked at yet. Press again to go on.",
            many(n, "is", "are")
        )
    },
};
