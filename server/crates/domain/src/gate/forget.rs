//! "Forget that I …" (G1): a request to retire what is stored.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::flags::pattern;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
