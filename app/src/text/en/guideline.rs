//! English: guidelines.

use super::super::*;

/// The guidelines of a kind.
pub const GUIDELINES: Guidelines = Guidelines {
    title: "Guideline for reviewers",
    lead: "What this kind should and should not hold. Reviewers read it beside each candidate, in their own language, or in English where theirs is empty.",
    in_language: |language| format!("In {language}"),
    how: "Say what belongs and what does not, with an example of each. Empty: nothing is shown in this language.",
    save: "Save the guideline",
    none: "Nothing is said in this language.",
    history: "History",
    version: |n| format!("version {n}"),
    beginning: "as Keepsake brings it",
    by: |who, when| format!("by {who}, {when}"),
    emptied: "Emptied.",
};
