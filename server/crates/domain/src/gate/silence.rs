//! What of a message its user asked not to remember (G1). "Don't remember this" means all of it. "Forget that I …" means its own
//! sentence, and every other one that shares a word with what is to be forgotten; where it is not clear what is meant, all of it.

use std::{collections::BTreeSet, ops::Range};

use super::{forget, off_record};
use crate::text;

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
        let forgotten: Vec<_> = requests
            .iter()
            .map(|request| words(&request.what))
            .collect();
        let clear = requests.iter().all(|request| request.only_itself)
            && forgotten.iter().all(|words| !words.is_empty());
        let asked = off_record::asked_not_to_remember(message);
        if asked || requests.is_empty() || !clear {
            return Self::whole(message, asked || !requests.is_empty());
        }
        let is_asked = |sentence: &Range<usize>| {
            let said = words(text::slice(message, sentence.start, sentence.end));
            requests.iter().any(|request| {
                request.place.start < sentence.end && sentence.start < request.place.end
            }) || forgotten.iter().any(|words| !words.is_disjoint(&said))
        };
        let parts = sentences(message)
            .into_iter()
            .map(|sentence| (sentence.clone(), is_asked(&sentence)))
            .collect();
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
        let silence = Silence::of("I moved to Munich. Forget that I prefer short answers.");
        assert!(silence.names("User prefers short answers"));
        assert!(!silence.names("User moved to Munich"));
    }

    // G1
    #[test]
    fn where_more_may_be_meant_nothing_is_left() {
        for message in [
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
