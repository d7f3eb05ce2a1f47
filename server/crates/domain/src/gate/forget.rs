//! "Forget that I …" (G1): a request to retire what is stored.

use std::{collections::HashSet, ops::Range, sync::LazyLock};

use regex::Regex;

use crate::{flags::pattern, id::MemoryId, text};

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

/// Where a message asks to forget something: the place in code points, and the words for what.
pub(super) fn requests(message: &str) -> Vec<(Range<usize>, String)> {
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
            (!JUST_SAID.is_match(what.as_str())).then(|| (place, what.as_str().trim().to_owned()))
        })
        .collect()
}

/// The share of the words for what is to be forgotten that a memory must hold.
const ENOUGH: f64 = 0.5;

/// The memories, given with their content, that `what` is about: those that share most of its words, best ones only.
pub fn meant<'a>(
    what: &str,
    memories: impl IntoIterator<Item = (&'a MemoryId, &'a str)>,
) -> Vec<MemoryId> {
    let asked = words(what);
    if asked.is_empty() {
        return Vec::new();
    }
    let scored: Vec<(usize, &MemoryId)> = memories
        .into_iter()
        .map(|(id, content)| (words(content).intersection(&asked).count(), id))
        .collect();
    let best = scored.iter().map(|(shared, _)| *shared).max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
    let enough = best as f64 >= ENOUGH * asked.len() as f64;
    scored
        .into_iter()
        .filter(|(shared, _)| enough && *shared == best)
        .map(|(_, id)| id.clone())
        .collect()
}

/// Words that speak of the person or the request, not of the thing.
const OF_NO_WEIGHT: [&str; 18] = [
    "i",
    "i'm",
    "my",
    "me",
    "user",
    "user's",
    "about",
    "everything",
    "anything",
    "know",
    "fact",
    "ユーザー",
    "用户",
    "我",
    "私",
    "こと",
    "you",
    "from",
];

fn words(statement: &str) -> HashSet<String> {
    text::tokens(statement)
        .into_iter()
        .filter(|word| !OF_NO_WEIGHT.contains(&word.as_str()) && !text::is_function_word(word))
        .map(|word| {
            let stem = ["ing", "ed", "es", "s", "e"].iter().find_map(|end| {
                word.strip_suffix(end)
                    .filter(|stem| stem.len() >= 3 && stem.is_ascii())
            });
            stem.map_or(word.clone(), str::to_owned)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entropy, Timestamp};

    fn whats(message: &str) -> Vec<String> {
        requests(message)
            .into_iter()
            .map(|(_, what)| what)
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

    struct Counter;
    impl Entropy for Counter {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn the_memory_that_is_meant_is_found_and_nothing_else() {
        let id = |n: i64| {
            MemoryId::new(
                Timestamp::UNIX_EPOCH + crate::time::Span::seconds(n),
                &Counter,
            )
        };
        let ids: Vec<_> = (0..5).map(id).collect();
        let contents = [
            "User lives in Oslo",
            "User prefers green tea",
            "ユーザーは大阪に住んでいる",
            "用户住在上海",
            "User works as a nurse",
        ];
        let memories = || ids.iter().zip(contents);
        assert_eq!(meant("I live in Oslo", memories()), [ids[0].clone()]);
        assert_eq!(meant("大阪に住んでいる", memories()), [ids[2].clone()]);
        assert_eq!(meant("我住在上海", memories()), [ids[3].clone()]);
        assert_eq!(meant("I have a cat", memories()), Vec::<MemoryId>::new());
        assert_eq!(meant("", memories()), Vec::<MemoryId>::new());
    }
}
