//! Characters that do not show: they hide words from a reviewer and reach a model all the same.

use unicode_normalization::UnicodeNormalization;

/// Whether a character is a control, or shows nothing, or turns the direction of what follows. White space that shows is not.
pub fn is_hidden(c: char) -> bool {
    let spacing = matches!(c, '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}');
    if spacing {
        return false;
    }
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
        // Private use and what is no character: nobody can tell what a reader would see.
        || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}' | '\u{FFFE}'..='\u{FFFF}' | '\u{FDD0}'..='\u{FDEF}')
}

/// Whether a text holds characters that do not show. What emoji and Persian need (joiners between visible letters, the emoji
/// presentation selector) is not counted: everybody types it, and [`visible`] takes it out anyway.
pub fn has_hidden(text: &str) -> bool {
    text.chars()
        .any(|c| is_hidden(c) && !matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}'))
}

/// One line of what shows: NFC, hidden characters out, every run of white space one space, no space at the ends.
pub fn visible(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars().filter(|&c| !is_hidden(c)).nfc() {
        if !c.is_whitespace() {
            line.push(c);
        } else if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line.truncate(line.trim_end().len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_is_left_and_what_shows_stays() {
        let tag = "a\u{E0041}\u{202E}b\u{200B}c\0d\u{FEFF}";
        assert_eq!(visible(tag), "abcd");
        assert!(has_hidden(tag));
        assert_eq!(visible(" 一行\n\n二行\u{3000}三 "), "一行 二行 三");
        assert!(!has_hidden("👩‍👩‍👧‍👦 ❤️ 東京 été می‌خواهم"));
    }
}
