//! Technologies that the user works with, from a list of known ones: "an ADK agent", 「Rustで開発しています」.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Read, Saying, Target};
use crate::builtin::{language::Language, signal::Signal, words};

const STATED: f64 = 0.88;
const IMPLIED: f64 = 0.8;
const IMPORTANCE: f64 = 0.65;

/// A technology by the name it is written with.
struct Known {
    name: &'static str,
    /// The ways to write it, in lower case.
    written: Vec<String>,
    /// The name is also a word: it counts only with its capitals ("Go", "Swift").
    also_a_word: bool,
}

/// `data/builtin/technologies.txt`: `Name | other spelling`, `!` before a name that is also a word.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    include_str!("../../../data/builtin/technologies.txt")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .map(|line| {
            let (also_a_word, line) = line
                .strip_prefix('!')
                .map_or((false, line), |rest| (true, rest));
            let mut names = line.split('|').map(str::trim);
            let name = names.next().unwrap_or_default();
            Known {
                name,
                written: std::iter::once(name)
                    .chain(names)
                    .map(str::to_lowercase)
                    .collect(),
                also_a_word,
            }
        })
        .collect()
});

static WORKS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)\b(?:us(?:e|es|ing|ed)|work(?:ing|s|ed)? (?:with|in|on)|cod(?:e|ing) in|writ(?:e|ing|ten)|wrote|build(?:ing|s)?|built|develop\w*|deploy\w*|program\w*|learn\w*|study\w*|know|speciali[sz]\w*|experience\w*|familiar|proficient|fluent|comfortable|stack|migrat\w+|run(?:s|ning)? (?:on|in)|prefer|set(?:ting)? up|configur\w+|debug\w*|implement\w*|creat(?:e|ing)|maintain\w*|teach|ship\w*|host\w*|engineer|skills?|background in|moved to|switched to|certified)\b",
        r"使って|使い|使う|書いて|書く|書かれ|開発|作って|作り|作る|専門|得意|勉強|学ん|学び|学習|経験|触って|エンジニア|構築|導入|移行|運用|案件|歴|組んで|実装|資格|メイン",
        r"用|使用|会|熟悉|精通|擅长|学|专攻|开发|写|做|搭建|构建|迁移|部署|方向|技术栈|经验|工程师|专业|维护",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

/// It tells no work of the user's with it.
static NONE: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)\b(?:what is|what's|what are|difference between|compare|versus|vs|don't (?:use|know|like|write|want)|do not use|never|no longer|hate|not a fan|not using|stopped|can't stand|new to nobody|heard of|is better|any good|which is)\b",
        r"とは|違い|使っていません|使わない|使ったことがな|使ったことはな|苦手|やめ|どう思|どっち|知りません|嫌い",
        r"什么是|区别|对比|不用|不会|没用过|不熟|怎么样|哪个好|是什么|讨厌|不喜欢|帮我写|帮我改|帮我看|帮我翻译",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

/// Directly before a name: it is the one that is not used.
static INSTEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:instead of|rather than|over|not|from|than|without|unlike|left|replac\w+|而不是|不是|代替)\s*$").expect("a written pattern")
});

/// A field of technologies, by its name or its description.
pub(super) fn asked_for(target: &Target<'_>) -> bool {
    words::en("technology fields")
        .iter()
        .any(|word| target.about.contains(word))
}

pub(super) fn read(saying: &Saying<'_>, many: bool) -> Option<Read> {
    let language = saying.language as usize;
    if !WORKS[language].is_match(saying.text) || NONE[language].is_match(saying.text) {
        return None;
    }
    let own = match saying.language {
        Language::English => saying.has(Signal::FirstPerson) || asks_for_oneself(saying),
        // A request alone ("Pythonで書いて") says nothing of the user.
        Language::Japanese => {
            !saying.has(Signal::Request) && !saying.asks
                || saying.has(Signal::FirstPerson)
                || ["手伝", "向け", "専門", "勉強", "学ん"]
                    .iter()
                    .any(|word| saying.folded.contains(word))
        }
        Language::Chinese => {
            saying.has(Signal::FirstPerson)
                || ["适合", "学生", "初学者"]
                    .iter()
                    .any(|word| saying.folded.contains(word))
        }
    };
    let names = names(saying.text, saying.language == Language::English);
    if !own || names.is_empty() {
        return None;
    }
    let asks = saying.asks || saying.has(Signal::Request);
    Some(Read {
        value: if many {
            names.iter().copied().collect()
        } else {
            Value::String(names.join(", "))
        },
        confidence: if asks { IMPLIED } else { STATED },
        importance: IMPORTANCE,
        phrase: names.join(", "),
    })
}

/// "… for students that specialize in Python": the one who asks is meant.
fn asks_for_oneself(saying: &Saying<'_>) -> bool {
    saying.asks
        && saying.folded.contains(" for ")
        && words::en("asked for oneself")
            .iter()
            .any(|word| saying.folded.contains(&format!(" {word} ")))
}

/// The known technologies in `text`, each once, in the order of the text.
/// In English the first word has a capital whatever it is.
fn names(text: &str, english: bool) -> Vec<&'static str> {
    let lower = text.to_lowercase();
    // Case folding that moves bytes (İ) would move the places too.
    if lower.len() != text.len() {
        return Vec::new();
    }
    let mut found: Vec<(usize, usize, &'static str)> = Vec::new();
    for known in KNOWN.iter() {
        for written in &known.written {
            for (at, _) in lower.match_indices(written.as_str()) {
                let end = at + written.len();
                let glued = |c: Option<char>| {
                    c.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '#'))
                };
                let part =
                    glued(lower[..at].chars().next_back()) || glued(lower[end..].chars().next());
                let as_a_word =
                    known.also_a_word && (&text[at..end] != known.name || english && at == 0);
                if !part && !as_a_word && !INSTEAD.is_match(&text[..at]) {
                    found.push((at, end, known.name));
                }
            }
        }
    }
    // "React Native" is not React.
    found.sort_by_key(|(at, end, _)| (*at, std::cmp::Reverse(*end)));
    let mut names: Vec<&'static str> = Vec::new();
    let mut upto = 0;
    for (at, end, name) in found {
        if at >= upto {
            upto = end;
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_and_those_that_are_words_need_their_capitals() {
        assert_eq!(
            names("we use React Native and go home", true),
            ["React Native"]
        );
        assert_eq!(names("services in Go and Rust", true), ["Go", "Rust"]);
        assert_eq!(names("a swift answer", true), Vec::<&str>::new());
        assert_eq!(
            names("バックエンドはDjangoとPostgreSQLです", true),
            ["Django", "PostgreSQL"]
        );
        assert_eq!(names("javascript instead of java", true), ["JavaScript"]);
    }
}
