//! Simplified Chinese: decisions by the hundred.

use domain::bulk::{BulkState, BulkVerdict};

use super::super::*;

/// Decisions by the hundred.
pub const BULK: Bulk = Bulk {
    title: "批量审批",
    lead: "每一次批量审批：进度、未能处理的内容，以及撤销的方法。",
    none: "还没有批量审批",
    none_how: "在审核列表中勾选若干行，或处理符合筛选条件的全部内容。",
    how: "勾选若干行即可一起审批。",
    bar: "一起审批",
    selected: "条已选",
    verdict: |verdict| match verdict {
        BulkVerdict::Approve => "批准",
        BulkVerdict::Reject => "拒绝",
        BulkVerdict::Reopen => "重新打开",
    },
    selected_button: |verdict| match verdict {
        BulkVerdict::Approve => "批准所选",
        BulkVerdict::Reject => "拒绝所选",
        BulkVerdict::Reopen => "重新打开所选",
    },
    hand_over: "转交所选",
    all: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("批准符合条件的全部{number}条…"),
            BulkVerdict::Reject => format!("拒绝符合条件的全部{number}条…"),
            BulkVerdict::Reopen => format!("重新打开符合条件的全部{number}条…"),
        }
    },
    note: "备注",
    note_how: "会记在每一个决定上，也会随转交一并送达。",
    insist: "有风险的也一并批准",
    insist_how: "指令、矛盾、涉及第三方、敏感类别、个人信息，以及目标记忆已变的更改，平时会留待审核。请在备注中说明理由。",
    confirm: |n| format!("输入{n}以批准"),
    confirm_how: |n| format!("将一次批准{}条。批准后会立即提供给智能体。", grouped(n)),
    still_selected: |n| format!("{}条未处理", grouped(n)),
    not_done: "未处理",
    why: |code| {
        Some(match code {
            "risky" => "有风险：请单独查看",
            "already_decided" | "not_pending" => "已有人先行决定",
            "stale" => "选中之后有变动",
            "expired" => "已过期",
            "moved_on" => "所涉内容已变",
            "slot_taken" => "同类型同名称的记忆已存在",
            "memory_limit" => "该用户的记忆已达上限",
            "claimed" => "正由他人处理",
            "language_not_yours" => "不是您负责的语言",
            "unknown" => "所选的人不负责此条",
            "second_person_needed" => "需要另一个人同意",
            "opted_out" => "此人已退出",
            "still_waiting" => "已在等待审核",
            "not_found" => "已不存在，或您无权查看",
            "secret" => "含有机密",
            "invalid" => "不符合其类型",
            "internal" => "Keepsake内部出错",
            _ => return None,
        })
    },
    why_else: |code| format!("被拒绝（{code}）"),
    matching: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("批准{number}条"),
            BulkVerdict::Reject => format!("拒绝{number}条"),
            BulkVerdict::Reopen => format!("重新打开{number}条"),
        }
    },
    frozen: |at| {
        format!(
            "截至{at}符合筛选条件的全部内容。之后到达的不受影响；轮到之前有变动的保持原样，并会列出。"
        )
    },
    count: |n| format!("{}条", grouped(n)),
    by_kind: "按类型",
    by_flag: "按标记",
    flags_none: "没有带标记的内容。",
    risky: |n| format!("其中{}条有风险，将留待逐条查看。", grouped(n)),
    start: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("批准{number}条"),
            BulkVerdict::Reject => format!("拒绝{number}条"),
            BulkVerdict::Reopen => format!("重新打开{number}条"),
        }
    },
    nothing: "没有符合条件的内容",
    nothing_how: "可能已有他人处理。",
    back: "返回列表",
    one: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("批准{number}条"),
            BulkVerdict::Reject => format!("拒绝{number}条"),
            BulkVerdict::Reopen => format!("重新打开{number}条"),
        }
    },
    state: |state| match state {
        BulkState::Collecting => "收集中",
        BulkState::Running => "进行中",
        BulkState::Done => "完成",
        BulkState::Failed => "无法继续",
        BulkState::Stopped => "已停止",
    },
    error: |code| match code {
        "deactivated" => "发起人已被停用。尚未决定的内容照旧等待。".to_owned(),
        "forbidden" => "发起人已无审批权限。尚未决定的内容照旧等待。".to_owned(),
        "key_ended" => "发起时使用的密钥已被吊销或已过期。尚未决定的内容照旧等待。".to_owned(),
        other => format!("无法继续（{other}）。"),
    },
    by: "发起人",
    progress: |tried, total| format!("{}／{}条", grouped(tried), grouped(total)),
    result: |done, failed| {
        if failed == 0 {
            format!("完成{}条", grouped(done))
        } else {
            format!("完成{}条，失败{}条", grouped(done), grouped(failed))
        }
    },
    look_again: "再看一次",
    stop: "停止",
    stop_how: "已决定的不变，其余照旧等待。",
    undo: "全部撤销",
    undo_how: "已决定的内容恢复等待，期限不变；已过期的从现在起七天。记忆恢复原样。",
    undone: "已撤销。",
    undo_of: "这是对之前操作的撤销。",
    told: "期间已提供",
    told_lead: |memories, sessions| {
        format!(
            "撤销之前，其中{}条曾提供给{}个对话。候选页面列有这些对话。",
            grouped(memories),
            grouped(sessions)
        )
    },
    told_none: "期间没有提供过。",
    sessions: |n| format!("{}个对话", grouped(n)),
    candidate: "候选",
    reason: "原因",
    decided: "结果",
    asked: "发起",
    all_recent: "所有批量审批",
    flash_done: |verdict, done, failed| {
        let word = match verdict {
            BulkVerdict::Approve => "批准",
            BulkVerdict::Reject => "拒绝",
            BulkVerdict::Reopen => "重新打开",
        };
        if failed == 0 {
            format!("已{word}{}条", grouped(done))
        } else {
            format!("已{word}{}条，失败{}条", grouped(done), grouped(failed))
        }
    },
    flash_undone: |done, failed| {
        if failed == 0 {
            format!("已撤销：{}条重新等待", grouped(done))
        } else {
            format!(
                "已撤销：{}条重新等待，失败{}条",
                grouped(done),
                grouped(failed)
            )
        }
    },
    flash_handed_over: |done, failed| {
        if failed == 0 {
            format!("已转交{}条", grouped(done))
        } else {
            format!("已转交{}条，失败{}条", grouped(done), grouped(failed))
        }
    },
    flash_told: |n| format!("其中{}条期间曾被提供。", grouped(n)),
    flash_started: "正在后台进行，可以离开此页面。",
    flash_stopped: "已停止。尚未决定的内容照旧等待。",
    flash_none: "没有选中任何内容，请先勾选。",
    see: "查看详情",
};
