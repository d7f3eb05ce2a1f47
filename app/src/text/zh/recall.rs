//! Simplified Chinese: recall.

use super::super::*;

/// Recall.
pub const RECALL: Recall = Recall {
    title: "召回",
    button: "召回此记忆",
    lead: "用于本不该批准的记忆。它会立即从所有上下文中移除，并列出告知过的会话以及由它产生的内容。",
    reason: "召回原因",
    reason_how: "保留在历史中。",
    reach: |sessions, times, made| {
        let told = match sessions {
            0 => "尚未告知任何会话".to_owned(),
            n => format!("已在 {n} 个会话中告知，共 {} 次", grouped(times)),
        };
        match made {
            0 => format!("{told}；没有由它产生的内容。"),
            n => format!("{told}；由它产生了 {n} 项内容。"),
        }
    },
    recalled: |who, ago| format!("{who} 于{ago}召回"),
    undo_how: "恢复即可撤销。",
    told: "已告知的会话",
    told_none: "没有会话被告知。",
    told_how: "Keepsake 不会通知这些运行环境。请告知其负责人：进行中的会话仍保有已告知的内容。",
    conversation: "会话",
    conversation_none: "未命名",
    revisions: "版本",
    times: "次数",
    last: "最近告知",
    older: |n| format!("更早的 {} 次未列出。", grouped(n)),
    made: "由它产生的内容",
    made_none: "没有由它产生的内容。",
    made_means: "列出：通过合并吸收它的记忆；等待审核且会更改或吸收它的候选；引用其依据语句的模式；说出这些语句的会话摘要。仅在同一会话中并列的内容不在其中。更下一层请逐一打开查看。",
    by_merge: "合并",
    by_change: "待审更改",
    by_pattern: "模式",
    by_summary: "摘要",
    waits: "待审核",
    served_no_more: "不再提供",
    of_candidate: |who, ago| format!("该记忆已由 {who} 于{ago}召回。"),
    flash: "已召回：今后不会出现在任何上下文中。",
};
