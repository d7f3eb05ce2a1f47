//! The slot a statement fills, where its words make that sure: a later value for the same slot is a change, whatever the
//! language it is said in.

use super::{feature::fold, language::Language, words};

/// The slot of `clause` in lower-case English, or `None`: most statements fill none.
pub(super) fn name(
    clause: &str,
    language: Language,
    kind: &str,
    third_party: bool,
) -> Option<String> {
    if third_party {
        return None;
    }
    let folded = fold(clause);
    if kind == "context" {
        // A situation names no slot of a person; of its own it has the one figure that people correct.
        return words::en("budget")
            .iter()
            .any(|word| folded.contains(word))
            .then(|| "budget".to_owned());
    }
    if kind == "fact" {
        let own = match language {
            Language::English => None,
            Language::Japanese => japanese_fact(&folded),
            Language::Chinese => works_in_chinese(&folded).then_some("employer"),
        };
        if own.is_some() {
            return own.map(str::to_owned);
        }
    }
    let favourite = match language {
        Language::English => favourite_english(&folded),
        Language::Japanese => favourite_japanese(&folded),
        Language::Chinese => favourite_chinese(&folded),
    };
    if favourite.is_some() {
        return favourite;
    }
    let subject = if language == Language::English {
        format!(" {folded} ")
    } else {
        folded
    };
    words::of(language)
        .slots()
        .iter()
        .filter(|family| family.slot != "name" || !names_another(&subject))
        .filter(|family| {
            family.slot != "employer"
                || !words::en("no employer")
                    .iter()
                    .any(|word| subject.contains(word))
        })
        .find(|family| {
            family.kind == kind
                && family
                    .groups
                    .iter()
                    .all(|any| any.iter().any(|word| found(&subject, word)))
        })
        .map(|family| family.slot.to_owned())
}

/// 「猫を飼っていて、名前はモモ」: the name is not the speaker's.
fn names_another(subject: &str) -> bool {
    words::ja("named by others")
        .iter()
        .any(|word| subject.contains(word))
}

/// `word` in `subject`; `^` binds it to the start.
fn found(subject: &str, word: &str) -> bool {
    match word.strip_prefix('^') {
        Some(word) => subject.trim_start().starts_with(word.trim_start()),
        None => subject.contains(word),
    }
}

/// A role of the list and what it is tied by: 「エンジニアです」, 「デザイナーとして」; and a name that is all there is said.
fn japanese_fact(folded: &str) -> Option<&'static str> {
    let ties = [
        "です",
        "で、",
        "で,",
        "として",
        "をして",
        "をやって",
        "なので",
        "なん",
        "だ",
        "を務め",
        "、",
        "でした",
        "で働",
        "と申",
    ];
    let introduced = ["といいます", "と言います", "と申します"]
        .iter()
        .any(|end| folded.trim_end_matches('。').ends_with(end));
    if introduced && folded.chars().count() <= 14 && !folded.contains('は') {
        return Some("name");
    }
    let others = ["名前", "チームは", "顧客", "会社は"]
        .iter()
        .any(|word| folded.starts_with(word))
        && !folded.contains('私');
    let role = words::ja("roles").iter().any(|role| {
        folded.match_indices(role).any(|(at, _)| {
            let rest = &folded[at + role.len()..];
            rest.is_empty() || ties.iter().any(|tie| rest.starts_with(tie))
        })
    });
    (role && !others && !folded.contains("以前は") && !folded.contains("もともと"))
        .then_some("role")
}

/// 在…工作, with somebody between.
fn works_in_chinese(folded: &str) -> bool {
    folded.match_indices('在').any(|(at, word)| {
        let rest = &folded[at + word.len()..];
        let clause = rest.split(['，', ',', '。']).next().unwrap_or_default();
        ["工作", "上班", "任职", "就职", "供职"]
            .iter()
            .any(|work| clause.find(work).is_some_and(|at| at > 0))
            && !["家", "找", "这里", "晚上", "早上", "哪"]
                .iter()
                .any(|no| clause.starts_with(no))
    })
}

fn favourite_english(folded: &str) -> Option<String> {
    let at = [
        "my favourite ",
        "my favorite ",
        "my current favourite ",
        "my current favorite ",
        "my all-time favourite ",
        "my all-time favorite ",
    ]
    .iter()
    .find_map(|opening| folded.find(opening).map(|at| at + opening.len()))?;
    let rest = &folded[at..];
    let end = [" is ", " are ", " has always been ", " would be ", "'s "]
        .iter()
        .filter_map(|verb| rest.find(verb))
        .min()?;
    let thing = rest[..end].trim();
    if thing.is_empty() || thing.split(' ').count() > 3 {
        return None;
    }
    let thing = match thing {
        "color" => "colour",
        "movie" => "film",
        other => other,
    };
    Some(format!("favourite {thing}"))
}

fn favourite_japanese(folded: &str) -> Option<String> {
    let rest = ["一番好きな", "いちばん好きな", "お気に入りの", "好きな"]
        .iter()
        .find_map(|opening| folded.split_once(opening).map(|parts| parts.1))?;
    favourite(Language::Japanese, rest, 'は')
}

fn favourite_chinese(folded: &str) -> Option<String> {
    let rest = ["最喜欢的", "最喜歡的", "最爱的"]
        .iter()
        .find_map(|opening| folded.split_once(opening).map(|parts| parts.1))?;
    favourite(Language::Chinese, rest, '是')
}

/// The thing that `rest` begins with, where `is` follows it.
fn favourite(language: Language, rest: &str, is: char) -> Option<String> {
    words::of(language)
        .named("favourite ")
        .find(|(_, names)| {
            names.iter().any(|name| {
                rest.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with(is))
            })
        })
        .map(|(thing, _)| format!("favourite {thing}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_slot_in_three_languages() {
        let of = |text, language, preference| {
            name(
                text,
                language,
                if preference { "preference" } else { "fact" },
                false,
            )
        };
        for (slot, preference, en, ja, zh) in [
            (
                "lives in",
                false,
                "I live in Oslo",
                "大阪に住んでいます",
                "我住在上海",
            ),
            (
                "employer",
                false,
                "I work at Google",
                "トヨタで働いています",
                "在腾讯工作",
            ),
            (
                "name",
                false,
                "My name is Ana",
                "田中と申します",
                "我叫李国松",
            ),
            (
                "role",
                false,
                "I'm the CTO of StartupCorp",
                "私はStartupCorpのCTOです",
                "我是一名工程师",
            ),
            (
                "favourite colour",
                true,
                "My favorite color is blue",
                "好きな色は青です",
                "我最喜欢的颜色是蓝色",
            ),
            (
                "answer length",
                true,
                "Keep your answers short",
                "回答は短くしてください",
                "回答简短一点",
            ),
        ] {
            assert_eq!(
                of(en, Language::English, preference).as_deref(),
                Some(slot),
                "{en}"
            );
            assert_eq!(
                of(ja, Language::Japanese, preference).as_deref(),
                Some(slot),
                "{ja}"
            );
            assert_eq!(
                of(zh, Language::Chinese, preference).as_deref(),
                Some(slot),
                "{zh}"
            );
        }
        assert_eq!(
            of(
                "My current favourite player is Messi",
                Language::English,
                true
            )
            .as_deref(),
            Some("favourite player")
        );
        assert_eq!(
            of("I'm allergic to peanuts", Language::English, false),
            None
        );
        assert_eq!(of("我在找工作", Language::Chinese, false), None);
        assert_eq!(
            of(
                "私はStartupCorpのCTOで、SaaSを構築しています",
                Language::Japanese,
                false
            )
            .as_deref(),
            Some("role")
        );
        assert_eq!(
            of(
                "週末だけ友人とカフェを営業しています",
                Language::Japanese,
                false
            ),
            None
        );
        assert_eq!(
            of("我拿的是工作签证，在东京住了四年", Language::Chinese, false),
            None
        );
        assert_eq!(
            name("My wife works at Google", Language::English, "fact", true),
            None
        );
        assert_eq!(
            name("The budget is $500", Language::English, "context", false).as_deref(),
            Some("budget")
        );
        assert_eq!(
            name(
                "I'm retraining as a developer",
                Language::English,
                "context",
                false
            ),
            None
        );
    }
}
