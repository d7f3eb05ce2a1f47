//! The table as one person has it.

use super::{Action, KEYS, When, chord};

/// Why a key cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// It is no key.
    Shape,
    /// It is the browser's, or it deletes.
    Reserved,
    /// It presses this already, or begins what does.
    Taken(Action),
    /// What works while one types needs Ctrl.
    NeedsCtrl,
}

/// What is wrong with the key of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Of which.
    pub action: Action,
    /// What.
    pub wrong: Wrong,
}

/// What a pressed key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing here.
    Nothing,
    /// The first of two.
    Begun,
    /// This.
    Action(Action),
}

/// The keys of a person: another one than the shipped where they chose it, none where they took it away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    on: bool,
    /// In the order of [`KEYS`].
    chords: Vec<String>,
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            on: true,
            chords: KEYS.iter().map(|row| row.chord.to_owned()).collect(),
        }
    }
}

impl Keys {
    /// The shipped table with a person's changes: pairs of an action's word and its key, empty for none. `on` says whether keys
    /// without Ctrl work at all (WCAG 2.1.4). What cannot be read is as if it had not been there.
    pub fn changed<'a>(on: bool, changes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut keys = Self {
            on,
            ..Self::default()
        };
        for (word, typed) in changes {
            let at = KEYS.iter().position(|row| row.action.word() == word);
            let chord = match typed.trim() {
                "" => Ok(String::new()),
                typed => chord::parse(typed),
            };
            if let (Some(at), Ok(chord)) = (at, chord) {
                keys.chords[at] = chord;
            }
        }
        keys
    }

    /// Whether keys without Ctrl work.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The key that a person set for an action, whether keys are on or not; empty for none.
    pub fn set(&self, action: Action) -> &str {
        let at = KEYS.iter().position(|row| row.action == action);
        at.map_or("", |at| &self.chords[at])
    }

    /// The key that presses an action now; empty for none.
    pub fn of(&self, action: Action) -> &str {
        let chord = self.set(action);
        if self.on || chord.starts_with("Ctrl+") {
            chord
        } else {
            ""
        }
    }

    /// [`Self::of`], as `aria-keyshortcuts` names it.
    pub fn aria(&self, action: Action) -> Option<String> {
        chord::aria(self.of(action))
    }

    /// What differs from the shipped table.
    pub fn changes(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let rows = KEYS.iter().zip(&self.chords);
        rows.filter(|(row, chord)| row.chord != chord.as_str())
            .map(|(row, chord)| (row.action.word(), chord.as_str()))
    }

    /// What is wrong with it: two actions at one key, or a key that would never come to its second.
    pub fn faults(&self) -> Vec<Fault> {
        let used: Vec<(Action, &str)> = KEYS
            .iter()
            .map(|row| (row.action, self.set(row.action)))
            .filter(|(_, chord)| !chord.is_empty())
            .collect();
        let mut faults = Vec::new();
        for (at, &(action, chord)) in used.iter().enumerate() {
            let other = used[..at].iter().find(|(_, other)| meet(chord, other));
            if let Some(&(other, _)) = other {
                let wrong = Wrong::Taken(other);
                faults.push(Fault { action, wrong });
            } else if action.works_while_typing() && !chord.starts_with("Ctrl+") {
                let wrong = Wrong::NeedsCtrl;
                faults.push(Fault { action, wrong });
            }
        }
        faults
    }

    /// What a stroke means after `begun`, given whether the reasons to reject are open. A second key that leads nowhere counts
    /// as a first.
    pub fn find(&self, begun: Option<&str>, stroke: &str, rejecting: bool) -> Found {
        let rows = || {
            KEYS.iter()
                .filter(move |row| rejecting || row.when == When::Always)
                .map(|row| (row.action, self.of(row.action)))
                .filter(|(_, chord)| !chord.is_empty())
        };
        if let Some(begun) = begun {
            let whole = format!("{begun} {stroke}");
            if let Some((action, _)) = rows().find(|(_, chord)| *chord == whole) {
                return Found::Action(action);
            }
        }
        if let Some((action, _)) = rows().find(|(_, chord)| *chord == stroke) {
            return Found::Action(action);
        }
        if rows().any(|(_, chord)| begins(stroke, chord)) {
            return Found::Begun;
        }
        Found::Nothing
    }

    /// The keys that work, a line each: what the page hands to the island.
    pub fn write(&self) -> String {
        let lines = KEYS.iter().map(|row| (row.action, self.of(row.action)));
        lines
            .filter(|(_, chord)| !chord.is_empty())
            .map(|(action, chord)| format!("{} {chord}\n", action.word()))
            .collect()
    }

    /// Reads what [`Self::write`] wrote.
    pub fn read(lines: &str) -> Self {
        let mut keys = Self {
            on: true,
            chords: vec![String::new(); KEYS.len()],
        };
        for (word, chord) in lines.lines().filter_map(|line| line.split_once(' ')) {
            let at = KEYS.iter().position(|row| row.action.word() == word);
            if let Some(at) = at {
                keys.chords[at] = chord.to_owned();
            }
        }
        keys
    }
}

/// Whether `stroke` is the first of the two keys of `chord`.
fn begins(stroke: &str, chord: &str) -> bool {
    let rest = chord.strip_prefix(stroke);
    rest.is_some_and(|rest| rest.starts_with(' '))
}

fn meet(one: &str, other: &str) -> bool {
    one == other || begins(one, other) || begins(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Goal;

    #[test]
    fn digits_only_reject_while_the_reasons_are_open() {
        let keys = Keys::default();
        assert_eq!(keys.find(None, "3", false), Found::Nothing);
        assert_eq!(keys.find(None, "3", true), Found::Action(Action::Reason(3)));
        assert_eq!(keys.find(None, "a", true), Found::Action(Action::Approve));
    }

    #[test]
    fn two_keys_after_each_other_lead_to_a_page_and_a_wrong_second_is_a_first() {
        let keys = Keys::default();
        assert_eq!(keys.find(None, "g", false), Found::Begun);
        assert_eq!(
            keys.find(Some("g"), "a", false),
            Found::Action(Action::Go(Goal::Agents))
        );
        assert_eq!(
            keys.find(Some("g"), "j", false),
            Found::Action(Action::Next)
        );
        assert_eq!(keys.find(Some("g"), "g", false), Found::Begun);
        assert_eq!(keys.find(Some("g"), "z", false), Found::Nothing);
    }

    #[test]
    fn a_collision_is_a_fault_of_the_later_one_also_where_one_begins_the_other() {
        let keys = Keys::changed(true, [("merge", "a"), ("skip", "g")]);
        let taken = |action, other| Fault {
            action,
            wrong: Wrong::Taken(other),
        };
        let go = |goal| taken(Action::Go(goal), Action::Skip);
        assert_eq!(
            keys.faults(),
            [
                taken(Action::Merge, Action::Approve),
                go(Goal::Overview),
                go(Goal::Queue),
                go(Goal::Users),
                go(Goal::Memories),
                go(Goal::Agents),
            ]
        );
        let swapped = Keys::changed(true, [("approve", "y"), ("merge", "a"), ("undo", "")]);
        assert_eq!(swapped.faults(), []);
        assert_eq!(swapped.find(None, "u", false), Found::Nothing);
        let changes: Vec<_> = swapped.changes().collect();
        assert_eq!(changes, [("approve", "y"), ("merge", "a"), ("undo", "")]);
    }

    #[test]
    fn what_works_while_one_types_keeps_its_ctrl() {
        let keys = Keys::changed(true, [("palette", "p"), ("save", "Ctrl+S")]);
        let wrong = Wrong::NeedsCtrl;
        let action = Action::Palette;
        assert_eq!(keys.faults(), [Fault { action, wrong }]);
    }

    #[test]
    fn switched_off_only_what_needs_ctrl_is_left_and_what_was_set_is_kept() {
        let keys = Keys::changed(false, [("approve", "y")]);
        assert_eq!(keys.of(Action::Approve), "");
        assert_eq!(keys.set(Action::Approve), "y");
        assert_eq!(keys.of(Action::Save), "Ctrl+Enter");
        assert_eq!(keys.find(None, "y", false), Found::Nothing);
        assert_eq!(keys.write(), "save Ctrl+Enter\npalette Ctrl+K\n");
    }

    #[test]
    fn the_page_hands_the_table_over_whole() {
        let keys = Keys::changed(true, [("approve", "y"), ("help", "")]);
        let read = Keys::read(&keys.write());
        for row in KEYS {
            assert_eq!(read.of(row.action), keys.of(row.action));
        }
        assert_eq!(read.find(None, "y", false), Found::Action(Action::Approve));
        assert_eq!(read.find(None, "?", false), Found::Nothing);
    }

    #[test]
    fn what_was_stored_and_means_nothing_any_more_changes_nothing() {
        let keys = Keys::changed(true, [("fly", "q"), ("approve", "Delete")]);
        assert_eq!(keys, Keys::default());
    }
}
