//! "Don't remember this" (G1), in English, Japanese and Chinese.
//!
//! It covers the whole message; "forget that I …" may cover less (`silence.rs`). A statement of not remembering ("I don't remember that film"), a reminder ("don't forget that …",
//! 「忘れないで」, 别忘了) and work on files ("don't save this file") are none.

use std::sync::LazyLock;

use regex::RegexSet;

use crate::flags::pattern;

static ASKED: LazyLock<RegexSet> = LazyLock::new(|| {
    // An order stands at the beginning of a clause; after a subject the same words tell what somebody does.
    let order = r#"(?:^|[.!?,;:\n"“(—–-]\s*|\b(?:please|pls|kindly|but|and|so|just|ok|okay|also|can you|could you|would you|you should|you must|prefer you|rather you|want you to|like you to|you to)\s+)(?:(?:please|just)\s+)?"#;
    pattern::any(&[
        r"\boff[- ]the[- ]record\b|\b(?:this|that|it) is not for the record\b|\bkeep (?:this|that|it) (?:off the record|out of (?:your )?(?:memory|memories))\b",
        &format!(
            r"{order}(?:do not|don'?t|never|not to)\s+(?:ever\s+)?(?:remember|memori[sz]e)\s+(?:this|that|it|any|anything|what|these|my|me|about|the)\b"
        ),
        &format!(
            r"{order}(?:do not|don'?t|never|not to)\s+(?:ever\s+)?(?:save|store|record|keep|log|note|retain|write|jot)\s+(?:down\s+)?(?:(?:this|that|it|these|any of (?:this|it)|anything(?: (?:i|from|about)[a-z' ]*)?|what i(?:'m| am|'ve)? [a-z ]+)(?:\s+down)?(?:\s+(?:message|conversation|chat|about me|anywhere|please|either|for later|(?:in|to|into) (?:your |the )?(?:memory|memories|notes|profile|record)))?)\s*(?:$|[.,;:!?\n)—–-])"
        ),
        r"\b(?:no need|you (?:don'?t|do not) (?:have|need)|not necessary) to (?:remember|memori[sz]e|store|save|record) (?:this|that|it|any)\b",
        r"\bforget (?:that )?(?:what )?i (?:just |ever )?(?:said|told|mentioned|wrote)\b|\bthis (?:stays|is) between (?:us|you and me)\b|\bkeep (?:this|it|that) between us\b",
        r"(?:覚え|憶え|おぼえ|記憶し|記憶に残さ|記録し|記録に残さ|保存し|メモし|メモリーに入れ|メモリに入れ|残さ)(?:て?おか)?(?:ないで|なくて(?:も)?(?:いい|良い|よい|結構|大丈夫|OK)|ないよう|ないこと|ず(?:に|とも))|(?:覚え|記憶する|記録する|保存する|メモする)(?:る)?(?:な(?:$|[。！!、,]|よ)|必要は(?:ない|ありません))",
        r"オフレコ|ここだけの(?:話|こと)|(?:今|いま|さっき|先ほど|この|これ|それ|上)の?(?:は|話は|ことは|発言は|内容は|件は|メッセージは)?(?:聞かなかったことに|忘れて(?:ください|下さい|くれ|ほしい|欲しい|ね|[。！!、]|$))",
        r"(?:别|別|不要|不用|不必|请勿|請勿|勿|甭|无需|無需)(?:再)?(?:帮我|幫我|替我|把(?:这|這|那|此|它|我)[^，。！？\n]{0,12})?(?:记住|記住|记录|記錄|记下|記下|记得|记在|記在|保存|存储|儲存|留存|存到|存入|写入记忆)(?:$|[^错錯])",
        r"(?:别|別|不要|不用|不必|请勿|請勿|勿|甭)(?:把(?:这|這|那|此|它|我)[^，。！？\n]{0,12})?[记記](?:$|[\s，,。.：:；;！!、…]|这|這|那|此|我|它|在|到|了[吧哦啊]?[，。！]|着|啊|哦|吧)",
        r"不要外[传傳]|[别別]往外[说說]|私下[说說](?:一句|个|個)?[，,：:]|(?:当|當)我没(?:说|說)|(?:当|當)我沒(?:说|說)|忘[记掉了記](?:我)?(?:刚才|剛才|刚刚|剛剛|上面|这句|這句|这条|這條)",
    ])
});

/// Whether a message asks not to be remembered.
pub fn asked_not_to_remember(message: &str) -> bool {
    ASKED.is_match(&message.replace('’', "'"))
}

#[cfg(test)]
mod tests {
    use super::asked_not_to_remember;

    // G1
    #[test]
    fn the_wish_is_heard_in_three_languages() {
        for message in [
            "Off the record, I'm job hunting.",
            "Please don't remember this: I'm job hunting",
            "I'm job hunting. Don’t save this.",
            "Do not store this anywhere",
            "My salary is 50k but please don't record that.",
            "don't keep this in your memory",
            "You don't need to remember this, but I hate Mondays",
            "Forget what I just said",
            "I'd rather you not to remember this... please do not memorize it",
            "keep this between us: I'm leaving",
            "これは覚えないでください、転職活動中です。",
            "覚えなくていいですが、昨日は疲れました",
            "今の話は忘れてください。",
            "オフレコで。来月辞めます",
            "これは記録しないで",
            "メモしないでほしいんだけど、引っ越します",
            "别记这个：我在找工作。",
            "請不要記住這個，我在找工作",
            "不要把这个记下来",
            "这个不用记住",
            "别把我的地址保存",
            "别记。",
        ] {
            assert!(asked_not_to_remember(message), "{message}");
        }
    }

    #[test]
    fn what_only_sounds_like_it_is_not_taken_for_it() {
        for message in [
            "I don't remember that film",
            "We do not store this in git",
            "Don't forget that I'm vegetarian",
            "Don't save this file, overwrite it",
            "Please don't keep this function, delete it",
            "Remember this: I like tea",
            "Keep a record of my runs",
            "忘れないでください、金曜はお休みです",
            "名前を覚えていないんです",
            "パスワードを忘れてしまいました",
            "覚えておいてください、私は菜食です",
            "别忘了我喜欢绿茶",
            "我不记得那部电影了",
            "别记错了我的名字",
            "请记住我住在上海",
        ] {
            assert!(!asked_not_to_remember(message), "{message}");
        }
    }
}
