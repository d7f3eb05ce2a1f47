//! The language of a statement, as far as a reviewer is routed by it.

use std::cmp::Ordering;

use super::{is_han, is_hiragana, is_katakana};

/// Characters that Japanese writes and Chinese does not.
const ONLY_JAPANESE: &str = "円働込畑駅図対発実気楽単応価広県歩毎経済検査変売読帰黒巻仏伝両産験権様関続総沢浜辺拠拡択挙渋覚視観転鉄闘闇霊顔齢亀売営児";
/// Characters that (simplified) Chinese writes and Japanese does not.
const ONLY_CHINESE: &str = "们这吗呢吧说话语请谢对发现实开关头买卖东车马鸟鱼门问间闻书习应该让给过还进远边达运动员级红绿蓝钱铁银费资质贵贴赛赢爱欢";

const ENGLISH: &[&str] = &[
    "the", "is", "are", "am", "i", "i'm", "my", "user", "user's", "users", "we", "our", "you",
    "and", "of", "to", "for", "with", "prefers", "likes", "wants", "has", "have", "lives", "works",
    "uses", "not", "don't", "this", "that", "was", "be", "it", "at", "on", "by", "from",
];
const FOREIGN: &[&str] = &[
    "le",
    "la",
    "les",
    "des",
    "une",
    "un",
    "est",
    "je",
    "j'ai",
    "nous",
    "vous",
    "et",
    "pour",
    "dans",
    "que",
    "el",
    "los",
    "las",
    "es",
    "yo",
    "para",
    "con",
    "der",
    "das",
    "und",
    "ist",
    "ich",
    "nicht",
    "mit",
    "ein",
    "eine",
    "il",
    "che",
    "di",
    "sono",
    "per",
    "não",
    "em",
    "uma",
    "du",
    "de",
    "mon",
    "ma",
    "mi",
    "het",
    "een",
    "jag",
    "och",
    "ik",
    "suis",
    "soy",
    "préfère",
    "prefiero",
    "bin",
    "auf",
    "im",
    "zu",
];

/// Every answer of [`language`].
pub const LANGUAGES: [&str; 4] = ["en", "ja", "zh", "und"];

/// `en`, `ja`, `zh`, or `und` where it is none of them or cannot be told.
pub fn language(text: &str) -> &'static str {
    look(text).0
}

/// The language, where the text tells it by itself. `None`: it could be another, as 看護師 could be Japanese or Chinese, and "Python"
/// anything.
pub fn told_language(text: &str) -> Option<&'static str> {
    let (language, told) = look(text);
    told.then_some(language)
}

/// The language of a statement with others of the same person at hand, the nearest first. They decide where its own characters do not:
/// where both Japanese and Chinese write them, and of a value of a field (`of_a_field`), which is a name in any language. Without one that
/// can be right it is [`language`].
pub fn language_with<'a>(
    text: &str,
    of_a_field: bool,
    others: impl IntoIterator<Item = &'a str>,
) -> &'a str {
    let (own, told) = look(text);
    let asian = matches!(own, "ja" | "zh");
    let settled = if of_a_field {
        told && own != "en"
    } else {
        told || !asian
    };
    if settled {
        return own;
    }
    others
        .into_iter()
        .find(|other| !asian || matches!(*other, "ja" | "zh"))
        .unwrap_or(own)
}

/// The language, and whether it can be no other.
fn look(text: &str) -> (&'static str, bool) {
    let (mut kana, mut han, mut latin, mut other) = (0_usize, 0_usize, 0_usize, 0_usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        if is_hiragana(c) || is_katakana(c) {
            kana += 1;
        } else if is_han(c) {
            han += 1;
        } else if c.is_ascii() || matches!(c, '\u{C0}'..='\u{24F}') {
            latin += 1;
        } else {
            other += 1;
        }
    }
    // A name in Latin letters is long beside the few characters of a Japanese sentence, so one such character outweighs three.
    let asian = (kana + han) * 3;
    if asian > 0 && asian >= latin && asian >= other {
        let holds = |of: &str| text.chars().filter(|&c| of.contains(c)).count();
        if kana > 0 {
            return ("ja", true);
        }
        return match holds(ONLY_JAPANESE).cmp(&holds(ONLY_CHINESE)) {
            Ordering::Greater => ("ja", true),
            Ordering::Less => ("zh", true),
            Ordering::Equal => ("zh", false),
        };
    }
    if latin == 0 || other >= latin {
        return ("und", other > 0);
    }
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words = || {
        lower
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
    };
    let count = |of: &[&str]| words().filter(|word| of.contains(word)).count();
    let (english, foreign) = (count(ENGLISH), count(FOREIGN));
    let accented = lower.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    if foreign > english || (english == 0 && accented) {
        ("und", foreign > english)
    } else {
        ("en", english > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // F10
    #[test]
    fn languages_are_told_apart() {
        for (text, is) in [
            ("User prefers code examples in Python", "en"),
            ("User prefers 寿司 over ramen on Fridays", "en"),
            ("Dark mode", "en"),
            ("ユーザーはAdsBuddyを使う", "ja"),
            ("Plan の予算は 50 万円", "ja"),
            ("予算五十万円", "ja"),
            ("用户一家吃素", "zh"),
            ("用户在Google工作", "zh"),
            ("预算是50万元", "zh"),
            ("Je préfère les exemples en Python", "und"),
            ("Ich wohne in Berlin und bin Arzt", "und"),
            ("Пользователь живёт в Осло", "und"),
            ("사용자는 서울에 산다", "und"),
            ("42 !", "und"),
            ("", "und"),
        ] {
            assert_eq!(language(text), is, "{text}");
        }
    }

    // F10, G10
    #[test]
    fn what_characters_do_not_tell_is_told_by_what_is_said_beside_it() {
        for text in ["看護師", "42", "", "Python", "Café"] {
            assert_eq!(told_language(text), None, "{text}");
        }
        for (text, is) in [
            ("看護師です", "ja"),
            ("護士は私の仕事", "ja"),
            ("我是护士，说中文", "zh"),
            ("I work as a nurse", "en"),
            ("Ich bin Arzt", "und"),
            ("Медсестра", "und"),
        ] {
            assert_eq!(told_language(text), Some(is), "{text}");
        }
        for (text, of_a_field, others, is) in [
            ("看護師", false, vec!["ja"], "ja"),
            ("看護師", true, vec!["zh", "ja"], "zh"),
            ("看護師", true, vec!["en", "ja"], "ja"),
            ("看護師", true, vec!["en"], "zh"),
            ("看護師", false, vec![], "zh"),
            ("学习编程", true, vec!["ja"], "zh"),
            ("さくら", true, vec!["en"], "ja"),
            ("Python", true, vec!["ja"], "ja"),
            ("Python", true, vec![], "en"),
            ("Python", false, vec!["ja"], "en"),
            ("42", true, vec!["zh"], "zh"),
            ("大学", true, vec!["ja"], "ja"),
            ("Медсестра", true, vec!["en"], "und"),
            ("User prefers Python", false, vec!["ja"], "en"),
        ] {
            let told = language_with(text, of_a_field, others.iter().copied());
            assert_eq!(told, is, "{text} {others:?}");
        }
    }
}
