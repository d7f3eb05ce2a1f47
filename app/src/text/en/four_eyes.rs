//! English: two people who must agree.

use super::super::*;

/// Four eyes.
pub const FOUR_EYES: FourEyes = FourEyes {
    title: "Four eyes",
    lead: "What is chosen here is approved by two different people: the first agrees, the second approves. No policy decides on it.",
    all: "Everything",
    all_how: "Every approval of this agent needs a second person.",
    kinds: "These kinds",
    flags: "Whatever has one of these flags",
    by_hand: "Proposals are meant. A memory that a person writes, edits or retires by hand needs one person.",
    save: "Save four eyes",
    one_of_two: |who| format!("agreed by {who}, one more needed"),
    agreed: |who, ago| format!("Agreed by {who} {ago}. One more is needed."),
    same: "Approve to agree to the same. Approved with another change, yours takes its place and the other person is asked again.",
    own: "A second, different person must agree too.",
    withdraw: "Take my agreement back",
    changes: "With this change",
    merges: "Merged into a memory that is stored",
    before: |who| format!("Agreed before by {who}."),
    flash: |what| format!("You agreed: {what}. One more person is needed."),
    flash_withdrawn: |what| format!("Your agreement is taken back: {what}"),
};
