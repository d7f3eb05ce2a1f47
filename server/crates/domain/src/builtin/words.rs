//! The word lists of the rules, `data/builtin/<language>/words.txt`: words are data, to be read and extended by people who
//! speak the language.
//!
//! A line is `name: word | word`; a name may stand on several lines. `_` is a space that counts.

use std::{collections::BTreeMap, sync::OnceLock};

use super::language::Language;

/// The lists of one language.
#[derive(Debug)]
pub(super) struct Words {
    lists: BTreeMap<&'static str, Vec<&'static str>>,
    slots: Vec<Family>,
}

/// The words by which one slot is known.
#[derive(Debug)]
pub(super) struct Family {
    pub kind: &'static str,
    pub slot: &'static str,
    /// One word of every group must be there.
    pub groups: Vec<Vec<&'static str>>,
}

impl Words {
    fn read(text: &'static str) -> Words {
        let mut words = Words {
            lists: BTreeMap::new(),
            slots: Vec::new(),
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((name, items)) = line.split_once(": ") else {
                continue;
            };
            match name
                .strip_prefix("slot ")
                .and_then(|slot| slot.split_once(' '))
            {
                Some((kind, slot)) => words.slots.push(Family {
                    kind,
                    slot,
                    groups: items
                        .split(" && ")
                        .map(|group| group.split(" | ").collect())
                        .collect(),
                }),
                None => words
                    .lists
                    .entry(name)
                    .or_default()
                    .extend(items.split(" | ")),
            }
        }
        words
    }

    /// The families of slots, in the order in which they are tried.
    pub(super) fn slots(&self) -> &[Family] {
        &self.slots
    }

    /// Lists whose name begins with `prefix`, by the rest of the name.
    pub(super) fn named(
        &self,
        prefix: &str,
    ) -> impl Iterator<Item = (&'static str, &[&'static str])> {
        self.lists.iter().filter_map(move |(name, words)| {
            name.strip_prefix(prefix)
                .map(|rest| (rest, words.as_slice()))
        })
    }

    /// The words of a list.
    pub(super) fn items(&self, name: &str) -> impl Iterator<Item = &'static str> {
        self.list(name).iter().copied()
    }

    /// Whether `text`, in lower case, holds a word of the list; a word in Latin letters only as a whole.
    pub(super) fn has(&self, name: &str, text: &str) -> bool {
        self.items(name).any(|word| {
            text.match_indices(word).any(|(at, _)| {
                let edge = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
                let first = word.starts_with(|c: char| c.is_ascii_alphanumeric());
                let last = word.ends_with(|c: char| c.is_ascii_alphanumeric());
                (!first || edge(text[..at].chars().next_back()))
                    && (!last || edge(text[at + word.len()..].chars().next()))
            })
        })
    }

    fn list(&self, name: &str) -> &[&'static str] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }
}

/// All lists of `language`.
pub(super) fn of(language: Language) -> &'static Words {
    static TEXTS: [OnceLock<String>; 3] = [const { OnceLock::new() }; 3];
    static WORDS: [OnceLock<Words>; 3] = [const { OnceLock::new() }; 3];
    let at = language.index();
    WORDS[at].get_or_init(|| {
        let file = match language {
            Language::English => include_str!("../../data/builtin/en/words.txt"),
            Language::Japanese => include_str!("../../data/builtin/ja/words.txt"),
            Language::Chinese => include_str!("../../data/builtin/zh/words.txt"),
        };
        Words::read(TEXTS[at].get_or_init(|| file.replace('_', " ")))
    })
}

/// An English list.
pub(super) fn en(name: &str) -> &'static [&'static str] {
    of(Language::English).list(name)
}

/// A Japanese list.
pub(super) fn ja(name: &str) -> &'static [&'static str] {
    of(Language::Japanese).list(name)
}

/// A Chinese list.
pub(super) fn zh(name: &str) -> &'static [&'static str] {
    of(Language::Chinese).list(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_that_count_survive_and_groups_are_read() {
        let words =
            Words::read("a: x | my name is  |  i'm\n# no\nslot fact role: i | we && cook\na: y");
        assert_eq!(words.list("a"), ["x", "my name is ", " i'm", "y"]);
        assert_eq!(words.slots()[0].groups, [vec!["i", "we"], vec!["cook"]]);
    }

    #[test]
    fn every_list_that_the_code_names_is_there() {
        let sources = [
            include_str!("about.rs"),
            include_str!("typed/mod.rs"),
            include_str!("typed/decision.rs"),
            include_str!("typed/metric.rs"),
            include_str!("typed/pain_point.rs"),
            include_str!("language.rs"),
            include_str!("sentence.rs"),
            include_str!("signal.rs"),
            include_str!("slot.rs"),
            include_str!("person/en.rs"),
            include_str!("person/en/adverb.rs"),
            include_str!("person/ja.rs"),
            include_str!("person/zh.rs"),
        ];
        for (language, mark) in [
            (Language::English, "words::en(\""),
            (Language::Japanese, "words::ja(\""),
            (Language::Chinese, "words::zh(\""),
        ] {
            for rest in sources.iter().flat_map(|source| source.split(mark).skip(1)) {
                let name = rest.split('"').next().unwrap_or_default();
                assert!(!of(language).list(name).is_empty(), "{language:?}: {name}");
            }
        }
    }
}
