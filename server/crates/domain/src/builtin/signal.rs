//! What a linear model over n-grams sees badly, as yes/no signals found by word lists.
//!
//! A phrase is matched between word borders in English, anywhere in Japanese and Chinese. `^` binds it to the start, `$` to
//! the end of the clause.

use std::{collections::HashMap, sync::OnceLock};

use super::{feature::fold, language::Language, typed::amount, words};

/// One observation about a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Signal {
    /// It asks.
    Question,
    /// It asks for something to be done now.
    Request,
    /// It holds beyond this conversation: always, by default, いつも, 以后.
    Standing,
    /// It is about what lies on the table: this function, the second option, 今回.
    TaskBound,
    /// It supposes: if I were, もし, 假如.
    Hypothetical,
    /// It speaks of the speaker.
    FirstPerson,
    /// It speaks of the one addressed.
    SecondPerson,
    /// Its subject is somebody else.
    ThirdParty,
    /// A word of taste or way of working.
    Taste,
    /// A word of identity: role, place, family, possession, skill.
    Identity,
    /// A word of plan, date, deadline, project, current situation.
    Situation,
    /// Thanks, greetings, agreement.
    SmallTalk,
    /// Said with doubt.
    Hedge,
    /// Said with weight.
    Emphasis,
    /// A past event.
    Past,
    /// A passing state: tired, hungry, confused.
    Passing,
    /// How an answer should be: short, formal, with examples.
    Answering,
    /// Somebody else's words.
    Reported,
    /// A machine's or program's words: error, stack trace, returns null.
    Technical,
    /// Its subject is somebody of whom the user says no relation: he, the customer, 彼, 候选人.
    Stranger,
    /// A choice was made: decided, agreed, ことにしました, 决定.
    Decided,
    /// Something hurts again and again: keeps breaking, 毎回困る, 老是.
    Pain,
    /// Its figure is known by name: churn, 売上, 转化率.
    Measured,
    /// It holds an amount with a unit. By rule, in all languages.
    Figure,
}

/// Every signal with the name of its list, `signal <name>`.
const ALL: [(Signal, &str); 24] = [
    (Signal::Question, "question"),
    (Signal::Request, "request"),
    (Signal::Standing, "standing"),
    (Signal::TaskBound, "task-bound"),
    (Signal::Hypothetical, "hypothetical"),
    (Signal::FirstPerson, "first-person"),
    (Signal::SecondPerson, "second-person"),
    (Signal::ThirdParty, "third-party"),
    (Signal::Taste, "taste"),
    (Signal::Identity, "identity"),
    (Signal::Situation, "situation"),
    (Signal::SmallTalk, "small-talk"),
    (Signal::Hedge, "hedge"),
    (Signal::Emphasis, "emphasis"),
    (Signal::Past, "past"),
    (Signal::Passing, "passing"),
    (Signal::Answering, "answering"),
    (Signal::Reported, "reported"),
    (Signal::Technical, "technical"),
    (Signal::Stranger, "stranger"),
    (Signal::Decided, "decided"),
    (Signal::Pain, "pain"),
    (Signal::Measured, "measured"),
    (Signal::Figure, "figure"),
];

/// The signals of one clause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Signals(u32);

impl Signals {
    pub(super) fn has(self, signal: Signal) -> bool {
        self.0 & (1 << signal as u8) != 0
    }

    /// Numbers of the signals that are there, rising.
    pub(super) fn active(self) -> impl Iterator<Item = usize> {
        ALL.into_iter()
            .filter(move |(signal, _)| self.has(*signal))
            .map(|(signal, _)| signal as usize)
    }

    fn set(&mut self, signal: Signal) {
        self.0 |= 1 << signal as u8;
    }
}

/// The signals of `clause`.
pub(super) fn of(clause: &str, language: Language) -> Signals {
    let subject = prepare(clause, language);
    let mut signals = match language {
        Language::English => in_words(&subject),
        Language::Japanese | Language::Chinese => in_characters(&subject, language),
    };
    if asks(clause) {
        signals.set(Signal::Question);
    }
    if amount::any(clause) {
        signals.set(Signal::Figure);
    }
    if words::of(language).has("metric", &subject) {
        signals.set(Signal::Measured);
    }
    if language == Language::English && someone_else_is_the_subject(&subject) {
        signals.set(Signal::ThirdParty);
    }
    signals
}

/// The signals of `language` with their phrases.
fn lexicon(language: Language) -> impl Iterator<Item = (Signal, &'static [&'static str])> {
    words::of(language)
        .named("signal ")
        .filter_map(|(name, phrases)| {
            ALL.iter()
                .find(|(_, known)| *known == name)
                .map(|(signal, _)| (*signal, phrases))
        })
}

fn in_characters(subject: &str, language: Language) -> Signals {
    let mut signals = Signals::default();
    for (signal, phrases) in lexicon(language) {
        if phrases.iter().any(|phrase| contains(subject, phrase)) {
            signals.set(signal);
        }
    }
    signals
}

/// What a phrase says, and where it must stand for that.
#[derive(Clone, Copy, Default)]
struct Says {
    anywhere: Signals,
    at_start: Signals,
    at_end: Signals,
}

/// The longest English phrase, in words.
const LONGEST_PHRASE: usize = 5;

/// English phrases by their words: one look-up for each run of words instead of a search for each phrase.
fn phrases() -> &'static HashMap<&'static str, Says> {
    static PHRASES: OnceLock<HashMap<&'static str, Says>> = OnceLock::new();
    PHRASES.get_or_init(|| {
        let mut table: HashMap<&'static str, Says> = HashMap::new();
        for (signal, phrases) in lexicon(Language::English) {
            for phrase in phrases {
                let bare = phrase.trim_start_matches('^').trim_end_matches('$');
                let says = table.entry(bare).or_default();
                match (phrase.starts_with('^'), phrase.ends_with('$')) {
                    (true, _) => says.at_start.set(signal),
                    (_, true) => says.at_end.set(signal),
                    _ => says.anywhere.set(signal),
                }
            }
        }
        table
    })
}

/// `subject` is framed by spaces, with one between words.
fn in_words(subject: &str) -> Signals {
    let table = phrases();
    let mut signals = Signals::default();
    let borders: Vec<usize> = subject.match_indices(' ').map(|(at, _)| at).collect();
    for first in 0..borders.len() {
        for last in first + 1..borders.len().min(first + 1 + LONGEST_PHRASE) {
            if let Some(says) = table.get(&subject[borders[first] + 1..borders[last]]) {
                signals.0 |= says.anywhere.0;
                if first == 0 {
                    signals.0 |= says.at_start.0;
                }
                if last + 1 == borders.len() {
                    signals.0 |= says.at_end.0;
                }
            }
        }
    }
    signals
}

/// Ends with a question mark.
pub(super) fn asks(clause: &str) -> bool {
    clause.trim_end().ends_with(['?', '？'])
}

/// Folded text; in English words joined and framed by single spaces, so that a phrase matches whole words only.
fn prepare(clause: &str, language: Language) -> String {
    let folded = fold(clause);
    if language != Language::English {
        return folded;
    }
    let mut words = String::from(" ");
    for word in folded
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | '/')))
        .filter(|word| !word.is_empty())
    {
        words.push_str(word);
        words.push(' ');
    }
    words
}

fn contains(subject: &str, phrase: &str) -> bool {
    let (start, phrase) = phrase
        .strip_prefix('^')
        .map_or((false, phrase), |rest| (true, rest));
    let (end, phrase) = phrase
        .strip_suffix('$')
        .map_or((false, phrase), |rest| (true, rest));
    match (start, end) {
        (true, true) => subject == phrase,
        (true, false) => subject.starts_with(phrase),
        (false, true) => subject
            .trim_end_matches(['?', '？', '!', '！', '。', '~', '〜', 'w'])
            .ends_with(phrase),
        (false, false) => subject.contains(phrase),
    }
}

/// The clause begins with "my wife", "my old friend Jack", "he", …. `subject` is framed by spaces.
pub(super) fn someone_else_is_the_subject(subject: &str) -> bool {
    let mut words = subject.split_whitespace().skip_while(|word| {
        matches!(
            *word,
            "and" | "but" | "also" | "so" | "oh" | "btw" | "ps" | "fyi" | "well"
        )
    });
    let Some(first) = words.next() else {
        return false;
    };
    if words::en("others").contains(&first) {
        return true;
    }
    if !matches!(first, "my" | "our" | "a" | "both") {
        return false;
    }
    let rest: Vec<&str> = words.take(4).collect();
    let related = rest
        .iter()
        .take(3)
        .position(|word| words::en("relations").contains(word));
    // "My wife and I" and "my teacher training" speak of the user.
    related.is_some_and(|at| {
        !(rest.get(at + 1) == Some(&"and") && rest.get(at + 2).is_some_and(|word| *word == "i"))
    }) && !rest.iter().take(related.unwrap_or(0)).any(|word| {
        matches!(
            *word,
            "is" | "favourite" | "favorite" | "name" | "are" | "job"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, language: Language, signal: Signal) -> bool {
        of(text, language).has(signal)
    }

    #[test]
    fn questions_hypotheses_and_others_are_seen_in_three_languages() {
        assert!(has(
            "Is Dune Part 2 any good?",
            Language::English,
            Signal::Question
        ));
        assert!(has(
            "If I were vegetarian I'd starve",
            Language::English,
            Signal::Hypothetical
        ));
        assert!(has(
            "My friend Jack said he doesn't like football",
            Language::English,
            Signal::ThirdParty
        ));
        assert!(!has(
            "My favourite player is Messi",
            Language::English,
            Signal::ThirdParty
        ));
        assert!(has(
            "この関数の使い方を教えてください",
            Language::Japanese,
            Signal::Request
        ));
        assert!(has(
            "もし私が社長だったら",
            Language::Japanese,
            Signal::Hypothetical
        ));
        assert!(has(
            "友達は猫が好きです",
            Language::Japanese,
            Signal::ThirdParty
        ));
        assert!(has("这个函数怎么用", Language::Chinese, Signal::Question));
        assert!(has("假如我是老板", Language::Chinese, Signal::Hypothetical));
        assert!(has("我老婆不吃辣", Language::Chinese, Signal::ThirdParty));
    }

    #[test]
    fn every_signal_has_words_in_every_language() {
        for language in Language::ALL {
            // Amounts and names of metrics are found by rule, and in English who is the subject is a matter of grammar.
            let by_rule = 2 + usize::from(language == Language::English);
            assert_eq!(
                lexicon(language).count() + by_rule,
                ALL.len(),
                "{language:?}"
            );
        }
    }

    #[test]
    fn no_english_phrase_is_too_long_to_be_found() {
        for (_, phrases) in lexicon(Language::English) {
            assert!(
                phrases
                    .iter()
                    .all(|phrase| phrase.split(' ').count() <= LONGEST_PHRASE)
            );
        }
    }

    #[test]
    fn a_phrase_matches_whole_words_only_in_english() {
        assert!(!has("the thistle", Language::English, Signal::TaskBound));
        assert!(has("fix this", Language::English, Signal::TaskBound));
    }
}
