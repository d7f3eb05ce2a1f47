//! "Forget that I …" (G1): a request to retire what is stored.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::{
    flags::{self, pattern},
    text,
};

static REQUESTS: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        pattern::one(
            r#"(?:^|[.!?,;:\n"“(—–-]\s*|\b(?:please|pls|kindly|and|so|just|also|now|can you|could you|would you|you can|you should|want you to|like you to)\s+)(?:(?:please|just)\s+)?(?:forget|stop remembering|no longer remember|(?:delete|erase|remove)(?: from (?:your )?memory)?)\s+(?:(?:that|the fact that|about the fact that)\s+(?P<that>(?:i|my|we|our|i'm|i've)\b[^.!?\n]+)|(?P<about>(?:everything |anything |all )?(?:you (?:know|remember|stored) )?about (?:my|our|me)\b[^.!?\n]*|my [^.!?\n]+? (?:from (?:your )?memory)))"#,
        ),
        pattern::one(
            r"(?P<that>[^。！？!?\n]{2,80}?)(?:という|って)?(?:こと|件|話|の|情報)?(?:は|を|も)(?:もう|全部|すべて)?(?:忘れて(?:ください|下さい|くれ|ほしい|欲しい|ね|いい|[。！!、]|$)|記憶から(?:消|削除)|(?:覚え|記憶し)て(?:い)?る?(?:の|こと)?(?:を)?(?:消|削除|やめ))",
        ),
        pattern::one(
            r"(?:^|[，,。！？!?：:；;\n\s]|请|請|你|可以|就|帮我|幫我|麻烦|麻煩)(?:忘记|忘掉|忘了|忘記|别再记得|不要再记得)(?:关于|關於)?(?P<that>我[^。！？!?\n，,]{2,60})",
        ),
        pattern::one(
            r"(?:把|将|將)(?P<that>我[^。！？!?\n]{2,60}?)(?:这件事|這件事|的事|这个|這個|的信息|的记忆)?(?:忘(?:记|掉|了|記)|从记忆(?:里|中)(?:删|去))",
        ),
    ]
});

/// Words that stand for what was just said; those are no stored memory.
static JUST_SAID: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(
        r"^\W*(?:i|we) (?:just |ever )?(?:said|told|mentioned|asked|wrote)\b|^\W*(?:今|いま|さっき|先ほど|この|これ|それ|あれ|上)の?(?:話|こと|発言|内容|件|メッセージ)?$|^我(?:刚才|剛才|刚刚|剛剛|刚)",
    )
});

/// Words that may stand for something else in the message: what somebody said, and what is pointed at.
static POINTS_ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(
        r"\b(?:it|its|this|that|these|those|he|him|his|she|her|hers|they|them|their|here|there|so|same|say|said|saying|tell|told|telling|ask(?:ed|ing)?|wrote|written|writ(?:e|ing)|typed|sent|shared?|sharing|spoken?|speak|speaking|brought|brag(?:ged|ging)?|let slip|mention\w*|confess\w*|admit\w*|reveal\w*|talk\w*|text(?:ed|ing)|complain\w*|vent(?:ed|ing)|rambl\w*|rant\w*)\b|言(?:い|う|っ|わ)|話(?:し|す|さ)|喋|しゃべ|伝え|述べ|書(?:い|き|く)|教え|聞(?:い|か)|打ち明け|これ|それ|あれ|この|その|あの|ここ|そこ|あそこ|彼|上記|说|說|告诉|告訴|提(?:到|过|過|起)|讲|講|写|寫|聊|发(?:的|过|了|给)|發|这|這|那|它|他|她|此|上面|以上",
    )
});

/// A request to forget something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Where it stands, in code points.
    pub(super) place: Range<usize>,
    /// The words for what.
    pub(super) what: String,
    /// Whether it names one known thing in a whole clause ("that I live in Oslo"), so that the rest of the message is not meant. A
    /// topic ("about my job"), a pronoun, talk of what was said, and what must not be guessed at mean all of it.
    pub(super) only_itself: bool,
}

/// Where a message asks to forget something.
pub(super) fn requests(message: &str) -> Vec<Request> {
    let plain = message.replace('’', "'");
    let point = |byte: usize| plain[..byte].chars().count();
    REQUESTS
        .iter()
        .flat_map(|request| request.captures_iter(&plain))
        .filter_map(|found| {
            let what = found.name("that").or(found.name("about"))?;
            let whole = found.get(0)?;
            let lead = whole.as_str().len()
                - whole
                    .as_str()
                    .trim_start_matches(|c: char| !c.is_alphanumeric())
                    .len();
            let place = point(whole.start() + lead)..point(whole.end());
            let after = &plain[what.end()..whole.end()];
            let says = found.name("that").is_some() && is_clause(what.as_str(), after);
            (!JUST_SAID.is_match(what.as_str())).then(|| Request {
                place,
                what: what.as_str().trim().to_owned(),
                only_itself: says && stands_alone(what.as_str()),
            })
        })
        .collect()
}

/// Whether the words say something, and do not only name a topic: 「大阪に住んでいること」, not 「仕事のこと」; 我住在上海, not 我的工作.
fn is_clause(what: &str, after: &str) -> bool {
    let what = what.trim();
    if what.starts_with('我') {
        return !what.starts_with("我的")
            && !what.starts_with("我们的")
            && !what.starts_with("我們的");
    }
    if !what.contains(text::is_hiragana) {
        return !what.contains(text::is_cjk);
    }
    let of_a_clause = ["という", "って", "こと", "の"]
        .iter()
        .any(|end| after.starts_with(*end));
    of_a_clause && !what.ends_with('の')
}

/// Whether nothing in it points at the rest of the message, and nothing in it is of a sort that must not come back by another way.
fn stands_alone(what: &str) -> bool {
    !POINTS_ELSEWHERE.is_match(what) && flags::of_statement(what).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(message: &str) -> Vec<String> {
        requests(message)
            .into_iter()
            .map(|request| request.what)
            .collect()
    }

    // G1
    #[test]
    fn what_is_to_be_forgotten_is_told() {
        for (message, what) in [
            ("Please forget that I live in Oslo.", "I live in Oslo"),
            ("Hi! Could you forget the fact that I’m vegan?", "I'm vegan"),
            (
                "Forget everything you know about my job.",
                "everything you know about my job",
            ),
            ("大阪に住んでいることは忘れてください。", "大阪に住んでいる"),
            ("请忘记我住在上海。", "我住在上海"),
            ("把我住在上海这件事忘掉", "我住在上海"),
        ] {
            assert_eq!(whats(message), [what], "{message}");
        }
        for message in [
            "I forget that I am old",
            "Don't forget that I live in Oslo",
            "Forget about it",
            "forget that I said that",
            "忘れないでください",
            "パスワードを忘れてしまいました",
            "别忘了我喜欢茶",
            "我忘了我的密码",
            "今の話は忘れてください",
        ] {
            assert_eq!(whats(message), Vec::<String>::new(), "{message}");
        }
    }

    // G1
    #[test]
    fn only_a_whole_clause_that_points_nowhere_leaves_the_rest_of_the_message_alone() {
        for (message, only_itself) in [
            ("Forget that I prefer short answers.", true),
            ("Please forget that I live in Oslo", true),
            ("大阪に住んでいることは忘れてください。", true),
            ("请忘记我喜欢简短的回答。", true),
            ("把我住在上海这件事忘掉", true),
            ("Forget everything you know about my job.", false),
            ("Forget that I did it.", false),
            ("Forget that I ever brought up my divorce.", false),
            ("Forget that I am gay.", false),
            ("私の仕事のことは忘れてください。", false),
            ("私が言ったことは忘れてください。", false),
            ("请忘记我的工作。", false),
            ("请忘记我说过的话。", false),
            ("请忘记我信佛教。", false),
        ] {
            let found = requests(message);
            assert_eq!(found.len(), 1, "{message}");
            assert_eq!(found[0].only_itself, only_itself, "{message}");
        }
    }
}
