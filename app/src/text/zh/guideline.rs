//! Simplified Chinese: guidelines.

use super::super::*;

/// The guidelines of a kind.
pub const GUIDELINES: Guidelines = Guidelines {
    title: "审核准则",
    lead: "这一类别应当和不应保留什么。审核者会在每条候选旁边看到自己语言的版本；该语言为空时显示英文。",
    in_language: |language| format!("{language}版"),
    how: "写明应当保留和不应保留的内容，各举一例。留空：此语言下不显示任何内容。",
    save: "保存准则",
    none: "此语言下没有内容。",
    history: "历史",
    version: |n| format!("第{n}版"),
    beginning: "Keepsake自带的内容",
    by: |who, when| format!("{who}，{when}"),
    emptied: "已清空。",
};
