//! Patterns over the words of three languages.

use regex::{Regex, RegexSet, RegexSetBuilder};

/// Makes one pattern without regard to case. `\b` is a border between ASCII letters and anything else, because Japanese and Chinese
/// put no space between `Python` and what follows; `\d` is an ASCII digit.
pub(crate) fn one(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){}", ascii(pattern))).expect("a valid pattern")
}

/// Makes several at once; see [`one`].
pub(crate) fn any(patterns: &[&str]) -> RegexSet {
    RegexSetBuilder::new(patterns.iter().map(|pattern| ascii(pattern)))
        .case_insensitive(true)
        .build()
        .expect("valid patterns")
}

fn ascii(pattern: &str) -> String {
    pattern.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]")
}
