//! The language of a statement, as far as a reviewer is routed by it.

use super::{is_han, is_hiragana, is_katakana};

/// Characters that Japanese writes and Chinese does not.
const ONLY_JAPANESE: &str = "円働込畑駅図対発実気楽単応価広県歩毎経済検査変売読帰黒巻仏伝両産験権様関続総沢浜辺拠拡択挙渋覚視観転鉄闘闇霊顔齢亀売営児";
/// Characters that (simplified) Chinese writes and Japanese does not.
const ONLY_CHINESE: &str = "们这吗呢吧说话语请谢对发现实开关头买卖东车马鸟鱼门问间闻书学习应该让给过还进远近边达运动员级红绿蓝钱铁银费资质贵贴赛赢爱欢喜";

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
        return match (kana > 0, holds(ONLY_JAPANESE) > holds(ONLY_CHINESE)) {
            (true, _) | (false, true) => "ja",
            (false, false) => "zh",
        };
    }
    if latin == 0 || other >= latin {
        return "und";
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
        "und"
    } else {
        "en"
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
}
