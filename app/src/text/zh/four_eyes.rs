//! Simplified Chinese: two people who must agree.

use super::super::*;

/// Four eyes.
pub const FOUR_EYES: FourEyes = FourEyes {
    title: "双人审核",
    lead: "此处选定的内容须由两个不同的人批准：第一人同意，第二人批准。任何策略都不会代为决定。",
    all: "全部",
    all_how: "该智能体的每次批准都需要第二个人。",
    kinds: "这些类型",
    flags: "带有以下任一标记的内容",
    by_hand: "适用于候选。由人直接写入、编辑或停用的记忆只需一人。",
    save: "保存双人审核",
    one_of_two: |who| format!("{who} 已同意，还需一人"),
    agreed: |who, ago| format!("{who} 于{ago}同意，还需一人。"),
    same: "批准即表示同意相同内容。若以其他修改批准，则以你的为准，并再次征求另一人同意。",
    own: "还需另一个人同意。",
    withdraw: "撤回我的同意",
    changes: "其修改",
    merges: "合并到已保存的记忆",
    before: |who| format!("此前由 {who} 同意。"),
    flash: |what| format!("你已同意：{what}。还需一人。"),
    flash_withdrawn: |what| format!("已撤回你的同意：{what}"),
};
