//! English: ids that are one person.

use domain::join::JoinState;

use super::super::*;

/// Ids that are one person.
pub const JOINS: Joins = Joins {
    section: "Other ids of this person",
    lead: "While two ids are joined, agents are told of either what both have. Nothing is moved: each id keeps what was said under it, and a split gives back exactly that.",
    none: "No other id is known.",
    title: "Proposed joins",
    waits_lead: "An agent says that two of its ids are one person. What the guest id has is then told to whoever signs in as the other, and the other way round: join only what you are sure of.",
    waits_none: "No joins wait",
    waits_none_how: "Agents propose them over the API. You can join two ids yourself on a person’s page.",
    state: |state| match state {
        JoinState::Proposed => "proposed",
        JoinState::Joined => "joined",
        JoinState::Split => "split",
        JoinState::Declined => "declined",
    },
    guest: "guest id",
    main: "signed-in id",
    this_id: "this id",
    made: |who, when| format!("by {who} on {when}"),
    decided: |who, when| format!("last decided by {who} on {when}"),
    why_proposed: "Proposed because",
    why_joined: "Joined because",
    why_ended: "Ended because",
    join: "Join",
    decline: "Decline",
    split: "Split",
    split_how: "From then on each id is told only what it has itself.",
    undo: "Take back",
    reason: "Why",
    reason_how: "How you know. It is kept with the decision.",
    add: "Join with another id",
    add_how: "Both ids must be known to this agent. Which comes first is never in doubt: a guest id belongs to one signed-in id.",
    other: "The other id",
    other_how: "As the agent calls it, or usr_…",
    role: "Which is the guest id",
    other_is_guest: "The other one; this page is about the signed-in id",
    this_is_guest: "The one of this page; the other is the signed-in id",
    submit: "Join the two",
    conflicts: "They contradict each other",
    conflicts_how: "Agents are told what stands first. To decide otherwise, retire or change one of the two.",
    told: "told",
    silent: "not told",
    elsewhere: "Another id of this person says",
    erased_with: "Erased with them",
    stays: |who| {
        format!(
            "This is a guest id of {who}. That id stays; erase it on its own page, and this one goes with it."
        )
    },
    overview: |n| {
        if n == 1 {
            "join is proposed".into()
        } else {
            "joins are proposed".into()
        }
    },
    flash_joined: "Joined. Agents are told of either id what both have.",
    flash_split: "Split. Each id has again what it had.",
    flash_declined: "Declined",
    flash_waits: "It waits for a decision again",
    flash_moved: "It was decided otherwise since the page was drawn. Look again.",
};
