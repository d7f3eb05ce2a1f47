//! English: dry runs of another model or other words.

use domain::dry_run::{Difference, DryRunState, TrialState};

use super::super::*;

/// Dry runs.
pub const DRY_RUNS: DryRuns = DryRuns {
    title: "Dry runs",
    lead: "Before a change of model or words: the last conversations are read again, and what would come of them stands beside what came of them. Nothing is proposed, and nothing is remembered by it.",
    to_agent: "To the agent",
    form: "Try something",
    extractor_how: "Empty: the installation’s. Else builtin, or a model as provider::name; only one that this agent allows.",
    conversations: "Last conversations",
    conversations_how: "1 to 200 that were read. Each window of 20 messages is at least one call.",
    prices_how: "Of the model that is tried, in the currency of your bill.",
    kinds: "Other words for the kinds",
    kinds_how: "What is left as it is counts as it is. The agent keeps its words whatever comes of this.",
    look: "What would it cost?",
    begin: "Begin the dry run",
    estimate: "What it would cost",
    over: |conversations, windows| {
        format!(
            "{}, {}",
            super::many(conversations, "conversation", "conversations"),
            super::many(windows, "window", "windows")
        )
    },
    tokens_in: "Tokens read",
    tokens_out: "Tokens written",
    cost: "Money",
    not_known: "not known",
    basis: |word| match word {
        "conversations" => "By what these conversations cost when they were read.",
        "agent" => "By what a window of this agent cost on the last 31 days.",
        "free" => "The built-in extractor costs nothing.",
        _ => "No model was asked for this agent yet, so there is nothing to go by.",
    },
    over_budget: "This is more than is left of today’s budget. At the limit it waits for the next day, and so do this agent’s conversations.",
    words_unread: "The built-in extractor works by rules of its own: it reads no guidance, and no descriptions or guidelines of kinds. As far as these are tried, like is compared with like.",
    list: "Dry runs so far",
    none: "No dry run yet",
    none_how: "What comes of one is kept for thirty days.",
    what: "Extractor",
    asked: "Asked for",
    standing: "State",
    state: |state| match state {
        DryRunState::Running => "running",
        DryRunState::Done => "done",
        DryRunState::Failed => "failed",
        DryRunState::Stopped => "stopped",
    },
    why: |code| match code {
        "no_extractor" => "The extractor does not exist here any more.",
        "not_allowed" => "The agent does not allow this extractor any more.",
        "gone" => "It is not there any more.",
        "deactivated" => "Whoever asked for it was deactivated.",
        "forbidden" => "Whoever asked for it may not administer this agent any more.",
        "crashed" => "Each try ended in the middle; the log says why.",
        "opted_out" => "This person has opted out.",
        "shared_id" => "This id is shared, so nothing is learnt about it.",
        "memory_off" => "Learning is off for this agent.",
        code => (super::quality::JOBS.why)(code),
    },
    waits_until: "It goes on",
    progress: |done, all| {
        format!(
            "{} of {} read",
            grouped(done),
            super::many(all, "conversation", "conversations")
        )
    },
    failed: |n| format!("{} without an answer", grouped(n)),
    all_failed: |why| {
        format!(
            "No conversation could be read, so nothing here tells how the extractor would do. {why}"
        )
    },
    look_again: "Look again",
    stop: "Stop it",
    stop_how: "What came of it so far stays to be looked at.",
    flash_started: "The dry run has begun.",
    flash_stopped: "The dry run was stopped.",
    flash_over: "It had ended already.",
    of: |extractor| format!("Dry run of {extractor}"),
    kept: "Kept for thirty days after its end. What stands under “today” is as people have decided on it by now.",
    tried: "What is tried",
    same_words: "the words are the agent’s own",
    result: "Side by side",
    difference: |difference| match difference {
        Difference::Same => "in both",
        Difference::OtherKind => "in both, of another kind",
        Difference::OnlyToday => "only today",
        Difference::OnlyNew => "only new",
    },
    decided: "What people would think of it",
    decided_how: "An estimate: what is like something that was approved or rejected counts like it, and so does what a person had rejected before. On what is new nobody has decided.",
    decided_of: "Of",
    today: "Today",
    new: "New",
    approved: "Approved",
    rejected: "Rejected",
    undecided: "Undecided",
    junk: "Junk",
    seconds: "Seconds",
    unreadable: "Answers that could not be read",
    no_answer: "Without an answer",
    left_out: "Left out",
    sightings: |n| {
        format!(
            "{} said again",
            super::many(n, "known thing", "known things")
        )
    },
    suppressed: |n| format!("{} rejected before", grouped(n)),
    by_conversation: "By conversation",
    item_state: |state| match state {
        TrialState::Waits => "not read yet",
        TrialState::Done => "read",
        TrialState::Failed => "no answer",
        TrialState::Skipped => "left out",
    },
    nothing: "Neither found anything.",
};
