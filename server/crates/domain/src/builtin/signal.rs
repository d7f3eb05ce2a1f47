//! What a linear model over n-grams sees badly, as yes/no signals found by word lists.
//!
//! A phrase is matched between word borders in English, anywhere in Japanese and Chinese. `^` binds it to the start, `$` to
//! the end of the clause.

mod en;
mod ja;
mod zh;

use super::{feature::fold, language::Language};

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
}

const ALL: [Signal; 20] = [
    Signal::Question,
    Signal::Request,
    Signal::Standing,
    Signal::TaskBound,
    Signal::Hypothetical,
    Signal::FirstPerson,
    Signal::SecondPerson,
    Signal::ThirdParty,
    Signal::Taste,
    Signal::Identity,
    Signal::Situation,
    Signal::SmallTalk,
    Signal::Hedge,
    Signal::Emphasis,
    Signal::Past,
    Signal::Passing,
    Signal::Answering,
    Signal::Reported,
    Signal::Technical,
    Signal::Stranger,
];

type Lexicon = &'static [(Signal, &'static [&'static str])];

/// The signals of one clause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Signals(u32);

impl Signals {
    pub(super) fn has(self, signal: Signal) -> bool {
        self.0 & (1 << signal as u8) != 0
    }

    /// Numbers of the signals that are there, rising.
    pub(super) fn active(self) -> impl Iterator<Item = usize> {
        ALL.into_iter().filter(move |signal| self.has(*signal)).map(|signal| signal as usize)
    }

    fn set(&mut self, signal: Signal) {
        self.0 |= 1 << signal as u8;
    }
}

/// The signals of `clause`.
pub(super) fn of(clause: &str, language: Language) -> Signals {
    let lexicon: Lexicon = match language {
        Language::English => en::LEXICON,
        Language::Japanese => ja::LEXICON,
        Language::Chinese => zh::LEXICON,
    };
    let subject = prepare(clause, language);
    let mut signals = Signals::default();
    for (signal, phrases) in lexicon {
        if phrases.iter().any(|phrase| contains(&subject, phrase, language)) {
            signals.set(*signal);
        }
    }
    if asks(clause) {
        signals.set(Signal::Question);
    }
    if language == Language::English && en::someone_else_is_the_subject(&subject) {
        signals.set(Signal::ThirdParty);
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
    for word in folded.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | '/'))).filter(|word| !word.is_empty()) {
        words.push_str(word);
        words.push(' ');
    }
    words
}

fn contains(subject: &str, phrase: &str, language: Language) -> bool {
    let (start, phrase) = phrase.strip_prefix('^').map_or((false, phrase), |rest| (true, rest));
    let (end, phrase) = phrase.strip_suffix('$').map_or((false, phrase), |rest| (true, rest));
    if language == Language::English {
        return subject.match_indices(phrase).any(|(at, _)| {
            let after = at + phrase.len();
            subject[..at].ends_with(' ') && subject[after..].starts_with(' ') && (!start || at == 1) && (!end || after + 1 == subject.len())
        });
    }
    match (start, end) {
        (true, true) => subject == phrase,
        (true, false) => subject.starts_with(phrase),
        (false, true) => subject.trim_end_matches(['?', '？', '!', '！', '。', '~', '〜', 'w']).ends_with(phrase),
        (false, false) => subject.contains(phrase),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, language: Language, signal: Signal) -> bool {
        of(text, language).has(signal)
    }

    #[test]
    fn questions_hypotheses_and_others_are_seen_in_three_languages() {
        assert!(has("Is Dune Part 2 any good?", Language::English, Signal::Question));
        assert!(has("If I were vegetarian I'd starve", Language::English, Signal::Hypothetical));
        assert!(has("My friend Jack said he doesn't like football", Language::English, Signal::ThirdParty));
        assert!(!has("My favourite player is Messi", Language::English, Signal::ThirdParty));
        assert!(has("この関数の使い方を教えてください", Language::Japanese, Signal::Request));
        assert!(has("もし私が社長だったら", Language::Japanese, Signal::Hypothetical));
        assert!(has("友達は猫が好きです", Language::Japanese, Signal::ThirdParty));
        assert!(has("这个函数怎么用", Language::Chinese, Signal::Question));
        assert!(has("假如我是老板", Language::Chinese, Signal::Hypothetical));
        assert!(has("我老婆不吃辣", Language::Chinese, Signal::ThirdParty));
    }

    #[test]
    fn a_phrase_matches_whole_words_only_in_english() {
        assert!(!has("the thistle", Language::English, Signal::TaskBound));
        assert!(has("fix this", Language::English, Signal::TaskBound));
    }
}
