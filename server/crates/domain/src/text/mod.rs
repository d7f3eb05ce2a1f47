//! Text as Keepsake compares, cuts, counts and cleans it.
//!
//! Positions are Unicode code points everywhere, because that is what the API counts; cuts fall on grapheme borders, so that no
//! quote begins in the middle of a letter. Japanese and Chinese have no spaces, so words are bigrams there (F10).

mod estimate;
mod fold;
mod language;
mod normal;
mod number;
mod script;
mod tokens;
mod visible;

pub use estimate::estimate_tokens;
pub use fold::{Folded, fold};
pub use language::{LANGUAGES, language, language_with, told_language};
pub use normal::normal_form;
pub(crate) use number::{is_currency, numbers};
pub(crate) use script::{is_cjk, is_han, is_hiragana, is_katakana};
pub use tokens::tokens;
pub(crate) use tokens::{fold_case, is_function_word};
pub use visible::{has_hidden, is_hidden, visible};

/// The slice between two positions in code points; what lies outside the text is cut away.
pub fn slice(text: &str, start: usize, end: usize) -> &str {
    let byte = |position: usize| {
        text.char_indices()
            .nth(position)
            .map_or(text.len(), |(byte, _)| byte)
    };
    let (from, to) = (byte(start), byte(end));
    if from < to { &text[from..to] } else { "" }
}

/// The length in code points.
pub fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_counts_code_points_and_never_panics() {
        assert_eq!(slice("日本語です", 1, 3), "本語");
        assert_eq!(slice("abc", 2, 99), "c");
        assert_eq!(slice("abc", 9, 12), "");
        assert_eq!(slice("abc", 2, 1), "");
    }
}
