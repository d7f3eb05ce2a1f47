//! English: the demo and the first steps.

use super::super::*;

/// The demo.
pub const DEMO: Demo = Demo {
    banner: "Demo data: these people and what they said are made up.",
    remove: "Remove the demo",
    offer: "Look around first",
    offer_how: "Fills an agent of its own, named demo, with three made-up people in three languages and forty candidates. One press removes it all.",
    fill: "Fill in demo data",
    filled: "The demo is there: the agent demo, with three made-up people. What they just said is read within a minute.",
    filling: "The demo is being filled in already. It takes a few seconds.",
    half: "Not all of it is there: filling it in was interrupted, or goes on just now.",
    removed: "The demo is removed. Nothing else was touched.",
    name_taken: "There is an agent named demo already, and it is your own. The demo needs that name.",
    with_setup: "Fill in demo data to look around",
    with_setup_how: "Three made-up people on an agent of their own, named demo. One press removes it all later.",
};

/// The first steps.
pub const FIRST_STEPS: FirstSteps = FirstSteps {
    title: "First steps",
    lead: "Each step ticks itself when it is really done.",
    done: "done",
    open: "to do",
    agent: "Make an agent",
    agent_how: "An agent is one assistant with its own users, memories and keys.",
    agent_go: "Make an agent",
    key: "Make a key for it",
    key_how: "The agent signs its calls with it. It is shown once.",
    key_go: |agent| format!("Make a key for {agent}"),
    send: "Send the first conversation",
    send_how: "The agent sends what was said; Keepsake answers at once and reads it in the background.",
    review: "Decide on a candidate",
    review_how: "What is worth remembering waits in the queue until a person decides.",
    review_go: "Open the queue",
    context: "Ask for the context",
    context_how: "Only what was approved is told. Put the text into the agent’s system prompt.",
    snippet: |language| format!("In {language}"),
    hooks: "By the hooks of Claude Code, Cursor, Codex or Gemini CLI, which ask for the context too",
};
