//! English: the keys, the palette, the live desk.

use super::super::*;
use crate::keys::{Action, Goal, Wrong};

/// The keys.
pub const KEYS: Keys = Keys {
    action,
    arrived: |n| format!("{n} new"),
    over: "Your session has ended. What you typed stays here: sign in again in a new tab, then go on.",
    over_link: "Sign in",
    skip: "Skip",
    diff_then: "Compare with what was stored then",
    palette: "Go to or do",
    palette_how: "Type to search. Arrow keys choose, Enter goes.",
    palette_none: "Nothing of that name",
    palette_actions: "Do",
    palette_pages: "Pages",
    palette_agents: "Agents",
    palette_views: "Saved views",
    change: "Change the keys",
    lead: "Your own keys for the review desk, in every browser you sign in with.",
    on: "Keys work",
    on_how: "Off: only keys with Ctrl still do something. What you set here is kept.",
    write_how: "A key as you press it: a, ?, Shift+X, Ctrl+Enter, ArrowDown; or two, one after the other: g o. Empty for none.",
    save: "Save the keys",
    reset: "Back to the shipped keys",
    reset_how: "Your own are forgotten.",
    reset_done: "The keys are as they came.",
    wrong: |wrong| match wrong {
        Wrong::Shape => "This is no key, nor two after each other.".to_owned(),
        Wrong::Reserved => "The browser keeps this key, or it deletes. Choose another.".to_owned(),
        Wrong::Taken(other) => format!("This key is taken: {}.", action(other)),
        Wrong::NeedsCtrl => "This one works while you type, so it needs Ctrl.".to_owned(),
    },
};

fn action(action: Action) -> &'static str {
    match action {
        Action::Next => "next candidate",
        Action::Previous => "previous candidate",
        Action::Open => "into the candidate",
        Action::Approve => "approve",
        Action::Edit => "edit",
        Action::Save => "save and approve, while editing",
        Action::Merge => "merge into a stored memory",
        Action::Reject => "reject …",
        Action::Reason(1) => "… not durable",
        Action::Reason(2) => "… wrong",
        Action::Reason(3) => "… about someone else",
        Action::Reason(4) => "… sensitive",
        Action::Reason(5) => "… duplicate",
        Action::Reason(6) => "… instruction",
        Action::Reason(_) => "… other",
        Action::Skip => "skip, without a decision",
        Action::Claim => "claim for five minutes",
        Action::Select => "pick, or leave out",
        Action::SelectRange => "pick all from the last one to here",
        Action::Undo => "undo",
        Action::DiffBase => "compare with stored then, or stored now",
        Action::Evidence => "to the evidence",
        Action::Search => "search",
        Action::Filter => "filter",
        Action::ShowNew => "show what is new",
        Action::Go(Goal::Overview) => "go to the overview",
        Action::Go(Goal::Queue) => "go to the queue",
        Action::Go(Goal::Users) => "go to users",
        Action::Go(Goal::Memories) => "go to memories",
        Action::Go(Goal::Agents) => "go to agents",
        Action::Help => "this help",
        Action::Palette => "go anywhere, do anything",
    }
}
