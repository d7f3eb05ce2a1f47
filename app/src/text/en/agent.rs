//! English: the settings of an agent.

use super::super::*;

/// The page of an agent.
pub const AGENTS: Agents = Agents {
    title: "Agents",
    lead: "An agent is an assistant whose memory is governed. Nothing of one agent is seen by another.",
    empty: "No agent yet",
    empty_how: "Give the first one a name; then make a key on its page.",
    make: "Make the agent",
    make_name: "Name",
    make_name_how: "1 to 64 of a–z, 0–9, - and _, beginning with a letter or digit.",
    settings: "Settings",
    group_memory: "What it may do",
    group_extraction: "How it learns",
    group_when: "When a conversation is read",
    group_when_how: "It is always read at its end and when it is flushed. Each of these starts it too; an empty field switches that one off. The built-in extractor costs nothing; a model is called for every start.",
    learn: "Learn",
    learn_how: "Conversations become candidates. Off: nothing is stored; what is approved is still served.",
    serve: "Serve",
    serve_how: "Approved memories are given to the agent.",
    natural_language: "Learn in plain sentences",
    natural_language_how: "Off: only the fields of profiles are filled.",
    max_memories: "Most memories per user",
    max_memories_how: "When they are full, approving one more is refused, and the memory of least value is proposed for retirement.",
    grace: "Grace of an approval, in seconds",
    grace_how: "So long after its approval a memory is not told to the agent: undo within it, and nobody was told. An update withholds its memory meanwhile. 0 to 3,600; 0 tells at once.",
    floor: "Confidence from",
    floor_how: "Drafts below it are dropped and counted.",
    max_candidates: "Most candidates per window",
    max_candidates_how: "A window is 20 messages; the best are kept.",
    trigger_messages: "After new messages",
    trigger_messages_cost: "20 costs about one call for 20 messages. 1 reads every post at once: one call a message, each with what was said before in it.",
    trigger_quiet: "After quiet, in seconds",
    trigger_quiet_cost: "One call for each pause. Short pauses cost more calls, each over fewer messages.",
    trigger_interval: "At an interval, in seconds",
    trigger_interval_cost: "At most one call in this time for each open conversation, however much is said.",
    extractor: "Extractor",
    extractor_how: "Empty: the installation’s. Else builtin, or a model as provider::name.",
    allowed_extractors: "Allowed extractors",
    allowed_extractors_how: "One a line: builtin, a provider (openai), a model (openai::gpt-4.1-mini) or a base URL. Empty: all that the installation has. Nothing this agent’s users say is sent elsewhere; what an extractor that is not allowed should read waits.",
    not_allowed: |n| {
        format!(
            "{} until its extractor is allowed.",
            super::many(n, "conversation waits", "conversations wait")
        )
    },
    not_allowed_how: "Allow the extractor below, or choose another; then they go on. None is lost.",
    guidance: "Guidance for the extractor",
    guidance_how: "What matters to this agent, in your words. Added to the rules that hold for every agent. Models read it; the built-in extractor does not.",
    shared_ids: "User ids that never learn",
    shared_ids_how: "Shared or anonymous ids, one pattern a line; * stands for any characters, as in guest-*.",
    save: "Save settings",
    keys: "Keys",
    keys_none: "No key yet: the agent cannot call.",
    key_hint: "Key",
    key_scopes: "May",
    key_used: "Last used",
    key_never: "never",
    key_make: "Make a key",
    key_label: "What it is for",
    key_revoke: "Revoke",
    key_revoke_sure: "Whoever uses it is refused from then on. This cannot be taken back.",
    key_revoked: "revoked",
    key_new: "The new key",
    key_new_how: "Copy it now: it is shown this once and stored only as a hash.",
    contents: "On this page",
    first_steps: "First steps",
    first_steps_how: "With a key in KEEPSAKE_KEY, these calls take one memory all the way.",
    step_send: "Send a conversation",
    step_review: "Decide what came of it",
    step_context: "Ask for what was approved",
    prompt: "Prompt",
    prompt_how: "What the model is told before what was said: the rules for every agent, this agent’s guidance, its kinds with their guidelines, its profile schemas. Other guidance or other words of a kind make another version, and every memory records the one it was made under.",
    prompt_none: "The extractor of this agent asks no model, so it is told nothing.",
    prompt_version: |version| format!("Version {version}"),
    webhooks: |n| match n {
        0 => "No webhook is told what happens here.".to_owned(),
        n => format!(
            "{} told what happens here.",
            super::many(n, "webhook is", "webhooks are")
        ),
    },
    webhooks_go: "Open the webhooks",
    example_statement: "I prefer code examples in Python rather than pseudocode.",
    pending: "Waiting",
    approved: "Memories",
    users: "Users",
    total: "Candidates and memories",
};

/// Policies that approve.
pub const POLICIES: Policies = Policies {
    title: "Policies",
    lead: "What a policy fits is approved as soon as it is proposed, in the name of the policy and of whoever switched it on. Each decision can be reopened like any other.",
    none: "None is on: a person decides on every candidate.",
    caption: "Policies that are on",
    name: "Name",
    name_how: "1 to 64 of a–z, 0–9, - and _. Every decision of it shows this name.",
    kinds: "Kinds",
    from: "Confidence from",
    on_by: "Switched on by",
    switch_on: "Switch on",
    switch_off: "Switch off",
    never: "Whatever carries a flag waits for a person: an instruction, a contradiction, somebody else, a special category, words that the user did not say.",
};

/// What extraction costs.
pub const BUDGET: Budget = Budget {
    title: "Cost",
    lead: "A day is one of UTC. At the limit conversations wait for the next day; none is lost.",
    today: "Today",
    tokens: "Tokens",
    money: "Money",
    used: "Of the budget",
    no_limit: "no limit",
    warning: |percent| format!("{percent} % of today’s budget is used."),
    exhausted: "Today’s budget is used up. Conversations wait for the next day; none is lost.",
    waiting: |n| {
        format!(
            "{} until tomorrow.",
            super::many(n, "conversation waits", "conversations wait")
        )
    },
    tokens_per_day: "Tokens a day",
    money_per_day: "Money a day",
    price_in: "Price of a million tokens read",
    price_out: "Price of a million tokens written",
    empty_how: "Empty: no limit.",
    price_how: "In the currency of your bill.",
};
