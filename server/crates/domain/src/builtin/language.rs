//! Which of the three languages a sentence is in; anything else is left alone.

use unicode_normalization::UnicodeNormalization;

use super::words;

/// A language of the built-in extractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    English,
    Japanese,
    Chinese,
}

impl Language {
    pub const ALL: [Language; 3] = [Language::English, Language::Japanese, Language::Chinese];

    /// BCP 47 primary tag: `en`, `ja`, `zh`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
            Language::Chinese => "zh",
        }
    }

    /// The position in [`Language::ALL`].
    pub(super) fn index(self) -> usize {
        self as usize
    }
}

/// The language of `sentence`; `message` decides where the sentence alone cannot (東京在住 has no kana).
///
/// `None` for other languages: their words would be judged by weights that never saw them.
pub(super) fn of(sentence: &str, message: &str) -> Option<Language> {
    let count = Scripts::count(sentence);
    let east_asian = count.kana + count.han;
    // A character of Chinese or Japanese carries about as much as three letters.
    if east_asian * 3 >= count.latin && east_asian > 0 && east_asian >= count.other {
        if count.kana > 0 {
            return Some(Language::Japanese);
        }
        if Scripts::count(message).kana > 0
            || sentence.contains(JAPANESE_ONLY)
            || sentence.ends_with("在住")
        {
            return Some(Language::Japanese);
        }
        return Some(Language::Chinese);
    }
    if count.latin == 0 || count.other > count.latin {
        return None;
    }
    is_english(sentence).then_some(Language::English)
}

#[derive(Default)]
struct Scripts {
    kana: usize,
    han: usize,
    latin: usize,
    other: usize,
}

impl Scripts {
    fn count(text: &str) -> Scripts {
        let mut scripts = Scripts::default();
        for c in text.chars() {
            match c {
                '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => {
                    scripts.kana += 1
                }
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}' => {
                    scripts.han += 1
                }
                'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => scripts.latin += 1,
                c if c.is_alphabetic() => scripts.other += 1,
                _ => {}
            }
        }
        scripts
    }
}

/// Forms of characters that only Japanese writes.
const JAPANESE_ONLY: &[char] = &[
    '営', '転', '専', '発', '実', '気', '対', '図', '検', '経', '済', '働', '込', '円', '歳', '総',
    '駅', '売', '険', '薬', '栄', '覚', '権', '帰', '変', '広', '応', '様', '続', '験', '桜', '渋',
    '沢', '戻', '雑', '仮', '従', '郵', '歴',
];

fn is_english(sentence: &str) -> bool {
    let folded: String = sentence
        .nfkc()
        .flat_map(char::to_lowercase)
        .collect::<String>()
        .replace('’', "'");
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let english = words
        .iter()
        .filter(|word| words::en("common").contains(word))
        .count();
    let foreign = words
        .iter()
        .filter(|word| words::en("foreign").contains(word) && !words::en("common").contains(word))
        .count();
    let accented = words.iter().filter(|word| !word.is_ascii()).count();
    if foreign + accented >= 2 && foreign + accented > english {
        return false;
    }
    !(english == 0 && foreign + accented > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_three_languages_and_leaves_the_rest() {
        let of = |text| of(text, text);
        assert_eq!(of("I prefer Python."), Some(Language::English));
        assert_eq!(
            of("私はStartupCorpのCTOで、SaaSを構築しています"),
            Some(Language::Japanese)
        );
        assert_eq!(of("東京在住"), Some(Language::Japanese));
        assert_eq!(
            of("金额都用人民币给我算，不要美元"),
            Some(Language::Chinese)
        );
        assert_eq!(of("我更喜欢用 TypeScript"), Some(Language::Chinese));
        assert_eq!(
            of("Ma chienne s'appelle Unna et je préfère être tutoyée."),
            None
        );
        assert_eq!(of("Ich bin Vegetarier und wohne in Wien."), None);
        assert_eq!(of("Soy profesor y vivo en Lima"), None);
        assert_eq!(of("Я живу в Москве"), None);
        assert_eq!(of("저는 서울에 살아요"), None);
        assert_eq!(of("I live in São Paulo with José"), Some(Language::English));
        assert_eq!(of("12345"), None);
    }
}
