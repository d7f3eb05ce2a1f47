//! Japanese: two people who must agree.

use super::super::*;

/// Four eyes.
pub const FOUR_EYES: FourEyes = FourEyes {
    title: "2人による承認",
    lead: "ここで選んだものは、異なる2人が承認します。1人目が同意し、2人目が承認します。ポリシーが代わりに判断することはありません。",
    all: "すべて",
    all_how: "このエージェントの承認には、必ず2人目が必要です。",
    kinds: "次の種類",
    flags: "次のフラグが付いたもの",
    by_hand: "対象は候補です。人が直接書いた、編集した、または廃止したメモリーには1人で足ります。",
    save: "2人による承認を保存",
    one_of_two: |who| format!("{who} が同意、あと1人"),
    agreed: |who, ago| format!("{ago}に {who} が同意しました。あと1人必要です。"),
    same: "承認すると、同じ内容に同意します。別の変更で承認すると、その内容に置き換わり、もう1人の同意を改めて待ちます。",
    own: "別の人の同意も必要です。",
    withdraw: "同意を取り消す",
    changes: "変更点",
    merges: "保存済みのメモリーに統合",
    before: |who| format!("先に {who} が同意しました。"),
    flash: |what| format!("同意しました：{what}。あと1人必要です。"),
    flash_withdrawn: |what| format!("同意を取り消しました：{what}"),
};
