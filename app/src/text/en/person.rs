//! English: what an agent would be told, how people are found, and what to do where a page cannot go on.

use domain::render::{CutFor, Layout, Why};

use super::super::*;
use super::many;

/// The context preview.
pub const PREVIEW: Preview = Preview {
    title: "What an agent would be told",
    lead: "Exactly the text that the agent would get right now, and why each memory is in it or not. Looking records nothing.",
    see: "What an agent would be told",
    see_how: "See the context as the agent gets it, and why each memory is in or out.",
    query: "The task at hand, as the agent would say it",
    tokens: "Most tokens",
    layout: "Layout",
    layouts: |layout| match layout {
        Layout::ByKind => "by kind",
        Layout::PriorKnowledge => "prior knowledge",
        Layout::Profile => "profile",
    },
    show: "Show",
    used: |used, budget| format!("about {used} of {budget} tokens"),
    block: "The text",
    block_empty: "Nothing: the agent gets an empty text.",
    reason: |code| match code {
        "serving_off" => "Serving is switched off for this agent.",
        "opted_out" => "This person has opted out.",
        _ => "Nothing is served.",
    },
    told: "Told",
    left_out: "Left out",
    none: "None.",
    memory: "Memory",
    because: "Because",
    score: "Rank",
    sessions: "Where it was told",
    session: "Session",
    sessions_none: "No session was told it yet.",
    when: "When",
    why: |why| match why {
        Why::Always => "its kind is in every context",
        Why::Relevant => "it has to do with the task",
        Why::Ranked => "it ranks high, and no task was named",
    },
    cut: |cut| match cut {
        CutFor::Budget => "there was no room left",
        CutFor::Cap => "better ones filled what its kind may have",
        CutFor::Irrelevant => "it has nothing to do with the task",
        CutFor::OtherId => "another id of this person says it, or otherwise",
        CutFor::Grace => "it was approved a moment ago and still has its grace",
    },
};

/// Finding people.
pub const SEARCH: Search = Search {
    part: "User id, or a part of it",
    exact_why: "Choose an agent to look for a part of an id. Over all agents only the whole id is found: ids are stored encrypted, and the database compares keyed hashes of whole ids.",
    cut: |n| {
        format!(
            "Only the newest {} were looked at.",
            many(n, "user", "users")
        )
    },
};

/// What to do where a page cannot go on.
pub const FAILURES: Failures = Failures {
    needs: |roles| format!("This needs the role {roles}."),
    ask: |people| format!("These people can give it to you: {people}."),
    what_to_do: |status| match status {
        403 => "Until then you can go on with what your roles reach.",
        404 => "Check the address, or look for it from the overview.",
        409 | 412 => "Go back, load the page again, and look at what is there now.",
        413 => "Send less at once.",
        422 | 400 => "Go back and send the form again.",
        429 => "Nothing was lost: go back and send it again in a minute.",
        503 => {
            "The database does not answer. Try again in a minute; if it stays so, tell whoever runs Keepsake."
        }
        _ => {
            "Try again. If it stays so, give the number below to whoever runs Keepsake: it leads to the line in the log."
        }
    },
    extraction: |code| match code {
        "timeout" | "unreachable" | "provider_error" => {
            "The model’s provider does not answer. It is tried again by itself; conversations wait and nothing is lost. If it lasts, check the provider’s status and KEEPSAKE_EXTRACTOR_BASE_URL."
        }
        "rate_limited" => "The provider slows us down. It is tried again by itself, later.",
        "no_key" => {
            "No key of this provider is configured. Set KEEPSAKE_EXTRACTOR_API_KEY, restart, then try again."
        }
        "key_refused" => {
            "The provider refuses the key. Set KEEPSAKE_EXTRACTOR_API_KEY, restart, then try again."
        }
        "unknown_model" | "bad_address" | "not_supported" => {
            "The model or its address is not known. Check KEEPSAKE_EXTRACTOR_MODEL with keepsake doctor, then try again."
        }
        "too_long" | "context_length" => {
            "The conversation is longer than the model takes. Another model with a larger window reads it."
        }
        _ => {
            "The answer could not be used. Look at the extractor’s own answer below, where it is kept, then try again."
        }
    },
    extraction_stuck: "Conversations are not being read.",
    extraction_stuck_how: "What was sent is kept, and agents go on being told what is approved. See the reasons under Jobs, put right what they name, then try again.",
    dropped_why: |dropped| match dropped {
        Dropped::NoEvidence => {
            "Every statement must rest on words of the conversation; this one did not."
        }
        Dropped::Served => "The words came from Keepsake’s own context, so they are no news.",
        Dropped::MachineMade => "The words were not a person’s.",
        Dropped::Secret => {
            "A password, key or number that must not be stored was said. It is kept nowhere but in the conversation itself."
        }
        Dropped::KindNotInUse => "The agent does not use this kind. Its page switches kinds on.",
        Dropped::BadMetadata => "The metadata did not fit the schema, also after a second try.",
        Dropped::TooLong => "A memory has at most 2,000 characters.",
        Dropped::BelowFloor => "The extractor was less sure than the agent asks for.",
        Dropped::OverLimit => "The window already had as many candidates as the agent allows.",
        Dropped::AskedNotToRemember => "The user asked not to remember it.",
    },
    session_over: "Your session was over. What you typed is kept: sign in, and it is shown again.",
    kept: "You are signed in again",
    kept_lead: "This is what you were sending when your session ended. Nothing was changed yet.",
    kept_send: "Send it now",
    kept_gone: "Nothing is kept",
    kept_gone_how: "What you had sent was kept for ten minutes, or was sent already.",
};
