//! What of a message its user asked not to remember (G1). "Don't remember this" means all of it. "Forget that I …" means its own
//! sentence, and every other one that shares a word with what is to be forgotten, unless it says what is true now in its place ("I live
//! in Munich now. Forget that I live in Oslo."); where it is not clear what is meant, all of it.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{forget, off_record};
use crate::{flags::pattern, text};

/// Words that say that something else was true before.
static NOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(
        r"\b(?:for now|right now|now|nowadays|currently|these days|instead)\b|今では|今は|いまは|現在は|现在|現在|如今|目前",
    )
});

/// The longest name of a thing: words, or characters of a script without spaces.
const MOST_WORDS: usize = 3;
const MOST_CHARACTERS: usize = 8;

/// A message, in parts.
pub(super) struct Silence {
    /// Parts of it in code points, in order, and whether they are to be forgotten.
    pub(super) parts: Vec<(Range<usize>, bool)>,
    /// The words of each thing that is to be forgotten, where the rest is not.
    forgotten: Vec<BTreeSet<String>>,
}

impl Silence {
    pub(super) fn none(message: &str) -> Self {
        Self::whole(message, false)
    }

    pub(super) fn of(message: &str) -> Self {
        let requests = forget::requests(message);
        let mut forgotten: Vec<_> = requests
            .iter()
            .map(|request| words(&request.what))
            .collect();
        let clear = requests.iter().all(|request| request.only_itself)
            && forgotten.iter().all(|words| !words.is_empty());
        let asked = off_record::asked_not_to_remember(message);
        if asked || requests.is_empty() || !clear {
            return Self::whole(message, asked || !requests.is_empty());
        }
        let mut parts = Vec::new();
        for sentence in sentences(message) {
            let said = text::slice(message, sentence.start, sentence.end);
            let asks = requests.iter().any(|request| {
                request.place.start < sentence.end && sentence.start < request.place.end
            });
            let shares =
                |request: &&forget::Request| !words(&request.what).is_disjoint(&words(said));
            let apart: Option<Vec<_>> = requests
                .iter()
                .filter(shares)
                .map(|request| told_apart(said, &request.what))
                .collect();
            let apart = apart.filter(|_| !asks);
            parts.push((sentence, apart.is_none()));
            // Beside what is true now, the name alone says what was.
            forgotten.extend(apart.into_iter().flatten().filter(|name| !name.is_empty()));
        }
        Self { parts, forgotten }
    }

    fn whole(message: &str, asked: bool) -> Self {
        Self {
            parts: vec![(0..text::length(message), asked)],
            forgotten: Vec::new(),
        }
    }

    /// Whether words at this place are to be forgotten.
    pub(super) fn covers(&self, range: &Range<usize>) -> bool {
        self.parts
            .iter()
            .any(|(part, asked)| *asked && part.start < range.end && range.start < part.end)
    }

    /// Whether a statement says what is to be forgotten, whatever words it claims to rest on.
    pub(super) fn names(&self, statement: &str) -> bool {
        let said = words(statement);
        self.forgotten.iter().any(|words| words.is_subset(&said))
    }
}

/// The words that carry a subject.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    text::tokens(text)
        .into_iter()
        .filter(|token| !text::is_function_word(token))
        .collect()
}

/// The words that name what is to be forgotten, where a sentence says the same of something else now: one clause, the same but for the name
/// of the thing, and a word like "now". `None`: it may say what is to be forgotten in other words, or more closely.
fn told_apart(sentence: &str, what: &str) -> Option<BTreeSet<String>> {
    if !NOW.is_match(sentence) {
        return None;
    }
    let said = NOW.replace_all(sentence, " ");
    let said = said.trim_matches(|letter: char| !letter.is_alphanumeric());
    if said.contains([',', ';', ':', '(', '—', '–', '、', '，', '；', '：', '（']) {
        return None;
    }
    let (said, meant) = (units(said), units(what));
    let alike = |(one, other): &(&String, &String)| one == other;
    let before = said.iter().zip(&meant).take_while(alike).count();
    let (said, meant) = (&said[before..], &meant[before..]);
    let ends = said.iter().rev().zip(meant.iter().rev());
    let after = ends.take_while(alike).count();
    let said = name(&said[..said.len() - after])?;
    let meant = name(&meant[..meant.len() - after])?;
    let (other, own) = (words(&said), words(&meant));
    // A part of a thing is no other thing.
    let apart = !said.contains(&meant) && !meant.contains(&said) && own.is_disjoint(&other);
    // Single characters are told only at the ends of a run, which in another sentence are elsewhere.
    let telling = |word: &String| !word.contains(text::is_cjk) || word.chars().count() > 1;
    apart.then(|| own.into_iter().filter(telling).collect())
}

/// A statement in words, or in characters where the script has no spaces.
fn units(statement: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    let mut in_word = false;
    for letter in text::normal_form(statement).chars() {
        let alone = text::is_cjk(letter);
        match units.last_mut() {
            _ if letter.is_whitespace() => {}
            Some(word) if in_word && !alone => word.push(letter),
            _ => units.push(letter.to_string()),
        }
        in_word = !alone && !letter.is_whitespace();
    }
    units
}

/// What a thing is called, where nothing else is said.
fn name(units: &[String]) -> Option<String> {
    let (most, between) = if units.iter().any(|unit| unit.contains(text::is_cjk)) {
        (MOST_CHARACTERS, "")
    } else {
        (MOST_WORDS, " ")
    };
    let named =
        (1..=most).contains(&units.len()) && units.iter().all(|unit| !text::is_function_word(unit));
    named.then(|| units.join(between))
}

/// The sentences in code points, with the marks that end them.
fn sentences(message: &str) -> Vec<Range<usize>> {
    let letters: Vec<char> = message.chars().collect();
    let mut found = Vec::new();
    let mut start = 0;
    for (at, letter) in letters.iter().enumerate() {
        let next = letters.get(at + 1);
        let ends = match letter {
            '!' | '?' | '。' | '！' | '？' | '\n' => true,
            '.' => next.is_none_or(|next| next.is_whitespace()),
            _ => next.is_none(),
        };
        if ends {
            found.push(start..at + 1);
            start = at + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that stay.
    fn left(message: &str) -> Vec<&str> {
        let silence = Silence::of(message);
        let parts = silence.parts.iter().filter(|(_, asked)| !asked);
        parts
            .map(|(part, _)| text::slice(message, part.start, part.end).trim())
            .filter(|part| !part.is_empty())
            .collect()
    }

    // G1
    #[test]
    fn a_wish_to_forget_one_thing_takes_its_sentence_and_what_names_it() {
        for (message, expected) in [
            (
                "I moved: I live in Munich now. Forget that I prefer short answers.",
                vec!["I moved: I live in Munich now."],
            ),
            (
                "I prefer short answers! Forget that I prefer short answers. I moved to Munich.",
                vec!["I moved to Munich."],
            ),
            (
                "ミュンヘンに引っ越しました。短い回答が好きなことは忘れてください。",
                vec!["ミュンヘンに引っ越しました。"],
            ),
            (
                "我搬到了慕尼黑。请忘记我喜欢简短的回答。",
                vec!["我搬到了慕尼黑。"],
            ),
            (
                "I have a dog and please forget that I live in Oslo.",
                vec![],
            ),
        ] {
            assert_eq!(left(message), expected, "{message}");
        }
        for (message, expected) in [
            (
                "I live in Munich now. Forget that I live in Oslo.",
                "I live in Munich now.",
            ),
            (
                "Please forget that I live in New York. These days I live in Munich.",
                "These days I live in Munich.",
            ),
            (
                "My favorite color is blue now! Forget that my favorite color is green.",
                "My favorite color is blue now!",
            ),
            (
                "今はミュンヘンに住んでいます。オスロに住んでいることは忘れてください。",
                "今はミュンヘンに住んでいます。",
            ),
            (
                "Pythonを使っていることは忘れてください。今はPerlを使っています。",
                "今はPerlを使っています。",
            ),
            (
                "我现在住在慕尼黑。请忘记我住在奥斯陆。",
                "我现在住在慕尼黑。",
            ),
        ] {
            assert_eq!(left(message), [expected], "{message}");
        }
        let silence = Silence::of("I live in Munich now. Forget that I live in Oslo.");
        assert!(silence.names("User lives in Oslo"));
        assert!(
            silence.names("User moved away from Oslo"),
            "by its name alone"
        );
        assert!(!silence.names("User lives in Munich"));
        let silence =
            Silence::of("今はミュンヘンに住んでいます。オスロに住んでいることは忘れてください。");
        assert!(silence.names("ユーザーはオスロから引っ越した"));
        assert!(!silence.names("ユーザーはミュンヘンに住んでいる"));
        let silence = Silence::of("I moved to Munich. Forget that I prefer short answers.");
        assert!(silence.names("User prefers short answers"));
        assert!(!silence.names("User moved to Munich"));
    }

    // G1
    #[test]
    fn where_more_may_be_meant_nothing_is_left() {
        for message in [
            // Another word for it, a part of it, more than it, or not said to be what is true now.
            "I live in Munich. Forget that I live in Oslo.",
            "I live on Karl Johans gate now. Forget that I live in Oslo.",
            "I live in central Oslo now. Forget that I live in Oslo.",
            "I live in Oslo's Frogner now. Forget that I live in Oslo.",
            "I live in a flat that we bought now. Forget that I live in Oslo.",
            "I live with my sister now. Forget that I live in Oslo.",
            "I live in Munich now, and Ana lives there. Forget that I live in Oslo.",
            "今は東京の港区に住んでいます。東京に住んでいることは忘れてください。",
            "ミュンヘンに住んでいます。オスロに住んでいることは忘れてください。",
            "今は妻と大阪に住んでいます。オスロに住んでいることは忘れてください。",
            "我现在住在上海浦东。请忘记我住在上海。",
            "我住在慕尼黑。请忘记我住在奥斯陆。",
            "I moved to Munich. Please don't remember this.",
            "I moved to Munich. Please do not remember that I am gay.",
            "I have a husband. Forget that I am gay.",
            "I moved to Munich. Forget everything you know about my home.",
            "I cheated on the exam. Forget that I did it.",
            "I moved to Munich. Forget what I just said.",
            "ミュンヘンに引っ越しました。私が言ったことは忘れてください。",
            "ミュンヘンに引っ越しました。これは覚えないでください。",
            "我搬到了慕尼黑。请忘记我的住址。",
            "我搬到了慕尼黑。别记这个。",
        ] {
            assert_eq!(left(message), Vec::<&str>::new(), "{message}");
        }
        let plain = "I moved to Munich. I have a dog.";
        assert_eq!(left(plain), [plain]);
        assert_eq!(left(""), Vec::<&str>::new());
    }
}
