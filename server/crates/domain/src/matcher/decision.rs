//! What was decided on, whichever way: to pause a campaign and not to pause it are two values of one thing.

use super::denial::{predicate, root};
use crate::text::{is_han, is_hiragana, is_katakana};

/// The kind.
pub(super) const KIND: &str = "decision";

/// A decision without its reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// What was decided on; for comparing only.
    pub(super) what: String,
    /// Whether it was decided against.
    pub(super) against: bool,
    /// Whether a reason was given.
    pub(super) reasoned: bool,
}

impl Decision {
    /// Of a statement or a name in normal form.
    pub(super) fn new(form: &str) -> Self {
        if form.chars().any(|c| is_hiragana(c) || is_katakana(c)) {
            japanese(form)
        } else if form.chars().any(is_han) {
            chinese(form)
        } else {
            english(form)
        }
    }

    /// The decision as a value: what, and which way.
    pub(super) fn value(&self) -> String {
        format!("{}{}", if self.against { "not " } else { "" }, self.what)
    }
}

/// Strips openings for as long as one fits and something is left; how many of `turning` were among them tells the way.
fn stripped<'a>(form: &'a str, idle: &[&str], turning: &[&str]) -> (&'a str, bool) {
    let mut rest = form;
    let mut against = false;
    let find = |rest: &'a str, openings: &[&str]| {
        openings
            .iter()
            .find_map(|opening| rest.strip_prefix(opening))
            .filter(|rest| rest.chars().count() >= 2)
    };
    loop {
        if let Some(shorter) = find(rest, turning) {
            rest = shorter;
            against = !against;
        } else if let Some(shorter) = find(rest, idle) {
            rest = shorter;
        } else {
            return (rest, against);
        }
    }
}

/// Cuts a text where the first of some words stands; never at its beginning.
fn cut<'a>(form: &'a str, words: &[&str]) -> (&'a str, bool) {
    let at = words
        .iter()
        .filter_map(|word| form.find(word))
        .filter(|at| *at > 0)
        .min();
    match at {
        Some(at) => (form[..at].trim_end(), true),
        None => (form, false),
    }
}

fn english(form: &str) -> Decision {
    let (rest, reasoned) = cut(
        form,
        &[
            " because ",
            " since ",
            " due to ",
            " so that ",
            " given that ",
            " in order to ",
            " as the ",
            " as it ",
            " as we ",
            " as they ",
            " to avoid ",
            " to save ",
            " to reduce ",
        ],
    );
    let (rest, against) = stripped(
        rest,
        &[
            "we ",
            "i ",
            "user ",
            "users ",
            "the ",
            "team ",
            "a ",
            "have ",
            "has ",
            "had ",
            "finally ",
            "final ",
            "now ",
            "decided ",
            "decides ",
            "agreed ",
            "resolved ",
            "chose ",
            "decision is ",
            "decision was ",
            "decision ",
            "on ",
            "that ",
            "to ",
            "will ",
            "would ",
            "should ",
            "do ",
            "does ",
            "did ",
            "are ",
            "is ",
            "going ",
            "keep ",
            "continue ",
            "start ",
            "begin ",
        ],
        &[
            "not ",
            "never ",
            "no longer ",
            "no ",
            "dont ",
            "doesnt ",
            "didnt ",
            "wont ",
            "wouldnt ",
            "shouldnt ",
            "against ",
            "stop ",
            "stopped ",
            "quit ",
            "cease ",
        ],
    );
    let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let more: Vec<&str> = more
        .split(' ')
        .filter(|word| !matches!(*word, "" | "a" | "an" | "the" | "anymore"))
        .collect();
    Decision {
        what: [&[root(first)], &more[..]].concat().join(" "),
        against,
        reasoned,
    }
}

fn japanese(form: &str) -> Decision {
    // 「から」 alone is also "from".
    let reason = [
        "という理由で",
        "を理由に",
        "ために",
        "ため",
        "ので",
        "いから",
        "るから",
        "たから",
        "だから",
    ]
    .iter()
    .filter_map(|word| Some(form.find(word)? + word.len()))
    .filter(|end| *end < form.len())
    .max();
    let rest = reason.map_or(form, |end| &form[end..]);
    let (rest, _) = stripped(
        rest,
        &[
            "ユーザーは",
            "ユーザーが",
            "私たちは",
            "弊社は",
            "チームは",
            "会議で",
        ],
        &[],
    );
    let mut rest = rest;
    for ending in [
        "ことにしました",
        "ことにした",
        "ことにする",
        "ことになりました",
        "ことになった",
        "ことに決めた",
        "ことに決定した",
        "ことを決めた",
        "ことを決定した",
        "ことで合意した",
        "と決めた",
        "と決定した",
    ] {
        if let Some(shorter) = rest.strip_suffix(ending) {
            rest = shorter;
            break;
        }
    }
    let gone = ["のをやめ", "のはやめ", "のを止め", "ことをやめ"];
    let against = ["ない", "ません", "なくなった", "なくなりました"]
        .iter()
        .any(|ending| rest.ends_with(ending))
        != gone.iter().any(|word| rest.contains(word));
    let what = predicate(rest)
        .replace("では", "で")
        .replace(['は', 'を'], "が");
    Decision {
        what: what.strip_suffix('す').unwrap_or(&what).to_owned(),
        against,
        reasoned: reason.is_some(),
    }
}

fn chinese(form: &str) -> Decision {
    let (rest, mut reasoned) = cut(form, &["因为", "由于", "理由是", "原因是"]);
    let mut rest = rest;
    for so in ["所以", "因此"] {
        if let Some((_, after)) = rest.split_once(so) {
            rest = after;
            reasoned = true;
        }
    }
    let (what, against) = stripped(
        rest,
        &[
            "用户",
            "我们",
            "团队",
            "公司",
            "最终",
            "已经",
            "已",
            "决定了",
            "决定",
            "同意",
            "确定",
            "商定",
            "要",
            "将",
            "会",
            "继续",
            "开始",
        ],
        &["不再", "不要", "不会", "不", "停止", "别"],
    );
    Decision {
        what: what.trim_end_matches('了').to_owned(),
        against,
        reasoned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normal_form;

    fn of(text: &str) -> Decision {
        Decision::new(&normal_form(text))
    }

    // B5
    #[test]
    fn both_ways_of_a_decision_are_about_one_thing() {
        for (to, not_to) in [
            (
                "pause campaign Alpha because the CPA was too high",
                "not to pause campaign Alpha",
            ),
            (
                "We decided to pause campaign Alpha",
                "The team decided against pausing campaign Alpha",
            ),
            ("use Redis for the queue", "Stop using Redis for the queue"),
            ("to move to Postgres", "Don't move to Postgres."),
            (
                "Final decision: price increase",
                "Final decision: no price increase",
            ),
            (
                "CPAが高すぎるため、キャンペーンAlphaを一時停止する",
                "キャンペーンAlphaは一時停止しない",
            ),
            (
                "キャンペーンAlphaを一時停止することにした",
                "キャンペーンAlphaを一時停止しないことにした",
            ),
            ("决定暂停Alpha活动，因为成本太高", "我们决定不暂停Alpha活动"),
            ("使用Redis", "不再使用Redis"),
        ] {
            let (to, not_to) = (of(to), of(not_to));
            assert_eq!(to.what, not_to.what);
            assert!(!to.against && not_to.against, "{to:?} {not_to:?}");
        }
        assert!(of("pause Alpha because the CPA was too high").reasoned);
        for (a, b) in [
            ("pause campaign Alpha", "not to pause campaign Beta"),
            ("move to Postgres", "Don't move to Berlin"),
            ("AからBへ移行する", "CからBへ移行しない"),
            ("暂停Alpha活动", "不暂停Beta活动"),
        ] {
            assert_ne!(of(a).what, of(b).what, "{a} / {b}");
        }
    }
}
