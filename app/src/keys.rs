//! The keys of the review desk. This one table draws the badges and the help sheet, and says which button a key presses; a
//! key never does anything that the page has no button or link for.

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The next candidate.
    Next,
    /// The one before.
    Previous,
    /// Go from the list into the candidate.
    Open,
    /// Approve as proposed.
    Approve,
    /// Open the form that edits and approves.
    Edit,
    /// Open the form that merges into a stored memory.
    Merge,
    /// Open the reasons to reject.
    Reject,
    /// Reject for the reason of this number, from 1.
    Reason(u8),
    /// Undo the last decision.
    Undo,
    /// Show the keys.
    Help,
}

/// When a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum When {
    /// Whenever nothing is being typed.
    Always,
    /// Only while the reasons to reject are open.
    Rejecting,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// As `KeyboardEvent.key` names it.
    pub key: &'static str,
    /// What it does.
    pub action: Action,
    /// When it works.
    pub when: When,
}

const fn always(key: &'static str, action: Action) -> Key {
    Key {
        key,
        action,
        when: When::Always,
    }
}

const fn reason(key: &'static str, number: u8) -> Key {
    Key {
        key,
        action: Action::Reason(number),
        when: When::Rejecting,
    }
}

/// Every key of the desk, in the order of the help sheet.
pub const KEYS: &[Key] = &[
    always("j", Action::Next),
    always("k", Action::Previous),
    always("Enter", Action::Open),
    always("a", Action::Approve),
    always("e", Action::Edit),
    always("m", Action::Merge),
    always("r", Action::Reject),
    reason("1", 1),
    reason("2", 2),
    reason("3", 3),
    reason("4", 4),
    reason("5", 5),
    reason("6", 6),
    reason("7", 7),
    always("u", Action::Undo),
    always("?", Action::Help),
];

/// The key of an action; empty for one without, which a test keeps from happening.
pub fn key_of(action: Action) -> &'static str {
    KEYS.iter()
        .find(|row| row.action == action)
        .map_or("", |row| row.key)
}

/// What a pressed key does, given whether the reasons to reject are open.
pub fn action_of(key: &str, rejecting: bool) -> Option<Action> {
    KEYS.iter()
        .find(|row| row.key == key && (rejecting || row.when == When::Always))
        .map(|row| row.action)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_actions_share_a_key_and_no_key_deletes() {
        let keys: HashSet<_> = KEYS.iter().map(|row| row.key).collect();
        assert_eq!(keys.len(), KEYS.len());
        let actions: HashSet<_> = KEYS.iter().map(|row| row.action).collect();
        assert_eq!(actions.len(), KEYS.len());
        assert!(!keys.contains("Delete") && !keys.contains("Backspace"));
    }

    #[test]
    fn digits_only_reject_while_the_reasons_are_open() {
        assert_eq!(action_of("3", false), None);
        assert_eq!(action_of("3", true), Some(Action::Reason(3)));
        assert_eq!(action_of("a", true), Some(Action::Approve));
    }

    #[test]
    fn every_action_has_its_key() {
        assert_eq!(key_of(Action::Reason(7)), "7");
        assert_eq!(key_of(Action::Help), "?");
    }
}
