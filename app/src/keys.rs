//! The keys of the review desk. This one table draws the badges and the help sheet, and says which button a key presses; a
//! key never does anything that the page has no button or link for. A person may choose other keys: [`Keys`] is the table as
//! they have it.

pub mod chord;
mod personal;

pub use personal::{Fault, Found, Keys, Wrong};

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
    /// Send the form that is open.
    Save,
    /// Open the form that merges into a stored memory.
    Merge,
    /// Open the reasons to reject.
    Reject,
    /// Reject for the reason of this number, from 1.
    Reason(u8),
    /// The next candidate, and no decision on this one.
    Skip,
    /// Claim it for a while.
    Claim,
    /// Pick it for a decision on many, or leave it out again.
    Select,
    /// The same from the one that was picked last to this one.
    SelectRange,
    /// Undo the last decision.
    Undo,
    /// Compare with what was stored then, or with what is stored now.
    DiffBase,
    /// Go to the words that support it.
    Evidence,
    /// Go to the search.
    Search,
    /// Open the filters.
    Filter,
    /// Show what came in meanwhile.
    ShowNew,
    /// Go to a page.
    Go(Goal),
    /// Show the keys.
    Help,
    /// Search everything that can be done from here.
    Palette,
}

/// A page that a key leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Goal {
    /// `/`
    Overview,
    /// `/review`
    Queue,
    /// `/users`
    Users,
    /// `/memories`
    Memories,
    /// `/agents`
    Agents,
}

impl Goal {
    /// The one that lies there.
    pub fn at(path: &str) -> Option<Self> {
        let mut goals = KEYS.iter().filter_map(|row| match row.action {
            Action::Go(goal) => Some(goal),
            _ => None,
        });
        goals.find(|goal| goal.path() == path)
    }

    /// Where it lies.
    pub fn path(self) -> &'static str {
        match self {
            Self::Overview => "/",
            Self::Queue => "/review",
            Self::Users => "/users",
            Self::Memories => "/memories",
            Self::Agents => "/agents",
        }
    }
}

impl Action {
    /// The word that names it on a button (`data-action`), in a form and in what is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Previous => "previous",
            Self::Open => "open",
            Self::Approve => "approve",
            Self::Edit => "edit",
            Self::Save => "save",
            Self::Merge => "merge",
            Self::Reject => "reject",
            Self::Reason(1) => "reason-1",
            Self::Reason(2) => "reason-2",
            Self::Reason(3) => "reason-3",
            Self::Reason(4) => "reason-4",
            Self::Reason(5) => "reason-5",
            Self::Reason(6) => "reason-6",
            Self::Reason(_) => "reason-7",
            Self::Skip => "skip",
            Self::Claim => "claim",
            Self::Select => "select",
            Self::SelectRange => "select-range",
            Self::Undo => "undo",
            Self::DiffBase => "diff-base",
            Self::Evidence => "evidence",
            Self::Search => "search",
            Self::Filter => "filter",
            Self::ShowNew => "show-new",
            Self::Go(Goal::Overview) => "go-overview",
            Self::Go(Goal::Queue) => "go-queue",
            Self::Go(Goal::Users) => "go-users",
            Self::Go(Goal::Memories) => "go-memories",
            Self::Go(Goal::Agents) => "go-agents",
            Self::Help => "help",
            Self::Palette => "palette",
        }
    }

    /// The action of a word.
    pub fn of(word: &str) -> Option<Self> {
        let mut actions = KEYS.iter().map(|row| row.action);
        actions.find(|action| action.word() == word)
    }

    /// Whether its key works while something is being typed, and so needs Ctrl.
    pub fn works_while_typing(self) -> bool {
        matches!(self, Self::Save | Self::Palette)
    }

    /// Whether its key works on every page, not at a desk alone.
    pub fn works_everywhere(self) -> bool {
        matches!(self, Self::Go(_) | Self::Palette)
    }

    /// Whether it may follow itself while its key is held down.
    pub fn repeats(self) -> bool {
        matches!(self, Self::Next | Self::Previous)
    }
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
    /// The key or keys, as [`chord`] writes them.
    pub chord: &'static str,
    /// What it does.
    pub action: Action,
    /// When it works.
    pub when: When,
}

const fn always(chord: &'static str, action: Action) -> Key {
    Key {
        chord,
        action,
        when: When::Always,
    }
}

const fn reason(chord: &'static str, number: u8) -> Key {
    Key {
        chord,
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
    always("Ctrl+Enter", Action::Save),
    always("m", Action::Merge),
    always("r", Action::Reject),
    reason("1", 1),
    reason("2", 2),
    reason("3", 3),
    reason("4", 4),
    reason("5", 5),
    reason("6", 6),
    reason("7", 7),
    always("s", Action::Skip),
    always("c", Action::Claim),
    always("x", Action::Select),
    always("Shift+X", Action::SelectRange),
    always("u", Action::Undo),
    always("d", Action::DiffBase),
    always("v", Action::Evidence),
    always("/", Action::Search),
    always("f", Action::Filter),
    always("n", Action::ShowNew),
    always("g o", Action::Go(Goal::Overview)),
    always("g q", Action::Go(Goal::Queue)),
    always("g u", Action::Go(Goal::Users)),
    always("g m", Action::Go(Goal::Memories)),
    always("g a", Action::Go(Goal::Agents)),
    always("?", Action::Help),
    always("Ctrl+K", Action::Palette),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_actions_share_a_key_and_no_key_deletes() {
        let shipped = Keys::default();
        assert_eq!(shipped.faults(), []);
        let actions: HashSet<_> = KEYS.iter().map(|row| row.action).collect();
        assert_eq!(actions.len(), KEYS.len());
        for row in KEYS {
            assert_eq!(chord::parse(row.chord).as_deref(), Ok(row.chord));
        }
    }

    #[test]
    fn every_action_has_a_word_of_its_own_that_leads_back_to_it() {
        let words: HashSet<_> = KEYS.iter().map(|row| row.action.word()).collect();
        assert_eq!(words.len(), KEYS.len());
        for row in KEYS {
            assert_eq!(Action::of(row.action.word()), Some(row.action));
        }
        assert_eq!(Action::of("delete"), None);
        assert_eq!(Goal::at("/users"), Some(Goal::Users));
        assert_eq!(Goal::at("/audit"), None);
    }
}
