//! Which script a character belongs to, as far as the rules need it.

/// A Chinese character, as Japanese and Chinese write it.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}' | '々' | '〆' | '〇')
}

/// Hiragana.
pub(crate) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | 'ゝ' | 'ゞ')
}

/// Katakana with its long vowel mark; half-width forms too.
pub(crate) fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30A1}'..='\u{30FA}' | 'ー' | 'ヽ' | 'ヾ' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9D}')
}

/// A script that is written without spaces between words.
pub(crate) fn is_cjk(c: char) -> bool {
    is_han(c) || is_hiragana(c) || is_katakana(c) || matches!(c, '\u{3105}'..='\u{312F}')
}
