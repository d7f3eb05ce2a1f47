//! The one tokeniser: ranking, search and near-duplicates all see the same words.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{is_cjk, number};

/// NFKC in lower case, with the few letters that lower-casing leaves apart.
pub(crate) fn fold_case(text: &str) -> String {
    if text.is_ascii() {
        // Most of what is ranked for every context; the tables are ten times slower.
        let lower = text.chars().map(|c| c.to_ascii_lowercase());
        return lower.filter(|&c| !super::is_hidden(c)).collect();
    }
    let mut folded = String::with_capacity(text.len());
    for c in nfkc(text).chars().flat_map(char::to_lowercase) {
        match c {
            'ß' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            c => folded.push(c),
        }
    }
    nfkc(&folded)
        .chars()
        .filter(|&c| !super::is_hidden(c))
        .collect()
}

fn nfkc(text: &str) -> Cow<'_, str> {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfkc().collect()),
    }
}

/// The tokens of a text, in order: words in spaced scripts (a plural `s` off), numbers in one notation; for each run of Japanese or
/// Chinese its character bigrams and the single characters at its ends, so that 東京 and 素食 are found and a search for one
/// character finds where a word begins or ends.
pub fn tokens(text: &str) -> Vec<String> {
    let text = number::rewrite(&fold_case(text));
    let mut found = Vec::new();
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_cjk(c) {
            end_word(&mut word, &mut found);
            run.push(c);
            continue;
        }
        // A space between two characters of one script that has none is typing, a space before Latin is the end of a run.
        end_run(&mut run, &mut found);
        let inside_number = c == '.'
            && word.chars().last().is_some_and(|c| c.is_ascii_digit())
            && chars.peek().is_some_and(char::is_ascii_digit);
        // C, C++ and C# are three languages.
        let suffix = matches!(c, '+' | '#') && !word.is_empty();
        if c.is_alphanumeric() || inside_number || suffix || is_mark(c) {
            word.push(c);
        } else if !matches!(c, '\'' | '’') {
            end_word(&mut word, &mut found);
        }
    }
    end_word(&mut word, &mut found);
    end_run(&mut run, &mut found);
    found
}

/// A combining mark: part of the letter before it (Hindi, Thai, Arabic vowels).
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

fn end_word(word: &mut String, found: &mut Vec<String>) {
    if word.is_empty() {
        return;
    }
    let whole = std::mem::take(word);
    found.push(singular(whole));
}

/// A plural and its singular are one token. Crude on purpose: it runs on both sides of every comparison.
fn singular(mut word: String) -> String {
    let plain = word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    if !plain || !word.ends_with('s') || ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        return word;
    }
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else {
        word.pop();
    }
    word
}

fn end_run(run: &mut Vec<char>, found: &mut Vec<String>) {
    if let Some(first) = run.first() {
        found.push(first.to_string());
    }
    for pair in run.windows(2) {
        found.push(pair.iter().collect());
    }
    if run.len() > 1 {
        found.extend(run.last().map(char::to_string));
    }
    run.clear();
}

const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "just", "let", "me", "my", "of", "on", "or", "our",
    "please", "she", "should", "so", "some", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "us", "user", "was", "we", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your", "ユー", "ーザ",
    "ザー", "ーは", "ーの", "ーが", "用户", "户的", "我的", "的", "了", "是", "我", "在", "吗",
    "我想", "请", "帮我", "一下", "什么", "怎么", "ユ", "用",
];

/// Whether a token carries no subject: what every question and every memory holds. Hiragana alone is nearly always grammar.
pub(crate) fn is_function_word(token: &str) -> bool {
    FUNCTION_WORDS.contains(&token)
        || (token.chars().count() <= 2 && token.chars().all(super::is_hiragana))
}

#[cfg(test)]
mod tests {
    use super::*;

    // F10
    #[test]
    fn words_bigrams_and_ends() {
        assert_eq!(
            tokens("東京都に住む"),
            ["東", "東京", "京都", "都に", "に住", "住む", "む"]
        );
        assert_eq!(tokens("素食"), ["素", "素食", "食"]);
        assert_eq!(
            tokens("User's Code-Examples, in C++!"),
            ["user", "code", "example", "in", "c++"]
        );
        assert_eq!(tokens("ＣＰＡは５０万円"), ["cpa", "は", "500000", "円"]);
        assert_eq!(tokens("v1.25 costs $1,000.50"), ["v1.25", "cost", "1000.5"]);
        assert_eq!(tokens("नमस्ते दुनिया").len(), 2);
        assert!(tokens(" 。、!? ").is_empty());
    }
}
